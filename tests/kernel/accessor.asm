; SPDX-License-Identifier: BSD-2-Clause
;
; Accesses of every kind for tests/kernel/accessor_suite.c, and which instruction makes each. Called
; in task context by accessor_run; a case's routine gets the watched word in rdi and another one in
; rsi, and preserves everything. Around many accesses there are instructions that must not be
; blamed, for example a store before the target of a jump.

%include "arch/x86_64/unwind/cfi.inc"

section .text progbits alloc exec nowrite align=16
bits 64
default rel

; OUT rax = the stack pointer of accessor_run at its first instruction, if called from the same
; frame.
align 16
cfi_start accessor_entry_sp, return
        mov rax, rsp
        ret
cfi_end

; IN rdi = a routine; rsi, rdx = its rdi and rsi. Hits count from immediately before the call to
; immediately after it. At the routine's first instruction rsp is accessor_entry_sp() - 24.
align 16
cfi_start accessor_run, return
        cfi_push_saved rbp, 16
        mov rbp, rsp
        cfi_push_saved rbx, 24
        mov rax, rdi
        mov rdi, rsi
        mov rsi, rdx
        mov byte [accessor_open], 1
        call rax
        mov byte [accessor_open], 0
        cfi_pop_saved rbx, 24
        cfi_pop_saved rbp, 16
        ret
cfi_end

section .bss nobits alloc noexec write align=8
global accessor_open:data 1
accessor_open:
        resb 1

section .rodata progbits alloc noexec nowrite align=8
global accessor_cases:data (accessor_cases_end - accessor_cases)
global accessor_cases_end
accessor_cases:

; The watched bytes: at rdi, or in the word below the routine's return address.
%define AT_WORD  0
%define ON_STACK 1

%define WRITE      1    ; enum arch_access
%define READ_WRITE 2

; case NAME, TEXT, place, offset, length, access begins a routine and its entry in the table; the
; routine is followed by `hit LETTER, LABEL` for each hit in turn (struct accessor_case), then by
; `end`.
%macro case 6
%define case_name accessor_%1
section .rodata
        dq %%text, case_name
        dd %3, %4, %5, %6
section .text
align 16
cfi_start accessor_%1, return
section .rodata.text progbits alloc noexec nowrite align=1
%%text: db %2, 0
section .text
%endmacro

%macro hits 0-*
cfi_end
section .rodata
%assign hits_left 6
%rep %0 / 2
        dq %1, %2
        %rotate 2
        %assign hits_left hits_left - 1
%endrep
        times 2 * hits_left dq 0
section .text
%endmacro

section .text

case store, "a store", AT_WORD, 0, 8, WRITE
..@store:
        mov [rdi], rax
        ret
hits 'before', ..@store

case store_byte, "a store of one byte, in the middle", AT_WORD, 3, 1, WRITE
        mov byte [rsi], 1
..@store_byte:
        mov byte [rdi], 1
        mov byte [rsi], 1
        ret
hits 'before', ..@store_byte

case load, "a load", AT_WORD, 0, 4, READ_WRITE
        mov eax, [rsi]
..@load:
        mov eax, [rdi]
        ret
hits 'before', ..@load

; QEMU 7.2 reports these two, although the watched bytes are not accessed.
case load_beside, "an unaligned load beside the watched byte", AT_WORD, 4, 1, READ_WRITE
        mov eax, [rdi + 2]
        ret
hits 'perhaps', 0

case store_beside, "an unaligned store behind the watched byte", AT_WORD, 4, 1, WRITE
        mov [rdi + 2], eax
        ret
hits 'perhaps', 0

case add, "a read-modify-write", AT_WORD, 0, 8, WRITE
..@add:
        add qword [rdi + 0], 0x12345
        ret
hits 'before', ..@add

case compare, "a comparison with memory", AT_WORD, 0, 8, READ_WRITE
..@compare:
        cmp qword [rdi], byte 0
        jne .other
.other: ret
hits 'before', ..@compare

case exchange, "xchg", AT_WORD, 0, 8, WRITE
        mov eax, 5
..@exchange:
        xchg [rdi], rax
        ret
hits 'before', ..@exchange

case locked, "lock inc", AT_WORD, 0, 4, WRITE
..@locked:
        lock inc dword [rdi]
        ret
hits 'before', ..@locked

case failing, "cmpxchg that fails", AT_WORD, 0, 8, READ_WRITE
        mov rax, -1
..@failing:
        lock cmpxchg [rdi], rsi
        ret
hits 'before', ..@failing

case push_pop, "push, and pop", ON_STACK, 0, 8, READ_WRITE
..@push:
        push rax
        cfi_offset 16
..@pop:
        pop rax
        cfi_offset 8
        ret
hits 'before', ..@push, 'before', ..@pop

case push_memory, "push of a word in memory", AT_WORD, 0, 8, READ_WRITE
..@push_memory:
        push qword [rdi]
        cfi_offset 16
        pop rax
        cfi_offset 8
        ret
hits 'before', ..@push_memory

case flags, "pushfq, and popfq", ON_STACK, 0, 8, READ_WRITE
..@pushf:
        pushfq
        cfi_offset 16
..@popf:
        popfq
        cfi_offset 8
        ret
hits 'before', ..@pushf, 'before', ..@popf

case leave, "leave", ON_STACK, 0, 8, READ_WRITE
..@enter:
        cfi_push_saved rbp, 16
        mov rbp, rsp
        cfi_from rbp, 16
..@leave:
        leave
        cfi_from rsp, 8
        cfi_restored rbp
        ret
hits 'before', ..@enter, 'before', ..@leave

; The code after the label is reached in two ways; the store in only one.
case label, "a store in front of a label that others jump to", AT_WORD, 0, 8, WRITE
        xor eax, eax
        jmp .behind
.before:
        inc eax
..@label_store:
        mov [rdi], rax
.behind:
        test eax, eax
        jz .before
        ret
hits 'before', ..@label_store

; --- String instructions. ---

case movsb, "movsb, not repeated", AT_WORD, 0, 1, WRITE
        xchg rdi, rsi
        xchg rdi, rsi
..@movsb:
        movsb
        ret
hits 'before', ..@movsb

case rep_first, "rep movsb, first iteration", AT_WORD, 0, 1, WRITE
        mov ecx, 24
..@rep_first:
        rep movsb
        ret
hits 'string', ..@rep_first

case rep_middle, "rep movsb, an iteration in the middle", AT_WORD, 7, 1, WRITE
        mov ecx, 24
        lea rdi, [rdi - 7]
..@rep_middle:
        rep movsb
        ret
hits 'string', ..@rep_middle

case rep_last, "rep movsb, last iteration", AT_WORD, 0, 1, WRITE
        mov ecx, 24
        lea rdi, [rdi - 23]
..@rep_last:
        rep movsb
        mov byte [rsi], 0
        ret
hits 'string', ..@rep_last

case rep_source, "rep movsb, its source", AT_WORD, 0, 1, READ_WRITE
        mov ecx, 24
        xchg rdi, rsi
..@rep_source:
        rep movsb
        ret
hits 'string', ..@rep_source

case rep_words, "rep stosq", AT_WORD, 0, 8, WRITE
        mov ecx, 3
        xor eax, eax
..@rep_words:
        rep stosq
        ret
hits 'string', ..@rep_words

case rep_down, "rep stosb, downwards", AT_WORD, 0, 1, WRITE
        mov ecx, 12
        lea rdi, [rdi + 4]
        std
..@rep_down:
        rep stosb
        cld
        ret
hits 'string', ..@rep_down

case rep_scan, "repne scasb", AT_WORD, 0, 1, READ_WRITE
        mov ecx, 1
        mov al, 0x5a
..@rep_scan:
        repne scasb
        ret
hits 'string', ..@rep_scan

case rep_after_store, "a store far in front of a rep", AT_WORD, 0, 8, WRITE
        mov ecx, 2
        lea rdx, [rdi]
        lea rdi, [rsi]
..@rep_after_store:
        mov [rdx], rax
        rep stosq
        ret
hits 'before', ..@rep_after_store

; Both write the same bytes, so at the first hit it is not known which one it was.
case rep_or_store, "a store, and the rep behind it to the next byte", AT_WORD, 0, 1, WRITE
        mov ecx, 2
        lea rdi, [rdi + 1]
..@rep_or_store:
        mov [rdi - 1], al
        rep stosb
        ret
hits 'maybe', ..@rep_or_store

case rep_behind_rep, "a rep behind a rep", AT_WORD, 0, 1, WRITE
        mov ecx, 4
..@rep_one:
        rep stosb
        rep stosb
        ret
hits 'maybe', ..@rep_one

; --- Calls, jumps and returns. Each target has a store before it. ---

case call, "the push of a call", ON_STACK, 0, 8, WRITE
..@call:
        call .callee
        ret
        mov [rsi], rax
        nop
.callee:
        ret
hits 'call', ..@call

case call_register, "the push of a call by register", ON_STACK, 0, 8, WRITE
        lea r11, [.callee]
..@call_register:
        call r11
        ret
        nop
.callee:
        ret
hits 'call', ..@call_register

case call_memory, "the push of a call by memory", ON_STACK, 0, 8, WRITE
        lea rax, [.callee]
        mov [rsi + 8], rax
        mov ecx, 2
..@call_memory:
        call [rsi + rcx * 4]
        ret
        nop
.callee:
        ret
hits 'call', ..@call_memory

case call_pointer, "the pointer that a call goes by", AT_WORD, 0, 8, READ_WRITE
        lea rax, [.callee]
..@pointer_store:
        mov [rdi], rax
        nop
..@call_pointer:
        call [rdi]
        ret
        nop
.callee:
        ret
hits 'before', ..@pointer_store, 'call', ..@call_pointer

case call_behind_store, "a call to behind a store", ON_STACK, 0, 8, WRITE
..@call_behind_store:
        call .callee
        ret
        mov [rsi], rax
.callee:
        ret
hits 'maybe', ..@call_behind_store

case first_store, "the first instruction of what was called", AT_WORD, 0, 8, WRITE
        call .callee
        ret
.callee:
..@first_store:
        mov [rdi], rax
        ret
hits 'before', ..@first_store

case return_read, "the return address, read by the first instruction", ON_STACK, 0, 8, READ_WRITE
..@return_call:
        call .callee
        ret
.callee:
..@return_read:
        mov rax, [rsp]
        nop
        ret
hits 'call', ..@return_call, 'before', ..@return_read, 'none', 0

case return_to, "a return to behind a store", ON_STACK, 0, 8, READ_WRITE
        lea rax, [.target]
..@return_push:
        push rax
        cfi_offset 16
        nop
        cfi_offset 8
        ret
        mov [rsi], rax
.target:
        ret
hits 'before', ..@return_push, 'none', 0

case jump_memory, "a jump through memory to behind a store", AT_WORD, 0, 8, READ_WRITE
        lea rax, [.target]
..@jump_store:
        mov [rdi], rax
        nop
        jmp [rdi]
        mov [rsi], rax
.target:
        ret
hits 'before', ..@jump_store, 'none', 0

; An iretq frame on the stack; whether its reads by iretq hit depends on the machine.
case iret, "a return by iretq to behind a store", ON_STACK, -16, 8, READ_WRITE
        mov rdx, rsp
        mov eax, ss
        push rax
        cfi_offset 16
        push rdx
        cfi_offset 24
..@iret_push:
        pushfq
        cfi_offset 32
        mov eax, cs
        push rax
        cfi_offset 40
        lea rax, [.target]
        push rax
        cfi_offset 48
        nop
        iretq
        cfi_offset 8
        mov [rsi], rax
.target:
        ret
hits 'before', ..@iret_push, 'perhaps', 0

section .rodata
accessor_cases_end:
section .note.GNU-stack noalloc noexec nowrite progbits
