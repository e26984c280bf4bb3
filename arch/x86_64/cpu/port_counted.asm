; SPDX-License-Identifier: BSD-2-Clause
;
; Sends a byte and counts it, for drivers that rely on the count when the machine dies. An NMI
; handler recognises an interruption between the two instructions (port.h).

%include "arch/x86_64/unwind/cfi.inc"

section .text progbits alloc exec nowrite align=16
bits 64

; IN di = port, sil = byte, rdx = its counter. Interrupts are off. CLOBBERS rax, rcx, rdx, flags.
align 16
cfi_start port_write8_counted, return
        mov rcx, rdx
        mov edx, edi
        mov eax, esi
        out dx, al
..@port_counts:
        inc qword [rcx]
..@port_has_counted:
        ret
cfi_end

; The addresses at which the byte has been sent but not counted, and at which it has been counted.
section .rodata progbits alloc noexec nowrite align=8
global port_counts:data 8
port_counts:
        dq ..@port_counts
global port_has_counted:data 8
port_has_counted:
        dq ..@port_has_counted
