#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: outside, docs/outside.md, tests/guests
#
# `pitot race` on a kernel of two CPUs with a race of each kind, and on the same one mended
# (tests/guests/race.c); files of several runs; and Pitot's own kernel, which loses no value. With
# SOAK=1 twenty runs of each.
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

plan skip_all => "a plugin is QEMU's" if ($ENV{MACHINE} // 'qemu') ne 'qemu';

my $build = $ENV{BUILD} // 'build';
my $logs = "$build/logs/outside_race";
make_path($logs);
my @machine = ('qemu-system-x86_64', '-accel', 'tcg,thread=multi', guest_machine());

# Its lines on stderr, and its status.
sub race
{
    my (@words) = @_;
    my ($status) = Pitot::Perf::run_between("$logs/out", "$logs/said", '/dev/null', 'timeout',
        $patience, "$build/outside/pitot", 'race', @words);
    return (slurp("$logs/said"), $status);
}

# --- One race of each kind -----------------------------------------------------------------------

link_guest('race', "$logs/wrong.elf");
link_guest('race', "$logs/mended.elf", '-DMENDED');
my @two = (@machine, '-smp', 2, '-kernel');
my $runs = $ENV{SOAK} ? 20 : 2;

# What is reported, by variable and functions: {'counter: counts counts' => 'a value was lost'}
sub races_of
{
    my ($said) = @_;
    my %races;
    for ($said =~ /^== race((?:.*\n)(?:[ ].*\n)+)/mg) {
        my ($kind, $variable) = /\A(?:,| of) (.*): (\w+)\+/ or next;
        my @functions = /^ +CPU \d (?:reads|writes) \d.*? (\w+)\+0x/mg;
        next if $variable eq 'ready';    # the message's
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
for my $run (1 .. $runs) {
    my ($said, $status) = race('-o', "$logs/$run.data", '--seed', $run, '--', @two,
        "$logs/wrong.elf");
    is($status, $guest_ended, "a race of each kind, run $run") or diag($said);
    my $races = races_of($said);
    is(join(', ', sort(keys(%$races))), join(', ', sort(keys(%expected))),
        '... each is found, and nothing else') or diag($said);
    like($$races{$_} // '', qr/\A$expected{$_}\z/, "... $_") for sort(keys(%expected));
}
for my $run (1 .. $runs) {
    my ($said, $status) = race('-o', "$logs/mended.data", '--seed', $run, '--', @two,
        "$logs/mended.elf");
    is($status, $guest_ended, "the same kernel, mended, run $run") or diag($said);
    like($said, qr/^\[ pitot race: 0 races; \d+ stops at [1-9]\d+ places; seed $run; /m,
        '... has no race');
}

my ($said) = race('-o', "$logs/one.data", '--seed', 5, '--', @two, "$logs/wrong.elf");
my ($counts) = $said =~ /^== race, a value was lost: counter.*\n((?:[ ].*\n)+)/m;
my $first = qr/main\+0x\w+ < start\+0x\w+, in start/;
my $second = qr/cpu_main\+0x\w+ < begin\+0x\w+, in begin/;
my $chain = qr/repeat\+0x\w+ < run\+0x\w+ < (?:$first|$second)-\d/;
my $value = tells_registers() ? qr/, 0x[0-9a-f]+/ : qr//;
like($counts, qr/\A\ \ \ CPU\ (\d)\ reads\ 8\ bytes$value\ +counts\+0x0\ <\ $chain\n
    \ \ \ CPU\ (?!\1)\d\ writes\ 8\ bytes$value\ +counts\+0xb\ <\ $chain\n
    \ \ \ CPU\ \1\ then\ overwrites\ that\ +counts\+0xb\n/x,
    'a lost value: who read it, who wrote meanwhile, and who overwrote that');

# A script in QEMU's place, of whose options pitot knows nothing.
write_bytes("$logs/one_thread",
    "#!/bin/sh\nexec qemu-system-x86_64 \"\$@\" -accel tcg,thread=single\n");
chmod(0755, "$logs/one_thread") or die("$logs/one_thread: $!\n");
($said) = race('-o', "$logs/one.data", '--', "$logs/one_thread", guest_machine(), '-smp', 2,
    '-kernel', "$logs/wrong.elf");
like($said, qr/^pitot: no CPU ran while another one was stopped, so none could race: .*\n\[ /m,
    'all CPUs in one thread: no race is found, and why is told');

# --- What is left out ----------------------------------------------------------------------------

write_bytes("$logs/known", "writes < repeat\ntears # as it is\n");
($said) = race('-o', "$logs/one.data", '--suppress', "$logs/known", '--sync', 'counter', '--sync',
    'claim*', '--', @two, "$logs/wrong.elf");
is(join(', ', sort(keys(%{races_of($said)}))),
    'entries: walks walks, message: fill publishes',
    '--suppress and --sync: the others are left') or diag($said);
like($said, qr/^pitot: \d+ races? suppressed$/m, '... and the former are counted');

# How often races were seen, in all.
sub times_in
{
    my ($text) = @_;
    my @times = $text =~ /(\d+) times?$/mg;
    my $sum = 0;
    $sum += $_ for @times;
    return $sum;
}

# --- Files ---------------------------------------------------------------------------------------

($said, my $status) = race('-o', "$logs/sum.data", '-i', "$logs/1.data", "$logs/2.data");
is($status, 0, 'files of two runs are added up') or diag($said);
is(join(', ', sort(keys(%{races_of($said)}))), join(', ', sort(keys(%expected))),
    '... the same races are one');
is(times_in($said), times_in((race('-i', "$logs/1.data"))[0])
        + times_in((race('-i', "$logs/2.data"))[0]), '... with their sum');
is([race('-i', "$logs/sum.data")]->[0], $said, '... which a file has, too');
race('-o', "$logs/mended.data", '--', @two, "$logs/mended.elf");
($said, $status) = race('-i', "$logs/1.data", "$logs/mended.data");
my $builds = 'mended.elf of one run is another build than wrong.elf of the first';
is_deeply([$said, $status], ["pitot race: $builds\n", 1], 'of another kernel: refused');

# --- Pitot's own kernel --------------------------------------------------------------------------

# It reads some words without their lock, by atomic loads, and any CPU may ask another to switch.
($said, $status) = race('-o', "$logs/own.data", '--sync', 'preemption', '--kernel',
    "$build/pitot.elf", '--', @machine, '-smp', 4, '-nic', 'none', '-cdrom', "$build/pitot.iso",
    '-boot', 'order=d', '-smbios',
    "type=1,manufacturer=pitot,product=/boot/pitot.elf run='fs-stress 20; poweroff'");
like($said, qr/^\[ pitot race: \d races?; [1-9]\d* stops at /m, "Pitot's own kernel, four CPUs")
    or diag($said);
unlike($said, qr/^== race(?:,| of two writes)/m, '... no value is lost, torn or overwritten');

done_testing();
