#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: tools/pad-calls, core/report, core/script, kernel/sched/scheduler, kernel/sched/thread
#
# The caller of a function that does not return is named correctly, by the real perf and on the
# console, in both kernels: `begin` of a second CPU, which calls scheduler_idle, `thread_main`,
# which calls thread_exit, and `sys_exit`, which calls process_exit. Each ends with that call. The
# same for callers of the function that records its own CPU's code. Run from the root of the tree:
# prove tests/boot/callers.t
use strict;
use warnings;
use lib 'tests/lib';
use File::Spec;
use Test::More;
use Pitot;
use Pitot::Transcript;

my $build = $ENV{BUILD} // 'build';
my %kernel = (orc => $build, fp => $ENV{FP_BUILD} // "$build/fp");
my %caller = (
    scheduler_idle => 'cpu_begin thread_main', # on a second CPU, and on the first
    thread_exit    => 'process_exit thread_main',
    process_exit   => 'sys_exit',
);
my $telling = 'tracepoint_begin_event tracepoint_disable'; # of core/event/source_tracepoint.c
my @fields = ('-F', 'comm,tid,cpu,time,period,event,ip,sym,symoff');
my @columns = ('--no-children', '-F', 'overhead,sample,sym');
my @loads = ('fs-stress --threads 3 4', '/bin/fs-load 1');

sub record_of
{
    my ($load) = @_;
    return "perf record -a -e sched:sched_switch -e sched:sched_process_exit -g -- $load";
}

# The functions that contain the function's return address, in chains with the innermost first.
sub callers
{
    my ($function, @chains) = @_;
    my %callers;
    for my $chain (@chains) {
        $callers{$chain->[$_ + 1]} = 1 for grep { $chain->[$_] eq $function } 0 .. $#$chain - 1;
    }
    return join(' ', sort keys %callers);
}

sub listed
{
    return map { $_->{chain} } samples(@_);
}

# The chains of a report with one line for each: "20.00% innermost;...;outermost".
sub folded
{
    my ($report) = @_;
    return map { [split(/;/)] } $report =~ /^\d+\.\d\d% (\S+)$/mg;
}

for my $unwinder (sort keys %kernel) {
    my $machine = boot(smp => 2, iso => "$kernel{$unwinder}/test/pitot.iso",
        run => join('; ', map({ (record_of($_), 'perf script') } @loads),
            'poweroff'));
    ended_ok($machine, "UNWINDER=$unwinder");
    my $vmlinux = '--vmlinux=' . File::Spec->rel2abs("$kernel{$unwinder}/pitot.elf");
    my $report = perf_report($machine, $vmlinux, @columns, '-g', 'folded,0,callee');
    my %chains = (
        'the real perf report' => [folded($report)],
        'the real perf script' => [listed(scalar(perf_script($machine, $vmlinux, @fields)))],
        'perf script here' => [map { listed(said($machine, 'perf script', $_)) } 1, 2],
    );
    for my $whose (sort keys %chains) {
        is(callers($_, @{$chains{$whose}}), $caller{$_}, "$whose: who calls $_")
            for sort keys %caller;
        is(callers('tell_states', @{$chains{$whose}}), $telling,
            "$whose: who calls what records the state of its own CPU");
        is(callers('switch_tell_state', @{$chains{$whose}}), '',
            '... and not what has returned by then');
    }
}

done_testing();
