#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: core/gdb, core/console/command, kernel/console, boot/gdb_door
#
# gdb's `monitor` and the console's prompt both run commands (docs/gdb.md), one at a time: the other
# is refused with a reason. The test implements gdb's protocol itself. Run from the root of the
# tree:
#
#     prove tests/boot/gdb_monitor.t
use strict;
use warnings;
use lib 'tests/lib';
use Test::More;
use Pitot;
use Pitot::Stub;

plan skip_all => "COM3 is QEMU's" if ($ENV{MACHINE} // 'qemu') ne 'qemu';

my $times = 20;       # how often ^C ends a recording
my $build = $ENV{BUILD} // 'build';
my %symbol = map { /^(\S+) \S (\S+)$/ ? ($2, $1) : () } split(/\n/, `nm $build/pitot.elf`);
my $path = "$build/logs/gdb_monitor/1.com3";

# The text that gdb gets up to the end of the command.
sub said
{
    my ($stub) = @_;
    my ($said, $answer) = ('');
    $said .= pack('H*', substr($answer, 1))
        while defined($answer = $stub->get($patience)) && $answer =~ /^O(?:[0-9a-f]{2})*$/;
    return ($said, $answer // 'nothing');
}

sub monitor
{
    my ($stub, $command) = @_;
    $stub->put('qRcmd,' . unpack('H*', $command));
}

my $machine = start(com3 => "unix:$path", smp => 1);
$machine->expect(qr/^pitot> $/m, $patience);
my $stub = Pitot::Stub->new($path);
$stub->attach_inside;

# The idle thread is held meanwhile, as the console's waits for a key.
$stub->ask_ok("Z1,$symbol{arch_idle},1");
$stub->put('c');
$stub->get($patience);
$stub->ask_ok("z1,$symbol{arch_idle},1");
$stub->step;
monitor($stub, 'perf record -a -e mem:kernel_flag:w');
$machine->send("fs-stress 3\n");
$machine->expect(qr/^gdb's monitor is running a command: end it with \^C, or wait$/m, $patience,
    'while monitor records, the console is refused');
$machine->expect(qr/^pitot> $/m, $patience);
$machine->send("\n");
is($machine->expect(qr/^pitot> $/m, $patience), "\npitot> ", '... an empty line is none');
$machine->send("\x03");
my ($said, $end) = said($stub);
like($said, qr/^\[ perf record: 0 records kept/m, '... and its ^C ends what monitor runs');
is($end, 'OK', '... which gdb is told');

# The console's prompt also waits for a byte.
my $ended = 0;
for (1 .. $times) {
    monitor($stub, 'perf record -a -e mem:kernel_flag:w');
    $stub->get($patience);    # until it records
    $machine->send("\x03");
    ($said, $end) = said($stub);
    last if $end ne 'OK';
    $ended++;
}
is($ended, $times, '... each time');

# A thread that is held sleeps, so the CPU is free for the monitor command.
$stub->ask_ok("Z1,$symbol{input_wait},1");
$stub->put('c');
$machine->send("\n");
$stub->get($patience);
$stub->ask_ok("z1,$symbol{input_wait},1");
monitor($stub, 'ps');
($said) = said($stub);
like($said, qr/^ +1 .* sleeps .* monitor$/m, 'the console\'s thread, stopped by gdb, sleeps');
$stub->put('c');
$machine->expect(qr/^pitot> $/m, $patience);

# The prompt and monitor take turns.
$machine->send("fs-stress 3\n");
$machine->expect(qr/^fs-stress: \d+ operations, all verified$/m, $patience,
    'then the console has its commands again');
$machine->expect(qr/^pitot> $/m, $patience);
$machine->send("perf record -a -e mem:ticks:w\n");
$machine->expect(qr/^recording until \^C$/m, $patience);
# If ^C stops the CPU while it holds a lock, the CPU is resumed for a moment.
for (1 .. 50) {
    $stub->interrupt;
    $stub->get($patience);
    monitor($stub, 'help');
    ($said) = said($stub);
    last if $said !~ /^this CPU holds a spinlock/;
    $stub->put('c');
}
like($said, qr/^the console is running a command:/,
    'while the console records, monitor is refused');
$stub->ask_ok('D');
$machine->send("\x03");
$machine->expect(qr/^\[ perf record: \d+ records? kept.*\n.*pitot> $/ms, $patience,
    '... and nothing has become of the recording');
$machine->send("poweroff\n");
$machine->wait_end;
ended_ok($machine);

done_testing();
