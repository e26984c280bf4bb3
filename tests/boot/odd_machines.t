#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: boot, drivers, tools/machine
#
# Machines that lack a timer, a table or an interrupt controller. Each runs with correct ticks and a
# correct clock, or reports what it needs and stops; none hangs or invents a clock. Also tests the
# share of a boot that measuring the clock takes. The guest's time is its executed instructions
# (icount). Run from the root of the tree:
#
#     prove tests/boot/odd_machines.t
use strict;
use warnings;
use lib 'tests/lib';
use Test::More;
use Pitot;
use Pitot::Transcript;

plan skip_all => 'machines like these are QEMU\'s' if ($ENV{MACHINE} // 'qemu') ne 'qemu';

my $stopped = 99;    # the kernel's status for a panic
my $no_tables = qr/^Pitot: one CPU only: the boot loader passed no ACPI root pointer$/m;
my $no_apic = qr/^Pitot: one CPU only: this CPU has no local APIC$/m;
my $no_clock = qr/^PANIC: no HPET, no ACPI PM timer, no 8254 that port 0x61 lets count, and /m;
my $no_ticks = qr/^PANIC: no 8254 and no local APIC: nothing interrupts this machine /m;

my $work = 'perf stat -a -e timer:tick -e cpu-clock -- fs-stress 20';

# The machine, QEMU's options, the message if any, and whether the machine then stops. Without ACPI
# no port switches the machine off.
my @machines = (
    ['nothing lacks', {}],
    ['no 8254', {qemu_machine => 'pc,pit=off'}],
    ['no 8254, two CPUs', {qemu_machine => 'q35,pit=off', smp => 2}],
    ['no HPET', {qemu_machine => 'pc,hpet=off'}],
    ['neither HPET nor 8254', {qemu_machine => 'pc,hpet=off,pit=off', smp => 2}],
    ['no ACPI', {qemu_machine => 'pc,acpi=off', run => "$work; crash panic"}, $no_tables],
    ['no local APIC', {cpu => 'max,-apic'}, $no_apic],
    ['no ACPI, no 8254', {qemu_machine => 'pc,acpi=off,pit=off'}, $no_clock, 1],
    ['microvm, which has an 8254, but no port 0x61',
        {qemu_machine => 'microvm', firmware => 'qboot'}, $no_clock, 1],
    ['no local APIC, no 8254', {qemu_machine => 'pc,pit=off', cpu => 'max,-apic'}, $no_ticks, 1],
);

my %options = (firmware => 'bios', icount => 8, smp => 1, run => "$work; poweroff");
for (@machines) {
    my ($what, $options, $says, $stops) = @$_;
    my %machine = %$options;
    subtest $what => sub {
        my $machine = boot(%options, %machine);
        like($machine->console, $says, 'what lacks is said') if $says;
        if ($stops) {
            is($machine->status, $stopped, 'the machine ends');
            like($machine->console, qr/^Pitot stopped: .*\n\z/m, '... with the reason');
            return;
        }
        is($machine->status, $machine{run} ? $stopped : 0, 'the machine ends as it is told to')
            or diag($machine->tail);
        my ($kilohertz) = $machine->console =~ /^Pitot: .*, clock (\d+) kHz, /m;
        cmp_ok(abs(($kilohertz // 0) - 1e6), '<', 200, 'the clock is right within 0.02 %');
        my ($ticks) = said($machine, $work) =~ /^ +(\d+) +timer:tick$/m;
        my ($seconds) = said($machine, $work) =~ /^ +(\d+\.\d+) seconds time elapsed$/m;
        cmp_ok(abs(100 * $seconds - $ticks), '<=', 1, '... and ticks come as often as ever');
        cmp_ok($ticks, '>', 5, '... of which there are some');
    };
}

# --- CPU features that programs need -------------------------------------------------------------

my $missing = qr/the CPU has no `syscall` \(CPUID 80000001h, EDX, bit 11\)/;
my @needs = ('run /bin/spin', 'perf record -e syscalls:* -- /bin/fs-load 1', 'run /bin/nothing');
my $machine = boot(%options, cpu => 'max,-syscall', run => join('; ', @needs, $work, 'poweroff'));
ended_ok($machine, 'a CPU without `syscall` runs the kernel');
like($machine->console, qr/^Pitot: no programs: $missing$/m, '... and reports that at boot');
like(said($machine, $_), qr/^run: \S+: programs cannot run on this machine: $missing$/m,
    "... and again: $_") for @needs;
unlike($machine->console, qr/killed by|undefined/, '... no program is lost to it');

# --- How long a machine may take to switch off ---------------------------------------------------

# Here no port switches it off; where one does, a busy host may take a second or more. The ten
# seconds are few instructions.
my $try = 'perf stat -a -e timer:tick -- poweroff';
$machine = boot(%options, icount => 64, qemu_machine => 'pc,acpi=off', run => "$try; crash panic");
like(said($machine, $try), qr/^poweroff: the machine did not turn off$/m, 'poweroff is given up');
my ($waited) = said($machine, $try) =~ /^ +(\d+\.\d+) seconds time elapsed$/m;
cmp_ok($waited // 0, '>=', 10, '... after ten seconds by the clock');
cmp_ok($waited // 0, '<', 11, '... and not much more');

# --- Duration of a boot --------------------------------------------------------------------------

$machine = boot(%options, icount => 1, cpu => 'max',
    run => 'perf record -a -e mem:lock_kernel:x -- fs-stress 1; perf script; poweroff');
ended_ok($machine);
my ($first) = samples(said($machine, 'perf script'));
cmp_ok($first->{time} // 1, '<', 0.014, 'from the first instruction to the prompt: 14 million');

done_testing();
