#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: tests/kernel/proof, core/unwind, tools/orcgen
#
# The proof: real work, single-stepped in the kernel without frame pointers and in the one with
# them, has the right call chain at each address (docs/proof.md). Prints the suite's counts, and how
# much of the kernel was reached. SOAK=1 checks each of ten million instructions. Run from the root
# of the tree:
#
#     prove tests/boot/proof.t
use strict;
use warnings;
use lib 'tests/lib';
use Test::More;
use Pitot;

plan skip_all => 'QUICK=1: ktap-unwind, among the suites, is the short form' if $ENV{QUICK};

my $build = $ENV{BUILD} // 'build';
my $fp_build = $ENV{FP_BUILD} // "$build/fp";
my $share_least = 0.2;    # of a kernel that also contains the suites' own code
my $visits = 7;           # average checks per address: of most, the first 4 visits
my $soak_least = 10_000_000;    # instructions
my $hang = $patience * ($ENV{SOAK} ? 6 : 2);

# The number of instructions in the kernel, without padding.
sub instructions
{
    my ($kernel) = @_;
    my @lines = grep { /^[0-9a-f]{16}:\t/ } `objdump -d --no-show-raw-insn -j .text $kernel`;
    return scalar(grep { !/\t(?:\S+ )*(?:nop|int3|xchg +%ax,%ax)/ } @lines);
}

# The number before `what`, in the first note that contains it.
sub number
{
    my ($notes, $what) = @_;
    my ($number) = $notes =~ /(\d+) $what/;
    return $number // 0;
}

sub prove
{
    my ($directory, @methods) = @_;
    my $machine = boot(machine => 'qemu', iso => "$directory/test/pitot.iso",
        kernel => 'pitot-test',
        qemu_machine => 'pc,hpet=off',    # the stepped interrupts are the 8254's
        icount => '',    # no claim is about time, and instruction counting slows steps
        run => 'ktap-proof' . ($ENV{SOAK} ? ' soak' : '') . '; poweroff', timeout => $hang);
    ktap_ok($machine);
    my $notes = join("\n", $machine->console =~ /^#(.*)$/mg);
    my ($steps, $addresses) = map { number($notes, $_) } 'instructions at', 'addresses';
    cmp_ok($steps, '>=', $soak_least, 'as many instructions as promised') if $ENV{SOAK};
    my $share = $addresses / instructions("$directory/pitot-test.elf");
    cmp_ok($share, '>=', $share_least, 'a good part of all that there are');
    for my $method (@methods) {
        my ($own) = $machine->console =~ /^ok \d+ - by $method: each .*\n((?:ok.*\n)*(?:#.*\n)*)/m;
        my $checked = number($own // '', 'chains, 0 wrong; frames: 0 missing, 0 extra, 0 other');
        my $least = $ENV{SOAK} ? $soak_least * 0.9 : $visits * $addresses;
        cmp_ok($checked, '>=', $least, "by $method: that many chains, none wrong");
    }
    note(sprintf("%.0f%% of the test kernel's instructions\n", 100 * $share), $notes);
}

subtest 'without frame pointers' => sub { prove($build, 'table') };
subtest 'with frame pointers' => sub { prove($fp_build, 'table', 'frame pointers') };

done_testing();
