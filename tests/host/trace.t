#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: outside/pitot/trace, outside/pitot/perf_script, docs/outside.md
#
# The request that `pitot trace` sends to the plugin, the file that it makes of the plugin's records
# and of a recording's tracepoints, and its refusals. tests/viewers/viewers.t opens such files. Run
# from the root of the tree:
#
#     prove tests/host/trace.t
use strict;
use warnings;
use lib 'tests/lib';
use JSON::PP qw(decode_json);
use Test::More;
use Pitot::Files;
use Pitot::StandIn;

my $room = stand_in_room();
my $elf = "$room/kernel.elf";
my $file = "$room/trace.json";
my @qemu = ('--', "$room/qemu", '-kernel', $elf, '-smp', 2);
my $cpus = 9999999;

# The stderr of `pitot trace`, and its status.
sub trace
{
    my (undef, $complaints, $status) = pitot({STAND_IN_VERSION => '10.0.0'}, 'trace', @_);
    return ($complaints, $status);
}

# The part of the request that only a trace has.
sub asked
{
    trace('-o', $file, @_, @qemu);
    return request_words() =~ s/.*,(?=trace=)//r;
}

# --- The request ---------------------------------------------------------------------------------

my $default = 'event=insn:0,max=1000000';
plugin_says(begin(2), ran(0, 1, 0, 5), traced(5), end());
is(asked(), "trace=10000,$default", 'all calls of 10,000 instructions or more');
is(asked('--least', 5, '--depth', 3, '--max', 7), 'trace=5:3,event=insn:0,max=7',
    '--least, --depth and --max');
my $functions = join(':', map { sprintf('%x', $_) } sort { $a <=> $b } @place{qw(vfs_read vfs_write
    panic)});
is(asked('-f', 'vfs_*', '--function', 'panic', '-f', 'vfs_read'),
    "trace=0,functions=$functions,$default", '-f: these functions, each once, however short');
is(asked('--overwrite'), 'trace=10000,event=insn:0', '--overwrite has no other limit');
is(asked('-e', 'call:panic,irq', '--trigger', 'mem:run_queue:w', '--start', 'vfs_read', '--until',
        'panic'),
    'trace=10000,event=call:' . sprintf('%x', $place{panic}) . ':1,event=irq:0-255:1,'
    . sprintf('stop=mem:%x:64:w:1,from=%x,until=%x,max=1000000',
        @place{qw(run_queue vfs_read panic)}),
    'markers, their trigger and window');

my %at = map { ($_ => sprintf('%x', $place{$_})) } keys(%place);
is(asked('--wake', 'panic:2', '--wait', 'vfs_read', '--wait', 'sched_run:run_queue', '--least', 7,
        '--lock', 'vfs_write:3', '--unlock', 'idle_loop'),
    "trace=7,least_lock=7,wait=$at{vfs_read}:1,wait=$at{sched_run}:$at{run_queue},"
    . "wake=$at{panic}:2,event=insn:0,max=1000000", 'what waits and wakes, and by which argument');
like(request_words(), qr/,locks=1,lock=$at{vfs_write}:0:3:0,lock=$at{idle_loop}:3:1:0,trace=/,
    '... and the functions of locks, as pitot locks has them; no locks by sight');

# --- The file ------------------------------------------------------------------------------------

my %of = (thread => 1, at => $place{vfs_read});
plugin_says(begin(2), thread(1, $place{kmain}), thread(2, $place{idle_loop}),
    slice(%of, depth => 2, at => $place{vfs_write}, began => 1500, ended => 2000),
    slice(%of, depth => 3, began => 2100, ended => 2100, by => 1, vector => 14, error => 2,
        at => $place{timer_isr}, flags => 4),
    slice(%of, depth => 2, began => 2100, ended => 2100),
    slice(%of, depth => 1, began => 1500, ended => 2500, shorter => 7, shorter_time => 300),
    ran(0, 1, 1000, 3000), ran(1, 2, 900, 3000),
    sample(event => 0, thread => 1, ip => $place{vfs_write} + 4, time => 1600, access => 2,
        address => $place{run_queue}, length => 8, value => 0xfedcba98 << 32 | 0x76543210),
    registers(1, 0, 13, 12, 14, 15, 0, 0, 0, 18, 19),
    sample(event => 1, thread => 1, ip => $place{panic}, time => 1700),
    registers(99), sample(event => 2, thread => 1, ip => $place{panic} + 9, time => 1800),
    slice(%of, thread => 2, began => 950, ended => 3000, by => 3, at => $place{sched_run},
        flags => 3, cpu => 1),
    traced(3000, 0, 2), end());
my ($said, $status) = trace('-I', '-o', $file, '-e', 'mem:run_queue:w', '-e', 'call:panic', '-e',
    'return:panic', @qemu);
is($said, "[ pitot trace: 11 events in $file; 9 other calls are summed ]\n", 'a trace is written');
is($status, 0, '... and its status is QEMU\'s');
my $trace = decode_json(slurp($file));
is($trace->{otherData}{clock}, 'instructions that all CPUs have executed', '... with its clock');
is_deeply([map { $_->{kernel}, $_->{command} } $trace->{otherData}],
    [$elf, "$room/qemu -kernel $elf -smp 2"], '... its kernel, and the command');

# The names of tracks, and the events by track: [ts, dur, category, name, arguments]. A duration may
# have more digits, so that ts + dur is exactly the slice's end.
sub tracks_of
{
    my ($read) = @_;
    my (%names, %tracks);
    for my $event (@{$read->{traceEvents}}) {
        my $track = "$event->{pid}/" . ($event->{tid} // '');
        if ($event->{ph} eq 'M') {
            $names{$track} = $event->{args}{name} if $event->{args}{name};
        } else {
            $event->{dur} = sprintf('%.3f', $event->{dur}) + 0 if defined $event->{dur};
            push(@{$tracks{$names{$track}}}, [$event->{ph}, @$event{qw(ts dur cat name args)}]);
        }
    }
    return (\%names, \%tracks);
}

my ($names, $tracks) = tracks_of($trace);
is_deeply($names, {'1/0' => 'kernel.elf', '1/2' => 'kmain', '1/3' => 'idle_loop',
        "$cpus/0" => 'CPUs', "$cpus/$cpus" => 'CPU 0', "$cpus/" . ($cpus + 1) => 'CPU 1'},
    'a track for each CPU and thread, as perf numbers them');
my %short = ('short calls' => 7, 'their time' => 300);
my %fault = (vector => 14, 'error code' => '0x2');
is_deeply($tracks->{kmain}, [
        ['X', 1.5, 1, 'function', 'vfs_read', \%short],
        ['X', 1.5, 0.5, 'function', 'vfs_write', undef],
        ['i', 1.6, undef, 'event', 'mem:run_queue:w', {address => '0xffffffff80101000',
            bytes => 8, access => 'write', value => '0xfedcba9876543210',
            at => 'vfs_write+0x4'}],
        ['i', 1.7, undef, 'event', 'call:panic', {at => 'panic+0x0', 'argument 1' => '0xf',
            'argument 2' => '0xe', 'argument 3' => '0xc', 'argument 4' => '0xd',
            'argument 5' => '0x12', 'argument 6' => '0x13'}],
        ['i', 1.8, undef, 'event', 'return:panic', {at => 'panic+0x9', result => '0x63'}],
        ['X', 2.1, 0, 'function', 'vfs_read', undef],
        ['X', 2.1, 0, 'interrupt', '#PF timer_isr', \%fault],
    ], 'a thread\'s slices begin in order, the outer one first; markers have values');
is_deeply($tracks->{idle_loop}, [['X', 0.95, 2.05, 'syscall', 'sched_run',
    {'began before' => 1, 'not ended' => 1}]], '... and say what of them is not there');
is_deeply([@$tracks{'CPU 0', 'CPU 1'}], [
        [['X', 1, 2, 'thread', 'kmain 2', undef],
            ['X', 2.1, 0, 'interrupt', '#PF timer_isr', \%fault]],
        [['X', 0.9, 2.1, 'thread', 'idle_loop 3', undef]]],
    'a CPU has its threads, and the interrupts that came and went within one');

# Locks and wakes.
plugin_says(begin(2), context(2, 0, $place{vfs_read} + 8), thread(1, $place{kmain}),
    thread(2, $place{idle_loop}),
    lock_slice(thread => 1, address => $place{run_queue}, began => 100, ended => 300,
        context => 2),
    lock_slice(thread => 2, address => $place{run_queue}, began => 200, ended => 350, flags => 4,
        depth => 1, cpu => 1),
    lock_slice(thread => 2, address => 0x1234, began => 250, ended => 400, flags => 10),
    wake(thread => 1, function => $place{sched_run}, value => 0xab, time => 310, waiting => 1,
        arrow => 1, context => 2),
    woken(1, 2, 1, 320), ran(0, 1, 100, 400), ran(1, 2, 100, 400), traced(400), end());
my @waits = qw(--lock panic --unlock idle_loop --wake sched_run --wait vfs_read);
($said, $status) = trace('-o', $file, @waits, @qemu);
is($said, "[ pitot trace: 9 events in $file; 0 other calls are summed ]\n", 'locks and wakes');
($names, $tracks) = tracks_of(decode_json(slurp($file)));
my $by = 'vfs_read+0x8';
is_deeply([@$tracks{'run_queue', '0x1234'}], [
        [['X', 0.1, 0.2, 'lock', 'kmain 2', {at => $by}]],
        [['X', 0.25, 0.15, 'lock', 'idle_loop 3', {at => '[not known]', 'not ended' => 1}]]],
    '... a lock has who held it, and where it was taken');
my $wait = ['X', 0.2, 0.15, 'lock', 'waits for run_queue', {at => '[not known]'}];
is_deeply($tracks->{idle_loop}, [$wait], '... a thread its waits');
is_deeply($tracks->{'CPU 1'}, [['X', 0.1, 0.3, 'thread', 'idle_loop 3', undef], $wait,
    ['f', 0.32, undef, 'wakeup', 'wakes', undef]], '... a CPU those that kept it busy');
is_deeply([@$tracks{'kmain', 'CPU 0'}], [
        [['i', 0.31, undef, 'event', 'sched_run', {value => '0xab', waiting => 1, at => $by}]],
        [['X', 0.1, 0.3, 'thread', 'kmain 2', undef], ['s', 0.31, undef, 'wakeup', 'wakes',
            undef]]], '... and an arrow leads from who wakes to who runs');

# Calls that began before the trace: only the command can map them to functions.
plugin_says(begin(1), thread(1, $place{kmain}),
    slice(%of, began => 1, ended => 9, flags => 1, at => $place{vfs_read} + 4),
    slice(%of, began => 1, ended => 9, flags => 1, at => $place{vfs_write} + 4, shorter => 2),
    traced(9), end());
($said) = trace('-o', $file, '-f', 'vfs_read', @qemu);
is($said, "[ pitot trace: 1 event in $file; 3 other calls are summed ]\n",
    '-f: of what had begun before, too');
($names, $tracks) = tracks_of(decode_json(slurp($file)));
is($tracks->{kmain}[0][4], 'vfs_read', '... by its function');

# The last events: 88 bytes each.
plugin_says(begin(1), thread(1, $place{kmain}),
    (map { slice(%of, began => $_, ended => $_ + 1) } 1 .. 1000), traced(1001), end());
($said) = trace('-o', $file, '--overwrite', '-m', '32K', @qemu);
like($said, qr/^pitot: 628 events overwritten; a larger -m keeps more\n\[ pitot trace: 372 /m,
    '--overwrite keeps the last events that fit into -m');
is(decode_json(slurp($file))->{otherData}{'events left out'}, 628, '... and the file says so');
($names, $tracks) = tracks_of(decode_json(slurp($file)));
is($tracks->{kmain}[0][1], 0.629, '... from the oldest one that is left');

plugin_says(begin(1), ran(0, 1, 0, 5), traced(5, 4), end(samples_left_out => 3));
($said) = trace('-o', $file, '--max', 2, @qemu);
is($said, "pitot: the trace ends after 4 instructions: --max was reached; --overwrite keeps the "
    . "last events, --least fewer\n[ pitot trace: 1 event in $file; 0 other calls are summed ]\n",
    'where --max has ended the trace is reported');
write_bytes($file, 'older');
plugin_says(begin(1), end(instructions => 0));
($said) = trace('-o', $file, @qemu);
like($said, qr/^\[ pitot trace: \Q$file\E is not written \]$/m, 'without an event');
is(slurp($file), 'older', '... an older file stays');

# --- A recording ---------------------------------------------------------------------------------

# PATH has only a stand-in for perf. Writes a file's header and sets perf's text.
sub recorded
{
    my ($text, $complaint) = (@_, 'noise');
    my $recording = "$room/x.data";
    write_bytes($recording, pack('a8Q<*', 'PERFILE2', 104, 144, 104, 0, 104, 8), "\0" x 48,
        'x' x 8);
    write_bytes("$room/text", $text);
    write_bytes("$room/bin/perf", "#!/bin/sh\necho \"\$*\" >$room/words_of_perf\n"
        . "echo '$complaint' >&2\n/bin/cat $room/text\n");
    chmod(0755, "$room/bin/perf");
    my (undef, $complaints, $refused) = pitot({PATH => "$room/bin:/usr/bin:/bin"}, 'trace', '-i',
        $recording, '-o', $file);
    return ($complaints, $refused);
}

my $switch = 'sched:sched_switch: prev_comm=any one prev_pid';
my $next = 'prev_state=S ==> next_comm=';
my $watch = 'mem:run queue:w: ';    # perf prints no fields of it
($said) = recorded(<<"END");
        my shell   7/8   [000]     1.000000100: raw_syscalls:sys_enter: NR 1 (1, 2)
        my shell   7/8   [000]     1.000000110: lock:lock_acquire: 0x10 big
        my shell   7/8   [000]     1.000000120: lock:lock_contended: 0x10 big
        my shell   7/8   [000]     1.000000130: lock:lock_acquired: 0x20 other
        my shell   7/8   [000]     1.000000150: lock:lock_acquired: 0x10 big
        my shell   7/8   [000]     1.000000200: irq:irq_handler_entry: irq=4 name=uart handler=f
        my shell   7/8   [000]     1.000000210: sched:sched_wakeup: comm=b c pid=9 target_cpu=1
        my shell   7/8   [000]     1.000000300: irq:irq_handler_exit: irq=4 handler=f
         swapper   0/0   [001]     1.000000320: irq:softirq_entry: vec=1 [action=TIMER]
         swapper   0/0   [001]     1.000000330: irq:softirq_exit: vec=1 [action=TIMER]
         swapper   0/0   [001]     1.000000350: $switch=0 ${next}b c next_pid=9
        my shell   7/8   [000]     1.000000360: $watch
        my shell   7/8   [000]     1.000000400: lock:lock_release: 0x10 big
        my shell   7/8   [000]     1.000000500: raw_syscalls:sys_exit: NR 1 = 5
        my shell   7/8   [000]     1.000000600: $switch=8 ${next}idle/0 next_pid=0
             b c   9/9   [001]     1.000000700: sched:sched_wakeup: comm=my shell pid=8 target_cpu=0
END
is($said, "[ pitot trace: 12 events in $file ]\n", 'a recording is read');
like(slurp("$room/words_of_perf"),
    qr/^--no-pager script .*--ns .*-F comm,pid,tid,cpu,time,event,trace /,
    '... by perf script, in nanoseconds');
$trace = decode_json(slurp($file));
($names, $tracks) = tracks_of($trace);
is_deeply($names, {'7/8' => 'my shell', '7/0' => 'my shell', '9/9' => 'b c', '9/0' => 'b c',
        "$cpus/0" => 'CPUs', "$cpus/$cpus" => 'CPU 0', "$cpus/" . ($cpus + 1) => 'CPU 1',
        '8999999/0' => 'locks', '8999999/9000000' => '0x10 big'} , 'threads, CPUs and locks');
is_deeply($tracks->{'my shell'}, [
        ['X', 1000000.1, 0.4, 'syscall', 'system call 1', {says => 'NR 1 (1, 2)'}],
        ['X', 1000000.12, 0.03, 'lock', 'waits for 0x10 big', undef],
        ['i', 1000000.12, undef, 'event', 'lock:lock_contended', {at => '0x10 big'}],
        ['X', 1000000.2, 0.1, 'interrupt', 'irq 4 uart', {says => 'irq=4 name=uart handler=f'}],
        ['i', 1000000.21, undef, 'event', 'sched:sched_wakeup',
            {at => 'comm=b c pid=9 target_cpu=1'}],
        ['i', 1000000.36, undef, 'event', 'mem:run queue:w', undef]],
    'a thread has its system calls, waits, interrupts and other samples');
my $irq = ['X', 1000000.2, 0.1, 'interrupt', 'irq 4 uart', {says => 'irq=4 name=uart handler=f'}];
is_deeply($tracks->{'0x10 big'}, [['X', 1000000.15, 0.25, 'lock', 'my shell 8', undef]],
    'a lock has who held it');
is_deeply([@$tracks{'CPU 0', 'CPU 1'}], [
        [['X', 1000000.1, 0.5, 'thread', 'my shell 8', {'began before' => 1}]],
        [['X', 1000000.32, 0.01, 'interrupt', 'softirq 1', {says => 'vec=1 [action=TIMER]'}],
            ['X', 1000000.35, 0.35, 'thread', 'b c 9', {'not ended' => 1}],
            ['s', 1000000.7, undef, 'wakeup', 'wakes', undef]]],
    'a CPU has its threads, and gaps while it is idle');

# Unfinished calls: 8 still waits in its call, 5 has made another one. And losses.
($said) = recorded(<<"END");
           a   7/8   [000]     1.000000100: raw_syscalls:sys_enter: NR 1 (1, 2)
           b   5/5   [001]     1.000000200: raw_syscalls:sys_enter: NR 2 ()
           b   5/5   [001]     1.000000250: irq:irq_handler_entry: irq=4 name=uart handler=f
           a   7/8   [000]     1.000000300: $switch=8 ${next}idle/0 next_pid=0
           b   5/5   [001]     1.000000350: PERF_RECORD_LOST lost 77
           b   5/5   [001]     1.000000400: raw_syscalls:sys_enter: NR 3 ()
           b   5/5   [001]     1.000000500: raw_syscalls:sys_exit: NR 3 = 0
END
is($said, 'pitot: the recording lacks 77 lost samples; slices before its markers PERF_RECORD_LOST '
    . "may be wrong\n[ pitot trace: 6 events in $file ]\n", 'lost samples are reported');
like(slurp("$room/words_of_perf"), qr/ --show-lost-events$/, '... as perf says');
($names, $tracks) = tracks_of(decode_json(slurp($file)));
is_deeply($tracks->{a}, [['X', 1000000.1, 0.2, 'syscall', 'system call 1',
    {says => 'NR 1 (1, 2)', 'not ended' => 1}]],
    'what has not ended lasts until its thread ran last');
is_deeply($tracks->{b}, [
        ['X', 1000000.2, 0.2, 'syscall', 'system call 2', {says => 'NR 2 ()', 'not ended' => 1}],
        ['X', 1000000.25, 0.15, 'interrupt', 'irq 4 uart',
            {says => 'irq=4 name=uart handler=f', 'not ended' => 1}],
        ['i', 1000000.35, undef, 'event', 'PERF_RECORD_LOST', {at => 'lost 77'}],
        ['X', 1000000.4, 0.1, 'syscall', 'system call 3', {says => 'NR 3 ()'}]],
    '... or until the next system call');

# perf reports a stream that ends within a record with these words and status 0.
($said) = recorded("a 7/8 [000] 1.000000100: raw_syscalls:sys_enter: NR 1 ()\n",
    '0x16c [0x30]: unexpected end of event stream');
is($said, "pitot: $room/x.data is truncated: its end is missing\n"
    . "[ pitot trace: 1 event in $file ]\n", 'that a recording is truncated is reported');

sub refused_ok
{
    my ($why, $text) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my ($told, $refused) = recorded($text);
    is($told, "pitot trace: $why\n", $why);
    is($refused, 1, '... with a status');
    return;
}

write_bytes($file, 'older');
refused_ok('no tracepoint in it tells who ran when; record sched:*, irq:*, raw_syscalls:* or '
    . 'lock:*, with -a', "a 7/8 [000] 1.000000100: mem:x:w: \n");
refused_ok('unexpected line of perf script, not a sample: a 7 [000] 1.0: x:', "a 7 [000] 1.0: x:");
is(slurp($file), 'older', 'an older file stays');

# --- Refusals ------------------------------------------------------------------------------------

sub usage_ok
{
    my ($why, @words) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my ($told, $refused) = trace(@words);
    like($told, qr/^pitot trace: \Q$why\E$/m, $why);
    isnt($refused, 0, '... with a status');
    return;
}

usage_ok('no QEMU command and no -i FILE; pitot help trace');
usage_ok('-i reads a file; leave out -- QEMU', '-i', 'x', @qemu);
usage_ok('-i: the whole recording is read; only -o may be given', '-i', 'x', '--max', 3);
usage_ok('--max keeps the first events, --overwrite the last; give one', '--max', 3, '--overwrite',
    @qemu);
usage_ok("$room is a directory; a recording is a file", '-i', $room);
usage_ok('-I gives the values of markers; add -e call: or return:', '-I', @qemu);
usage_ok('--wait vfs_read: --wake names what ends it', '--wait', 'vfs_read', @qemu);
usage_ok('-i: the whole recording is read; only -o may be given', '-i', 'x', $_, 'panic')
    for qw(--lock --wake);
usage_ok('panic takes locks: add its --unlock FUNCTION', '--lock', 'panic', @qemu);
usage_ok('--wait panic: is a function of locks already', @waits, '--wait', 'panic', @qemu);
usage_ok('--wake panic:7: F[:LOCK], with LOCK an argument from 1 to 6, or a variable', '--wake',
    'panic:7', @qemu);
usage_ok('no function "panik"; near: panic', '--wake', 'panik', @qemu);
usage_ok('-m: at least 32K are needed', '--overwrite', '-m', '1K', @qemu);
usage_ok('-m is the size of what --overwrite keeps; add --overwrite', '-m', '1M', @qemu);
usage_ok('-o -: pitot trace writes a file; give its name', '-o', '-', @qemu);
usage_ok('-e instructions: markers are at mem:, call:, return: and irq events', '-e',
    'instructions', @qemu);
usage_ok("$room/none/x: No such file or directory", '-o', "$room/none/x", @qemu);
plugin_says(begin(1), slice(%of, began => 5, ended => 4), end());
usage_ok('the plugin\'s slice of thread 1 is invalid', '-o', $file, @qemu);
plugin_says(begin(1), ran(0, 1, 5, 4), end());
usage_ok('the plugin\'s run of thread 1 is invalid', '-o', $file, @qemu);
plugin_says(begin(1), lock_slice(address => 0x10, began => 5, ended => 4), end());
usage_ok('the plugin\'s slice of lock 0x10 is invalid', '-o', $file, @waits, @qemu);
plugin_says(begin(1), wake(function => $place{panic}, value => 1, time => 1, context => 9), end());
usage_ok('the plugin\'s wake of thread 1 is invalid', '-o', $file, @waits, @qemu);
my (undef, $old) = pitot({STAND_IN_VERSION => '7.2.0'}, 'trace', '--wake', 'panic', @qemu);
is($old, "pitot trace: the wakes: QEMU 7.2 gives plugins no registers; 9.2 and later do\n",
    'a QEMU that tells no arguments is refused');

done_testing();
