#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: outside, docs/outside.md, tests/guests, tools/show
#
# `pitot trace`: it has as many slices as `pitot stat` counts, which nest and are in order across
# CPUs (tests/guests/trace.c); its window, its bounds, and the tracing of programs; contended locks
# and woken threads (tests/guests/waits.c); and the tracepoints of Pitot's own kernel in the same
# format.
use strict;
use warnings;
use lib 'tests/lib';
use File::Path qw(make_path);
use JSON::PP qw(decode_json);
use Test::More;
use Pitot::Files;
use Pitot::Guest;
use Pitot::Outside;
use Pitot::Patience;
use Pitot::Perf;

plan skip_all => "a plugin is QEMU's" if ($ENV{MACHINE} // 'qemu') ne 'qemu';

my $build = $ENV{BUILD} // 'build';
my $logs = "$build/logs/outside_trace";
my $cpus = 9999999;    # the process of the CPUs' tracks
make_path($logs);

# The output of pitot and the kernel, and the status.
sub run_ok
{
    my ($status, @words) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my $is = Pitot::Perf::run_between("$logs/out", "$logs/said", '/dev/null', 'timeout', $patience,
        @words);
    is($is, $status, join(" ", @words[0, 1], "...")) or diag(slurp("$logs/said"));
    return slurp("$logs/said");
}

# The events by track, with begin, end and name: {'1/2' => [{...}]}; and the output.
sub trace
{
    my ($status, @words) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my $said = run_ok($status, "$build/outside/pitot", 'trace', '-o', "$logs/trace.json", @words);
    return (tracks_of("$logs/trace.json"), $said);
}

sub tracks_of
{
    my ($file) = @_;
    my %tracks;
    my ($last, $disordered) = (0, 0);
    for my $event (@{decode_json(slurp($file))->{traceEvents}}) {
        next if $event->{ph} eq 'M';
        my $begin = sprintf('%.0f', 1000 * $event->{ts});
        $disordered++ if $begin < $last;
        $last = $begin;
        push(@{$tracks{"$event->{pid}/$event->{tid}"}}, {%$event, begin => $begin,
            end => $begin + sprintf('%.0f', 1000 * ($event->{dur} // 0))});
    }
    is($disordered, 0, '... its times are in order');
    my $crossing = 0;    # computed as viewers do, which add these numbers
    for my $track (values(%tracks)) {
        my @open;
        for my $slice (grep { $_->{ph} eq 'X' } @$track) {
            my ($from, $to) = ($slice->{ts}, $slice->{ts} + $slice->{dur});
            pop(@open) while @open && $open[-1] <= $from
                && !($open[-1] == $from && $to == $from);
            $crossing++ if @open && $open[-1] < $to;
            push(@open, $to);
        }
    }
    is($crossing, 0, '... and slices of a track lie within each other or apart');
    return \%tracks;
}

# The events of a category with a name, in all threads.
sub events_of
{
    my ($tracks, $category, $name) = @_;
    return grep { $_->{cat} eq $category && (!defined $name || $_->{name} =~ $name) }
        map { m{^$cpus/} ? () : @{$tracks->{$_}} } sort(keys(%$tracks));
}

# The distinct values, in order, joined.
sub distinct
{
    my %seen = map { ($_ => 1) } @_;
    return join(' ', sort(keys(%seen)));
}

# The kernel waits for the serial line, which runs on the host's time: two runs differ by a few
# calls.
sub near_ok
{
    my ($got, $expected, $what) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    cmp_ok(abs($got - $expected), '<=', 4, $what) or diag("$got, not $expected");
    return;
}

# --- Slices and counts ---------------------------------------------------------------------------

my @port = machine_of('stdio', '-kernel', "$build/port.elf");
my @events = map { ('-e', $_) } qw(call:port_leaf mem:port_writes:w irq);
my $counted = run_ok($switched_off, "$build/outside/pitot", 'stat', @events, '--', @port);
my %counts = reverse($counted =~ /^ +(\d+) +(call:port_leaf|mem:port_writes:w|irq|calls)$/mg);
my ($tracks, $said) = trace($switched_off, '--least', 1, @events, '--', @port);
near_ok(scalar(events_of($tracks, 'function')), $counts{calls}, 'each call is a slice');
is(scalar(events_of($tracks, 'function', qr/^port_leaf$/)), $counts{'call:port_leaf'},
    '... also of one function');
is(scalar(events_of($tracks, 'interrupt')), $counts{irq}, '... and so is each exception');
is(scalar(events_of($tracks, 'event', qr/^\Q$_\E$/)), $counts{$_}, "... a marker, $_")
    for qw(call:port_leaf mem:port_writes:w irq);
my @values = map { $_->{args}{value} } events_of($tracks, 'event', qr/^mem:/);
is_deeply(\@values, [tells_registers() ? map { sprintf('0x%x', $_) } 1 .. 40 : (undef) x 40],
    '... with its value, if QEMU tells that');

($tracks, $said) = trace($switched_off, '--', @port);
my @short = events_of($tracks, 'function');
is(scalar(grep { $_->{end} - $_->{begin} < 10_000 && !$_->{args}{'not ended'} } @short), 0,
    'calls of less than 10,000 instructions are not there');
my ($others) = $said =~ /; (\d+) other calls are summed \]$/m;
near_ok(@short + $others, $counts{calls}, '... but counted');
($tracks) = trace($switched_off, '-f', 'port_*', '--depth', 2, '--', @port);
is(distinct(map { $_->{name} } events_of($tracks, 'function')), 'port_arm port_load port_main',
    'functions by name and depth');

# --- Two CPUs ------------------------------------------------------------------------------------

link_guest('trace', "$logs/trace.elf");
my $turns = 200;
my @two = ('qemu-system-x86_64', guest_machine(), '-smp', 2, '-kernel', "$logs/trace.elf");
for my $threads ('multi', 'single') {
    my @accel = ('-accel', "tcg,thread=$threads");
    last if $threads eq 'single' && qemu_is_from(9, 0);    # refused
    ($tracks) = trace($guest_ended, '-f', 'sends', '-f', 'receives', '--', @two, @accel);
    my @cpus;
    for my $track (map { $tracks->{$_} } grep { m{^1/} } sort(keys(%$tracks))) {
        push(@cpus, {sends => [], receives => []});
        push(@{$cpus[-1]{$_->{name}}}, $_) for @$track;
    }
    is(join(' ', map { scalar(@{$_->{sends}}), scalar(@{$_->{receives}}) } @cpus),
        join(' ', ($turns) x 4), "thread=$threads: both CPUs have sent and received");
    my @late = grep {
        my $turn = $_;
        grep { $cpus[$_]{sends}[$turn]{begin} > $cpus[1 - $_]{receives}[$turn]{end} } 0, 1
    } 0 .. $turns - 1;
    is_deeply(\@late, [], '... nothing is received before it is sent');
    my @runs = map { scalar(@{$tracks->{"$cpus/" . ($cpus + $_)}}) } 0, 1;
    is_deeply(\@runs, [1, 1], '... and each CPU has run one thread');
}

# --- Programs, windows and bounds ----------------------------------------------------------------

link_guest('syscalls', "$logs/syscalls.elf");
my @syscalls = ('qemu-system-x86_64', guest_machine(), '-accel', 'tcg', '-kernel',
    "$logs/syscalls.elf");
($tracks) = trace($guest_ended, '--least', 1, '--', @syscalls);
if (tells_registers()) {
    my @calls = events_of($tracks, 'syscall');
    is(distinct(map { "$_->{pid}:$_->{name}" } @calls), '2:entry',
        'system calls are slices of the program\'s threads');
    is(scalar(grep { !$_->{args}{'not ended'} } @calls), @calls - 2,
        '... of which all but the two last ones have ended');
    my @inner = events_of($tracks, 'function', qr/^sys_[ab]$/);
    is(scalar(grep { my $of = $_; grep { $_->{begin} <= $of->{begin} && $_->{end} >= $of->{end}
        && $_->{tid} == $of->{tid} } @calls } @inner), @inner,
        '... and what they call lies in them');
}
my @runs = sort { $a->{begin} <=> $b->{begin} } @{$tracks->{"$cpus/$cpus"}};
@runs = grep { $_->{cat} eq 'thread' } @runs;
is(scalar(grep { $runs[$_]{begin} != $runs[$_ - 1]{end} } 1 .. $#runs), 0,
    'a CPU runs one thread after the other');
cmp_ok(scalar(@runs), '>=', 6, '... and changes between them');

($tracks) = trace($guest_ended, '--least', 1, '--start', 'sys_a', '--until', 'switch_to', '--',
    @syscalls);
is(distinct(map { $_->{name} } events_of($tracks, 'function')),
    'a_leaf switch_to sys sys_a sys_yield', '--start and --until: what runs between');
my @before = events_of($tracks, 'function', qr/^sys_a$/);
is(scalar(grep { $_->{args}{'began before'} } @before), @before, '... and what had begun before');
($tracks) = trace($guest_ended, '-f', 'sys_a', '--start', 'a_leaf', '--until', 'switch_to', '--',
    @syscalls);
@before = grep { $_->{args}{'began before'} } events_of($tracks, 'function');
is(distinct(map { $_->{name} } @before), 'sys_a', '... also with -f');

($tracks) = trace($guest_ended, '--least', 1, '--trigger', 'mem:b_count:w', '--', @syscalls);
my @hits = events_of($tracks, 'event', qr/^mem:b_count:w$/);
is(scalar(@hits), 1, '--trigger: its first hit');
is(scalar(grep { $_->{begin} > $hits[0]{begin} } map { @$_ } values(%$tracks)), 0,
    '... is the last event');

($tracks, $said) = trace($guest_ended, '--least', 1, '--max', 10, '--', @syscalls);
my ($at) = $said =~ /^pitot: the trace ends after (\d+) instructions: --max was reached/m;
is(scalar(grep { $_->{end} > $at } map { @$_ } values(%$tracks)), 0,
    '--max: the trace ends, and where is reported');
($tracks, $said) = trace($switched_off, '--least', 1, '--overwrite', '-m', '64K', '--', @port);
my ($kept) = $said =~ /^\[ pitot trace: (\d+) events/m;
like($said, qr/^pitot: \d+ events overwritten/m, '--overwrite: the last ones are kept');
my @ended = grep { $_->{args}{'not ended'} } events_of($tracks, 'function');
isnt(scalar(@ended), 0, '... up to the end, which all that is open has');
is($kept, int(65536 / 88), '... in the memory that was given');

# --- Locks and wakes -----------------------------------------------------------------------------

link_guest('waits', "$logs/waits.elf");
my @waits = ('qemu-system-x86_64', guest_machine(), '-smp', 2, '-kernel', "$logs/waits.elf");
my @locks = qw(--lock lock --trylock try_lock=0 --unlock unlock --lock lock_all:only
    --unlock unlock_all:only);
my @wakes = qw(--wake wake_up --wait sleep_on --wait sleep_within);

# The events of the track with this name.
sub track_named
{
    my ($of, $name) = @_;
    my ($track) = grep { $_->{ph} eq 'M' && ($_->{args}{name} // '') eq $name && $_->{tid} }
        @{decode_json(slurp("$logs/trace.json"))->{traceEvents}};
    return @{$track && $of->{"$track->{pid}/$track->{tid}"} || []};
}

# The number of turns of the kernel, and the addresses of its variables.
my ($times) = slurp('tests/guests/waits.c') =~ /^#define TURNS (\d+)$/m;
my %address = map { /^0*(\w+) \w (\w+)$/ ? ($2 => "0x$1") : () } `nm $logs/waits.elf`;

if (!tells_registers()) {
    my $refused = run_ok(1, "$build/outside/pitot", 'trace', @locks, '--', @waits);
    no_registers_ok('trace', 'the locks', $refused, 1);
    $refused = run_ok(1, "$build/outside/pitot", 'trace', @wakes, '--', @waits);
    no_registers_ok('trace', 'the wakes', $refused, 1);
} else {
    ($tracks, $said) = trace($guest_ended, @locks, @wakes, '-f', 'lock', '--', @waits);
    unlike($said, qr/unseen/, 'all that takes locks and gives them back is named');
    my @holds = track_named($tracks, 'big');
    is(join(' ', map { $_->{name} =~ s/ \d+$//r } @holds), join(' ', ('start begin') x $times),
        'a lock\'s track: its holders, in order');
    my @waited = grep { $_->{cat} eq 'lock' && $_->{name} eq 'waits for big' }
        track_named($tracks, 'begin');
    is(scalar(@waited), $times, '... and who waits for it has a slice each time');
    is(scalar(grep { $waited[$_]{begin} <= $holds[2 * $_]{end}
                && $waited[$_]{end} >= $holds[2 * $_]{end} } 0 .. $times - 1), $times,
        '... which begins before the other one gives it back, and ends after that')
        or diag(join("\n", map { "$_->{begin} $_->{end}" } @waited, @holds));
    is(scalar(grep { $waited[$_]{end} == $holds[2 * $_ + 1]{begin} } 0 .. $times - 1), $times,
        '... when the lock is taken');
    is_deeply([map { [@$_{qw(name begin end)}] } grep { $_->{name} eq 'waits for big' }
            track_named($tracks, 'CPU 1')],
        [map { [@$_{qw(name begin end)}] } @waited], '... and keeps its CPU busy');
    is(scalar(track_named($tracks, 'small')), $times, 'a try has the lock if its result says so');
    is(scalar(track_named($tracks, 'only')), $times, 'a lock that is taken twice is held once');
    is(join(' ', map { $_->{args}{'not ended'} } track_named($tracks, 'ending'),
            grep { $_->{name} eq 'waits for ending' } track_named($tracks, 'begin')), '1 1',
        'what is held, and waited for, at the end');

    is(scalar(events_of($tracks, 'function', qr/^lock$/)), 2 * ($times + 1),
        'a function of locks has a slice for each call');

    my %waiting;
    $waiting{"$_->{args}{value} $_->{args}{waiting}"}++
        for events_of($tracks, 'event', qr/^wake_up$/);
    is_deeply(\%waiting, {"$address{queue} 1" => $times, "$address{both} 2" => 1,
            "$address{outer} 1" => 1, "$address{inner} 1" => 1, "$address{nothing} 0" => 1},
        'wakes have their value, and tell how many wait for it');
    my (%arrows, @sleeps);
    for my $event (track_named($tracks, 'CPU 0')) {
        $arrows{$event->{id}}{$event->{ph}} = $event->{begin} if $event->{ph} =~ /^[sf]$/;
        push(@sleeps, $event->{begin}) if $event->{name} =~ /^sleeper /;
    }
    my @ordered = sort { $a->{s} <=> $b->{s} } values(%arrows);
    is_deeply([map { $_->{f} } @ordered], [@sleeps[1 .. $times + 1]],
        'each leads to the next run of the one thread that waits, for nothing else meanwhile');
    is(scalar(grep { $ordered[$_]{s} < $sleeps[$_] || $ordered[$_]{s} > $sleeps[$_ + 1] }
            0 .. $#ordered), 0, '... from where it was woken, after its last run');

    ($tracks) = trace($guest_ended, @locks, '--start', 'unlock', '--', @waits);
    my ($first) = grep { $_->{name} eq 'waits for big' } track_named($tracks, 'begin');
    is($first->{args}{'began before'}, 1, '--start: a wait that had begun');
    ($tracks) = trace($guest_ended, @locks, '--start', 'try_lock', '--', @waits);
    is(join(', ', map { join('', grep { $_ ne 'at' } keys(%{$_->{args}})) }
            track_named($tracks, 'small')),
        join(', ', ('not ended', 'began before') x $times), '... and what was held then');
    ($tracks) = trace($guest_ended, @locks, '--least', 1_000_000_000, '--', @waits);
    is(scalar(track_named($tracks, 'big')), 0, '--least is also for locks');
    ($tracks, $said) = trace($guest_ended, '--lock', 'lock', '--unlock', 'unlock_all:only', '--',
        @waits);
    like($said, qr/^pitot: \d+ locks taken or given back unseen/m,
        'that a lock is given back by code that is not named is reported');
}

# --- The same from inside ------------------------------------------------------------------------

my @record = map { "-e $_" } qw(sched:* irq:* raw_syscalls:* lock:*);
{
    local @ENV{qw(BUILD BOOT SMP COM2 RUN)} = ($build, 'kernel', 2, "$logs/com2.bin",
        "perf record -a -m 4m @record -- /bin/fs-load 3; poweroff");
    run_ok(0, 'sh', 'tools/machine');
}
my $recorded = slurp("$logs/out");
my ($calls) = $recorded =~ /^fs-load: (\d+) system calls/m;
$said = run_ok(0, 'tools/show', 'trace', "$logs/com2.bin", '-o', "$logs/trace.json");
$tracks = tracks_of("$logs/trace.json");
my @made = grep { $_->{pid} == $_->{tid} } events_of($tracks, 'syscall');
cmp_ok(scalar(grep { !$_->{args}{'not ended'} } @made), '>=', $calls - 1,
    'a recording from inside: each system call of the program is a slice')
    or diag("$calls $said");
my @held = grep { $_->{name} =~ /^fs-load / } map { @{$tracks->{$_}} }
    map { $_->{name} eq 'thread_name' && $_->{args}{name} =~ / kernel_flag$/
        ? "$_->{pid}/$_->{tid}" : () } @{decode_json(slurp("$logs/trace.json"))->{traceEvents}};
cmp_ok(scalar(@held), '>=', $calls - 1, '... each of which has held the kernel\'s lock');
my @irqs = events_of($tracks, 'interrupt', qr/^irq 0 timer$/);
cmp_ok(scalar(@irqs), '>', 0, '... and interrupts');
my @ran = map { grep { $_->{cat} eq 'thread' } @{$tracks->{$_}} } grep { m{^$cpus/} }
    keys(%$tracks);
cmp_ok(scalar(grep { $_->{name} =~ /fs-load/ } @ran), '>', 0, '... and the CPUs ran its threads');

done_testing();
