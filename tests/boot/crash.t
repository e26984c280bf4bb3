#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: kernel/panic, kernel/console/crash, kernel/x86_64/entry/trap
#
# Every crash ends in exactly the report that docs/kernel.md promises: what and where, registers, a
# call chain with names, the last samples, a last line, status 99. If the report itself fails, the
# last line says so. The report is compared with the kernel's file and the manual's error codes. Run
# from the root of the tree:
#
#     prove tests/boot/crash.t
#
# QEMU only: Bochs has no exit status and no NMI button.
use strict;
use warnings;
no warnings 'portable';    # addresses have 64 bits
use lib 'tests/lib';
use IO::Socket::UNIX;
use List::Util qw(min);
use Test::More;
use Pitot;
use Pitot::Transcript;

my $build = $ENV{BUILD} // 'build';
my $stopped = 2 * 0x31 + 1;    # the value that boot/ports.c writes, as QEMU turns it into a status
my $last_samples = 8;          # kernel/panic/panic.c, like the two below
my $frames_first = 24;
my $frames_last = 8;

# --- The kernel's file ---------------------------------------------------------------------------

my %address = ('the slots' => 0xffffc10000000000);    # by name; STACK_SLOTS_BASE of stacks.h
my @symbols;    # [address, name], by address
for my $line (`nm -n $build/pitot.elf`) {
    my ($address, $name) = $line =~ /^([0-9a-f]{16}) [^aA] (.*)$/ or next;
    $address{$name} = hex($address);
    push(@symbols, [hex($address), $name]);
}

# True if this is the symbol before the address, or one that begins there.
sub is_named
{
    my ($address, $name) = @_;
    my ($nearest) = grep { $_->[0] <= $address } reverse(@symbols);
    return $nearest && ($address{$name} // -1) == $nearest->[0];
}

# --- A report ------------------------------------------------------------------------------------

# Parses the console: reason, registers {name => value}, vector, error, chain [{address, kind, name,
# trap}], cut (frames left out), stops (why the chain ends early), samples (text), the last line. A
# frame's `trap` is the trap that interrupted it.
sub report_of
{
    my ($machine) = @_;
    my ($reason, $head, $chain, $samples, $last) = $machine->console =~
        /^PANIC: (.*)\n((?:  .*\n)*)call chain:\n((?:  .*\n)*)((?:.*\n)*?)(.*)\n?\z/m
        or return {reason => 'no report', registers => {}, chain => [], last => '', samples => ''};
    my %report = (reason => $reason, samples => $samples, last => $last, registers => {});
    while ($head =~ /  (\w+) +([0-9a-f]{16})/g) {
        $report{registers}{$1} = hex($2);
    }
    while ($chain =~ /^  ([0-9a-f]{16})  (here|trap|call)  ([^\s+]+)(?:\+0x\w+)?(?:  <(.+)>)?$/mg) {
        push(@{$report{chain}}, {address => hex($1), kind => $2, name => $3, trap => $4});
    }
    @report{qw(vector error)} = map { hex } $head =~ /^  vector (0x\w+)  error (0x\w+)$/m;
    ($report{cut}) = $chain =~ /^  \.\.\. (\d+) frames \.\.\.$/m;
    ($report{stops}) = $chain =~ /^  \(the chain stops here: (.+)\)$/m;
    return \%report;
}

# The names of a report's chain, innermost first.
sub names
{
    my ($report) = @_;
    return map { $_->{name} } @{$report->{chain}};
}

# Tests what all reports have in common, and returns the report.
sub report_ok
{
    my ($machine, $reason) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my $report = report_of($machine);

    is($machine->status, $stopped, 'the machine ends, with the status of a panic');
    is(() = $machine->console =~ /^Pitot: \d+ MiB free/mg, 1, 'it has not started again');
    like($report->{reason}, qr/^$reason$/, 'the first line has what and where');
    is($report->{last}, "Pitot stopped: $report->{reason}", 'the last line repeats it');
    # A trap's frame has all registers; panic() itself takes a snapshot of the important ones.
    my $taken = $report->{reason} =~ /^(?:asked for|assertion failed)/;
    is(join(' ', sort(keys %{$report->{registers}})),
        $taken ? 'bp cr0 cr2 cr3 cr4 flags ip sp'
        : 'ax bp bx cr0 cr2 cr3 cr4 cs cx di dx flags ip r10 r11 r12 r13 r14 r15 r8 r9 si sp ss',
        'all registers are there');
    names_ok($report);
    diag($machine->tail) if !Test::More->builder->is_passing;
    return $report;
}

# Names are those in the kernel's file for these addresses; there is no name for 0.
sub names_ok
{
    my ($report) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my @unlike = grep { !is_named($_->{address} - ($_->{kind} eq 'call'), $_->{name}) }
        grep { $_->{address} } @{$report->{chain}};
    is(join(' ', map { $_->{name} } @unlike), '', "names are those of the kernel's file");
}

# The chain leads to the function in which the kernel begins.
sub whole_ok
{
    my ($report) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my ($outermost, $next) = reverse(names($report));
    like("$outermost $next", qr/^(?:boot_entry_high kernel_main|thread_start thread_main)$/,
        'the chain is whole, down to where the thread began');
    is($report->{stops}, undef, '... and prints nothing else');
}

# The parts that only an exception's report has: the interrupted place, and the error code.
sub trap_ok
{
    my ($report, $vector, $error) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my @traps = grep { $_->{kind} eq 'trap' } @{$report->{chain}};

    is_deeply([@$report{qw(vector error)}], [$vector, $error], 'vector and error code');
    is($report->{chain}[0]{address}, $report->{registers}{ip}, 'the chain begins at ip');
    is(scalar(@traps), 1, '... which is marked as interrupted');
    like($report->{reason}, qr/^(?:\Q$report->{chain}[0]{trap}\E|stack overflow)\b/,
        '... by what is reported');
}

# --- crash HOW -----------------------------------------------------------------------------------

# The error codes are those of Intel SDM vol. 3, "Page-Fault Exception (#PF)": bit 0 page present,
# bit 1 write, bit 4 fetch. `at` and `callers` are given if the crash is not in crash_HOW itself;
# `within` bounds the address by symbols.
my $in_kernel = 'in kernel mode';
my %ways = (
    'read' => {
        what => 'page fault', vector => 14, error => 0x00, address => 0x10,
        detail => "read, no page there, $in_kernel",
    },
    'write-text' => {
        what => 'page fault', vector => 14, error => 0x03, within => [qw(_text _etext)],
        detail => "write, not permitted by the page, $in_kernel",
    },
    'write-rodata' => {
        what => 'page fault', vector => 14, error => 0x03, within => [qw(rodata_start rodata_end)],
        detail => "write, not permitted by the page, $in_kernel",
    },
    'jump-data' => {
        what => 'page fault', vector => 14, error => 0x11, within => [qw(data_start image_end)],
        at => 'data\+0x0', callers => [qw(data crash_jump_data)],
        detail => "execute, not permitted by the page, $in_kernel",
    },
    'jump-null' => {
        what => 'page fault', vector => 14, error => 0x10, address => 0,
        at => '0x0', callers => [qw(0x0 crash_jump_null)],
        detail => "execute, no page there, $in_kernel",
    },
    'divide' => { what => 'divide error', vector => 0, error => 0 },
    'undefined' => { what => 'undefined instruction', vector => 6, error => 0 },
    'non-canonical' => {
        what => 'general protection fault', vector => 13, error => 0,
        at => 'crash_canonical\+0x\w+', callers => ['crash_canonical'],
        detail => 'no selector involved',
    },
);

sub exception_ok
{
    my ($how, $way) = @_;
    my $function = 'crash_' . $how =~ tr/-/_/r;
    my $reason = "$way->{what} at " . ($way->{at} // "$function\\+0x\\w+");
    my $has_address = $way->{within} || defined $way->{address};
    $reason .= ', address 0x(?<address>\w+)' if $has_address;
    $reason .= " \\($way->{detail}\\)" if $way->{detail};

    my $report = report_ok(boot(machine => 'qemu', run => "crash $how"), $reason);
    trap_ok($report, $way->{vector}, $way->{error});
    whole_ok($report);
    my @callers = @{$way->{callers} // [$function]};
    is_deeply([(names($report))[0 .. @callers]], [@callers, 'crash_run'],
        'the chain leads from there to the command');
    return if !$has_address;

    my ($address) = $report->{reason} =~ /, address 0x(\w+)/;
    my ($from, $end) = $way->{within} ? @address{@{$way->{within}}}
                     :                  ($way->{address}, $way->{address} + 1);
    is($report->{registers}{cr2}, hex($address // 'ff'), 'cr2 is the address');
    ok($from <= $report->{registers}{cr2} && $report->{registers}{cr2} < $end, '... and right');
}

# A report without an exception begins in the function that requested it.
sub asked_ok
{
    my ($how, $reason, @callers) = @_;
    my $report = report_ok(boot(machine => 'qemu', run => "crash $how"), $reason);
    whole_ok($report);
    is_deeply([(names($report))[0 .. $#callers]], \@callers,
        '... and leads from the report to the command');
    is($report->{chain}[0]{address}, $report->{registers}{ip}, '... and begins at ip');
    is(scalar(grep { $_->{trap} } @{$report->{chain}}), 0, 'nothing was interrupted');
}

# The report reads only mapped memory, and leaves out the frames that fill the screen.
sub overflow_ok
{
    my ($machine, $stack, $stacks, $below) = @_;
    my $report = report_ok($machine,
        "stack overflow: $stack ran out in crash_recurse_deeper\\+0x\\w+");
    trap_ok($report, 14, 2);
    whole_ok($report);
    my $into = $report->{registers}{cr2} - $address{$stacks};
    ok($into >= 0 && $into % 0x5000 < 0x1000, 'cr2 is in a guard page');

    my @names = names($report);
    is(scalar(@names), $frames_first + $frames_last, 'the chain is cut');
    cmp_ok($report->{cut} // 0, '>', 20, '... in the middle, with the number of those left out');
    is_deeply([@names[0 .. $frames_first - 1]], [('crash_recurse_deeper') x $frames_first],
        '... with the innermost frames above');
    is(scalar(grep { $_ eq $below } @names[$frames_first .. $#names]), 1,
        "... and $below below");
    return $report;
}

my %tests = (
    (map { my $how = $_; $how => sub { exception_ok($how, $ways{$how}) } } keys %ways),
    recurse => sub {
        overflow_ok(boot(machine => 'qemu', run => 'crash recurse'),
            'the task stack', 'stack_task', 'command_run');
    },
    'recurse-thread' => sub {
        overflow_ok(boot(machine => 'qemu', smp => 4, run => 'crash recurse-thread'),
            'the stack of doomed', 'the slots', 'thread_start');
    },
    'sleep-locked' => sub {
        asked_ok('sleep-locked',
            'assertion failed: preempt_count\(\) == 1, kernel/sched/scheduler\.c:\d+',
            qw(panic assert_failed scheduler_switch scheduler_sleep wait_queue_sleep));
    },
    panic => sub {
        asked_ok('panic', 'asked for by `crash panic`', qw(panic crash_panic crash_run));
    },
    assert => sub {
        asked_ok('assert', 'assertion failed: nowhere == 0, kernel/console/crash\.c:\d+',
            qw(panic assert_failed crash_assert crash_run));
    },
    console => sub {
        my $machine = boot(machine => 'qemu', run => 'crash console');
        is($machine->status, $stopped, 'the machine ends, with the status of a panic');
        like($machine->console,
            qr/^Pitot stopped: failure inside the report .*: this console prints nothing\n\z/m,
            "what has no report is told by the machine's own console");
        unlike($machine->console, qr/^PANIC/m, '... which the report did not come to');
    },
);

my @hangs = qw(hang hang-locked);    # only the watchdog reports: tests/boot/watchdog.t
my $listing = boot(machine => 'qemu', run => 'crash; poweroff');
ended_ok($listing, '`crash` alone hurts nobody');
is(join(' ', sort($listing->console =~ /^  (\S+) +\S/mg)), join(' ', sort(keys %tests, @hangs)),
    '... and lists the ways that are tested here');
subtest("crash $_" => $tests{$_}) for sort(keys %tests);

# --- The last samples ----------------------------------------------------------------------------

# The newest samples are shown, in order. There must be more than fit, or at least `least` if given.
sub samples_ok
{
    my ($report, $event, $least) = @_;
    $least //= $last_samples + 1;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my @samples = samples($report->{samples});
    my @times = map { $_->{time} } @samples;
    my ($shown, $all) = $report->{samples} =~ /\Alast samples, (\d+) of (\d+):$/m;

    cmp_ok($all // 0, '>=', $least, 'the report tells of all samples that there are');
    my $expected = min($last_samples, $all // 0);
    is($shown, $expected, '... announces the last of them');
    is(scalar(@samples), $expected, '... and shows these');
    is(scalar(grep { $_->{event} ne $event } @samples), 0, '... with the event recorded');
    is("@times", join(' ', sort { $a <=> $b } @times), '... in the order of time');
    return @samples;
}

subtest 'a fault while recording shows what led there' => sub {
    my $report = report_ok(boot(machine => 'qemu',
        run => 'perf record -e mem:nowhere:rw -g -- crash read'), 'page fault at crash_read\+.*');
    my ($sample, @more) = samples($report->{samples});
    like($report->{samples}, qr/\Alast samples, 1 of 1:\n/, 'one sample');
    is(scalar(@more), 0, '... and no other');
    is_deeply($sample->{chain}, [names($report)],
        'the read before the fault came the same way');
};

subtest 'an overflow while recording shows the last samples' => sub {
    my $report = overflow_ok(boot(machine => 'qemu',
        run => 'perf record -a -e mem:deeper:rw -g -- crash recurse'),
        'the task stack', 'stack_task', 'command_run');
    my @samples = samples_ok($report, 'mem:deeper:rw');
    my ($shortest) = sort { $a <=> $b } map { scalar @{$_->{chain}} } @samples;
    cmp_ok($shortest, '>', $frames_first + $frames_last, 'their chains are not cut');
};

subtest 'a finished recording is still shown' => sub {
    my $machine = boot(machine => 'qemu',
        run => 'perf record -a -e mem:kernel_flag:rw -g -- fs-stress 1; perf script; crash panic');
    my @shown = samples_ok(report_ok($machine, 'asked .*'), 'mem:kernel_flag:rw');
    my @all = samples(said($machine, 'perf script'));
    is_deeply(\@shown, [@all[-$last_samples .. -1]], 'by its newest samples');
};

subtest 'without a recording nothing is said of samples' => sub {
    is(report_of(boot(machine => 'qemu', run => 'crash panic'))->{samples}, '', 'no samples');
};

# --- From outside --------------------------------------------------------------------------------

# Starts a machine with a monitor, lets `prepare` bring it to the right place, sends the monitor's
# command and waits for the end. Uses the host's clock, as a person would.
sub struck
{
    my ($command, $prepare, %options) = @_;
    my $path = "$build/logs/crash/monitor";
    my $machine = start(machine => 'qemu', smp => 4, icount => '', %options,
        extra => ['-chardev', "socket,id=monitor,path=$path,server=on,wait=off",
            '-monitor', 'chardev:monitor']);
    $prepare->($machine);
    my $monitor = IO::Socket::UNIX->new(Peer => $path) or die("$path: $!");
    $monitor->printflush("$command\n");
    $machine->wait_end;
    return $machine;
}

sub at_prompt
{
    my ($machine) = @_;
    $machine->expect(qr/^pitot> $/m);
}

# Returns a `prepare` that waits until this event is recorded under load.
sub recording
{
    my ($event) = @_;
    return sub {
        my ($machine) = @_;
        at_prompt($machine);
        $machine->send("perf record -a -e $event -g --overwrite -- fs-stress 1000000\n");
        $machine->expect(qr/fs-stress: \d+ of 1000000/);
    };
}

# The report of an NMI. The table has a chain wherever it arrives, also inside a trap entry.
sub nmi_report
{
    my ($prepare, %options) = @_;
    my $report = report_ok(struck('nmi', $prepare, %options),
        'non-maskable interrupt at \S+\+0x\w+');
    is_deeply([@$report{qw(vector error)}], [2, 0], 'the vector of an NMI');
    whole_ok($report);
    return $report;
}

subtest 'an NMI at the prompt' => sub {
    my $report = nmi_report(\&at_prompt);
    # Whichever CPU reports first: on a slow host it may just be on its way to the idle thread.
    cmp_ok(scalar(grep { /^(?:scheduler_idle|console_run|thread_start)$/ } names($report)), '>', 0,
        'nobody had anything to do, or the console was about to wait');
};

# QEMU's NMI goes to all CPUs, and the first one reports; here it is the CPU that runs the workload.
# The host determines when it arrives, so it may interrupt the boot thread, which runs the workload,
# or another.
subtest 'an NMI while the timer is watched' => sub {
    my $report = nmi_report(recording('mem:ticks:w'), smp => 1);
    my @names = names($report);
    my $through = grep { $_ eq 'fs_stress_run' } @names;
    # During a sample the chain may be so long that the part with the workload is left out.
    ok($names[-1] eq 'boot_entry_high' ? $through == 1 || $report->{cut} : $through == 0,
        'in the boot thread the chain leads through the workload, in no other thread')
        or diag("@names");
    samples_ok($report, 'mem:ticks:w', 1);    # a host that stops loses ticks
};

# It may arrive anywhere while a sample is written.
subtest 'an NMI in a flood of hits' => sub {
    samples_ok(nmi_report(recording('mem:kernel_flag:rw')), 'mem:kernel_flag:rw');
};

# An uncorrected error in bank 0: Intel SDM vol. 3, "IA32_MCi_STATUS MSRs".
subtest 'a machine check' => sub {
    my $report = report_ok(struck('mce 0 0 0xb200000000000000 0x5 0 0', \&at_prompt),
        'machine check at \S+\+0x\w+');
    is($report->{vector}, 18, 'the vector of a machine check');
};

done_testing();
