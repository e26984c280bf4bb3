#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: tools/postmortem, core/ring
#
# A machine is stopped at random, some 80 times, and its recording is read from outside by
# build/host/postmortem: through QEMU's stub, or from a dump. It is stopped anywhere, or at a random
# instruction inside a writer of the ring, at each nesting level of writers:
#
#     0  a task's tracepoint; a tracepoint in the timer's interrupt, which does not nest, as
#        tracepoints record with interrupts off
#     1  a debug trap inside that: the ring's own head is watched, so that each claim is a hit
#     2  an NMI inside the debug trap: QEMU's button, and a tracepoint for a handler
#     3  no context of this kernel comes there: a call of a writer is laid upon the CPU, as gdb's
#        `call` does; at the levels below as well
#
# At each stop the stream must hold, byte by byte, the records that independent code finds
# (tests/lib/Pitot/Stopped.pm), and the counts must balance. The real perf reads some of the
# streams. A fixed seed chooses the stops; SEED=n sets another, and SOAK=1 takes a new seed, which
# it prints, and some 3000 stops. Run from the root of the tree:
#
#     prove tests/boot/stopped.t
use strict;
use warnings;
use lib 'tests/lib';
use List::Util qw(shuffle sum);
use Test::More;
use Pitot;
use Pitot::Stopped;
use Pitot::Stub;

plan skip_all => "a stub for gdb is QEMU's" if ($ENV{MACHINE} // 'qemu') ne 'qemu';

my $seed = $ENV{SEED} // ($ENV{SOAK} ? int(rand(2**31)) : 1);
srand($seed);
diag("SEED=$seed");

my $build = $ENV{BUILD} // 'build';
my $kernel = "$build/pitot.elf";
my $tool = "$build/host/postmortem";
my $logs = "$build/logs/stopped";
my $share = $ENV{SOAK} ? 10 : $ENV{QUICK} ? 0.2 : 0.3;
my $hang = $patience * ($ENV{SOAK} ? 50 : 5);    # for a machine and all its stops
my $length = 120;                # approximate instructions of a writer, from its claim on
my $perf_each = 10;              # the real perf reads each perf_each-th stream
my ($sample, $throttle) = (9, 5);    # PERF_RECORD_SAMPLE, PERF_RECORD_THROTTLE
my $nmi = 2;
my $nesting = 4;                 # RING_NESTING
my $interrupts_on = 1 << 9;

my @places = qw(sample_write_record_chain sample_write_otherwise unwind_orc_capture ring_output
    ticks_count stress_all kernel_main sample_write_throttle recording_freeze
    nowatch_text_start nowatch_text_end);
my ($head, $plan, $stride, $cpus, $handlers, $rings, $events_at, $under_way, @addresses)
    = debug_values($kernel, '&((struct ring *)0)->head', '&((struct event *)0)->plan',
        'sizeof(struct ring)', "sizeof('core/recording/recording.c'::rings) / sizeof(struct ring)",
        "&'kernel/x86_64/entry/trap.c'::handlers", "&'core/recording/recording.c'::rings",
        "&'core/recording/recording.c'::events", "&sample_under_way",
        map { "&$_" } @places);
my %address = map { $places[$_] => $addresses[$_] } 0 .. $#places;

my $events = "-e mem:kernel_flag:w -e mem:rings+$head/8:w -e lock:*,timer:tick -R -g";
my $endless = 'fs-stress 100000';

# --- Machines that stop --------------------------------------------------------------------------

my $machines = 0;

# Starts a recording and stops at the beginning of its workload; the machine's NMIs hit a
# tracepoint.
sub recording
{
    my ($size, $workload, @options) = @_;
    my $socket = "$logs/" . ++$machines . '.stub';
    my $machine = Pitot::Machine->new(gdb => $socket, smp => 4, timeout => $hang,
        flags => 'perf.rate=0', @options,
        run => "perf record -a --overwrite -m $size $events -- $workload; poweroff");
    my $stub = Pitot::Stub->new($socket);
    $stub->attach;
    $stub->run_to($address{stress_all});
    $stub->set_memory($handlers + 8 * $nmi, pack('Q<', $address{ticks_count}));
    return ($machine, $stub);
}

# --- Checks at a stop ----------------------------------------------------------------------------

my %seen = (stops => 0, perf => 0, unfinished => 0, inside => 0);
my %levels;    # nested writers => stops
my @wrong;

sub postmortem
{
    my (@arguments) = @_;
    my $said = `$tool @arguments 2>&1 < /dev/null`;
    return ($said, $? >> 8);
}

# The tool's message about each CPU: cpu => numbers.
sub told
{
    my ($said) = @_;
    my %told;
    my $numbers = qr/(\d+) records, (\d+) of them inside an unfinished one; (\d+) unfinished, /
        . qr/(\d+) overwritten, (\d+) dropped/;
    while ($said =~ /^CPU (\d+): $numbers$/mg) {
        $told{$1} = {records => $2, inside => $3, unfinished => $4, overwritten => $5,
            dropped => $6};
    }
    return \%told;
}

# What is wrong with one ring, or undef.
sub ring_fault
{
    my ($ring, $walk, $told) = @_;
    return $walk->{fault} if $walk->{fault};
    return 'nothing was told of it' if !$told;
    my %found = (records => scalar(@{$walk->{records}}), inside => $walk->{inside},
        unfinished => $walk->{unfinished}, overwritten => $ring->{overwritten},
        dropped => $ring->{dropped});
    for my $what (sort keys %found) {
        return "$what: $told->{$what} told, $found{$what} there" if $told->{$what} != $found{$what};
    }
    my $under_way = $ring->{produced} - $found{records} - $found{unfinished}
        - $found{overwritten} - $found{dropped};
    return "the account is off by $under_way, with $ring->{nest} writers under way"
        if $under_way < 0 || $under_way > 2 * $ring->{nest};
    my $noted = grep { $_->[1] >= 8 && $_->[0] < $ring->{head} } @{$ring->{claims}};
    return "$noted claims lie before the head, $found{unfinished} were met"
        if $found{unfinished} > $ring->{nest} || $noted < $found{unfinished};
    return undef;
}

# Reads the machine with the tool and with the test's own code; returns the rings and their walks.
sub look
{
    my ($stub, $where) = @_;
    my @rings = stopped_rings($stub, $kernel);
    $seen{rings} = @rings;
    my @walks = map { ring_walk($_) } @rings;
    my $path = "$logs/stopped.perf";

    unlink($path);
    $stub->leave;
    my ($said, $status) = postmortem("-k $kernel -o $path $stub->{path}");
    $stub->attach;
    my $told = told($said);
    my @faults = $status == 0 ? () : "status $status";
    for my $i (0 .. $#rings) {
        my $fault = ring_fault($rings[$i], $walks[$i], $told->{$rings[$i]{cpu}});
        push(@faults, "CPU $rings[$i]{cpu}: $fault") if defined $fault;
        $levels{$where}{$rings[$i]{nest}}++ if $rings[$i]{cpu} == $stub->cpu;
        $seen{$_} += $walks[$i]{$_} // 0 for qw(unfinished inside);
    }
    push(@faults, 'it said more') if split(/\n/, $said) != @rings;
    my $stream = stream_parse($path);
    # The records of all CPUs in order of time; for equal times the first CPU's come first.
    my @records = sort { record_time($a) <=> record_time($b) }
        map { map { $_->[1] } @{$_->{records} // []} } @walks;
    push(@faults, "the stream: $stream->{fault}") if $stream->{fault};
    my @streamed = @{$stream->{records} // []};
    push(@faults, 'the stream has ' . @streamed . ' records, not these ' . @records)
        if join('', @records) ne join('', @streamed);
    push(@faults, perf_fault($path, scalar(grep { record_type($_) == $sample } @records),
        sum(map { $_->{dropped} } @rings)))
        if $seen{stops}++ % $perf_each == 0;
    push(@wrong, "stop $seen{stops}, $where: $_\n$said") for @faults;
    return @records;
}

# What the real perf finds wrong with a stream.
sub perf_fault
{
    my ($path, $expected, $dropped) = @_;
    my ($script, $complaints, $status) = perf_script($path, '-F', 'comm,tid,time,event,ip,sym');
    my $samples = () = $script =~ /^\S.*$/mg;
    $seen{perf}++;
    $complaints =~ s/^Warning:\nProcessed \d+ events and lost \d+ chunks!\n\nCheck IO.*!\s*//
        if $dropped;
    $complaints =~ s/^Warning:\nProcessed \d+ samples and lost [\d.]+%!\s*//;    # overwritten
    return "perf ends with $status: $complaints" if $status != 0 || $complaints =~ /\S/;
    return $samples == $expected ? () : "perf shows $samples samples of $expected";
}

# --- Where it is stopped -------------------------------------------------------------------------

# Runs to a writer that has walked the chain but not yet claimed its place. Returns its return
# address.
sub walked
{
    my ($stub, $writer) = @_;
    $stub->run_to($address{$writer});
    my $caller = caller_of($stub);
    $stub->run_to($address{unwind_orc_capture});
    $stub->run_to(caller_of($stub));
    return $caller;
}

# The return address, at the first instruction of a function.
sub caller_of
{
    my ($stub) = @_;
    return unpack('Q<', $stub->memory($stub->register('rsp'), 8));
}

# Runs for some timer interrupts, and some instructions more.
sub anywhere
{
    my ($stub) = @_;
    $stub->run_to($address{ticks_count}) for 0 .. rand(4);
    $stub->step(int(rand(500)));
}

# Runs there, and then a random distance, up to twice the rest of the writer.
sub into
{
    my ($stub, $writer) = @_;
    walked($stub, $writer);
    $stub->step(int(rand($length * (1 + int(rand(2))))));
}

# Runs until the writer that begins here has returned.
sub behind
{
    my ($stub, $writer) = @_;
    $stub->run_to($address{$writer});
    $stub->run_to(caller_of($stub));
}

# Presses the button while the debug trap's writer runs.
sub nmi_in_trap
{
    my ($stub) = @_;
    into($stub, 'sample_write_otherwise');
    $stub->monitor('nmi');
    $stub->run_to($address{ticks_count});
}

my %way = (
    'anywhere' => \&anywhere,
    'a task' => sub { into($_[0], 'sample_write_record_chain') },
    'an interrupt' => sub {
        my ($stub) = @_;
        $stub->run_to($address{ticks_count});
        into($stub, 'sample_write_record_chain');
    },
    'a debug trap' => sub { into($_[0], 'sample_write_otherwise') },
    'an NMI' => sub { nmi_in_trap($_[0]); into($_[0], 'sample_write_otherwise') },
    'a debug trap behind its record' => sub { behind($_[0], 'sample_write_otherwise') },
    'an NMI behind its record' =>
        sub { nmi_in_trap($_[0]); behind($_[0], 'sample_write_otherwise') },
    'calls in a task' => sub { stop_in_calls($_[0], 'sample_write_record_chain', $nesting - 1) },
    'calls in a debug trap' => sub { stop_in_calls($_[0], 'sample_write_otherwise', $nesting) },
);

# In a trap entry, watches are still armed: a call from there would hit on the stack page that
# caused the trap.
sub leave_entry
{
    my ($stub) = @_;
    my ($start, $end) = @address{qw(nowatch_text_start nowatch_text_end)};
    while ((my $rip = $stub->register('rip')) >= $start) {
        last if $rip >= $end;
        $stub->step;
    }
}

# How many writers are active on the stopped CPU, counted from before the chain is walked.
sub writers_under_way
{
    my ($stub) = @_;
    return unpack('Q<', $stub->memory($under_way + 8 * $stub->cpu, 8));
}

# Makes the CPU call a function with these arguments, without interruption. It returns to
# kernel_main, which no CPU reaches any more. Meanwhile the other CPUs are stopped.
sub lay_call
{
    my ($stub, $function, @arguments) = @_;
    leave_entry($stub);
    my $before = $stub->registers;
    my $sp = ($before->{rsp} & ~15) - 264;

    $stub->set_memory($sp, pack('Q<', $address{kernel_main}));
    my %call = (%$before, rip => $function, rsp => $sp);
    $call{eflags} &= ~$interrupts_on;
    @call{qw(rdi rsi rdx)} = (@arguments, 0, 0, 0);
    $stub->set_registers(\%call);
    $stub->run_alone(1);
    return $before;
}

sub end_call
{
    my ($stub, $before) = @_;
    $stub->run_to($address{kernel_main}) or push(@wrong, 'a call did not come back');
    $stub->set_registers($before);
}

# Nests writers by calls, and stops in each of them, as deep as contexts can be, so the outermost
# never leaves its writer. Outside of a debug trap each claim is a hit, which adds a level. The
# caller inspects the last stop.
sub stop_in_calls
{
    my ($stub, $writer, $deepest) = @_;
    my ($events) = unpack('Q<', $stub->memory($events_at, 8));
    my @outer;

    my $caller = walked($stub, $writer);
    $stub->step_before($caller, 20 + int(rand(60)));
    while (writers_under_way($stub) + @outer < $deepest) {
        push(@outer, lay_call($stub, $address{sample_write_throttle}, $events + $plan,
            $rings + $stub->cpu * $stride, $throttle));
        $stub->run_to($address{ring_output});
        $stub->step_before($address{kernel_main},
            rand() < 0.5 ? 20 + int(rand(60)) : int(rand($length)));
        look($stub, 'calls');
    }
    end_call($stub, $_) for reverse(@outer);
    $stub->run_alone(0);
}

# --- Many stops ----------------------------------------------------------------------------------

my %often = ('anywhere' => 24, 'a task' => 48, 'an interrupt' => 24, 'a debug trap' => 48,
    'an NMI' => 39, 'a debug trap behind its record' => 15, 'an NMI behind its record' => 15,
    'calls in a task' => 15, 'calls in a debug trap' => 15);
for my $size (qw(4K 16K 64K)) {
    my ($machine, $stub) = recording($size, $endless);
    for my $where (shuffle(map { ($_) x ($share * $often{$_} / 3) } sort keys %often)) {
        $way{$where}->($stub);
        look($stub, $where);
        last if @wrong > 5;
    }
    $machine->stop;
}
is_deeply([@wrong], [], "$seen{stops} stops: the stream has the records that are there");
for my $where (sort keys %levels) {
    my $depths = $levels{$where};
    ok((grep { $_ > 0 } keys(%$depths)) || $where eq 'anywhere', "$where: writers were stopped: "
        . join(', ', map { "$depths->{$_} with $_ under way" } sort keys(%$depths)));
}
for my $depth (0 .. $nesting) {
    ok((grep { $_->{$depth} } values(%levels)), "there were stops with $depth writers under way");
}
cmp_ok($seen{unfinished}, '>', 0, "unfinished records were stepped over: $seen{unfinished}");
cmp_ok($seen{inside}, '>', 0, "whole ones were found inside unfinished ones: $seen{inside}");
cmp_ok($seen{perf}, '>', 0, "the real perf has read $seen{perf} of the streams");

# --- The machine resumes -------------------------------------------------------------------------

# After the stop nothing new is recorded, but active writers finish. Then the kernel's own stream
# has the records found, in the same order, plus at most those of the active writers, for which some
# of the oldest may have been dropped. On another CPU a hit may have been about to write a record.
sub same_fault
{
    my ($found, $theirs, $under_way) = @_;
    my %place = map { $found->[$_] => $_ } 0 .. $#$found;
    # A port gets the records of one CPU after the other.
    my @places = map { $place{$_} // () } sort { record_time($a) <=> record_time($b) } @$theirs;
    my $gone = @$found - @places;
    my $new = @$theirs - @places;

    return "$new are new, $under_way were under way" if $new > $under_way + $seen{rings} - 1;
    return "of " . @$found . " found $gone are gone" if $gone > 8 * $under_way || !@places;
    return "the order differs" if "@places" ne "@{[sort { $a <=> $b } @places]}";
    return undef;
}

for my $where (('a task', 'an interrupt', 'a debug trap', 'an NMI') x ($ENV{SOAK} ? 10 : 1)) {
    # With several CPUs, others may run and record before this one has frozen everything.
    my ($machine, $stub) = recording('16K', 'fs-stress 5', smp => 1);
    $stub->run_to($address{sample_write_record_chain}) for 1 .. 100 + rand(100);
    $way{$where}->($stub);
    my @found = look($stub, "before it goes on, $where");
    my $writers = sum(unpack('Q<*', $stub->memory($under_way, $cpus * 8)));
    end_call($stub, lay_call($stub, $address{recording_freeze}));
    $stub->leave;
    postmortem("-c -k $kernel -o /dev/null $stub->{path}");
    $machine->wait_end;
    ended_ok($machine, "a machine that was stopped in $where goes on");
    my $stream = stream_parse($machine->com2);
    is($stream->{fault} // same_fault(\@found, $stream->{records}, $writers), undef,
        "... its own stream has the " . @found . " records that were found, $writers under way");
}
is_deeply(\@wrong, [], 'these were read rightly as well');

done_testing();
