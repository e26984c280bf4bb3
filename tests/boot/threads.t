#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: kernel/sched, core/host
#
# Threads on the console and in perf: ps, bt PID, and recordings in which each thread has its name.
# Run from the root of the tree:
#
#     prove tests/boot/threads.t
use strict;
use warnings;
use lib 'tests/lib';
use Test::More;
use Pitot;

# {pid => {state, name, waits}} of one ps output; of the idle threads, which all have the number 0,
# the first.
sub threads_of
{
    my ($text) = @_;
    my %threads;
    while ($text =~ m{^ +(\d+) +\d+  (\w+) +(\d+\.\d{6}) +(\d+) +(\d+)/(\d+)  (\S+) +(\S.*)$}mg) {
        $threads{$1} //= {state => $2, ran => $3, switches => $4, used => $5, size => $6,
            name => $7, waits => $8};
    }
    return \%threads;
}

# The names of a chain, innermost first.
sub chain_of
{
    my ($text) = @_;
    return [$text =~ /^  [0-9a-f]{16}  \w+  ([^\s+]+)/mg];
}

# --- ps and bt, from the prompt: the console's thread was asleep ---------------------------------

my $prompt = qr/^pitot> $/m;
my $machine = start();
$machine->expect($prompt, $patience, 'there is a prompt');
# Input that arrives before the console sleeps keeps it awake; then ps is tried again.
my ($threads, $tries) = ({}, 0);
while (!($threads->{0} && $threads->{0}{switches}) && $tries++ < 100) {
    $machine->send("ps\n");
    $threads = threads_of(
        $machine->expect(qr/idle.*kworker.*\n$prompt/s, $patience, 'ps lists the threads'));
}
is($threads->{1}{name}, 'pitot', 'the console is thread 1');
is($threads->{1}{state}, 'runs', '... which runs');
is($threads->{0}{name}, 'idle/0', 'the idle thread is 0');
cmp_ok($threads->{0}{switches}, '>', 0, '... and ran while nobody typed');
my ($worker) = grep { $threads->{$_}{name} eq 'kworker/0' } keys %$threads;
is("$threads->{$worker}{state} $threads->{$worker}{waits}", 'sleeps work',
    'the worker sleeps until there is work');
ok((!grep { $_->{used} == 0 || $_->{used} >= $_->{size} } values %$threads),
    'every thread has used some of its stack, and none all');
$machine->send("bt $worker\n");
$machine->expect(qr/thread_start\S*\n$prompt/, $patience, 'bt shows the chain of another thread');
my ($shown) = $machine->console =~ /.*^pitot> bt \d+\n(.*?)^pitot> /ms;
my $chain = chain_of($shown);
is($chain->[0], 'arch_switch', '... from the switch');
is($chain->[-1], 'thread_start', '... to where it began');
ok((grep { $_ eq 'workqueue_work' } @$chain), '... through what it waits in');
unlike($shown, qr/stops here/, '... whole');
$machine->send("bt 4711\n");
$machine->expect(qr/^bt: there is no thread 4711 .*\n$prompt/m, $patience,
    'an unknown number is reported');
$machine->send("bt x\n");
$machine->expect(qr/^bt: give the number of a thread.*\n$prompt/m, $patience,
    '... and what is none');
$machine->send("poweroff\n");
$machine->wait_end;
ended_ok($machine);

# --- A recording across threads ------------------------------------------------------------------

my $rounds = 40;
my $recording = boot(run => join('; ',
    "perf record -a -m 16M -e mem:kernel_flag:rw -g -- fs-stress --threads 3 $rounds", 'poweroff'));
ended_ok($recording);
my ($operations, $waits) = $recording->console =~
    /^fs-stress: (\d+) operations in 3 threads, all verified; (\d+) waits for the kernel lock$/m;
ok($operations, 'the load ran in three threads, verified');
cmp_ok($waits // 0, '>', 0, '... which waited for each other');
like($recording->console, qr/^\[ perf record: \d+ records? kept \]$/m, 'nothing was lost');

my $script = perf_script($recording, '-F', 'comm,pid,tid,event,ip,sym');
my (%tids, %chains, %hits);
while ($script =~ m{^(\S.*?) +(\d+)/(\d+) +mem:kernel_flag:rw: *\n((?:\t.*\n)*)}mg) {
    my ($comm, $pid, $tid, $frames) = ($1, $2, $3, $4);
    $tids{$comm}{"$pid/$tid"}++;
    $hits{$comm}++;
    $chains{$comm}{($frames =~ /\s(\w+)\n\z/)[0] // 'none'}++;
}
for my $number (0 .. 2) {
    my $comm = "fs-stress/$number";
    is(scalar(keys %{$tids{$comm} // {}}), 1, "perf shows $comm, one thread");
    is_deeply([keys %{$chains{$comm} // {}}], ['thread_start'],
        '... all of whose chains end where it began');
}
is_deeply([sort keys %hits], [map { $_ // () } 'fs-stress', map { "fs-stress/$_" } 0 .. 2],
    'nobody else has samples');
is(scalar(keys %{{map { %$_ } values %tids}}), 4, '... each thread under its own number');

done_testing();
