#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: tools/show, outside/pitot/show, outside/pitot/profile
#
# Other programs draw perf's numbers: in folded chains and in speedscope's format each function has
# the weight that the real perf reports, also for samples of different weights, as of an event that
# keeps a frequency by its period, with cpu-clock beside it. Run from the root of the tree:
#
#     prove tests/boot/weights.t
use strict;
use warnings;
use lib 'tests/lib';
use JSON::PP qw(decode_json);
use List::Util qw(max min);
use Test::More;
use Pitot;

my @events = ('mem:kernel_flag:rw', 'cpu-clock');
my $machine = boot(
    run => "perf record -a -g -F 1000 -e $events[0],$events[1] -- fs-stress 20; poweroff");
ended_ok($machine);
my $recording = $machine->com2;

my @periods = perf_script($machine, '-G', '-F', 'event,period') =~ /(\d+) +\Q$events[0]\E:/g;
cmp_ok(max(@periods), '>', 4 * min(@periods), 'samples weigh differently');

# perf's result for each event: functions, and the sums of their samples' periods.
my %reported;
my $report = perf_report($machine, '--no-children', '-F', 'period,sym', '-g', 'none');
for my $part (split(/^# Samples: /m, $report)) {
    my ($event) = $part =~ /of event '(.*)'/ or next;
    $reported{$event} = {reverse $part =~ /^ *(\d+) +\[k\] (\S+) *$/mg};
}
is_deeply([sort(keys(%reported))], [sort(@events)], 'perf has both events');

for my $event (@events) {
    my %folded;
    for my $line (split(/\n/, `tools/show page $recording --folded -o - -e $event`)) {
        my ($function, $weight) = $line =~ /([^; ]+) (\d+)$/;
        $folded{$function} += $weight;
    }
    is_deeply(\%folded, $reported{$event}, "$event: the folded chains weigh what perf reports");
}

my $seen = decode_json(scalar(`tools/show page $recording --speedscope -o -`));
my @names = map { $_->{name} } @{$seen->{shared}{frames}};
my %seen;
for my $profile (@{$seen->{profiles}}) {
    my ($event) = grep { $profile->{name} =~ /, \Q$_\E\z/ } @events;
    $seen{$event}{$names[$profile->{samples}[$_][-1]]} += $profile->{weights}[$_]
        for 0 .. $#{$profile->{samples}};
}
is_deeply(\%seen, \%reported, 'speedscope gets what perf reports, exactly');

done_testing();
