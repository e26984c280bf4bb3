#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: tools/gdb
#
# `pitot bt` beside gdb's own backtrace, frame by frame: on all CPUs at stops in interrupts, NMIs,
# debug traps and idle CPUs, and for threads that do not run. Pitot's other commands for gdb
# (docs/gdb.md) on four CPUs, on programs, and through the kernel's own stub; and their messages
# about wrong arguments. Run from the root of the tree:
#
#     prove tests/boot/gdb_pitot.t
#
# Scripts and gdb's output stay beside the machines' logs, build/logs/gdb_pitot/<n>.script, .gdb.
use strict;
use warnings;
use lib 'tests/lib';
use Test::More;
use Pitot;
use Pitot::GdbCommands;
use Pitot::GdbInside;

plan skip_all => "a stub for gdb is QEMU's" if ($ENV{MACHINE} // 'qemu') ne 'qemu';

my $stream = ($ENV{BUILD} // 'build') . '/logs/gdb_pitot/rings.perf';

# --- Chains --------------------------------------------------------------------------------------

my $said = commands_session({smp => 4, run => 'perf record -a --overwrite -m 64K -g -e cpu-clock '
    . '-F 1000 -e mem:kernel_flag:w -e lock:*,irq:* -- fs-stress --threads 3 1000000'},
    cpus => <<'GDB', threads => <<'GDB', rings => <<"GDB", wrong => <<'GDB', leave => "try kill\n");
tbreak stress_rounds
continue
python
random.seed(7)
for i in range(4):
    for place in ("sample_write_otherwise", "trap_entry", "tick", "nmi_trap", "watch_entry",
                  "arch_switch", "stress_round", "arch_idle"):
        at(place)
end
GDB
python
for place in ("thread_yield", "tick", "sample_write_otherwise", "kernel_lock_wait"):
    gdb.execute("tbreak tick", to_string=True)
    gdb.execute("continue", to_string=True)
    sleepers()
end
GDB
pitot ring -n 100000
echo ---\\n
pitot ring -n 1 -c 2
pitot perf $stream
GDB
try pitot ring -n
try pitot ring -n x
try pitot ring -n -4
try pitot ring -n 0
try pitot ring -c 4
try pitot ring all
try pitot bt -c 4
try pitot bt -c 1 -t 1
try pitot bt -t 4242
try pitot bt 7
try pitot ps -x
try pitot cpus all
try pitot bp 1
try pitot perf
try pitot perf a b
try pitot perf tests
try pitot perf build/no/such/folder
try pitot perf -x
GDB

# One test: the chains of this kind are the same, and there are at least `least`. It is not known
# where the other CPUs are, but a chain of four frames always exists: an idle CPU's is that long.
sub chains_ok
{
    my ($text, $kind, $least) = @_;
    my @lengths = $text =~ /^chain of $kind: (.*)$/mg;
    my @wrong = grep { !/^\d+$/ } @lengths;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    ok(!@wrong && @lengths >= $least, "$kind: pitot bt has gdb's frames at " . @lengths . ' stops')
        or diag("at least $least were due\n", join("\n", @wrong[0 .. ($#wrong > 3 ? 3 : $#wrong)]));
    cmp_ok((sort { $b <=> $a } grep { /^\d+$/ } @lengths)[0] // 0, '>=', 4,
        '... of some length');
}

chains_ok($said->{cpus}, "a CPU, $_", 32)
    for 'sample_write_otherwise', 'trap_entry', 'tick', 'nmi_trap', 'watch_entry', 'arch_switch',
    'stress_round', 'arch_idle';
chains_ok($said->{threads}, 'a thread', 20);

# --- All CPUs' rings ------------------------------------------------------------------------------

my ($all, $one) = split(/^---\n/m, $said->{rings});
my @ours = ring_samples($all);
my %cpus = map { substr($_, 0, 3) => 1 } @ours;
cmp_ok(scalar(keys(%cpus)), '>', 2, 'pitot ring: of several CPUs ' . @ours . ' records');
# The real perf orders samples of the same time differently.
is_deeply([sort(@ours)], [sort(perf_samples($stream))], '... those that the real perf reads');
my @times = map { (split(/\|/))[1] } @ours;
is_deeply(\@times, [sort { $a <=> $b } @times], '... in order of time');
is_deeply([ring_samples($one)], [(grep { /^002/ } @ours)[-1]], '... the newest of one CPU');

# --- Programs ------------------------------------------------------------------------------------

my $program = commands_session({smp => 1, run => '/bin/fs-load 1000'}, call => <<'GDB',
tbreak sys_write
continue
pitot bt
pitot ps
GDB
    back => <<'GDB', leave => "try kill\n");
python
gdb.execute("tbreak *" + re.search("from user mode at (0x[0-9a-f]+)", said_by("bt")).group(1))
gdb.execute("continue")
end
pitot bt
pitot cpus
pitot ps
GDB
like($program->{call}, qr/^#0  0x\w+ in sys_write at .*\n(?:#.*\n)+    from user mode at 0x4\w+$/m,
    'the chain of a system call ends where it came from user mode');
like($program->{call}, qr/^ +\d+ +0 +runs +fs-load +- +sys_write$/m, '... whose thread runs');
like($program->{back}, qr/^#0  0x0{10}4\w+ in 0x4\w+\n    user mode$/m,
    'in user mode there is one frame');
like($program->{back}, qr/^ +0 +\d+ +fs-load +0x4\w+$/m, '... of the thread that the CPU is on');
like($program->{back}, qr/^ +\d+ +0 +runs +fs-load +- +0x4\w+$/m, '... which runs there');

# --- Through the kernel's own stub ---------------------------------------------------------------

my $record =
    'perf record -a --overwrite -m 16K -g -e mem:kernel_flag:w -- fs-stress --threads 2 9999';
my $inside = commands_session({door => gdb_at_com3(), smp => 2, run => $record},
    chain => "break stress_round\ncontinue\ndelete\nbreak fs_write\nignore \$bpnum 20\ncontinue\n"
        . "delete\npython all_cpus('inside')\npitot bt -t 1\n",
    registers => "pitot bp\n",
    rings => "pitot ring -n 100000\npitot perf $stream\n",
    leave => "try kill\n");
chains_ok($inside->{chain}, 'a CPU, inside', 2);
like($inside->{chain}, qr/^#0 .* arch_switch\+.*\n(?:#.*\n)+#\d+ .* boot_entry_high\+/m,
    '... a thread that does not run has a whole chain');
my @shown = $inside->{registers} =~ /^CPU \d  armed: dr0.*; dr0=\w+ dr1=0 .* dr7=\w*2$/mg;
is(scalar(@shown), 2, 'pitot bp shows the registers that the stub knows');
@ours = ring_samples($inside->{rings});
cmp_ok(scalar(@ours), '>', 10, 'pitot ring: ' . @ours . ' records');
is_deeply([sort(@ours)], [sort(perf_samples($stream))], '... those that the real perf reads');

# --- Wrong arguments -----------------------------------------------------------------------------

my @refusals = split(/^(?=refused: )/m, $said->{wrong});
my @due = (
    'ring: -n takes a number: the usage is pitot ring \[-n NUMBER\]',
    'ring: -n takes a number, not x: ', 'ring: -n takes a number, not -4: ',
    'ring: -n takes a number from 1 on: ', 'ring: CPU 4 does not record: 0 to 3',
    'ring: what is all\? The usage is ', 'bt: there is no CPU 4: the machine has 0 to 3',
    'bt: a CPU or a thread, not both: ', 'bt: there is no thread 4242: `pitot ps` lists them',
    'bt: what is 7\? ', 'ps: what is -x\? ', 'cpus: what is all\? ', 'bp: what is 1\? ',
    'perf: FILE is missing: the usage is pitot perf FILE', 'perf: what is b\? ',
    'perf: tests is a folder: give the name of a file',
    'perf: build/no/such/folder: No such file or directory', 'perf: what is -x\? ');
for my $i (0 .. $#due) {
    like($refusals[$i] // '', qr/\Arefused: pitot $due[$i].*\n+\z/, "refused: $due[$i]");
}

done_testing();
