# SPDX-License-Identifier: BSD-2-Clause
#
# gdb's settings and commands for Pitot in QEMU. Loaded by tools/gdb/attach and tests/boot/gdb.t, in
# a gdb started at the root of the tree, where the sources' paths begin, with the kernel's ELF.
# docs/gdb.md shows a session.

set disassembly-flavor intel

define pitot-attach
    target remote $arg0
    # A hardware breakpoint: GRUB would load the kernel over a software one.
    thbreak kernel_main
    continue
end
document pitot-attach
Attach to a machine that has just been started and let it run to kernel_main.
Usage: pitot-attach SOCKET
SOCKET is the path that was given to tools/machine as GDB.
end

source tools/gdb/commands.py
