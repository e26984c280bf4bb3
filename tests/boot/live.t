#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: core/stream/drain, core/stream, core/perf/record
#
# Recordings that leave the machine before their workload ends: streamed while they run, ended by a
# trigger, by ^C, or by a crash at any point of the stream. The console's counts are those of the
# real perf. Run from the root of the tree:
#
#     prove tests/boot/live.t
use strict;
use warnings;
use lib 'tests/lib';
use IO::Socket::UNIX;
use POSIX ();
use Test::More;
use Time::HiRes qw(sleep);
use Pitot;
use Pitot::Files;
use Pitot::Transcript;

my $build = $ENV{BUILD} // 'build';
my $fields = 'comm,tid,cpu,time,period,event,ip,sym,symoff';
my $whole = '2144df1c';    # docs/stream.md
my $unthrottled = 'perf.rate=0';
my $endless = 'fs-stress 1000000';
my $stopped = 2 * 0x31 + 1;    # the value that boot/ports.c writes, as QEMU turns it into a status
my $prompt = qr/pitot> /;

# The numbers that `perf record` printed at its end, each by the word before or after it.
sub summary
{
    my ($said) = @_;
    my ($line) = $said =~ /^\[ perf record: (.*) \]\s*$/m or return {};
    my %number;
    $number{ended_by} = $1 if $line =~ /ended by (\S+)/;
    $number{$2} = $1 while $line =~ /(\d+) (records kept|lost|overwritten|of them|hits raised)/g;
    return \%number;
}

# Ends the recording by ^C at the machine's console; returns its summary.
sub broken_off
{
    my ($machine) = @_;
    $machine->send("\x03");
    return summary($machine->expect($prompt) =~ tr/\r//dr);
}

sub crc32_of
{
    my ($path) = @_;
    return `gzip -c < $path 2>/dev/null | tail -c8 | od -An -tx4 -N4` =~ s/\s//gr;
}

# Waits until the stream ends in its own checksum, the only sign while the machine still runs.
sub stream_is_whole
{
    my ($machine) = @_;
    my $deadline = time + $patience;
    while (time < $deadline) {
        return 1 if -s $machine->com2 && crc32_of($machine->com2) eq $whole;
        sleep(0.1);    # polls: nothing waits for it
    }
    return 0;
}

# Waits until so many bytes have left.
sub stream_has
{
    my ($machine, $bytes) = @_;
    my $deadline = time + $patience;
    while (time < $deadline) {
        return 1 if (-s $machine->com2 // 0) >= $bytes;
        sleep(0.02);
    }
    return 0;
}

# How many samples perf prints of the growing stream, once it prints any.
sub shown_live
{
    my ($machine) = @_;
    my $path = "$build/logs/live/shown";
    unlink($path);
    my $pid = fork() // die("fork: $!");
    if ($pid == 0) {
        POSIX::setpgid(0, 0);
        open(STDOUT, '>', $path) or POSIX::_exit(1);
        exec('tools/show', 'live', $machine->com2) or POSIX::_exit(1);
    }
    my ($deadline, $count) = (time + $patience, 0);
    while ($count <= 100 && time < $deadline) {
        sleep(0.05);    # polls
        $count = () = slurp_if_there($path) =~ /mem:kernel_flag:w:/g;
    }
    kill(TERM => -$pid);
    waitpid($pid, 0);
    return $count;
}

sub squeezed
{
    my ($text) = @_;
    return [grep { /\S/ } map { s/\s+/ /gr =~ s/^ | $//gr } split(/\n/, $text)];
}

# --- While the workload runs ---------------------------------------------------------------------

# Far more than the ring holds, slowly enough for the port; then a tracepoint with a function field
# that did not occur before the stream began.
my $slow = 'perf record -a -m 64k -e mem:kernel_flag:rw -g -c 10 -- fs-stress 40';
my $count = 'perf stat -a -e mem:kernel_flag:rw -- fs-stress 40';
my $machine = boot(flags => $unthrottled, run => "$count; $slow; perf script; poweroff");
ended_ok($machine);
my ($hits) = said($machine, $count) =~ /^ +(\d+) {6}mem:/m;
my $said = said($machine, $slow);
my $summary = summary($said);
is($summary->{'records kept'} + ($summary->{lost} // 0), int($hits / 10),
    'a recording larger than its ring: each sample is kept or told to be lost');
cmp_ok($summary->{'of them'} // 0, '>', 0, '... most of it is in the stream only');
my $theirs = perf_script($machine, '-F', $fields);
my @theirs = samples($theirs);
is(scalar(@theirs), $summary->{'records kept'}, '... where perf finds all that was kept');
is(crc32_of($machine->com2), $whole, '... the checksum tells that it is whole');
my $script = said($machine, 'perf script');
my @ours = samples($script);
is(scalar(@ours), $summary->{'records kept'} - $summary->{'of them'},
    '... and the console has the rest');
like($script, qr/^perf script: the first $summary->{'of them'} records are in the stream only$/m,
    '... and reports it');
is_deeply([map { "@{$_->{chain}}" } @ours], [map { "@{$_->{chain}}" } @theirs[-@ours .. -1]],
    '... the newest, as perf has them');
my $dump = perf_run('report', $machine, '-D');
cmp_ok(scalar(() = $dump =~ /PERF_RECORD_FINISHED_ROUND/g), '>', 3, 'perf can show it as it comes');
unlike(scalar(perf_run('report', $machine, '--stdio')), qr/out of order|unordered/i,
    '... in order');

# Reading a running recording shows what it held when the reading began, however much the reading
# adds.
my $reader = 'perf record -a -m 64k -e cpu-clock -F 10000 -g -- perf script';
$machine = boot(run => "$reader; poweroff");
ended_ok($machine, 'a recording that its own workload prints ends');
my @times = map { $_->{time} } samples(said($machine, $reader));
is_deeply(\@times, [sort { $a <=> $b } @times], '... and shows no sample twice');

# --- The drain does not feed itself --------------------------------------------------------------

# The load runs until the stream has been leaving for a while, however fast this machine is.
my $everything = 'perf record -a -m 256k -e *:* -R -g -- fs-stress --threads 2 1000000';
$machine = start(flags => $unthrottled);
$machine->expect($prompt);
$machine->send("$everything\r");
ok(stream_has($machine, 2_000_000), 'everything is traced and streamed at once');
$summary = broken_off($machine);
ok(stream_is_whole($machine), '... ^C ends it and the stream is whole');
$machine->send("poweroff\r");
$machine->wait_end;
cmp_ok($summary->{'hits raised'} // 0, '>', 0, 'what the stream raises itself is counted');
$theirs = perf_script($machine, '-F', 'comm,tid,cpu,time,period,event,ip,sym,trace');
@theirs = samples($theirs);
is(scalar(@theirs), $summary->{'records kept'}, '... and perf has what was kept');
my @own = grep { $_->{comm} eq 'perf' } @theirs;
cmp_ok(scalar(@own), '>', 0, 'interrupts that come upon the stream\'s thread are samples');
is_deeply([grep { !grep { $_ eq 'trap_entry' } @{$_->{chain}} } @own], [],
    '... nothing else of it is');
like($theirs, qr/timer_expire_entry: .*function=[a-z_]+/, 'functions have names in a stream that '
    . 'began before they were called') if $theirs =~ /timer_expire_entry:/;
like($theirs, qr/irq_handler_entry: irq=0 name=timer handler=\w*interrupt\w*$/m,
    '... handlers too');

# --- A trigger -----------------------------------------------------------------------------------

# The workload does not end by itself, so whatever leaves does so while it runs.
my $trigger = 'mem:kernel_flag:w/period=2000/';
$machine = start(flags => $unthrottled);
$machine->expect($prompt);
$machine->send("perf record -a --overwrite -m 64k -e sched:*,lock:* -R -g --trigger $trigger"
    . " -- $endless\r");
ok(stream_is_whole($machine), 'a trigger ends a recording, and it leaves at once');
$summary = broken_off($machine);
is($summary->{ended_by}, 'mem:kernel_flag:w', '... perf record reports what ended it');
$machine->send("perf script\r");
$script = $machine->expect($prompt);
$machine->send("poweroff\r");
$machine->wait_end;
@ours = samples($script);
@theirs = samples(scalar perf_script($machine, '-F', $fields));
is(scalar(@theirs), $summary->{'records kept'}, '... perf has what was kept');
is($theirs[-1]{event}, 'mem:kernel_flag:w', '... the trigger is the last of it');
is(scalar(grep { $_->{event} eq 'mem:kernel_flag:w' } @theirs), 1, '... and there once');
is_deeply([map { $_->{event} } @ours], [map { $_->{event} } @theirs], 'the console has the same');
cmp_ok($summary->{overwritten} // 0, '>', 0, '... the newest of many');

$machine = boot(run => 'perf record -a -e mem:kernel_flag:w -g --trigger mem:unlock_kernel:x'
    . ' -- fs-stress 1;'
    . ' perf record -a -e mem:kernel_flag:w --trigger mem:crash_read:x -- fs-stress 1; poweroff');
ended_ok($machine);
@theirs = samples(scalar perf_script($machine, '-F', $fields));
is($theirs[1]{event}, 'mem:unlock_kernel:x', 'a trigger ends a recording without --overwrite too');
like($machine->console, qr/^\[ perf record: .*, the trigger was not hit \]$/m,
    'a trigger that was not hit is reported');

# --- ^C ------------------------------------------------------------------------------------------

$machine = start();
$machine->expect($prompt);
$machine->send("perf record -a --overwrite -m 64k -e timer:tick -R\r");
$machine->expect(qr/recording until \^C/);
$summary = broken_off($machine);
ok(stream_is_whole($machine), '^C is a trigger');
$machine->send("perf record -a -m 64k -e mem:kernel_flag:w -g -c 100 -- $endless\r");
ok(stream_has($machine, 200_000), 'a workload without end streams');
cmp_ok(shown_live($machine), '>', 100, '... `make live` shows its samples meanwhile');
$summary = broken_off($machine);
ok(stream_is_whole($machine), '... ^C ends it and the stream is whole');
$machine->send("poweroff\r");
$machine->wait_end;
@theirs = samples(scalar perf_script($machine, '-F', $fields));
@theirs = grep { $_->{event} eq 'mem:kernel_flag:w' } @theirs;
is(scalar(@theirs), $summary->{'records kept'}, '... perf has all of it');

# --- Crashes -------------------------------------------------------------------------------------

# Nothing has left yet.
$machine = boot(run => 'perf record -a -e mem:kernel_flag:w -g -- fs-stress 1;'
    . ' perf record -a -e sched:*,mem:nowhere:rw -R -g -- crash jump-null; poweroff');
is($machine->status, $stopped, 'a machine dies inside a recording');
like($machine->console, qr/^recording: handed over, \d+ bytes of stream in all$/m,
    '... and hands it over');
is(crc32_of($machine->com2), $whole, '... whole');

# The button is pressed while the stream leaves, each time at another point. On one CPU with an
# instruction clock, where QEMU often delivers the NMI between the port's byte and its count
# (counted.t); on four CPUs with the host's clock, which makes waiting ones cheaper.
my ($struck, @wrong) = (0);
for my $bytes (map { 30_000 + 7_777 * $_ } 0 .. ($ENV{QUICK} ? 1 : 9)) {
    my $path = "$build/logs/live/monitor";
    unlink($path);
    $machine = start(flags => $unthrottled, $struck % 2 ? (smp => 4, icount => '') : (),
        extra => ['-chardev', "socket,id=monitor,path=$path,server=on,wait=off",
            '-monitor', 'chardev:monitor']);
    $machine->expect($prompt);
    $machine->send("perf record -a -m 64k -e lock:*,mem:kernel_flag:w -R -g -- $endless\r");
    push(@wrong, 'no stream') if !stream_has($machine, $bytes);
    my $monitor = IO::Socket::UNIX->new(Peer => $path) or die("$path: $!");
    $monitor->printflush("nmi\n");
    $machine->wait_end;
    my ($script, $complaints, $status) = perf_script($machine, '-F', $fields);
    my ($left) = $machine->console =~ /handed over, (\d+) bytes/;
    push(@wrong, "at $bytes: no report of a hand-over") if !$left;
    push(@wrong, "at $bytes: told $left bytes, there are " . -s $machine->com2)
        if $left && $left != -s $machine->com2;
    push(@wrong, "at $bytes: the checksum is wrong") if crc32_of($machine->com2) ne $whole;
    push(@wrong, "at $bytes: perf prints $complaints") if $status != 0;
    push(@wrong, "at $bytes: no samples") if !samples($script);
    $struck++;
}
is_deeply(\@wrong, [], "$struck machines die while they stream: each stream goes on to its end");

done_testing();
