#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: outside, docs/outside.md, tests/guests
#
# `pitot race` on a kernel of two CPUs with a race of each kind, and on the same kernel fixed
# (tests/guests/race.c); files of several runs; and Pitot's own kernel, which loses no value. What a
# run finds depends on how the host schedules its CPUs, so the test requires that all runs together
# (ten at most) find everything, and that no single run finds anything else. SOAK=1 makes twenty
# runs, each of which must find everything.
use strict;
use warnings;
use lib 'tests/lib';
use File::Path qw(make_path);
use Test::More;
use Pitot::Files;
use Pitot::Guest;
use Pitot::Outside qw(tells_registers);
use Pitot::Patience;
use Pitot::Perf;
use Pitot::Versions;

plan skip_all => "a plugin is QEMU's" if ($ENV{MACHINE} // 'qemu') ne 'qemu';

my $build = $ENV{BUILD} // 'build';
my $logs = "$build/logs/outside_race";
make_path($logs);
my $runs_most = 10;
my $many_places = qr/ at [1-9]\d+ places?/;
my @machine = ('qemu-system-x86_64', '-accel', 'tcg,thread=multi', guest_machine());

# The stderr of `pitot race`, and its status.
sub race
{
    my (@words) = @_;
    my ($status) = Pitot::Perf::run_between("$logs/out", "$logs/said", '/dev/null', 'timeout',
        $patience, "$build/outside/pitot", 'race', @words);
    return (slurp("$logs/said"), $status);
}

# The reports of all runs of the machine together, and their files. Makes at least `$least` runs,
# and more until the reports are `$enough`. `$each` tests each run.
sub races_together
{
    my ($name, $least, $options, $qemu, $each, $enough) = @_;
    my (@files, $together);
    do {
        my $seed = @files + 1;
        my $file = "$logs/$name-$seed.data";
        my ($said, $status) = race('-o', $file, '--seed', $seed, @$options, '--', @$qemu);
        $each->($said, $status, $seed);
        push(@files, $file);
        ($together) = race('-i', @files);
    } while (@files < $least || (@files < $runs_most && !$enough->($together)));
    return ($together, @files);
}

# --- One race of each kind -----------------------------------------------------------------------

link_guest('race', "$logs/wrong.elf");
link_guest('race', "$logs/mended.elf", '-DMENDED');
my @two = (@machine, '-smp', 2, '-kernel');

# The reported races by variable and functions: {'counter: counts counts' => 'a value was lost'}
sub races_of
{
    my ($said) = @_;
    my %races;
    for ($said =~ /^== race((?:.*\n)(?:[ ].*\n)+)/mg) {
        my ($kind, $variable) = /\A(?:,| of) (.*): (\w+)\+/ or next;
        my @functions = /^ +CPU \d (?:reads|writes) \d.*? (\w+)\+0x/mg;
        next if $variable eq 'ready';    # the message's flag
        $races{"$variable: " . join(' ', sort(@functions))} = $kind;
    }
    return \%races;
}

my %expected = (
    'last_writer: writes writes' => 'two writes',
    'counter: counts counts' => 'a value was lost',
    'pair: tears tears' => 'a value was torn',
    'message: fill publishes' => qr/a read and a write|a value was torn/,
    'owner: claims claims' => 'a value was lost',
    'entries: walks walks' => qr/a read and a write|a value was torn/,
);

# The expected races that were found, and unexpected ones.
sub found_in
{
    my ($said) = @_;
    my $races = races_of($said);
    my @found = grep { ($races->{$_} // '') =~ /\A$expected{$_}\z/ } sort(keys(%expected));
    return (join(', ', @found), join(', ', grep { !$expected{$_} } sort(keys(%$races))));
}

my $all = join(', ', sort(keys(%expected)));
my ($together, @files) = races_together('wrong', $ENV{SOAK} ? 20 : 2, [], [@two, "$logs/wrong.elf"],
    sub {
        my ($said, $status, $run) = @_;
        my ($found, $others) = found_in($said);
        is($status, $guest_ended, "a race of each kind, run $run") or diag($said);
        is($others, '', '... nothing else is found') or diag($said);
        is($found, $all, '... but each of them') or diag($said) if $ENV{SOAK};
    },
    sub { (found_in($_[0]))[0] eq $all });
is((found_in($together))[0], $all, '... in ' . @files . ' runs each is found, and told as it is')
    or diag($together);

my ($counts) = $together =~ /^== race, a value was lost: counter.*\n((?:[ ].*\n)+)/m;
my $first = qr/main\+0x\w+ < start\+0x\w+, in start/;
my $second = qr/cpu_main\+0x\w+ < begin\+0x\w+, in begin/;
my $chain = qr/repeat\+0x\w+ < run\+0x\w+ < (?:$first|$second)-\d/;
my $value = tells_registers() ? qr/, 0x[0-9a-f]+/ : qr//;
like($counts, qr/\A\ \ \ CPU\ (\d)\ reads\ 8\ bytes$value\ +counts\+0x0\ <\ $chain\n
    \ \ \ CPU\ (?!\1)\d\ writes\ 8\ bytes$value\ +counts\+0xb\ <\ $chain\n
    \ \ \ CPU\ \1\ then\ overwrites\ that\ +counts\+0xb\n/x,
    '... a lost value: who read it, who wrote meanwhile, and who overwrote that');

my ($stops) = races_together('mended', $ENV{SOAK} ? 20 : 2, [], [@two, "$logs/mended.elf"],
    sub {
        my ($said, $status, $run) = @_;
        is($status, $guest_ended, "the same kernel, mended, run $run") or diag($said);
        like($said, qr/^\[ pitot race: 0 races; \d+ stops? at \d+ places?; seed $run; /m,
            '... has no race');
    },
    sub { $_[0] =~ $many_places });
like($stops, $many_places, '... though CPUs stop at as many places');

# --- Interrupts of one CPU -----------------------------------------------------------------------

link_guest('interrupted', "$logs/interrupted.elf");
link_guest('interrupted', "$logs/uninterrupted.elf", '-DMENDED');
my @one = ('qemu-system-x86_64', guest_machine(), '-kernel');
my %interrupted = (
    'counter: counts handle_tick' => 'a value was lost',
    'own: handle_tick writes' => 'a value was torn',
    'pair: handle_tick reads' => 'a value was torn',
    'request: handle_tick takes' => 'a value was lost',
);

# The races found, with their kind.
sub found_with_kind
{
    my $races = races_of(@_);
    return join(', ', map { "$_: $races->{$_}" } sort(keys(%$races)));
}

sub interrupts_are_found
{
    my $planted = join(', ', map { "$_: $interrupted{$_}" } sort(keys(%interrupted)));
    my ($found) = races_together('interrupted', 1, [], [@one, "$logs/interrupted.elf"],
        sub {
            my ($said, $status) = @_;
            is($status, $guest_ended, "code and a handler of one CPU") or diag($said);
            is(join(', ', grep { !$interrupted{$_} } keys(%{races_of($said)})), '',
                '... nothing in order is reported') or diag($said);
        },
        sub { found_with_kind($_[0]) eq $planted });
    is(found_with_kind($found), $planted, '... but each that is planted') or diag($found);
    like($found, qr/lost:\ counter.*\n\ +CPU\ 0\ reads\ .*\ counts\+0x0\ <\ repeat.*\n
        \ +CPU\ 0\ writes\ .*\ handle_tick\+0x\w+\ <\ tick\+0x\w+\ <\ !(?:between|counts)\+.*\n
        \ +CPU\ 0\ then\ overwrites\ that\ +counts\+/x, '... with both chains');
    races_together('uninterrupted', 2, [], [@one, "$logs/uninterrupted.elf"],
        sub {
            my ($said, $status) = @_;
            is($status, $guest_ended, 'the same with interrupts off meanwhile') or diag($said);
            like($said, qr/^\[ pitot race: 0 races; /m, '... has no race');
        },
        sub { 1 });
}

if (tells_registers()) {
    interrupts_are_found();
} else {
    is((race('-o', "$logs/one.data", '--', @one, "$logs/interrupted.elf"))[0],
        "pitot race: the races of one CPU: QEMU 7.2 gives plugins no registers; 9.2 and later do\n",
        'one CPU: its interrupts are not known before QEMU 9.2');
}

# --- What is left out ----------------------------------------------------------------------------

# A script in QEMU's place, whose options pitot does not see. Whether CPUs stop is chance.
write_bytes("$logs/one_thread",
    "#!/bin/sh\nexec qemu-system-x86_64 \"\$@\" -accel tcg,thread=single\n");
chmod(0755, "$logs/one_thread") or die("$logs/one_thread: $!\n");
my @one_thread = ("$logs/one_thread", guest_machine(), '-smp', 2, '-kernel', "$logs/wrong.elf");
my $none_ran = qr/^pitot: no CPU ran while another one was stopped, so none could race: /m;
my $confused =
    'with all CPUs in one thread (`thread=single`, `-icount`) a plugin is told a wrong CPU';
my $told = 0;
if (differs($confused)) {
    like((race('-o', "$logs/one_thread.data", '--', @one_thread))[0],
        qr/^pitot race: all CPUs in one thread, /m, 'all CPUs in one thread are refused');
} else {
    races_together('one_thread', 1, [], \@one_thread,
        sub {
            my ($said) = @_;
            $told = $said =~ $none_ran;
            like($said, qr/^\[ pitot race: 0 races; /m, 'all CPUs in one thread: no race is found');
        },
        sub { $told });
    ok($told, '... and why is reported');
}

write_bytes("$logs/known", "writes < repeat\ntears # as it is\n");
my $left = 'entries: walks walks, message: fill publishes';
my ($suppressed, $known) = (0, qr/^pitot: \d+ races? suppressed$/m);
($together) = races_together('known', 1,
    ['--suppress', "$logs/known", '--sync', 'counter', '--sync', 'claim*'],
    [@two, "$logs/wrong.elf"],
    sub {
        my ($said) = @_;
        is(join(', ', grep { !/^(?:entries|message)/ } keys(%{races_of($said)})), '',
            '--suppress and --sync: what they name is not told') or diag($said);
        $suppressed ||= $said =~ $known;
    },
    sub { $suppressed && join(', ', sort(keys(%{races_of($_[0])}))) eq $left });
is(join(', ', sort(keys(%{races_of($together)}))), $left, '... the others are left');
ok($suppressed, '... and the former are counted');

# The total of how often races were seen.
sub times_in
{
    my ($text) = @_;
    my @times = $text =~ /(\d+) times?$/mg;
    my $sum = 0;
    $sum += $_ for @times;
    return $sum;
}

# --- Files ---------------------------------------------------------------------------------------

my ($said, $status) = race('-o', "$logs/sum.data", '-i', @files[0, 1]);
is($status, 0, 'files of two runs are added up') or diag($said);
my @two_said = map { [race('-i', $_)]->[0] } @files[0, 1];
my %both = map { %{races_of($_)} } @two_said;
is(join(', ', sort(keys(%{races_of($said)}))), join(', ', sort(keys(%both))),
    '... the same races are one');
is(times_in($said), times_in($two_said[0]) + times_in($two_said[1]), '... with their sum');
is([race('-i', "$logs/sum.data")]->[0], $said, '... which a file has, too');
($said, $status) = race('-i', $files[0], "$logs/mended-1.data");
my $builds = 'mended.elf of one run is another build than wrong.elf of the first';
is_deeply([$said, $status], ["pitot race: $builds\n", 1], 'of another kernel: refused');

# --- Pitot's own kernel --------------------------------------------------------------------------

# It reads some words by atomic loads without their lock, and any CPU may ask another to switch.
my $stopped = qr/ [1-9]\d* stops? at /;
($together) = races_together('own', 1,
    ['--sync', 'pitot_preemption', '--kernel', "$build/pitot.elf"],
    [
        @machine, '-smp', 4, '-nic', 'none', '-cdrom', "$build/pitot.iso", '-boot', 'order=d',
        '-smbios',
        "type=1,manufacturer=pitot,product=/boot/pitot.elf run='fs-stress 20; poweroff'"
    ],
    sub {
        my ($said) = @_;
        like($said, qr/^\[ pitot race: \d+ races?; /m, "Pitot's own kernel, four CPUs")
            or diag($said);
        unlike($said, qr/^== race(?:,| of two writes)/m, '... no value is lost or torn');
    },
    sub { $_[0] =~ $stopped });
like($together, $stopped, '... though CPUs stop');

done_testing();
