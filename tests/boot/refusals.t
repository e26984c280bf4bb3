#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: core/perf, core/event/spec, core/tracepoint/filter, core/lib/refusal, core/breakpoint
#
# What cannot be recorded is refused at once: one line with the error and what to type instead; the
# workload does not run, and nothing stays armed. Unusual but possible requests are accepted. Run
# from the root of the tree:
#
#     prove tests/boot/refusals.t
use strict;
use warnings;
no warnings 'portable';    # addresses have 64 bits
use lib 'tests/lib';
use Test::More;
use Pitot;
use Pitot::Transcript;

my $elf = ($ENV{BUILD} // 'build') . '/pitot.elf';
my $flag = 'mem:kernel_flag:rw';

# A symbol's address plus an offset, as the kernel prints it.
sub place
{
    my ($symbol, $offset) = @_;
    return sprintf('0x%x', hex(address_of($elf, $symbol)) + ($offset // 0));
}

# Each event and its message. The workload is `help`: if it ran, it would print many lines.
my @events = (
    # Names and numbers that are missing.
    ['mem:kernel_fla:rw', qr/no symbol "kernel_fla"; near: kernel_flag,.*/],
    ['mem:fsopen:x', qr/no symbol "fsopen"; near: .*\bfs_open\b.*/],
    ['mem:xqzzyxqzzy', qr/no symbol "xqzzyxqzzy", and none with a similar spelling/],
    ['mem:kernel_flag+4', qr/\+0x4 lies beyond the end of kernel_flag, which is 4 bytes long/],
    ['mem:0xnine', qr/"0xnine" is not a number; write it as 16 or 0x10/],
    ['mem:0x11112222333344445', qr/"0x11112222333344445" does not fit into 64 bits/],
    ['mem:', qr/address missing at the end: mem:\[\/PROGRAM:\]ADDR.*/],
    ['cycles', qr/unknown event "cycles": no counter of the CPU is used: -e cpu-clock .*/],
    ['qqqqqqqqqq', qr/unknown event "qqq.*": mem:.*ADDR.* or 5:ADDR, cpu-clock, branches, or .*/],
    ['{lock:*,cpu-clock}', qr/\{.*\}: no groups are needed, .*: -e EVENT,EVENT/],
    ['fs_read', qr/unknown event "fs_read"; for calls of the function: mem:fs_read:x/],
    ['kernel_flag:w', qr/unknown event "kernel_flag:w"; for accesses .*: mem:kernel_flag:rw/],
    ['probe:fs_read', qr/unknown event "probe:fs_read"; for calls .*: mem:fs_read:x/],
    ['probe:fs_raed', qr/unknown event "probe:fs_raed"; near: mem:fs_read, .*/],
    ['sched_swich', qr/unknown event "sched_swich"; near: sched:sched_switch; `perf list` .*/],
    ['syscalls:sys_enter_opn', qr/no tracepoint .*; near: syscalls:sys_enter_open, .*/],
    ['syscalls:q', qr/no tracepoint "syscalls:q"; syscalls: has sys_enter_\w+, .*\w, \.\.\./],
    ['mem:fs_*:x', qr/mem:fs_\*:x: .* tracepoints, .* mem:fs_open:x, .*\w, \.\.\./],
    ['mem:/bin/fs-load:mian:x', qr{no symbol "mian" in /bin/fs-load; near: main}],
    ['mem:/bin/fs-lod:main:x', qr{/bin/fs-lod cannot be read; `run` lists the programs}],

    # What a register cannot do.
    ['mem:kernel_flag+1/2:w', qr/0x[0-9a-f]+1 is not a multiple of 2: .*; 0x[0-9a-f]+0\/2 is .*/],
    ['mem:kernel_flag+2/4', qr/0x[0-9a-f]+2 is not a multiple of 4: .*; 0x[0-9a-f]+0\/4 is .*/],
    ['mem:kernel_flag+3/8', qr/0x[0-9a-f]+3 is not a multiple of 8: .*; 0x[0-9a-f]+0\/8 is .*/],
    ['mem:kernel_flag/0', qr/length 0: 1 to 32 bytes are allowed/],
    ['mem:kernel_flag/33', qr/length 33: 1 to 32 bytes are allowed/],
    ['mem:kernel_flag/:w', qr/length missing before ":w": .*/],
    ['mem:stack_task', qr/stack_task is \d+ bytes long; the debug registers cover 32: .*/],
    ['mem:kernel_flag+1/32', qr/5 debug registers needed, 4 of 4 free; held by nobody/],
    ['mem:kernel_flag:r', qr/access "r": x86 has no read-only watchpoint; rw is the nearest/],
    ['mem:kernel_flag:wx', qr/access "wx": one register cannot watch x together .*/],
    ['mem:kernel_flag:rwz', qr/"rwz" is neither an access .* nor a modifier .*/],
    ['mem:lock_kernel/4:x', qr/length 4: for x give 1, .*/],
    ['mem:kernel_flag:w:u', qr/.*: a program cannot access this address: with .* u .*/],
);

my @places = (
    # Places where no access or no instruction can be.
    ['mem:0xffffffff40000000', qr/0xf+40000000 is not mapped: no access there can hit, .*/],
    ['mem:0x12340000', qr/.*: each program has its own memory .*: mem:.*, -p PID, or -- .*/],
    ['mem:0', qr/0x0 is not mapped: no access there can hit, .*/],    # below the programs'
    ['mem:stack_task/8', qr/0x[0-9a-f]+ is not mapped: .*/],    # its guard page
    ['mem:0x1000000000000000', qr/0x1000000000000000 is not a canonical address: .*/],
    ['mem:0x800000000000:w', qr/0x800000000000 is not a canonical address: .*/],
    ['mem:0x7ffffffffff9/31:w', qr/0x7ffffffffff9 is not a canonical address: .*/],
    ['mem:0xfffffffffffffff9/31:w', qr/0xfffffffffffffff9 is not a canonical address: .*/],
    ['mem:kernel_flag:x', qr/0x[0-9a-f]+ is not executable: .*/],
    ['mem:__start_pitot_commands:x', qr/0x[0-9a-f]+ is not executable: .*/],

    # Memory that the debug trap itself uses; an overlap is enough.
    ['mem:watch_entry:x', qr/0x[0-9a-f]+\/1 overlaps the trap entry code: the debug trap .*/],
    ['mem:trap_stubs/8:rw', qr/0x[0-9a-f]+\/8 overlaps the trap entry code: .*/],
    ['mem:' . place('stack_ist', 0x1000) . '/8:w', qr/0x[0-9a-f]+\/8 overlaps the stacks that .*/],
    ['mem:percpu/8:w', qr/0x[0-9a-f]+\/8 overlaps the CPU's own area and the descriptor .*/],
    ['mem:idt/8:w', qr/0x[0-9a-f]+\/8 overlaps the CPU's own area .*/],
    ['mem:' . place('nowatch_data_start', -8) . '/16:w', qr/0x[0-9a-f]+8\/16 overlaps the CPU's.*/],
    ['mem:' . place('nowatch_data_end', -8) . '/16:w', qr/0x[0-9a-f]+8\/16 overlaps the CPU's.*/],
);

# The options of `perf record` up to the workload, and the message.
my $five = join(' ', map { "-e mem:$_/1:w" } qw(kernel_flag ticks nowhere deeper files));
my @options = (
    ["$five -- help", qr/mem:files\/1:w: no debug register is left, as the 4 .*/],
    ['-e branches --start mem:/bin/fs-load:main:x -- /bin/fs-load 1',
        qr/--start mem:\S+: windows open in the kernel, .*: mem:sys_open:x/],
    ["-e $flag -m 3 -- help", qr/ring of 12288 bytes: a power of two from 4096 to \d+ is allowed/],
    ["-e $flag -m 2k -- help", qr/ring of 2048 bytes: a power of two from 4096 to .*/],
    ["-e $flag -m 2048m -- help", qr/ring of 2147483648 bytes: a power of two from .*/],
    ["-e $flag -m 1024m -- help", qr/a ring of 1073741824 bytes for each CPU: \d+ bytes .*/],
    ["-e $flag -m 0 -- help", qr/ring .*: .*allowed/],
    ["-e $flag -m 4503599627370497 -- help", qr/ring .*: .*allowed/],    # 2^64 bytes and a page
    ["-e $flag -m some -- help", qr/ring size "some": .* are allowed/],
    ["-e $flag -c 0 -- help", qr/period "0": a whole number from 1 is allowed/],
    ["-e $flag -c -3 -- help", qr/period "-3": a whole number from 1 is allowed/],
    ['-e mem:kernel_flag:rw/period=0/ -- help', qr/period "0": a whole number from 1 is allowed/],
    ['-e mem:kernel_flag:rw/hue=7/ -- help', qr/event term "hue=7": allowed: period=N, .*/],
    ["-e $flag --call-graph dwarf -- help", qr/call-graph "dwarf": orc and no are allowed .*/],
    ["-e $flag --call-graph fp -- help", qr/call-graph "fp": orc and no are allowed .*/],
    ["-e $flag -g --verify-chain -- help", qr/--verify-chain: .* UNWINDER=fp has both ways/],
    ["-e $flag --skip 2 -- help", qr/--skip needs call chains: add -g/],
    ['-e mem:kernel_flag:rw/skip=2/ -- help', qr/skip=2 without a call chain; -g makes them/],
    ["-e $flag -g --skip 0 -- help", qr/skip "0": 1 to 126 callers are allowed/],
    ["-e $flag -g --skip 127 -- help", qr/skip "127": 1 to 126 callers are allowed/],
    ["-e $flag --frobnicate -- help", qr/unknown option "--frobnicate"; there are -e EVENT, .*/],
    ["-e $flag -c", qr/option -c needs a value/],
    ['-e', qr/option -e needs a value/],
    ["-e $flag --", qr/no command after --/],
    ["-e $flag -- fs-strss", qr/workload "fs-strss" is not a command; `help` lists them/],
    ['-e *:*,*:* -- help', qr/more than 96 events in one recording/],
);

# Boots, and tests that each command is answered with its one line and leaves all registers free.
sub refused_ok
{
    my @refusals = map { ["perf record $_->[0]" =~ s/ $//r, $_->[1]] } @_;
    my $machine = boot(mem => '256M',
        run => join('; ', (map { ($_->[0], 'perf list') } @refusals), 'poweroff'));
    ended_ok($machine);
    for my $number (1 .. @refusals) {
        my ($command, $words) = @{$refusals[$number - 1]};
        like(said($machine, $command), qr/\Aperf record: $words\n\z/, $command);
        is(free_registers($machine, $number), 4, '... leaves all registers free');
    }
}

# The number of free registers in the output of the nth `perf list`.
sub free_registers
{
    my ($machine, $nth) = @_;
    return scalar(() = said($machine, 'perf list', $nth) =~ /^  dr\d  free$/mg);
}

subtest 'events' => sub { refused_ok(map { ["-e $_->[0] -- help", $_->[1]] } @events) };
subtest 'places' => sub { refused_ok(map { ["-e $_->[0] -- help", $_->[1]] } @places) };
subtest 'options' => sub { refused_ok(@options) };

subtest 'a recording within a recording' => sub {
    my $command = "perf record -a -e $flag -- perf record -a -e mem:ticks:w -- help";
    my $machine = boot(run => "$command; perf list; poweroff");
    ended_ok($machine);
    my @lines = split(/\n/, said($machine, $command));
    like($lines[0], qr/^perf record: a recording is running already; .*/, 'the inner is refused');
    is("@lines[1 .. $#lines]", '[ perf record: 0 records kept ]', 'the outer is not');
    is(free_registers($machine, 1), 4, 'and both leave all registers free');

    $command = "perf record -a -e $flag --trigger mem:ticks:w/period=9999/"
        . ' -- perf stat -a -e mem:ticks:w';
    $machine = boot(run => "$command; poweroff");
    ended_ok($machine);
    my $both = qr/^perf \w+: a recording is running already; .*\n.*the trigger was not hit/;
    like(said($machine, $command), $both, "nor does a count change the outer's options");
};

subtest 'perf.boot=' => sub {
    my $machine = boot(perf_boot => 'record -e mem:kernel_fla:w', run => 'perf list; poweroff');
    ended_ok($machine, 'a refusal does not stop the boot');
    like($machine->console, qr/^perf\.boot: no symbol "kernel_fla"; near: kernel_flag,/m,
        '... and is said');
    is(free_registers($machine, 1), 4, '... and leaves all registers free');
};

subtest 'perf itself' => sub {
    my %refusals = (
        'perf' => qr/usage: perf list \| record \| report \| script \| stat \| trace/,
        'perf report' => qr/perf report: nothing is recorded; record with `perf record .*`/,
        'perf script' => qr/perf script: nothing is recorded; .*/,
        'perf stat -a -e mem:kernel_flag:r -- help' => qr/perf stat: access "r": .*/,
    );
    my $machine = boot(run => join('; ', sort(keys %refusals), 'poweroff'));
    ended_ok($machine);
    like(said($machine, $_), qr/\A$refusals{$_}\n\z/, $_) for sort(keys %refusals);
};

# All accepted: bytes 1 to 3 of the lock's word, the smallest ring and the largest for one CPU in
# the default memory, and a length and an access in perf's spelling.
subtest 'what is allowed' => sub {
    my @possible = ('-e mem:kernel_flag+1/3:rw', "-e $flag -m 1", "-e $flag -m 64m",
        "-e $flag --overwrite", '-e mem:lock_kernel/8:x', '-e mem:kernel_flag:w:k',
        '-e mem:' . place('kernel_flag') . '/4:rw', '-e mem:stack_task+0x1000/32:rw');
    my @commands = map { "perf record -a $_ -- bt" } @possible;
    my $machine = boot(smp => 1,
        run => join('; ', (map { ($_, 'perf list') } @commands), 'poweroff'));
    ended_ok($machine);
    for my $number (1 .. @commands) {
        my $command = $commands[$number - 1];
        like(said($machine, $command),
            qr/ bt_run\+.*\n(?:perf record: .*\n)*\[ perf record: .*\]\n\z/s, $command);
        is(free_registers($machine, $number), 4, '... and leaves all registers free');
    }
};

done_testing();
