# SPDX-License-Identifier: BSD-2-Clause
#
# Pitot's commands for gdb: `pitot ring`, `bt`, `ps`, `cpus`, `bp`, `perf` (docs/gdb.md). They read
# a stopped machine, behind a stub or in a dump, and call nothing in it.
