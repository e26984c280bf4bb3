#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: core/recording, boot/memory, kernel/host, tools/machine
#
# What a reset leaves, on Bochs: another BIOS, which does not clear memory either. The kernel
# records on two CPUs, reports, and reboots; the next boot's report of that recording has the same
# lines. tests/boot/reset.t tests more, on QEMU. Run from the root of the tree:
#
#     prove tests/boot/reset_bochs.t
use strict;
use warnings;
use lib 'tests/lib';
use List::Util qw(sum0);
use Test::More;
use Time::HiRes qw(time);
use Pitot;
use Pitot::Patience;

my $limit = 3 * $patience;
my $not = "the last boot's recording is not here";
my $last = 'perf report --last-boot -g none';
my $record = 'perf record -a --overwrite -m 64K -e lock:*,sched:sched_switch -- fs-stress 1';
my $report = 'perf report -g none';

# Each boot gets the same commands, so the machine reboots until it is stopped in its third boot.
my $machine = Pitot::Machine->new(machine => 'bochs', smp => 2, reboot => 1, timeout => $limit,
    run => "$last; $record; $report; reboot");
my $until = time + $limit;
my @boots;
until (@boots > 2 && $boots[2] =~ /^pitot> perf record/m || time > $until) {
    select(undef, undef, undef, 0.1);
    @boots = split(/^(?=Pitot: \d+ MiB free)/m, $machine->console);
    shift(@boots) if @boots && $boots[0] !~ /\APitot: \d+ MiB/;
}
my $console = $machine->console;
$machine->stop;
cmp_ok(scalar(@boots), '>', 2, 'Bochs starts anew after each reset') or BAIL_OUT($machine->tail);

# What a command printed, up to the next prompt.
sub printed
{
    my ($boot, $command) = @_;
    return $boot =~ /^pitot> \Q$command\E\n(.*?)(?=^pitot> )/ms ? $1 : undef;
}

is(printed($boots[0], $last), "perf report: $not: the machine was switched on, its firmware clears "
    . "memory, or nothing was recorded\n", 'there is none after power-on');
my $here = "Pitot: the last boot's recording is here:";
my @found = $console =~ /^$here (\d+) samples?, ended by (.*)$/mg;
is_deeply([@found[1, 3]], [('a reboot that was asked for') x 2], 'each later boot finds one');
for my $boot (0, 1) {
    my ($then, $now) = (printed($boots[$boot], $report), printed($boots[$boot + 1], $last));
    $then //= 'nothing';
    is(sum0($then =~ /^# Samples: (\d+) /mg), $found[2 * $boot], 'a report of as many samples');
    is($now, $then, '... is what the next boot reports of it');
}

done_testing();
