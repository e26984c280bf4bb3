#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: core/ring, tests/kernel/ring
#
# The ring inside the kernel, with nested writers at every instruction (docs/ring.md, "What is
# proven, and where"): the suite passes, and has tried every interleaving of its groups, so none is
# left out unnoticed. Half a minute; suites.t runs the short form. QUICK=1 stops there; SOAK=1 tries
# longer records, more old ones and more room, and also Bochs. Run from the root of the tree:
#
#     prove tests/boot/ring.t
use strict;
use warnings;
use lib 'tests/lib';
use Test::More;
use Pitot;

plan skip_all => 'QUICK=1: ktap-ring is run by suites.t in its short form' if $ENV{QUICK};

my %interleavings_least = (full => 500_000, soak => 15_000_000);
my $hang = 2 * $patience * ($ENV{SOAK} ? 10 : 1);

sub interleave
{
    my ($machine, $form) = @_;
    # No claim is about time, and instruction counting doubles the cost of a step.
    my $guest = boot(machine => $machine, kernel => 'pitot-test', icount => '',
        run => "ktap-ring $form; poweroff", timeout => $hang);
    ktap_ok($guest);
    my ($count) = $guest->console =~ /^# (\d+) interleavings in all$/m;
    cmp_ok($count // 0, '>=', $interleavings_least{$form}, 'as many interleavings as promised');
    note(join("\n", $guest->console =~ /^#.*$/mg));
}

subtest 'every interleaving' => sub { interleave('qemu', 'full') };
if ($ENV{SOAK}) {
    subtest 'longer ones' => sub { interleave('qemu', 'soak') };
    subtest 'on Bochs' => sub { interleave('bochs', 'full') };
}

done_testing();
