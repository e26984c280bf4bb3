# SPDX-License-Identifier: BSD-2-Clause
#
# Pitot's commands for gdb: `pitot ring`, `bt`, `ps`, `cpus`, `bp`, `perf` (docs/gdb.md). They read
# a stopped machine, behind a stub or in a dump, and call nothing in it.


class Refusal(Exception):
    """Raised anywhere, printed by commands.py: what is wrong and what would be right, as a sentence
    without an end."""
