#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: kernel/user, core/unwind/user, core/perf/targets, programs
#
# perf across the border: chains from the kernel into the program that called it, breakpoints in
# programs, system calls as events, and all their names in the real perf, which finds programs under
# the root that `make` creates. Run from the root of the tree:
#
#     prove tests/boot/user_perf.t
use strict;
use warnings;
use lib 'tests/lib';
use List::Util qw(sum0);
use Test::More;
use Pitot;
use Pitot::CallGraph;
use Pitot::Transcript;

my $build = $ENV{BUILD} // 'build';
my $fp_build = $ENV{FP_BUILD} // "$build/fp";
my %files = (kernel => "$build/pitot.elf",
    map { $_ => "$build/programs/$_" } qw(fs-load poll-load));

# The chain to a page allocation in poll, in every build.
my @poll_chain = qw(pages_alloc sys_poll syscall_dispatch user_syscall syscall_entry
    poll_once main _start);

# Compares both perfs' output for the whole stream; if it has several recordings, only the last
# one's samples.
sub same_ok
{
    my ($machine, $report, $script, $name) = @_;
    same_report_ok(report_lines(said($machine, $report)),
        report_lines(scalar perf_report($machine, '--no-children', '-F', 'overhead,sample,sym',
                '-g', 'caller')),
        \%files, "$name: perf reports the same");
    same_lines_ok(script_lines(said($machine, $script)), script_lines(scalar perf_script($machine,
                '-F', 'comm,tid,cpu,time,period,event,trace,ip,sym,symoff')),
        "$name: perf prints the same");
}

sub polls_ok
{
    my ($machine, $name) = @_;
    my @polls = grep { grep { $_ eq 'sys_poll' } @{$_->{chain}} }
        samples(said($machine, 'perf script'));
    is(scalar(@polls), 40, "$name: each of its calls takes a page");
    is_deeply([map { $_->{chain} } @polls], [map { \@poll_chain } @polls],
        '... and its chain leads from the allocator to the first instruction of the program');
    is_deeply([grep { $_->{comm} ne 'poll-load' } @polls], [], '... under the program\'s name');
}

# --- Chains, without and with frame pointers in the kernel ----------------------------------------

{
    my $record = 'perf record -a -e kmem:mm_page_alloc -R -g -- /bin/poll-load 40';
    my $machine = boot(run => "$record; perf report -g caller -s sym; perf script; poweroff");
    ended_ok($machine, 'pages of a program\'s poll');
    polls_ok($machine, 'without frame pointers');
    same_ok($machine, 'perf report -g caller -s sym', 'perf script', 'pages');
}

{
    my $record = 'perf record -a -e kmem:mm_page_alloc -R -g --verify-chain -- /bin/poll-load 40';
    my $machine = boot(iso => "$fp_build/test/pitot.iso",
        run => "$record; perf script; poweroff");
    ended_ok($machine, 'the same in a kernel with frame pointers');
    polls_ok($machine, 'with frame pointers');
    like(said($machine, $record), qr/^\[ verify-chain: (\d+) chains .*, \1 agree \]$/m,
        '... and both ways agree up to the border');
}

# --- Breakpoints in programs ----------------------------------------------------------------------

{
    my @places = qw(main path write_file client_logger);
    my $count = 'perf stat -a -e mem:/bin/fs-load:calls:w,mem:/bin/fs-load:main:x,'
        . 'mem:/bin/poll-load:main:x -- /bin/fs-load 2';
    my $values = 'perf record -a -e mem:/bin/fs-load:calls/8:w:u -e breakpoint:hit -g -R'
        . ' -- /bin/fs-load 2';
    my $first = 'perf record -a ' . join(' ', map { "-e mem:/bin/fs-load:$_:x" } @places)
        . ' -g -- /bin/fs-load 2';
    my $clock = 'perf record -a -e cpu-clock:u -F 8000 -g -- /bin/fs-load 400';
    my $machine = boot(run => join('; ', $count, $values, 'perf script', $first, 'perf script',
            'perf list', $clock, 'perf report -s sym', 'poweroff'));
    ended_ok($machine, 'breakpoints in a program');

    my ($calls) = said($machine, $count) =~ /fs-load: (\d+) system calls/;
    my %counts = reverse said($machine, $count) =~ /^ +(\d+) +mem:(\S+)$/mg;
    is_deeply(\%counts, {'/bin/fs-load:calls:w' => $calls, '/bin/fs-load:main:x' => 1,
            '/bin/poll-load:main:x' => 0},
        '... count what the program counts itself, and nothing in another program');

    my @samples = samples(said($machine, 'perf script'));
    my @told = said($machine, 'perf script') =~ /breakpoint:hit: .* old=(\w+) new=(\w+) /g;
    is_deeply([map { hex } @told], [map { ($_, $_ + 1) } 0 .. $calls - 1],
        '... tell what was there before and after, of this process alone');
    is_deeply([grep { $_->{chain}[-1] ne '_start' } @samples], [],
        '... and how the program came there');

    @samples = samples(said($machine, 'perf script', 2));
    my %callers;
    for my $sample (@samples) {
        my ($place) = $sample->{event} =~ /fs-load:(\w+):x/;
        is($sample->{chain}[0], $place, "a hit of $place") if !$callers{$place}++;
        next if $place eq 'main';
        push(@{$callers{wrong}}, $sample)
            if @{$sample->{chain}} < 3 || $sample->{chain}[-2] ne 'main';
    }
    is_deeply([sort keys %callers], [sort @places],
        'at a function\'s first instruction its caller is in the chain, too');
    is($callers{main}, 1, '... once of main');
    unlike(said($machine, 'perf list'), qr/^ +dr\d +0x/m, '... and no register stays taken');

    my @hits = said($machine, 'perf report -s sym') =~ /^ +\d+\.\d\d% +\d+ +\[(.)\]/mg;
    cmp_ok(scalar(@hits), '>', 0, 'cpu-clock:u has samples');
    is_deeply([grep { $_ ne '.' } @hits], [], '... all of them in the program');
}

# --- One thread alone: the console's, which wakes those that it makes -----------------------------

{
    my $machine = boot(run => 'perf record -p 1 -e sched:sched_wakeup,cpu-clock'
            . ' -- fs-stress --threads 3 30; perf script; poweroff');
    ended_ok($machine, 'perf record -a -p');
    my @samples = samples(said($machine, 'perf script'));
    my @wakeups = grep { $_->{event} =~ /wakeup/ } @samples;
    cmp_ok(scalar(@wakeups), '>=', 3, '... has the thread\'s hits');
    is_deeply([grep { $_->{tid} != 1 } @samples], [], '... and no other\'s');
}

# --- A process that runs already ------------------------------------------------------------------

# It and its twin run in the background, each on its own CPU.
{
    my $place = sprintf('mem:%s/8:w', address_of("$build/programs/fs-load", 'calls'));
    my $machine = start(smp => 4, icount => '');
    my $said_by = sub {
        my ($command, $until, $name) = @_;
        $machine->send("$command\n");
        return $machine->expect(qr/$until\n.*^pitot> $/ms, $patience, $name);
    };
    $machine->expect(qr/^pitot> $/m, $patience, 'there is a prompt');
    my ($other, $pid) = map {
        $said_by->('run fs-load 1000000 &', qr/^fs-load runs as \d+/m, 'one beside the console')
            =~ /runs as (\d+)/
    } 1 .. 2;
    # The host determines how long its CPU runs during the load, so the test repeats until it was
    # enough.
    my $recorded = "perf record -c 16 -e $place:u -e breakpoint:hit -g -R -p $pid -- fs-stress 1";
    my ($deadline, @samples) = (time + $patience);
    while (@samples < 10 && time < $deadline) {
        $said_by->($recorded, qr/^\[ perf record: .*/m, 'perf record -p of a process that runs');
        @samples = samples($said_by->("perf script\nthat-is-all", qr/^that-is-all: .*/m));
    }
    cmp_ok(scalar(@samples), '>', 9, '... has more than a few hits');
    is_deeply([grep { $_->{tid} != $pid } @samples], [], '... all of them its own');
    is_deeply([grep { $_->{chain}[-1] ne '_start' } @samples], [], '... from its beginning on');
    my @told = $machine->console =~ /breakpoint:hit: .* old=0x(\w+) new=0x(\w+) /g;
    cmp_ok(scalar(@told), '>', 9, '... with what was written');
    is_deeply([grep { hex($told[2 * $_ + 1]) != hex($told[2 * $_]) + 1 } 0 .. @told / 2 - 1], [],
        '... the next number each time');
    my $traced = '';
    while ($traced !~ qr{^ .*fs-load/$pid }m && time < $deadline) {
        $traced = $said_by->("perf trace -e rename -p $pid -- fs-stress 1\nthat-is-all",
            qr/^that-is-all: .*/m, 'perf trace -p');
    }
    like($traced, qr{^ .*fs-load/$pid }m, '... has its calls');
    unlike($traced, qr{fs-load/$other }, '... and none of its twin\'s');

    # The process's end is printed once its CPU gets there, perhaps after a prompt; `wait` waits for
    # that.
    my $record = "perf record -e $place -e raw_syscalls:* -p $pid -- kill $pid";
    my $said = $said_by->("$record\nwait $pid\nthat-is-all", qr/^that-is-all: .*/m,
        'one that ends while it is recorded');
    like($said, qr/^\[ perf record: \d+ records? kept/m, '... of which the recording is reported');
    like($said, qr/fs-load \(pid $pid\): killed by signal 15$/m, '... as is its end');
    like($said_by->("perf record -e $place -p $pid -- help", qr/^perf record: .*/m, 'then -p'),
        qr/^perf record: -p $pid: no such thread; `ps` lists them$/m, '... reports it');
    unlike($said_by->('perf list', qr/^ +dr0 .*/m, 'perf list'), qr/^ +dr\d +0x/m,
        '... and no register stays taken');
    $said_by->("kill -9 $other; wait", qr/^fs-load \(pid $other\): killed by signal 9/m,
        'the other ends, too');
    unlike($said_by->('ps', qr/^ +pid .*/m, 'ps'), qr/fs-load/, '... and nobody is left');
    $machine->send("poweroff\n");
    $machine->wait_end;
    ended_ok($machine, 'recordings of processes that ran already');
    my @real = samples(scalar perf_script($machine, '-F', 'comm,tid,cpu,time,period,event,ip,sym',
            '--tid', $pid));
    cmp_ok(scalar(grep { ($_->{chain}[-1] // '') eq '_start' } @real), '>', 9,
        'the real perf has its names, though it was mapped before');
}

# Its thread may get the CPU before it belongs to the process.
{
    my $count = 'perf stat -a -e mem:/bin/attack:main:x -- /bin/attack brood';
    my $record = 'perf record -a -e mem:/bin/attack:main:x -- /bin/attack brood';
    my $machine = boot(smp => 4, run => "$count; $record; poweroff");
    ended_ok($machine, 'many processes are born at once');
    like(said($machine, $count), qr{^ +33 +mem:/bin/attack:main:x$}m,
        '... and the breakpoint is there for each, on whichever CPU');

    my @tasks = perf_report($machine, '--tasks') =~ /^ +(\d+) +\1 +(\d+) \| *attack$/mg;
    my %parent = @tasks;
    my ($mother) = grep { $parent{$_} == 1 } keys %parent;
    delete $parent{$mother // ''};
    is(scalar(keys %parent), 32, 'the real perf knows all of them');
    is_deeply([grep { $_ != ($mother // 0) } values %parent], [], '... and who made them');
    my @ends = perf_script($machine, '--show-task-events', '-F', 'comm,tid,time,event')
        =~ /PERF_RECORD_EXIT\((\d+):\1\)/g;
    is_deeply([sort @ends], [sort($mother // (), keys %parent)], '... and that they have ended');
}

# --- Refusals -------------------------------------------------------------------------------------

{
    my @wrong = (
        ['mem:/bin/none:main:x', qr{/bin/none cannot be read; `run` lists the programs}],
        ['mem:/bin/fs-load:mainn:x', qr{no symbol "mainn" in /bin/fs-load; near: main}],
        ['mem:/bin/fs-load:calls:x', qr{0x\w+ of /bin/fs-load is not executable: .*}],
        ['mem:/bin/fs-load:0x10000000:w', qr{0x10000000/4 is in no segment of /bin/fs-load; -p .*}],
        ['mem:/bin/fs-load:calls:w:k', qr{.*: with the modifier k there is never a hit}],
        ['mem:0x400000:w -p 1', qr{no program runs as 1; `ps` lists them}],
        ['cpu-clock -p 99', qr{-p 99: no such thread; `ps` lists them}],
        ['branches:u', qr{branches:u: help runs in the kernel: .*}],
    );
    my $machine = boot(run => join('; ', (map { "perf record -e $_->[0] -- help" } @wrong),
            'perf trace -e nix -- help', 'poweroff'));
    ended_ok($machine, 'what cannot be had in a program');
    for my $case (@wrong) {
        like(said($machine, "perf record -e $case->[0] -- help"),
            qr/\Aperf record: $case->[1]\n\z/, "$case->[0] is refused");
    }
    like(said($machine, 'perf trace -e nix -- help'),
        qr/\Aperf trace: no system call "nix"; there are read, write, .*\n\z/,
        'perf trace names the calls that there are');
}

# For each call that perf trace prints: its start, duration, thread, name and result.
sub calls_in
{
    my ($text) = @_;
    my $call = qr/^ *(\d+\.\d{3}) \( *(\d+\.\d{3}) ms\): (\S+) (\w+)\(.*\) += (-?\w+)/;
    return map { /$call/ ? "$1 $2 $3 $4 $5" : () } split(/\n/, $text);
}

# --- System calls ---------------------------------------------------------------------------------

{
    my $record = 'perf record -a -e raw_syscalls:*,syscalls:*_open,syscalls:*_poll -R -g'
        . ' -- /bin/fs-load 1';
    my $machine = boot(run => "$record; perf report -g caller -s sym; perf script; poweroff");
    ended_ok($machine, 'system calls as events');
    same_ok($machine, 'perf report -g caller -s sym', 'perf script', 'system calls');
    my @samples = samples(said($machine, 'perf script'));
    my %count;
    $count{$_->{event} =~ s/:$//r}++ for @samples;
    my ($calls) = said($machine, $record) =~ /fs-load: (\d+) system calls/;
    # The calls that it does not count: getpid, the write of its line, and exit, which does not
    # return.
    is($count{'raw_syscalls:sys_enter'}, $calls + 3, 'every call begins');
    is($count{'raw_syscalls:sys_exit'}, $calls + 2, '... and all but exit end');
    is($count{'syscalls:sys_enter_open'}, $count{'syscalls:sys_exit_open'},
        '... those of one kind alike');
    is_deeply([grep { "@{$_->{chain}}" !~ /^syscall_dispatch user_syscall syscall_entry \w/ }
            @samples], [], '... with the kernel\'s part of the chain');
    is_deeply([grep { $_->{chain}[-1] ne '_start' } @samples], [], '... and the program\'s');
}

{
    my $all = 'perf trace -S -- /bin/fs-load 1';
    my $some = 'perf trace -e poll -- /bin/poll-load 26';
    my $machine = boot(run => "$some; $all; poweroff");
    ended_ok($machine, 'perf trace');
    my $said = said($machine, $all);
    my $time = qr/^ *\d+\.\d{3} \( *\d+\.\d{3} ms\): fs-load\/\d+ /m;
    my ($calls) = $said =~ /fs-load: (\d+) system calls/;
    is(scalar(() = $said =~ /$time/g), $calls + 2, '... has a line for each call');
    like($said, qr{${time}open\(filename: "/fs-load.\d+/draft", flags: 0x241\) +=}, '... a name');
    like($said, qr{${time}lseek\(fd: 3, offset: -300, whence: 1\) += \d+$}m, '... numbers');
    like($said, qr{^ *\d+\.\d{3} \( +\?   \): fs-load/\d+ exit\(\) +=}m, '... and exit');
    my ($writes) = $said =~ /^   write +(\d+) +0( +\d+\.\d{3}){4} +\d+\.\d\d%$/m;
    is($writes, scalar(() = $said =~ /\): fs-load\/\d+ write\(/g), '... and sums them up');
    my @polls = said($machine, $some) =~ /poll-load\/\d+ poll\(.*timeout_msecs: 1\) += (.*)$/mg;
    is_deeply(\@polls, ['0 (Timeout)', ('1') x 24, '0 (Timeout)'], '... with what came out');

    # perf trace takes no pipe, not even its own (docs/machines.md).
    my $file = "$build/logs/user_perf/trace.data";
    is(system('tools/perf-file', $machine->com2, $file), 0, 'the stream can be a file');
    my @theirs = calls_in(scalar `perf --no-pager trace -i $file 2>&1 < /dev/null`);
    my $names = -r '/sys/kernel/tracing/events';    # of arguments; perf prints nothing without them
    is_deeply(\@theirs, [$names ? calls_in($said) : ()],
        '... in which the real perf trace has each call begin, last and end as ours, in order');
    is(scalar(calls_in($said)), $calls + 2, '... and which has them all');

    # perf's own scripts get the fields by position.
    my $scripts = `perf --exec-path` =~ s/\s+\z//r . '/scripts/python';
    my ($entered, $counts) = map { scalar `perf script -i $file $_ 2> /dev/null < /dev/null` } '',
        "-s $scripts/syscall-counts.py";
    is(sum0($counts =~ /^\w+ +(\d+)$/mg), scalar(() = $entered =~ /sys_enter:/g),
        '... and a script of perf counts all calls');

    my $cut = "$build/logs/user_perf/cut";
    for my $bytes (1000, 2400) {
        system("head -c $bytes @{[$machine->com2]} > $cut");
        like(scalar `tools/perf-file $cut $file 2>&1`, qr/\A\Q$cut\E: is cut .*\n\z/,
            "a stream of $bytes bytes is refused");
    }
}

done_testing();
