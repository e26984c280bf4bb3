#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: tools/pad-calls, tools/calls-at-ends, arch/x86_64, boot, programs
#
# No call is the last instruction of its function, in anything that is built: tools look up the
# return address itself, and would name the next function as the caller (docs/unwinding.md). Checks
# what gcc has compiled: both kernels, their suites, the programs and the second kernel; `make
# check` checks clang's code. Also checks that tools/calls-at-ends, the checker, finds such a call.
# Needs binutils. Run from the root of the tree: prove tests/host/calls_end.t
use strict;
use warnings;
use lib 'tests/lib';
use File::Temp qw(tempdir);
use Test::More;
use Pitot::Files;

my $build = $ENV{BUILD} // 'build';
my $fp = $ENV{FP_BUILD} // "$build/fp";
my $room = tempdir(CLEANUP => 1);

my @images = ((map { "$build/$_" } qw(pitot.elf pitot-test.elf port.elf)),
    (map { "$build/programs/$_" } qw(attack calls chance fs-load poll-load spin)),
    (map { "$fp/$_" } qw(pitot.elf pitot-test.elf)));

# The checker's output about these files, and its status.
sub looked
{
    my (@names) = @_;
    my $said = `tools/calls-at-ends @names 2>&1`;
    return ($said, $? >> 8);
}

for my $image (@images) {
    my ($said, $status) = looked($image);
    is("$status $said" =~ s/\d+ functions/N functions/r, "0 $image: N functions\n",
        "$image: no function ends with a call");
}

# Assembles twelve functions, the last but one with this text.
sub made
{
    my ($text) = @_;
    my $functions = join('', map { "f$_: .type f$_, \@function\nret\n.p2align 4\n" } 1 .. 10);
    open(my $file, '>', "$room/made.s") or die("$room/made.s: $!\n");
    print $file ".globl _start\n_start: $functions", "caller: $text\n.p2align 4\nnext: ret\n";
    close($file) or die("$room/made.s: $!\n");
    system("as -o $room/made.o $room/made.s && ld -o $room/made $room/made.o") == 0
        or die("$room/made.s does not build\n");
    return looked("$room/made");
}

is_deeply([made("call f1\nud2")], ["$room/made: 12 functions\n", 0], 'a call with a ud2 behind it');
for my $call ('call f1', 'call *%rax', 'notrack call *%rax') {
    my ($said, $status) = made($call);
    like($said, qr/^\Q$room\E\/made: caller ends with (?:notrack )?call /m, "found: $call");
    is($status, 1, '... with a failing status');
}

for my $wrong (['', qr/usage: /], ["$room/made.s", qr/objdump cannot read it/],
    ["$room/made.o $room/none", qr/none: objdump cannot read it/]) {
    my ($said, $status) = looked($wrong->[0]);
    like($said, qr/^tools\/calls-at-ends: .*$wrong->[1]/m, "refused: `$wrong->[0]`");
    is($status, 2, '... by its status, too');
}

done_testing();
