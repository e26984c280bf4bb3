#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
#
# The frame pointer unwinder's first step, held against the compiler's call frame information at
# every instruction of the kernel that is built for it (build/host/frame_cfi). Needs objdump
# (binutils). Run from the root of the tree: prove tests/host/frame_cfi.t
use strict;
use warnings;
use Test::More tests => 2;

my $build = $ENV{BUILD} // 'build';
my $kernel = ($ENV{FP_BUILD} // "$build/fp") . '/pitot.elf';
my @lines = `objdump -d --no-show-raw-insn -j .text $kernel | $build/host/frame_cfi $kernel`;
my $status = $? >> 8;
my ($compared) = map { /^compared (\d+):/ } @lines;

is($status, 0, 'arch_frame_at says what the CFI says') or diag(@lines);
cmp_ok($compared // 0, '>', 10000, "at every instruction: $lines[-1]");
