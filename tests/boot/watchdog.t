#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: kernel/panic/watchdog
#
# watchdog=SECONDS: a CPU that spins with interrupts off is reported, once, with every CPU's chain,
# the locks and the newest samples; a working machine is not reported, however busy; and impossible
# requests are refused. Run from the root of the tree:
#
#     prove tests/boot/watchdog.t
use strict;
use warnings;
use lib 'tests/lib';
use Test::More;
use Pitot;
use Pitot::Transcript;

my $prompt = qr/^pitot> $/m;
my $whole = qr/WATCHDOG: a CPU makes no progress\n(.*)WATCHDOG: the machine continues\n/s;

# Hangs a machine with a watchdog and returns the report: {CPU => its part}, and the rest. The
# machine's clock is slow, as a CPU spins through a whole second of instructions.
sub report_of
{
    my ($how, %options) = @_;
    my $machine = start(flags => 'watchdog=1', icount => 64, %options);
    $machine->expect($prompt, $patience, 'there is a prompt');
    $machine->send("perf record -a -e mem:kernel_flag:w -- fs-stress\n");
    $machine->expect(qr/records? kept.*\n$prompt/, $patience, 'something is recorded');
    $machine->send("crash $how\n");
    my $said = $machine->expect($whole, $patience, 'the report comes');
    my ($report) = ($said // '') =~ $whole;
    $report //= '';
    my %parts = (all => $report);
    $parts{$1} = $2 while $report =~ /^CPU (\d+): (.*\n(?:  .*\n)*)/mg;
    return ($machine, \%parts);
}

subtest 'one CPU' => sub {
    my ($machine, $report) = report_of('hang', smp => 1);
    like($report->{0}, qr/^thread pitot \(1\), no interrupt served for [1-9]\d*\.\d seconds\n/,
        'the thread, and for how long');
    unlike($report->{0}, qr/holds|waits/, '... with no lock');
    like($report->{0}, qr/ crash_spin\+.*\n.* crash_hang\+.*\n(?:.*\n)+.* boot_entry_high\+/,
        '... and how it got there');
    like($report->{all}, qr/^kernel lock: free\n/m, 'nobody has the kernel lock');
    like($report->{all}, qr/^last samples, 8 of \d+:\n(?:.* mem:kernel_flag:w: .*\n){8}\z/m,
        'the newest samples');
    $machine->stop;
};

subtest 'two of four CPUs, by a lock' => sub {
    my ($machine, $report) = report_of('hang-locked', smp => 4);
    is(join(' ', sort(grep { /\d/ } keys %$report)), '0 1 2 3', 'every CPU is there');
    my ($lock) = $report->{0} =~ /^  holds spinlock (0x[0-9a-f]+) hung\n/m;
    ok($lock, 'who holds the lock');
    like($report->{0}, qr/ crash_hang_locked\+/, '... and where');
    like($report->{1}, qr/^thread doomed \(\d+\), no interrupt served for \d/, 'who waits');
    like($report->{1}, qr/^  waits for spinlock \Q$lock\E hung, which CPU 0 holds\n/m,
        '... for it');
    like($report->{1}, qr/ wait_for_hung\+(?:.*\n)+.* thread_start\+/, '... and where');
    for my $cpu (2, 3) {
        like($report->{$cpu}, qr/^thread idle\/$cpu \(0\)\n/, "CPU $cpu is well");
        like($report->{$cpu}, qr/ arch_idle\+/, '... and idle');
    }
    my $count = () = $machine->{text} =~ /a CPU makes no progress/g;
    is($count, 1, 'both in one report');
    $machine->stop;
};

# After a report the machine continues. These have nothing to report.
subtest 'a busy machine' => sub {
    my $load = 'perf record -a -g -e cpu-clock -F 1000 -e mem:kernel_flag:rw -- '
        . 'fs-stress --threads 4 60';
    my $machine = boot(smp => 2, flags => 'watchdog=1', run => "$load; $load; poweroff");
    ended_ok($machine);
    like(said($machine, $load, 2), qr/all verified/, 'the load ends well');
    unlike($machine->console, qr/watchdog/i, '... and is no stall');
};

my %refused = (
    'watchdog=0' => qr/^watchdog: watchdog=0: 1 to 3600 seconds are allowed$/m,
    'watchdog=3601' => qr/^watchdog: watchdog=3601: 1 to 3600 seconds are allowed$/m,
    'watchdog=x' => qr/^watchdog: watchdog=x: a number is needed/m,
);
for my $flag (sort(keys %refused)) {
    my $machine = boot(flags => $flag, run => 'poweroff');
    ended_ok($machine);
    like($machine->console, $refused{$flag}, "refused: $flag");
}
my $machine = boot(flags => 'watchdog=5', qemu_machine => 'pc,hpet=off', run => 'poweroff');
ended_ok($machine);
like($machine->console, qr/^watchdog: off, as this machine has no clock that sends NMIs: no HPET$/m,
    'without an HPET: not there, which is said');

done_testing();
