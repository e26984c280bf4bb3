#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: arch/x86_64/unwind/frame, core/unwind/fp, tests/host/frame_cfi
#
# The frame pointer unwinder's first step agrees with the compiler's call frame information at every
# instruction of the kernel built for it, and of the programs (build/host/frame_cfi), except those
# in assembly, which are odd on purpose. Needs objdump (binutils). Run from the root of the tree:
# prove tests/host/frame_cfi.t
use strict;
use warnings;
use Test::More;

my $build = $ENV{BUILD} // 'build';
my $kernel = ($ENV{FP_BUILD} // "$build/fp") . '/pitot.elf';
my %least = ($kernel => 10000, map { ("$build/programs/$_" => 40) } qw(fs-load poll-load spin));

for my $image (sort(keys(%least))) {
    my @lines = `objdump -d --no-show-raw-insn -j .text $image | $build/host/frame_cfi $image`;
    my $status = $? >> 8;
    my ($compared) = map { /^compared (\d+):/ } @lines;
    is($status, 0, "$image: arch_frame_at agrees with the CFI") or diag(@lines);
    cmp_ok($compared // 0, '>', $least{$image}, "... at every instruction: $lines[-1]");
}

done_testing();
