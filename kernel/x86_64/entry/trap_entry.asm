; SPDX-License-Identifier: BSD-2-Clause
;
; All entries into the kernel by trap, interrupt or system call, and the exits. Each vector's stub
; completes a struct regs (arch/regs.h) and jumps to one of four paths:
;
;   stub of #DB, NMI        -> watch_entry      stays on its IST page; watches are off from its
;                                               first instructions on
;   stub of #BP             -> break_entry      likewise
;   stub of #DF, #MC        -> fatal_entry      stays on its IST page; does not come back
;   all others              -> trap_entry       saves on the IST page, then moves the frame to the
;                                               interrupted stack, or a program's to its thread's
;
; The fifth, syscall_entry, has no stub: the CPU does not change stacks for it.
;
; GS is a program's while it runs, and the kernel's from an entry's `swapgs` on. Vectors that go to
; trap_entry interrupt the kernel only while GS is the kernel's, so for them the saved cs determines
; GS. The others can also arrive between `syscall` and `swapgs`, or between an exit's `swapgs` and
; its last instruction. All that code is in this file, after the rest of the text: outside of it the
; saved cs and rip determine GS, inside it GS's base, which is negative for the kernel and 0 for a
; program.
;
; The CPU enters with interrupts off on the vector's IST page (Intel SDM vol. 3, "Interrupt Stack
; Table"), at whose top the struct regs is.
;
; This file and its data may not be watched: the code runs while watches are armed, before it
; disarms or after it arms them.

%include "offsets.inc"
%include "arch/x86_64/unwind/cfi.inc"
%include "arch/x86_64/entry/frame.inc"

extern user_syscall
extern trap_land
extern trap_dispatch
extern trap_fatal
extern debug_trap
extern debug_trap_inside
extern nowatch_text_start
extern break_trap
extern nmi_trap
extern trap_late

section .text.nowatch progbits alloc exec nowrite align=16
bits 64
default rel

; Vectors for which the CPU pushes an error code: 8, 10-14, 17, 21, 29, 30.
%define ERROR_CODES ((1<<8)|(1<<10)|(1<<11)|(1<<12)|(1<<13)|(1<<14)|(1<<17)|(1<<21)|(1<<29)|(1<<30))

; The CPU has pushed 40 bytes, or 48 with an error code.
align 16
cfi_start trap_stubs, trap
%assign vector 0
%rep 256
        %if vector < 32 && (ERROR_CODES >> vector) & 1
        cfi_offset 48
        %else
        cfi_offset 40
        push byte 0
        cfi_offset 48
        %endif
        push vector
        cfi_offset 56
        %if vector == VECTOR_DEBUG || vector == VECTOR_NMI
        jmp watch_entry
        %elif vector == VECTOR_BREAKPOINT
        jmp break_entry
        %elif vector == VECTOR_DOUBLE_FAULT || vector == VECTOR_MACHINE_CHECK
        jmp fatal_entry
        %else
        jmp trap_entry
        %endif
        align TRAP_STUB_SIZE, db 0xcc
%assign vector vector + 1
%endrep
cfi_end

; Exceptions and interrupts. trap_land copies the frame to the stack on which the handler will run,
; and returns its address; the IST page is then free for a nested interrupt. The handler is not
; stepped, and another thread may run before it returns, so the watches that a step turns off are
; off only in the interrupted context and in the one returned to. No CPU parks here, so a parked CPU
; has the watches that its flags require (arch_watch_audit).
align 16
cfi_start trap_entry, trap
        save_registers
        smap_on trap
        cmp word [rsp + REGS_CS], KERNEL_CODE_SELECTOR
        jne ..@trap_from_program
        test byte [rsp + REGS_FLAGS + 2], FLAGS_VM >> 16
        jz ..@trap_gs
..@trap_from_program:
        swapgs
        frame_of_program
..@trap_gs:
        test byte [rsp + REGS_FLAGS + 1], TRAP_FLAG
        jz ..@trap_whole
        watches_for FULL, 0
..@trap_whole:
        mov rdi, rsp
        call trap_land
..@trap_landed:
        mov rsp, rax
        mov rdi, rax
        call trap_dispatch
..@trap_dispatched:
        cmp word [rsp + REGS_CS], KERNEL_CODE_SELECTOR
        jne ..@trap_to_program
        test byte [rsp + REGS_FLAGS + 1], TRAP_FLAG
        jz ..@trap_return
        watches_for STEP, 1
        jmp ..@trap_return
..@trap_to_program:
        cmp byte [gs:PERCPU_PROGRAM_STEPS], 0 ; a flag that the program has set itself is no step
        je ..@trap_swap
        watches_for STEP, 1
..@trap_swap:
        swapgs
..@trap_return:
        restore_registers_and_return trap
cfi_end

; `syscall`: rcx = the program's rip, r11 = its flags, rsp still the program's; dangerous flags are
; off (kernel/x86_64/entry/user.c). The frame is built at the top of the thread's stack, as the CPU
; would have pushed it.
align 16
cfi_start syscall_entry, trap
        cfi_outermost
        swapgs
        mov [gs:PERCPU_USER_SP], rsp
        mov rsp, [gs:PERCPU_KERNEL_STACK]
..@syscall_on_stack:
        push USER_DATA_SELECTOR
        push qword [gs:PERCPU_USER_SP]
        push r11
        push USER_CODE_SELECTOR
        push rcx
        cfi_offset 40
        cfi_saved rip, 40
        push rax
        cfi_offset 48
        push REGS_SYSCALL
        save_registers
        test byte [rsp + REGS_FLAGS + 1], TRAP_FLAG
        jz ..@syscall_whole
        watches_for FULL, 0
..@syscall_whole:
        mov rdi, rsp
        call user_syscall
..@syscall_returned:
        test al, al
        jz ..@trap_dispatched
        restore_registers
        mov rsp, [rsp + REGS_SP - REGS_VECTOR]
..@syscall_off_stack:
        cfi_outermost
        swapgs
        o64 sysret
..@syscall_end:
cfi_end

; Starts a program, through the checks of every return to one. IN rdi = its rip, rsi = its rsp, rdx
; = the top of the thread's stack, whose contents are lost; interrupts off. Does not return.
align 16
cfi_start user_begin, return
        cfi_outermost
        mov rsp, rdx
        push USER_DATA_SELECTOR
        push rsi
        push FLAGS_OF_PROGRAM
        push USER_CODE_SELECTOR
        push rdi
        push 0
        push REGS_SERVED
        %rep REGS_VECTOR / 8
        push 0
        %endrep
        mov rax, rsp
        jmp ..@trap_landed
cfi_end

; #DF and #MC: the interrupted context cannot resume.
align 16
cfi_start fatal_entry, trap
        save_registers
        smap_on fatal
        kernel_gs_by_base
        mov rdi, rsp
        call trap_fatal
..@fatal_dispatched:
        ud2
cfi_end

; Raises the depth and sets DR7 to 0. Only the outermost exit loads DR7, from the shadow: a value
; saved here could predate watches that the handler armed, and an NMI inside #DB would arm too
; early. The depth is raised first, so that an NMI in between, as it is not the outermost, leaves
; DR7 at 0. OUT rdi = the struct regs. CLOBBERS rax.
%macro watches_off 0
        inc dword [gs:PERCPU_WATCH_DEPTH]
        xor eax, eax
        mov dr7, rax
        mov rdi, rsp
%endmacro

; #DB and NMI. Nearly all arrive inside the kernel, outside of its entries and exits: these go to
; ..@watch_inside. The error code's slot, where the stub left 0, records which GS was active (0: the
; kernel's); a register could not, as watch_return comes from the middle of a handler. To pass a
; debug trap to a program, debug_trap returns its frame on the thread's stack, which then continues
; like other exceptions. If an NMI has requested a stop, the handler returns to debug_asked or
; inside_asked (watch_return, below).
align 16
cfi_start watch_entry, trap
        save_registers
        smap_on watch
        cmp word [rsp + REGS_CS], KERNEL_CODE_SELECTOR
        jne ..@watch_by_base
        test byte [rsp + REGS_FLAGS + 2], FLAGS_VM >> 16
        jnz ..@watch_by_base
        cmp qword [rsp + REGS_IP], nowatch_text_start
        jb ..@watch_inside
..@watch_by_base:
        kernel_gs_by_base
        mov [rsp + REGS_ERROR], rbx
        watches_off
        cmp byte [rsp + REGS_VECTOR], VECTOR_NMI
        je ..@watch_nmi
        call debug_trap
..@debug_dispatched:
..@watch_served:
        test rax, rax
        jz ..@watch_leave
        mov rsp, rax
        mov qword [rsp + REGS_ERROR], 0
        dec dword [gs:PERCPU_WATCH_DEPTH]
        mov rax, [gs:PERCPU_DR7]
        mov dr7, rax
        mov rax, rsp
        jmp ..@trap_landed
..@debug_asked:
        test rax, rax
        jnz ..@watch_served
..@inside_asked:
        jmp ..@watch_look
..@watch_nmi:
        call nmi_trap
..@nmi_dispatched:
        jmp ..@watch_leave
..@watch_inside:
        watches_off
        cmp byte [rsp + REGS_VECTOR], VECTOR_NMI
        je ..@watch_nmi
        call debug_trap_inside
..@inside_dispatched:
..@watch_leave:
        dec dword [gs:PERCPU_WATCH_DEPTH]
        jnz ..@watch_inner
        mov rax, [gs:PERCPU_DR7]
        mov dr7, rax
..@watch_inner:
        cmp dword [rsp + REGS_ERROR], 0
        je ..@watch_return
        swapgs
..@watch_return:
        restore_registers_and_return watch
..@watch_end:
cfi_end

; #BP: like a debug trap, on the exceptions' page, which earlier exceptions have left by then.
align 16
cfi_start break_entry, trap
        save_registers
        smap_on break
        kernel_gs_by_base
        mov [rsp + REGS_ERROR], rbx
        watches_off
        call break_trap
..@break_dispatched:
        jmp ..@watch_served
cfi_end

; Returns from a debug trap or #BP from the middle of its handler, after a debugger's stop and, if
; another is requested, after that one. IN rdi = its struct regs. Does not return.
;
; An NMI that requests a stop and interrupts this trap leaves a request (rendezvous_asked). The
; check here sees requests made before it; an NMI after the check, up to the `iretq`, sends the trap
; back to the check (trap_tails, stop_entries.c), as the frame is still intact. A debug trap without
; a stop has no check, which would slow down hits; instead, the NMI redirects the return address of
; its handler's call.
align 16
cfi_start watch_return, return
        cfi_outermost
        mov rsp, rdi
..@watch_look:
        test dword [gs:PERCPU_RENDEZVOUS_ASKED], RENDEZVOUS_STOP
        jz ..@watch_leave
..@watch_late:
        mov rdi, rsp
        call trap_late
..@late_dispatched:
        jmp ..@watch_leave
cfi_end

; Starts stepping the caller, its interrupts unchanged. No interrupt, and no NMI that parks, comes
; between the flag and the watches. CLOBBERS rax, flags.
align 16
cfi_start arch_step_begin, return
        pushfq
        cfi_offset 16
        or qword [rsp], FLAGS_TRAP
        cli
        watches_for STEP, 1
        popfq
        cfi_offset 8
        ret
cfi_end

; Tables: trap.h.
section .rodata progbits alloc noexec nowrite align=8
global trap_returns:data (trap_returns_end - trap_returns)
global trap_returns_end
trap_returns:
        dq ..@trap_dispatched
        dq ..@debug_dispatched
        dq ..@debug_asked
        dq ..@inside_dispatched
        dq ..@inside_asked
        dq ..@nmi_dispatched
        dq ..@trap_landed
        dq ..@fatal_dispatched
        dq ..@syscall_returned
        dq ..@break_dispatched
        dq ..@late_dispatched
trap_returns_end:

global trap_borders:data (trap_borders_end - trap_borders)
global trap_borders_end
global trap_iretq:data 8
trap_borders:
        dq syscall_entry, ..@syscall_on_stack
        dq ..@syscall_off_stack, ..@syscall_end
trap_borders_end:
trap_iretq:
        dq ..@iretq_trap

; Handlers that have not checked for a requested stop return to watch_served.
global trap_tails:data (trap_tails_end - trap_tails)
global trap_tails_end
global trap_look:data 8
trap_tails:
        dq ..@watch_served, ..@watch_nmi
        dq ..@watch_leave, ..@watch_end
        dq ..@watch_look, ..@watch_late
trap_tails_end:
trap_look:
        dq ..@watch_look

global debug_returns:data (debug_returns_end - debug_returns)
global debug_returns_end
debug_returns:
        dq ..@debug_dispatched, ..@debug_asked
        dq ..@inside_dispatched, ..@inside_asked
debug_returns_end:

global trap_clacs:data (trap_clacs_end - trap_clacs)
global trap_clacs_end
trap_clacs:
        dq ..@clac_trap
        dq ..@clac_fatal
        dq ..@clac_watch
        dq ..@clac_break
trap_clacs_end:
