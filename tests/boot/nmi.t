#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: core/event, boot/nmi_clock, drivers/hpet
#
# cpu-clock by NMI: it sees code that runs with interrupts off, on every CPU, with right chains, and
# does not disturb ticks, watches and parking; without such a clock the timer samples, and a message
# reports what it does not see. Shares are counted by the guest's clock (docs/testing.md, "The clock
# of a test"). Run from the root of the tree:
#
#     prove tests/boot/nmi.t
use strict;
use warnings;
use lib 'tests/lib';
use IO::Socket::UNIX;
use List::Util qw(sum0);
use Test::More;
use Pitot;
use Pitot::Transcript;

my $build = $ENV{BUILD} // 'build';
my $fp_build = $ENV{FP_BUILD} // "$build/fp";
my $record = 'perf record -a -g -F max -e cpu-clock,timer:tick -- irqs-off';
my $unseen = 'cpu-clock/irqs-off-unseen/';
my $blind = 'the timer takes the samples, but not where interrupts are off';

# The part of tests/kernel/irqs_off.c in which a sample was taken, by its whole chain.
my %ways = (
    on => qr/^(?:arch_relax )?spin spin_irqs_on spin_turns /,
    off => qr/^(?:arch_relax )?spin spin_irqs_off spin_turns /,
    handler => qr/^(?:arch_relax )?@{[join(' ', qw(spin spin_in_handler trap_dispatch
        trap_entry spin_interrupted spin_turns))]} /,
);
my $begins = qr/ (?:irqs_off_run .* kernel_main boot_entry_high|thread_main thread_start)$/;

# {CPU => {way => samples}} of the clock.
sub shares
{
    my %shares;
    for my $sample (@_) {
        my $chain = "@{$sample->{chain}}";
        my ($way) = grep { $chain =~ $ways{$_} && $chain =~ $begins } sort(keys %ways);
        $shares{0 + $sample->{cpu}}{$way // 'elsewhere'}++;
    }
    return \%shares;
}

sub of_event
{
    my ($event, @samples) = @_;
    return grep { $_->{event} eq $event } @samples;
}

# Boots a machine that spins, and tests what its samples have in common.
sub spun_ok
{
    my ($cpus, %options) = @_;
    my $clock = delete($options{clock}) // 'cpu-clock';
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my $machine = boot(kernel => 'pitot-test', smp => $cpus, flags => 'perf.rate=0',
        run => "$record; perf script; poweroff", %options);
    ended_ok($machine);
    my @samples = samples(said($machine, 'perf script'));
    my $shares = shares(of_event($clock, @samples));
    is(join(' ', sort(keys %$shares)), join(' ', 0 .. $cpus - 1), 'every CPU has samples');
    my @ticks = of_event('timer:tick', @samples);
    cmp_ok(abs(@ticks - 6), '<=', 1, '... and ticks come as often as ever');
    return ($machine, $shares);
}

# A third of the time in each part: 200 of 600 samples per CPU.
sub seen_ok
{
    my ($cpus, %options) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my ($machine, $shares) = spun_ok($cpus, %options);
    for my $cpu (0 .. $cpus - 1) {
        my @unlike = grep { abs(($shares->{$cpu}{$_} // 0) - 200) > 10 } keys %ways;
        is("@unlike", '', "CPU $cpu: as many samples on, off, and in a handler")
            or diag(explain($shares->{$cpu}));
        cmp_ok($shares->{$cpu}{elsewhere} // 0, '<=', 24, '... and hardly any elsewhere');
    }
    unlike($machine->console, qr/$blind/, 'nothing is blind');
}

subtest 'machine pc' => sub { seen_ok(1) };
subtest 'machine q35, four CPUs' => sub { seen_ok(4, qemu_machine => 'q35') };

subtest 'without an HPET' => sub {
    my ($machine, $shares) = spun_ok(1, qemu_machine => 'pc,hpet=off', clock => $unseen);
    cmp_ok($shares->{0}{on}, '>', 150, 'the timer sees what runs with interrupts on');
    is($shares->{0}{$_}, undef, "... and not: $_") for qw(off handler);
    my %names = map { $_->{event} => 1 }
        samples(scalar perf_script($machine, '-F', 'comm,tid,cpu,time,period,event,ip,sym'));
    ok($names{$unseen} && !$names{'cpu-clock'}, '... which the name tells, in the stream too');
    like(said($machine, $record), qr/^cpu-clock: $blind: no HPET$/m, '... which is said');
};

# An NMI may interrupt a trap entry, which has no frame pointer: only there may the two chains
# differ.
sub verified_ok
{
    my ($said) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my ($all, $alike) =
        $said =~ /^\[ verify-chain: (\d+) chains by table and by frame pointers, (\d+) agree \]$/m;
    cmp_ok($alike // 0, '>', 0.8 * ($all // 1), '... its chains are the same both ways');
    my @differ = $said =~ /^\[ verify-chain: the first difference at (.*) \]$/mg;
    my $entry = qr/^(?:watch_entry|trap_entry|trap_stubs)\+\S+ frame 1: .* inside a trap entry/;
    is(join("\n", grep { !/$entry/ } @differ), '', '... but for those from inside a trap entry');
}

# Two chains from every NMI, with tracepoints and watches in between, and a CPU that parks the
# others.
subtest 'watches, two CPUs, frame pointers' => sub {
    my $events = '-e cpu-clock/freq=2000/ -e mem:kernel_flag:rw,sched:sched_switch';
    my $busy = "perf record -a -m 4m -g --verify-chain $events -- fs-stress --threads 3 3";
    my $stat = 'perf stat -a -e timer:tick -- fs-stress --threads 3 20';
    my $machine = boot(iso => "$fp_build/test/pitot.iso", smp => 2, qemu_machine => 'q35',
        icount => 2, flags => 'perf.rate=0',
        run => join('; ', $busy, $busy, 'perf script', $stat, 'poweroff'));
    ended_ok($machine);
    for my $nth (1, 2) {
        like(said($machine, $busy, $nth), qr/in 3 threads, all verified/, 'the load ends well');
        verified_ok(said($machine, $busy, $nth));
    }
    my @samples = samples(said($machine, 'perf script'));
    my %cpus = map { 0 + $_->{cpu} => 1 } of_event('cpu-clock', @samples);
    is(join(' ', sort(keys %cpus)), '0 1', 'both CPUs are sampled');
    my ($operations) = said($machine, $busy, 2) =~ /^fs-stress: (\d+) operations/m;
    cmp_ok(scalar(of_event('mem:kernel_flag:rw', @samples)), '>=', 2 * ($operations // 'inf'),
        '... with hits in between: each operation takes the lock and gives it back');
    like(said($machine, $stat), qr/^ +[1-9]\d* +timer:tick$/m, 'ticks go on afterwards');
};

# --- The button ----------------------------------------------------------------------------------

# On a busy host the button and the clock nearly always arrive at once, as one NMI.
sub pressed_ok
{
    my ($what, $options, $until, $where, @commands) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my $path = "$build/logs/nmi/monitor";
    my $machine = start(smp => 2, icount => 8, %$options, extra => ['-chardev',
        "socket,id=monitor,path=$path,server=on,wait=off", '-monitor', 'chardev:monitor']);
    $machine->expect(qr/^pitot> $/m, $patience);
    my $monitor = IO::Socket::UNIX->new(Peer => $path) or die("$path: $!");
    $machine->send("$_\n") for @commands;
    $machine->expect($until, $patience);
    $monitor->printflush("nmi\n");
    is($machine->wait_end($patience), 99, "$what: one press is enough");
    like($machine->console, qr/^PANIC: non-maskable interrupt at $where/m, '... for the report');
}

my $overwrite = 'perf record -a --overwrite -e cpu-clock -F max';
subtest 'the button' => sub {
    pressed_ok('an idle machine that is sampled', {}, qr/recording until/, qr/\w+/, $overwrite)
        for 1 .. 2;
    pressed_ok('one that hangs, interrupts off', {flags => 'watchdog=1', icount => 64},
        qr/WATCHDOG: the machine continues/, qr/(?:crash_spin|arch_relax)\+/,
        "$overwrite -- crash hang");
    pressed_ok('one that was sampled', {}, qr/^fs-stress: \d{6,} operations, all verified$/m,
        qr/\w+/, "$overwrite -- fs-stress", 'fs-stress 200');
};

subtest 'under UEFI, two CPUs' => sub {
    my $machine = boot(firmware => 'uefi', smp => 2,
        run => 'perf record -a -F 1000 -e cpu-clock -- fs-stress 100; perf script; poweroff');
    ended_ok($machine);
    my %cpus = map { 0 + $_->{cpu} => 1 } samples(said($machine, 'perf script'));
    is(join(' ', sort(keys %cpus)), '0 1', 'both CPUs are sampled');
    unlike($machine->console, qr/$blind/, '... by NMI');
};

done_testing();
