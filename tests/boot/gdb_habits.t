#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: tools/gdb, tests/lib/Pitot/GdbHabits.pm
#
# Everyday use of gdb (tests/lib/Pitot/GdbHabits.pm), through QEMU's stub, on one CPU and on four.
# Run from the root of the tree:
#
#     prove tests/boot/gdb_habits.t
#
# Scripts and gdb's output stay beside the machines' logs, build/logs/gdb_habits/<n>.script, .gdb.
use strict;
use warnings;
use lib 'tests/lib';
use Test::More;
use Pitot;
use Pitot::GdbHabits;

plan skip_all => "a stub for gdb is QEMU's" if ($ENV{MACHINE} // 'qemu') ne 'qemu';

gdb_habits_ok('from outside', smp => $_) for 1, 4;

done_testing();
