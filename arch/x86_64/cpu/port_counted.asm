; SPDX-License-Identifier: BSD-2-Clause
;
; Sends a byte to a port and counts it, for drivers whose count a dying machine goes by. The NMI
; that comes between the two knows this place (port_counted.h).

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

; Where the byte has left and is not counted, and where it is; the counter is in rcx.
section .rodata progbits alloc noexec nowrite align=8
global port_counts:data 8
port_counts:
        dq ..@port_counts
global port_has_counted:data 8
port_has_counted:
        dq ..@port_has_counted
