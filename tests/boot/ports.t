#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: boot, drivers/uart16550
#
# A machine without a port, enough memory, or a CPU feature that the kernel needs. The kernel
# reports that on the remaining ports (0xE9 at worst) and stops; it neither hangs on a missing port
# nor resets. Run from the root of the tree:
#
#     prove tests/boot/ports.t
use strict;
use warnings;
use lib 'tests/lib';
use Test::More;
use Time::HiRes qw(time sleep);
use Pitot;
use Pitot::Transcript;

plan skip_all => 'machines like these are QEMU\'s' if ($ENV{MACHINE} // 'qemu') ne 'qemu';

my $stopped = 99;       # the kernel's status for a panic
my $ended_by_us = 143;

# This firmware prints nothing itself, and runs on any CPU.
my %bios = (firmware => 'bios', boot => 'grub', icount => '', run => 'poweroff');

# The last line of a stopped kernel, on whatever port it appears.
sub stopped_ok
{
    my ($machine, $text, $reason, $name) = @_;
    is($machine->status, $stopped, "$name: the machine ends") or diag($machine->tail);
    like($text, qr/^PANIC: $reason/m, '... with the reason');
    like($text, qr/^call chain:\n( +[0-9a-f]+ .*\n)+/m, '... and how it came to that');
    like($text, qr/^Pitot stopped: $reason.*\n\z/m, '... once more in the last line');
}

# --- Ports ---------------------------------------------------------------------------------------

my $no_console = qr/no serial port COM1 \(0x3f8\)/;
my $machine = boot(%bios, com1 => 'none');
stopped_ok($machine, $machine->debugcon, $no_console, 'no COM1');
is(-s $machine->com2, 0, '... nothing has gone to COM2');
$machine = boot(com1 => 'none', com2 => 'none');
stopped_ok($machine, $machine->debugcon, $no_console, 'neither COM1 nor COM2');

$machine = boot(com2 => 'none', run => 'perf stat -a -e mem:kernel_flag:w -- fs-stress; poweroff');
ended_ok($machine, 'no COM2: the machine runs');
is($machine->debugcon, '', '... and has nothing to complain about');

# --- Memory --------------------------------------------------------------------------------------

# Uses QEMU's own loader, which needs no memory itself: GRUB's data may take so much that either the
# kernel has enough, or GRUB cannot boot it.
my $too_little = qr/too little memory: \d+ KiB are free, \d+ are needed/;
$machine = boot(mem => '6M', run => 'poweroff');
stopped_ok($machine, $machine->console, $too_little, 'too little memory');
$machine = boot(%bios, mem => '2M');
is($machine->status, 127, 'not even memory for GRUB to load it: ends, too');
like($machine->console, qr/GRUB cannot boot: /, '... and says so');

# --- The CPU -------------------------------------------------------------------------------------

# Halts with interrupts off, so the only sign is that it prints nothing more and does not end.
sub halted_ok
{
    my ($cpu, $reason) = @_;
    my $machine = Pitot::Machine->new(%bios, cpu => $cpu, timeout => $patience);
    my $deadline = time + $patience;
    sleep(0.05) until $machine->debugcon =~ /stopped\n/ || time > $deadline;
    is($machine->wait_end(1), $ended_by_us, "$cpu: the machine stops") or diag($machine->tail);
    is($machine->debugcon, "Pitot: this CPU has no $reason; stopped\n", '... and has said why');
    is($machine->console, $machine->debugcon, '... on COM1, too');
}

halted_ok('qemu64,-lm', '64-bit long mode');
halted_ok('qemu64,-nx', 'NX (execute-disable) pages');
halted_ok('qemu64,-tsc', 'time stamp counter');

# The firmware of Bochs sets the port to five bits per byte, which garbles all text.
my $old = Pitot::Machine->new(machine => 'bochs', smp => 1, cpu => 'p3_katmai',
    timeout => $patience);
my $deadline = time + $patience;
sleep(0.05) until $old->console =~ /stopped\n/ || time > $deadline;
$old->stop;
is($old->console, "Pitot: this CPU has no 64-bit long mode; stopped\n",
    'a port that nobody has set up: what is said can be read');

done_testing();
