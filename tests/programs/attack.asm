; SPDX-License-Identifier: BSD-2-Clause
;
; See attack.h. In user mode; CLOBBERS what a function may.

%include "arch/x86_64/unwind/cfi.inc"

SYSCALL_GETPID     equ 39
KERNEL_CODE        equ 0x08
KERNEL_DATA        equ 0x10
USER_DATA          equ 0x23
USER_CODE          equ 0x2b
CODE_32            equ 0x1b
FLAG_TRAP          equ 1 << 8
FLAG_INTERRUPT     equ 1 << 9
FLAGS_VIRTUAL      equ 1 << 17 | 1 << 1
FLAGS_IOPL         equ 3 << 12
FLAGS_HARMFUL      equ 1 << 10 | 1 << 14 | 1 << 18 ; DF, NT, AC
KERNEL_ADDRESS     equ 0xffffffff80200000
NON_CANONICAL      equ 0x8000000000000000
TIMER_VECTOR       equ 0x20
LOW_STACK          equ 2048

; Operands that may be watched: a selector for `mov ss`, and one after a 32-bit stack pointer for
; `lss`.
section .data
align 16
global attack_operand:data (attack_operand_end - attack_operand)
attack_operand:
        dq USER_DATA
        dd LOW_STACK
        dd USER_DATA
attack_operand_end:

section .text progbits alloc exec nowrite align=16
bits 64
default rel

; %1 flags to set; the others are unchanged
%macro set_flags 1
        pushfq
        cfi_offset 16
        or qword [rsp], %1
        popfq
        cfi_offset 8
%endmacro

; %1 name, then its instructions
%macro attack 2+
align 16
cfi_start attack_%1, return
        %2
        ret
cfi_end
%endmacro

attack hlt,     hlt
attack cli,     cli
attack in,      in al, 0x64
attack ltr,     ltr ax
attack lldt,    lldt ax
attack sysenter, sysenter
attack clts,    clts
attack swapgs,  swapgs
attack sysret,  o64 sysret
attack invlpg,  invlpg [rsp]
attack lgdt,    lgdt [rsp]
attack lidt,    lidt [rsp]
attack read_cr3, mov rax, cr3
attack read_dr7, mov rax, dr7
attack int_80,  int 0x80
attack int_1,   db 0xcd, 1
attack int_timer, int TIMER_VECTOR
attack ud2,     ud2
attack stac,    stac
attack int3,    int3
attack int1,    db 0xf1
attack sse,     xorps xmm0, xmm0
attack x87,     fld1

align 16
cfi_start attack_wbinvd, return
        wbinvd
        ud2                             ; reached only if the attack works
cfi_end

align 16
cfi_start attack_out, return
        mov al, 0xfe                    ; requests a reset from the keyboard's controller
        out 0x64, al
        ret
cfi_end

align 16
cfi_start attack_rdmsr, return
        mov ecx, 0xc0000082
        rdmsr
        ret
cfi_end

align 16
cfi_start attack_wrmsr, return
        mov ecx, 0xc0000082             ; LSTAR
        xor eax, eax
        xor edx, edx
        wrmsr
        ret
cfi_end

align 16
cfi_start attack_rdpmc, return
        xor ecx, ecx
        rdpmc
        ret
cfi_end

align 16
cfi_start attack_write_cr4, return
        xor eax, eax
        mov cr4, rax
        ret
cfi_end

align 16
cfi_start attack_write_dr7, return
        xor eax, eax
        mov dr7, rax
        ret
cfi_end

align 16
cfi_start attack_write_dr0, return
        lea rax, [rsp]
        mov dr0, rax
        ret
cfi_end

align 16
cfi_start attack_wrgsbase, return
        mov rax, KERNEL_ADDRESS
        wrgsbase rax
        ret
cfi_end

align 16
cfi_start attack_iretq_kernel, return
        mov rax, rsp
        push KERNEL_DATA
        cfi_offset 16
        push rax
        cfi_offset 24
        pushfq
        cfi_offset 32
        push KERNEL_CODE
        cfi_offset 40
        lea rax, [.there]
        push rax
        cfi_offset 48
        iretq
.there:
        ud2
cfi_end

align 16
cfi_start attack_retf_kernel, return
        push KERNEL_CODE
        cfi_offset 16
        lea rax, [.there]
        push rax
        cfi_offset 24
        o64 retf
.there:
        ud2
cfi_end

align 16
cfi_start attack_retf_32, return
        push CODE_32
        cfi_offset 16
        lea rax, [.there]
        push rax
        cfi_offset 24
        o64 retf
.there:
        ud2
cfi_end

; A 32-bit `iret` to virtual-8086 mode, which 64-bit mode does not have: by the manual it faults.
; QEMU uses the stack pointer as a 32-bit one. %1 name, %2 flags besides VM, %3 cs
%macro attack_virtual 3
section .data
%%frame:
        dd 0x1000, %3, FLAGS_VIRTUAL | %2 ; eip, cs, eflags
        dd 0x2000, 0, 0, 0, 0, 0          ; esp, ss, es, ds, fs, gs
section .text
align 16
cfi_start attack_virtual_%1, return
        mov r8, rsp
        cfi_from r8, 8
        lea rsp, [%%frame]
        iretd
        ud2
cfi_end
%endmacro

attack_virtual kernel,  FLAG_INTERRUPT, KERNEL_CODE
attack_virtual quiet,   FLAGS_IOPL, KERNEL_CODE
attack_virtual step,    FLAG_INTERRUPT | FLAG_TRAP, KERNEL_CODE
attack_virtual program, FLAG_INTERRUPT, USER_CODE
attack_virtual null,    0, 0

align 16
cfi_start attack_mov_ss_kernel, return
        mov eax, KERNEL_DATA
        mov ss, ax
        ret
cfi_end

align 16
cfi_start attack_mov_ss_null, return
        xor eax, eax
        mov ss, ax
        ret
cfi_end

align 16
cfi_start attack_trap_flag, return
        set_flags FLAG_TRAP
        nop
        nop
        ret
cfi_end

align 16
cfi_start attack_trap_flag_syscall, return
        mov eax, SYSCALL_GETPID
        set_flags FLAG_TRAP
        syscall
        nop
        ret
cfi_end

align 16
cfi_start attack_trap_flag_int3, return
        set_flags FLAG_TRAP
        int3
        ret
cfi_end

; The exception %3 while the flags %2 are set, through each of the entries.
%macro attack_in_flags 3+
align 16
cfi_start attack_flags_%1, return
        set_flags %2
        %3
        ret
cfi_end
%endmacro

attack_in_flags int3, FLAGS_HARMFUL, int3
attack_in_flags ud2, FLAGS_HARMFUL, ud2
attack_in_flags step, FLAGS_HARMFUL | FLAG_TRAP, nop

align 16
cfi_start attack_ss_syscall, return
        mov eax, SYSCALL_GETPID
        mov ss, [attack_operand]
        syscall
        ret
cfi_end

align 16
cfi_start attack_ss_int3, return
        mov ss, [attack_operand]
        int3
        ret
cfi_end

; 64-bit mode has no `pop ss`; `lss` is its other way to load ss from memory.
align 16
cfi_start attack_lss_syscall, return
        mov eax, SYSCALL_GETPID
        mov r8, rsp
        lss esp, [attack_operand + 8]
        syscall
        mov rsp, r8
        ret
cfi_end

align 16
cfi_start attack_ss_trap_flag_syscall, return
        mov eax, SYSCALL_GETPID
        set_flags FLAG_TRAP
        mov ss, [attack_operand]
        syscall
        ret
cfi_end

align 16
cfi_start attack_ss_trap_flag_int3, return
        set_flags FLAG_TRAP
        mov ss, [attack_operand]
        int3
        ret
cfi_end

align 16
cfi_start attack_trap_flag_operand, return
        set_flags FLAG_TRAP
        mov al, [attack_operand]
        nop
        ret
cfi_end

; The kernel returns with the flag set.
align 16
cfi_start attack_trap_flag_syscall_operand, return
        mov eax, SYSCALL_GETPID
        set_flags FLAG_TRAP
        syscall
        mov al, [attack_operand]
        nop
        ret
cfi_end

align 16
cfi_start attack_jump_kernel, return
        mov rax, KERNEL_ADDRESS
        jmp rax
cfi_end

align 16
cfi_start attack_jump_non_canonical, return
        mov rax, NON_CANONICAL
        jmp rax
cfi_end

; The next instruction would be at the first address that no program can have.
align 16
cfi_start attack_edge, return
        mov eax, SYSCALL_GETPID
        mov rdx, edge_syscall
        jmp rdx
cfi_end

; IN rdi = flags to set, rsi = turns of a loop. OUT rax = 0, or the flags that a system call or the
; loop's interrupts have changed.
align 16
cfi_start attack_flags, return
        push rbx
        cfi_offset 16
        cfi_saved rbx, 16
        pushfq
        cfi_offset 24
        pop rbx
        cfi_offset 16
        mov r8, rbx
        or r8, rdi
        push r8
        cfi_offset 24
        popfq
        cfi_offset 16
        mov eax, SYSCALL_GETPID
        syscall
        pushfq
        cfi_offset 24
        pop r9
        cfi_offset 16
        push r8
        cfi_offset 24
        popfq
        cfi_offset 16
.turn:
        dec rsi                         ; changes only flags that are not tested
        jnz .turn
        pushfq
        cfi_offset 24
        pop r10
        cfi_offset 16
        push rbx
        cfi_offset 24
        popfq
        cfi_offset 16
        mov rax, r9
        and rax, rdi
        xor rax, rdi
        and r10, rdi
        xor r10, rdi
        or rax, r10
        pop rbx
        cfi_offset 8
        cfi_restored rbx
        ret
cfi_end

; IN rdi = rsp meanwhile, rsi = turns. OUT rax = 0, or how rsp has changed.
align 16
cfi_start attack_stack_pointer, return
        mov r8, rsp
        cfi_from r8, 8
        mov rsp, rdi
        mov eax, SYSCALL_GETPID
        syscall
.turn:
        dec rsi
        jnz .turn
        mov rax, rsp
        xor rax, rdi
        mov rsp, r8
        cfi_from rsp, 8
        ret
cfi_end

; OUT rax = 0 if a program that sets IOPL to get all port rights does not get them.
align 16
cfi_start attack_iopl, return
        set_flags FLAGS_IOPL
        pushfq
        cfi_offset 16
        pop rax
        cfi_offset 8
        and eax, FLAGS_IOPL
        ret
cfi_end

; IN rdi = ds, es, fs and gs from here on, rsi = turns. OUT rax = 0.
align 16
cfi_start attack_segments, return
        mov ds, edi
        mov es, edi
        mov fs, edi
        mov gs, edi
        mov eax, SYSCALL_GETPID
        syscall
.turn:
        dec rsi
        jnz .turn
        xor eax, eax
        ret
cfi_end

; OUT rax = 0 if a system call changes only rax, rcx and r11.
align 16
cfi_start attack_registers, return
        cfi_push_all_saved
        %assign number 1
        %rep 12
        %if number == 1
        %define reg rbx
        %elif number == 2
        %define reg rdx
        %elif number == 3
        %define reg rsi
        %elif number == 4
        %define reg rdi
        %elif number == 5
        %define reg r8
        %elif number == 6
        %define reg r9
        %elif number == 7
        %define reg r10
        %elif number == 8
        %define reg r12
        %elif number == 9
        %define reg r13
        %elif number == 10
        %define reg r14
        %elif number == 11
        %define reg r15
        %else
        %define reg rbp
        %endif
        mov reg, 0x1111111111111111 * number
        %assign number number + 1
        %endrep
        mov eax, SYSCALL_GETPID
        syscall
        xor ecx, ecx
%macro compare 2
        mov rax, 0x1111111111111111 * %2
        xor rax, %1
        or rcx, rax
%endmacro
        compare rbx, 1
        compare rdx, 2
        compare rsi, 3
        compare rdi, 4
        compare r8, 5
        compare r9, 6
        compare r10, 7
        compare r12, 8
        compare r13, 9
        compare r14, 10
        compare r15, 11
        compare rbp, 12
        mov rax, rcx
        cfi_pop_all_saved
        ret
cfi_end

; Only in this program (programs/link.ld).
section .edge progbits alloc exec nowrite align=4096
        times 4094 int3
global edge_syscall:function (2)
edge_syscall:
        syscall
