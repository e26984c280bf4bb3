# SPDX-License-Identifier: BSD-2-Clause
#
# Pitot's commands for gdb: `pitot ring`, `bt`, `ps`, `cpus`, `bp`, `perf`. docs/gdb.md shows them.
# They read a machine that stands still, behind a stub or in a dump, and call nothing in it.
#
#     refusal.py    what cannot be had, in one line
#     memory.py     the machine's memory, through gdb
#     dump.py       ... from a dump, by its page tables
#     layout.py     the kernel's variables, by its debug information
#     kernel.py     which kernel that is, and its CPUs' registers
#     symbols.py    addresses in words
#     stacks.py, table.py, unwind.py    call chains by the kernel's own table
#     threads.py    the kernel's threads, and which CPU each runs on
#     recorder.py, ring.py, sample.py, tracepoint.py    the recording
#     watches.py    the debug registers
#     stream.py     the recording as a stream for perf
#     refused.py    why the kernel's stub has not set a point
#     commands.py   what a person types
