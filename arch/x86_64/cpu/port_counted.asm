; SPDX-License-Identifier: BSD-2-Clause
;
; Sends a byte to a port and counts it, for drivers that rely on the count when the machine dies.
; NMIs that arrive between the two instructions recognise this place (port_counted.h).

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

; The addresses at which the byte has been sent but not counted, and at which it has been counted;
; the counter is in rcx.
section .rodata progbits alloc noexec nowrite align=8
global port_counts:data 8
port_counts:
        dq ..@port_counts
global port_has_counted:data 8
port_has_counted:
        dq ..@port_has_counted
