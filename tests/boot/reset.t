#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: core/recording, core/ring/walk, boot/memory, kernel/host
#
# A machine of four CPUs records, is stopped at random, and is reset at that point, by QEMU's
# system_reset or by a triple fault. Independent code (tests/lib/Pitot/Stopped.pm) counts the
# contents of its rings, and the next boot must find exactly that: with QEMU's own loader, with
# SeaBIOS and GRUB, with OVMF and GRUB. Then its messages about overwritten memory, and about other
# causes of a reset. SOAK=1 makes 200 resets; the host's clock determines where the machine is
# stopped. Run from the root of the tree:
#
#     prove tests/boot/reset.t
use strict;
use warnings;
use lib 'tests/lib';
use Test::More;
use Pitot;
use Pitot::Stopped;
use Pitot::Stub;

plan skip_all => "a stub for gdb is QEMU's" if ($ENV{MACHINE} // 'qemu') ne 'qemu';

my $build = $ENV{BUILD} // 'build';
my $kernel = "$build/pitot.elf";
my $logs = "$build/logs/reset";
my $sample = 9;    # PERF_RECORD_SAMPLE
my $not = "the last boot's recording is not here";
my $unasked = 'a reset that the kernel did not ask for';

my @places = qw(stress_all idt drain_crash kept);
my $kept_of = "'core/recording/kept.c'::kept";
my $rings_of = "'core/recording/recording.c'::rings";
my @members = qw(head.crc head.build_id head.memory_size events);
my ($rings, $head, $idt, $kept, $stress_all, $drain_crash, $size, @offsets) = debug_values($kernel,
    "&$rings_of", '&((struct ring *)0)->head', "&'kernel/x86_64/cpu/percpu.c'::idt", "&$kept_of",
    '&stress_all', '&drain_crash', 'sizeof(struct kept_head)',
    map { "&((struct kept *)0)->$_" } @members);
my %at = map { $members[$_] => $kept + $offsets[$_] } 0 .. $#members;

my $events = '-e lock:*,timer:tick -e mem:kernel_flag:w -g';
my $record = "perf record -a --overwrite -m 16K $events -- fs-stress 100000";

# --- A machine, stopped where its workload begins ------------------------------------------------

my $machines = 0;
sub recording
{
    my ($run, %options) = @_;
    my $socket = "$logs/" . ++$machines . '.stub';
    my $machine = Pitot::Machine->new(gdb => $socket, smp => 4, reboot => 1, run => $run,
        flags => 'perf.rate=0', %options);
    my $stub = Pitot::Stub->new($socket);
    $stub->attach;
    $stub->run_to($stress_all) or die("no workload\n");
    return ($machine, $stub);
}

# Resets the machine and runs it to where the workload begins again; returns the new boot's message
# about the last recording.
sub reset_by
{
    my ($machine, $stub, $how) = @_;
    my $before = length($machine->console);
    $how->($stub);
    $stub->run_to($stress_all) or die("no workload after the reset\n");
    my $said = substr($machine->console, $before);
    return join("\n", $said =~ /^Pitot: ((?:the last boot|\.\.\.).*)$/mg);
}

sub system_reset { $_[0]->monitor('system_reset') }

# The CPU that stopped last faults with an empty descriptor table; no other CPU runs meanwhile.
sub triple_fault
{
    my ($stub) = @_;
    $stub->set_memory($idt, "\0" x 512);
    $stub->set_registers({%{$stub->registers}, rip => 0});
    $stub->run_alone(1);
    $stub->step;
    $stub->run_alone(0);
}

# The message that the next boot must print about the rings as they are.
sub expected
{
    my ($stub, $end) = @_;
    my ($samples, $unfinished) = (0, 0);
    for my $ring (stopped_rings($stub, $kernel)) {
        my $walk = ring_walk($ring);
        die("CPU $ring->{cpu}: $walk->{fault}\n") if $walk->{fault};
        $samples += grep { record_type($_->[1]) == $sample } @{$walk->{records}};
        $unfinished += $walk->{unfinished} // 0;
    }
    my $s = $samples == 1 ? '' : 's';
    return "the last boot's recording is here: $samples sample$s, ended by $end"
        . ($unfinished ? "\n... $unfinished more were being written" : '');
}

# Lets it run for a while, and on until enough is recorded: on a slow host that may take longer.
sub run_on
{
    my ($stub, $seconds, $enough) = @_;
    for (1 .. 1000) {
        $stub->go($seconds);
        return if $enough->();
    }
    die("nothing is recorded\n");
}

# Runs until the first CPU's ring has records to damage.
sub fill
{
    my ($stub) = @_;
    run_on($stub, 0.1, sub { @{ring_walk((stopped_rings($stub, $kernel))[0])->{records}} > 10 });
}

# --- At random, with every kind of boot ----------------------------------------------------------

my $share = $ENV{SOAK} ? 25 : 1;
my %resets = (kernel => 6 * $share, grub => $share, uefi => $share);
my ($found, $under_way) = (0, 0);
for my $boot (qw(kernel grub uefi)) {
    my %options = $boot eq 'uefi' ? (firmware => 'uefi') : (boot => $boot);
    my ($machine, $stub) = recording("perf script --last-boot --max-events 1; $record", %options);
    like($machine->console, qr/^perf script: $not: the machine was/m, "$boot: none after power-on");
    unlike($machine->console, qr/^Pitot: the last boot/m, '... and prints nothing unasked');
    my @wrong;
    for my $turn (1 .. $resets{$boot}) {
        my $expected;
        run_on($stub, rand(0.3),
            sub { ($expected = expected($stub, $unasked)) !~ / is here: 0 samples/ });
        $under_way++ if $expected =~ /being written/;
        my $said = reset_by($machine, $stub, $turn % 2 ? \&triple_fault : \&system_reset);
        $said eq $expected ? $found++ : push(@wrong, "turn $turn: $said\nand not: $expected");
    }
    is("@wrong", '', "... after $resets{$boot} resets each finds what the rings held");
    like($machine->console,
        qr/^\S+ +\d+ \[00\d\] +\d+\.\d+: +1 +\S+:\S+: .*\n\t[0-9a-f]{16} \w+\+0x/m,
        '... and perf script prints it, by the names of its threads and functions');
    $machine->stop;
}
diag("$found found, $under_way of them with a writer under way") if $ENV{SOAK};

# --- Overwritten memory is reported --------------------------------------------------------------

my ($machine, $stub) = recording($record, mem => '256M');

sub crc
{
    my ($bytes) = @_;
    my $crc = 0xffffffff;
    for my $byte (unpack('C*', $bytes)) {
        $crc ^= $byte;
        $crc = $crc >> 1 ^ ($crc & 1 ? 0xedb88320 : 0) for 1 .. 8;
    }
    return $crc ^ 0xffffffff;
}

# One test: with these bytes at the address, and the head's checksum corrected if `sealed`.
sub damaged_ok
{
    my ($address, $bytes, $sealed, $pattern, $name) = @_;
    $stub->set_memory($address, $bytes);
    my $from = $at{'head.build_id'};
    $stub->set_memory($at{'head.crc'}, pack('L<', crc($stub->memory($from, $kept + $size - $from))))
        if $sealed;
    like(reset_by($machine, $stub, \&system_reset), $pattern, $name);
    fill($stub);
}

fill($stub);
damaged_ok($at{'head.build_id'}, "\x5a" x 20, 1, qr/\A$not: it is of another build, 5a5a5a5a\.\.\./,
    'another build is named');
damaged_ok($at{'head.build_id'}, "\x5a" x 20, 0, qr/\A$not: its description was overwritten\z/,
    'a description that was written over is not believed');
damaged_ok($at{'head.memory_size'}, pack('Q<', 4096), 1,
    qr/\A$not: the machine had other memory: 4096 bytes were kept, \d+ are now\z/, 'another size');
damaged_ok($at{events}, "\xff" x 8, 0,
    qr/\A$not: the description of its \d+ events? was overwritten\z/,
    'events that were written over');
damaged_ok($kept, "\0" x 8, 0, qr/\A\z/, 'nothing there is nothing said');

# An impossible head costs the ring; an impossible record size costs what follows it.
my @before = stopped_rings($stub, $kernel);
damaged_ok($rings + $head, "\xff" x 8, 0,
    qr/^\.\.\. without $before[0]{size} bytes that were over/m,
    'a ring whose head cannot be is left out, and said');
my ($ring) = stopped_rings($stub, $kernel);
my $third = ring_walk($ring)->{records}[2][0];
my ($bytes) = debug_values($kernel, '&((struct ring *)0)->bytes');
my ($memory) = unpack('Q<', $stub->memory($rings + $bytes, 8));
my $lost = $ring->{head} - $third;
damaged_ok($memory + $third % $ring->{size} + 6, "\3\0", 0,
    qr/^\.\.\. without $lost bytes that were over/m, 'what lies behind a broken record is counted');
$machine->stop;

# --- Other ends ----------------------------------------------------------------------------------

# One test: these commands, run to that place, and then a reset.
sub end_ok
{
    my ($run, $place, $pattern, $name, %options) = @_;
    my ($machine, $stub) = recording($run, %options);
    $stub->run_to($place) if $place;
    like(reset_by($machine, $stub, $place ? \&system_reset : sub { }), $pattern, $name);
    my $console = $machine->console;
    $machine->stop;
    return $console;
}

my $here = qr/the last boot's recording is here: \d+ samples/;
my $once = 'perf record -e lock:* -- fs-stress 1';
end_ok("$once; reboot", undef, qr/\A$here, ended by a reboot that was asked for\z/,
    'a reboot is named');
end_ok("$once; crash panic", $drain_crash, qr/\A$here, ended by the panic ".+"\z/,
    '... and a panic');
end_ok('perf record -m 16M -e lock:* -- fs-stress 1; reboot', undef,
    qr/\A$not: its 4 rings of 16777216 bytes did not fit into the \d+ that survive\z/,
    'rings that do not fit are named');
like(end_ok("perf report --last-boot; $once; reboot", undef, qr/\A\z/,
    'a small machine prints nothing', mem => '64M'),
    qr/^perf report: $not: this machine has no memory that a reset leaves alone$/m, '... unasked');

done_testing();
