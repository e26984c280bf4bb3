; SPDX-License-Identifier: BSD-2-Clause
;
; The reserved section that tools/orcgen fills in this program; in the kernel, the linker script
; makes it.

section .unwind_table progbits alloc noexec nowrite align=16
global unwind_table_start:data
global unwind_table_end:data
unwind_table_start:
        times 0x2000 db 0
unwind_table_end:
