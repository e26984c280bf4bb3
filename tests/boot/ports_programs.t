#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: ports/c/variants/program_watch.c, arch/embed, core/embed, core/breakpoint, core/perf
# of: core/event/program_steps, core/event/source_branches, arch/x86_64/debug/user_step
#
# Breakpoints and branches in the programs of a kernel that is not Pitot's own (docs/porting.md,
# "Programs"): its two CPUs run a program as three processes, of two files, with a GS base of the
# program's.
# Run from the root of the tree:
#
#     prove tests/boot/ports_programs.t
use strict;
use warnings;
use lib 'tests/lib';
use File::Path qw(make_path);
use Test::More;
use Pitot::Files;
use Pitot::Port;
use Pitot::Transcript;

plan skip_all => "it is started by QEMU's -kernel" if ($ENV{MACHINE} // 'qemu') ne 'qemu';

my $build = $ENV{BUILD} // 'build';
my $logs = "$build/logs/ports_programs";
my $gates = "$build/ports/c-program-watch-tables.elf";
my $own_gate = "$build/ports/c-program-own-gate-tables.elf";
my $console = "$build/ports/c-program-watch-level4-tables.elf";
my $rounds = 10;           # of each process; ports/c/variants/program_watch.c
my $steps = 2 * 7;         # of the two processes of the first CPU, which the kernel serves
my $jobs = 80;             # of the kernel's threads

make_path($logs);

sub refused_ok
{
    my ($kernel, $cpus, $options, $why) = @_;
    my ($status, $text) = boot_port($kernel, $options, $cpus, $logs);
    is($status, 2 * 3 + 1, "$options: refused");
    like($text, qr/^refused: .*\Q$why\E/m, '... and why');
}

# Where the program has that symbol of the image.
sub place
{
    my ($kernel, $name) = @_;
    my ($hex) = `nm $kernel` =~ /^([\da-f]+) \w program_$name$/m;
    return sprintf('0x%x', hex(substr($hex, -8)) & 0x7fffffff);
}

sub word { return sprintf("mem:$_[0]:%s/8:w", place($_[1], 'count')) }

# Boots it with these options, to its end, with so many records. Returns the samples.
sub samples_of
{
    my ($kernel, $options, $count) = @_;
    my ($status, $said) = boot_port($kernel, $options, 2, $logs);
    is($status, 1, "$options: the kernel runs to its end") or diag($said);
    like($said, qr/^$steps steps\n$count records\n0 doubtful hits\n$jobs jobs$/m,
        '... with all records, and the steps of its programs');
    return samples(
        perf_of_port($kernel, $logs, 'script', '-F', 'comm,tid,cpu,time,period,event,ip,sym'));
}

sub counts
{
    my %count;
    $count{"$_->{comm} $_->{tid} on ${\int($_->{cpu})}"}++ for @_;
    return \%count;
}

my @clerks = ('clerk 7 on 0' => $rounds, 'clerk 8 on 1' => $rounds);
my @guard = ('guard 9 on 0' => $rounds);

# --- Whose hits, and from where -------------------------------------------------------------------

for my $kernel ($gates, $own_gate) {
    my $which = $kernel eq $gates ? "Pitot's gate" : "the kernel's own gate";
    my @found = samples_of($kernel, "-e ${\word('/bin/clerk', $kernel)} -g", 2 * $rounds);
    is_deeply(counts(@found), {@clerks}, "$which: the processes of a program, on both CPUs");
    my $text = perf_of_port($kernel, $logs, 'script', '-F', 'ip');
    my @chains = map { join(' ', map { "0x$_" } /([\da-f]+)/g) } split(/\n\n/, $text);
    my $callers = join(' ', map { place($kernel, $_) } qw(written back after));
    is_deeply([grep { $_ ne $callers } @chains], [], '... with the ways to the instruction');
    my $address = place($kernel, 'count');
    is_deeply(counts(samples_of($kernel, "-p 8 -e mem:$address/8:w", $rounds)), {@clerks[2, 3]},
        '... one process');

    # An instruction of each round, one that is stepped, and the kernel's data.
    my ($inner, $stepped) = map { place($kernel, $_) } qw(inner stepped);
    @found = samples_of($kernel, "-e mem:/bin/clerk:$inner:x -e mem:/bin/clerk:$stepped:x "
            . "-e ${\word('/bin/guard', $kernel)} -e mem:jobs_done:w", 3 * $rounds + 2 + $jobs);
    my %of = map { my $event = $_; ($event => [grep { index($_->{event}, $event) >= 0 } @found]) }
        "$inner:x", "$stepped:x", 'guard', 'jobs_done';
    is_deeply(counts(@{$of{"$inner:x"}}), {@clerks}, '... instructions of a program');
    is_deeply(counts(@{$of{"$stepped:x"}}), {'clerk 7 on 0' => 1, 'clerk 8 on 1' => 1},
        '... one that the program steps over, too');
    is_deeply(counts(@{$of{guard}}), {@guard}, '... beside data of another program');
    is(scalar(@{$of{jobs_done}}), $jobs, '... and of the kernel');
}

# --- GS is the program's --------------------------------------------------------------------------

# The system call writes before its `swapgs`. According to the manual, and in Bochs, the hit of the
# operand of `mov ss` comes there, too; in QEMU in the program.
my $operand = place($gates, 'selector');
my @calls = samples_of($gates, "-e mem:/bin/clerk:$operand/2:rw -e mem:calls:w", 5);
is_deeply(counts(grep { $_->{event} =~ /calls/ } @calls),
    {'clerk 7 on 0' => 1, 'clerk 8 on 1' => 1, 'guard 9 on 0' => 1},
    "a hit in the kernel's entry, where GS is the program's");
is_deeply(counts(grep { $_->{event} =~ /clerk/ } @calls),
    {'clerk 7 on 0' => 1, 'clerk 8 on 1' => 1},
    '... and one that may be delayed until there');

# --- Branches -------------------------------------------------------------------------------------

# Of each process, as its code is: from => to.
my @way = (['first', 'middle'],
    (map { (['loop', 'inner'], ['returns', 'back'], $_ < $rounds ? ['again', 'loop'] : ()) }
        1 .. $rounds), ['last', 'after']);
my $branches = @way;

sub branches_of
{
    my ($kernel, $options, $cpus, @who) = @_;
    my $which = "$options, $cpus CPUs, " . $kernel =~ s/.*c-//r;
    my ($status, $said) = boot_port($kernel, $options, $cpus, $logs);
    is($status, 1, "$which: the kernel runs to its end") or diag($said);
    like($said, qr/^$steps steps\n${\($branches * @who)} records$/m,
        '... with all branches, and the steps of its programs, which see no other');
    my %ways;
    for (split(/\n/, perf_of_port($kernel, $logs, 'script', '-F', 'comm,tid,cpu,ip,addr'))) {
        my ($who, $tid, $cpu, @from_to) =
            /^ *(\w+) +(\d+) \[0*(\d+)\] +([\da-f]+) +(?:=> +)?([\da-f]+) *$/ or next;
        push(@{$ways{"$who $tid on $cpu"}}, join(' ', @from_to));
    }
    my @code = map { join(' ', map { place($kernel, $_) =~ s/^0x//r } @$_) } @way;
    is_deeply(\%ways, {map { ($_ => \@code) } @who}, '... each of them, in order');
}

my $one = "$build/ports/c-program-one.elf";
branches_of($one, '-e branches:u', 1, 'clerk 7 on 0', 'guard 9 on 0');
for my $kernel ($gates, $own_gate) {
    branches_of($kernel, '-e branches:u', 2, 'clerk 7 on 0', 'clerk 8 on 1', 'guard 9 on 0');
    branches_of($kernel, '-e branches:u -p 8', 2, 'clerk 8 on 1');
}

# Without a call of pitot_program_returns nothing is stepped; and what the recording lacks is said.
{
    my ($status, $said) = boot_port("$build/ports/c-program-returnless.elf", '-e branches:u', 1,
        $logs);
    is($status, 1, 'a kernel without the call: it runs to its end');
    like($said, qr/^$steps steps\n0 records\n.*\nincomplete: .*: pitot_program_returns was not /m,
        '... and the call is named');
    ($status, $said) = boot_port("$build/ports/c-program-returnless-level4-tables.elf",
        join(';', map { "perf $_ -e branches:u -a -- work" } 'record', 'stat'), 1, $logs);
    is(scalar(() = $said =~ /^pitot: no branches: pitot_program_returns was not called$/mg), 2,
        '... by perf record and perf stat, too');
}

# Beside breakpoints: those of code, and the kernel's data.
{
    my $inner = place($gates, 'inner');
    my @found = samples_of($gates, "-e branches:u -e mem:/bin/clerk:$inner:x -e mem:jobs_done:w",
        3 * $branches + 2 * $rounds + $jobs);
    is_deeply(counts(grep { $_->{event} =~ /:x/ } @found), {@clerks}, 'beside branches: hits');
    is(scalar(grep { $_->{event} =~ /jobs_done/ } @found), $jobs, '... and those of the kernel');
}

# --- perf of the console --------------------------------------------------------------------------

sub said_of
{
    my ($status, $said) = boot_port($console, join(';', @_), 2, $logs);
    is($status, 1, join('; ', @_) . ': the kernel runs to its end') or diag($said);
    return $said;
}

my $event = word('/bin/clerk', $console);
like(said_of("perf record -e $event --intr-regs -- work"),
    qr/: ${\(2 * $rounds)} records kept \]$/m,
    'perf record: all hits are kept');
my %rounds;
for (samples(perf_of_port($console, $logs, 'script', '-F', 'comm,tid,cpu,time,period,event,iregs')))
{
    my ($ip, $round) = $_->{registers} =~ /\bIP:(\w+).* R12:(\w+)/;
    is($ip, place($console, 'written'), 'the registers are the program\'s') if !%rounds;
    push(@{$rounds{$_->{tid}}}, hex($round // ''));
}
is_deeply(\%rounds, {7 => [0 .. $rounds - 1], 8 => [0 .. $rounds - 1]}, '... at each hit');

my $address = place($console, 'count');
my $said = said_of('perf list', "perf stat -p 9 -e mem:$address/8:w -- work",
    "perf record -e $event/stop/ -- work", "perf record -e mem:$address -- work",
    'perf record -e branches:u -p 9 -- work', 'perf stat -e branches:u -a -- work',
    'perf record -e branches:u -- work',
    'perf record -e branches -p 9 -- work', 'perf record -e branches:u -a -g -- work',
    'perf stat -e shop:job_done -- work');
like($said, qr{^  mem:/PROGRAM:ADDR\[/LEN\]\[:ACCESS\]}m, 'perf list has places in programs');
like($said, qr/^ +$rounds      mem:$address/m, 'perf stat counts the hits of a process');
like($said, qr/the term stop: program_stop of struct pitot_kernel is 0$/m,
    'a program cannot be stopped');
like($said, qr/mem:$address: each program has its own memory at this address; name the program/,
    'an address alone is of no program');
like($said, qr/^  branches:u +\[Hardware event, by single steps\]$/m, 'perf list has branches');
like($said, qr/: $branches records kept, \d+ instructions stepped \]$/m,
    'perf record: the branches of a process');
like($said, qr/^ +${\(2 * $branches)} +branches:u$/m, 'perf stat: of those of a run of work');
like($said, qr/branches: only programs are stepped here: use branches:u$/m, 'not of the kernel');
is(join(' ', $said =~ /^(\d+) steps$/mg), join(' ', map { $_ * $steps } 1 .. 4),
    '... and the steps of programs are as without a recording, after one, too');
like($said, qr/branches:u: work runs in the kernel: for programs that run beside it, add -p PID/,
    'a workload of the kernel is refused without a hint to what this kernel lacks');
like($said, qr/-g: a branch has only from and to$/m, '... and without a chain');

# --- What is refused ------------------------------------------------------------------------------

for (["mem:$address/8:w", 'each program has its own memory at this address; name the program: '
            . 'mem:/bin/PROGRAM:..., or -p PID'],
    ["mem:/bin/none:$address/8:w", 'no such file'],
    ['mem:/bin/clerk:0xffffffff80100000/8:w', 'is not an address of a program: those are from 0x'],
    ['mem:/bin/clerk:0x3ffff000/8:w', 'not in the program'],
    ["mem:$address/8:w -p 3", 'no such process'], ["mem:$address/8:w -p 0", '-p 0: a whole number'])
{
    my ($options, $why) = @$_;
    refused_ok($gates, 2, "-e $options", $why);
}
refused_ok($gates, 2, '-e branches:u -g', '-g: a branch has no call chain, only from and to');
refused_ok($gates, 2, '-e branches:u -e branches:u', 'another branches event is already enabled');
refused_ok($gates, 2, "-e branches:u -e ${\word('/bin/clerk', $gates)}",
    "QEMU's TCG cannot step an instruction that makes a watched access");
refused_ok($one, 1, '-e branches', 'only programs are stepped here: use branches:u');
refused_ok("$build/ports/c-level3.elf", 2, '-e branches:u',
    'branches:u: process_read of struct pitot_kernel is 0');
refused_ok("$build/ports/c-program-chain-tables.elf", 1, '-e branches:u',
    'branches:u: process_write of struct pitot_kernel is 0');

# QEMU traps twice for a step over a watched access, the second time at the gate's first
# instruction.
my $pushed = sprintf('0x%x', hex(place($gates, 'stacks')) + 16384 - 4 * 8);
my ($status, $text) = boot_port($gates, "-e mem:/bin/clerk:$pushed/8:w", 2, $logs);
is($status, 2 * 3 + 1, 'a program that steps itself over a watched access');
like($text, qr/^a step over a watched access: QEMU has lost where the program was$/m,
    '... ends the kernel, in words');

done_testing();
