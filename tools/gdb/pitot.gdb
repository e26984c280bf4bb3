# SPDX-License-Identifier: BSD-2-Clause
#
# What gdb needs to know of Pitot in QEMU. Loaded by tools/gdb/attach for a person and by
# tests/boot/gdb.t, in a gdb that was started at the root of the tree, where the paths of the
# sources begin, with the kernel's ELF as its program. docs/gdb.md shows a session.

set disassembly-flavor intel

define pitot-attach
    target remote $arg0
    # A hardware breakpoint: the kernel is not in memory yet, and GRUB would load it over the
    # instruction that a software breakpoint is.
    thbreak kernel_main
    continue
end
document pitot-attach
Attach to a machine that has just been started and let it run to kernel_main.
Usage: pitot-attach SOCKET
SOCKET is the path that was given to tools/machine as GDB.
end

source tools/gdb/commands.py
