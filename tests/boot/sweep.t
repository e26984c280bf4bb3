#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: tests/kernel/sweep, core/breakpoint, arch/x86_64/debug
#
# Breakpoints of every kind on functions, data, stacks and page tables of the kernel, on four CPUs
# under load (docs/breakpoints.md, "The sweep"): nothing hangs, no interrupt is lost, the emulator
# survives, and the memory that traps need is refused. Tries every 32nd place, starting at a random
# one that the log names. Takes 10 to 20 seconds, depending on the layout, because a page with a
# breakpoint is slow in QEMU. QUICK=1 skips it; SOAK=1 tries every place, and every 10th on Bochs.
# Run from the root of the tree:
#
#     prove tests/boot/sweep.t
use strict;
use warnings;
use lib 'tests/lib';
use Test::More;
use Pitot;

plan skip_all => 'QUICK=1: a breakpoint in every 32nd place takes 10 to 20 seconds' if $ENV{QUICK};

my $cpus = 4;

sub sweep
{
    my ($machine, $arguments, $least, $hang) = @_;
    my $guest = boot(machine => $machine, smp => $cpus, icount => '', kernel => 'pitot-test',
        run => "ktap-sweep$arguments; poweroff", timeout => $hang);
    ktap_ok($guest);
    my $sum = 0;
    $sum += $_ for $guest->console =~ /: (\d+) breakpoints set/g;
    cmp_ok($sum, '>=', $least, 'as many places as promised');
    is(scalar(() = $guest->console =~ /: [1-9]\d* breakpoints set/g), 5, '... of all kinds');
    my ($hits) = $guest->console =~ /^# \d+ breakpoints, (\d+) hits/m;
    cmp_ok($hits // 0, '>', $sum, '... in use by the load');
    note(join("\n", $guest->console =~ /^#.*$/mg));
}

subtest 'a part of them' => sub { sweep('qemu', '', 500, $patience) };
if ($ENV{SOAK}) {
    subtest 'all of them' => sub { sweep('qemu', ' 1 0', 8500, 6000) };
    my $first = int(rand(10));
    subtest 'on Bochs' => sub { sweep('bochs', " 10 $first", 850, 6000) };
}

done_testing();
