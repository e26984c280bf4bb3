#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: core/report, core/script, core/perf/perf
#
# perf report --sort at the prompt: by fields of tracepoints, alone and with other keys, it prints
# the same as the real perf for a file of the same recording (perf has fields only for files). Also
# the limits of perf script, and refusals. tests/host/report_perf.t has the other keys, in many
# recordings. Run from the root of the tree:
#
#     prove tests/boot/report_keys.t
use strict;
use warnings;
use lib 'tests/lib';
use File::Spec;
use Test::More;
use Pitot;
use Pitot::Transcript;
use Pitot::Versions;

my $logs = File::Spec->rel2abs(($ENV{BUILD} // 'build') . '/logs/report_keys');
my $events = 'sched:sched_switch,lock:lock_acquired,irq:irq_handler_entry,kmem:*,mem:kernel_flag:w';
my $record = "perf record -a -m 8M -R -g -e $events -- fs-stress --threads 2 2";
my @keys = ('next_comm', 'prev_state,prev_pid', 'sched_switch.next_comm,comm', 'name,cpu',
    'lock:lock_acquired.lockdep_addr,sym', 'pid,irq', 'order,gfp_flags', 'mm_page_free.pfn',
    'address,comm,cpu', 'migratetype,sym');
my @refused = (
    'perf report --sort flags' =>
        qr/unknown sort key "flags"; there are comm, cpu, dso, pid, sym, .*prev_comm/,
    'perf report --sort lock_acquire.name' =>
        qr/unknown sort key "lock_acquire\.name"; there are comm,/,
    'perf report --sort comm,,cpu' =>
        qr/a sort key is empty; there are comm, cpu, dso, pid, sym and/,
    'perf report --max-stack 0' => qr/--max-stack "0": 1 to 127 addresses of a chain are allowed/,
    'perf script --max-stack 200' => qr/--max-stack "200": 1 to 127 addresses of a chain/,
    'perf script --max-events none' => qr/--max-events "none": a whole number from 1 is allowed/,
    'perf script --max-event 3' => qr/unknown option "--max-event"; there are -F iregs,/,
);
my %reason = @refused;
my @wrong = grep { !ref } @refused;
my @short = ('perf script --max-events 3 --max-stack 2', 'perf script --max-events 100000000');
my $plain = 'perf record -a --no-raw-samples -e sched:sched_switch -- fs-stress 1';

sub recorded
{
    my ($command, @more) = @_;
    my $machine = boot(smp => 2, run => join('; ', $command,
        (map { "perf report -g none -n --sort $_" } @keys), @more, 'poweroff'));
    ended_ok($machine);
    is(system('tools/perf-file', $machine->com2, "$logs/perf.data"), 0, 'the recording is a file');
    return $machine;
}

# The last machine's report by these keys and the real perf's, whose options may differ, are equal.
sub same_by_key_ok
{
    my ($machine, $keys, $theirs) = @_;
    local @ENV{qw(HOME PERF_CONFIG DEBUGINFOD_URLS LC_ALL)} = ($logs, '/dev/null', '', 'C');
    my $report = "perf --no-pager report -i $logs/perf.data --stdio --no-children --no-inline"
        . ' -g none -n --vmlinux=' . File::Spec->rel2abs($machine->elf);
    same_lines_ok(report_lines(said($machine, "perf report -g none -n --sort $keys")),
        report_lines(scalar(`$report -s @{[$theirs // $keys]} 2>&1 < /dev/null`)),
        "--sort $keys: the lines that perf prints");
}

my $machine = recorded($record =~ s/,mem:[^ ]*//r);
same_by_key_ok($machine, $_) for @keys;

# Also samples of another event, which has no such field.
$machine = recorded($record, @short, @wrong);
if (differs('`perf report --sort FIELD` ends by a segmentation fault if another event than '
        . 'tracepoints has samples')) {
    same_by_key_ok($machine, 'next_comm', 'next_comm/raw');
} else {
    same_by_key_ok($machine, $_) for @keys;
}

my ($first, $all) = map { [samples(said($machine, $_))] } @short;
is(scalar(@$first), 3, 'perf script --max-events 3 prints three samples');
is(join(' ', map { scalar(@{$_->{chain}}) } @$first), '2 2 2',
    '... with --max-stack 2 of two places');
is_deeply([map { [@{$_->{chain}}[0, 1]] } @$all[0 .. 2]], [map { $_->{chain} } @$first],
    '... the first ones, and their first places');
like(said($machine, $short[0]), qr/^perf script: the first 3 samples; there are more$/m,
    '... and prints that there are more');
unlike(said($machine, $short[1]), qr/there are more/, '... but not where there are none');

like(said($machine, $_), qr/^perf (?:report|script): $reason{$_}/m, "refused: $_") for @wrong;

$machine = boot(run => "$plain; perf report -s prev_pid; poweroff");
like(said($machine, 'perf report -s prev_pid'),
    qr/unknown sort key "prev_pid"; there are comm, cpu, dso, pid, sym; and the fields of tra/,
    'fields that were not recorded are none');

done_testing();
