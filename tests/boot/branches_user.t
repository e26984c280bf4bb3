#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: core/event/program_steps, core/event/source_branches, arch/x86_64/debug/user_step
# of: arch/x86_64/debug/branch
#
# Branches of programs: none is missing and each is right. The test follows the records through the
# program's disassembly: from each target, code must run straight to the next branch, past no other.
# Also programs stopped by a breakpoint, with their last branches. Run from the root of the tree:
#
#     prove tests/boot/branches_user.t
use strict;
use warnings;
no warnings qw(portable);    # numbers have 64 bits here
use lib 'tests/lib';
use Test::More;
use Pitot;
use Pitot::Transcript;

my $build = $ENV{BUILD} // 'build';

# {address => [next, mnemonic, operand]}, as objdump disassembles the file.
my %code;

sub code_of
{
    my ($program) = @_;
    return $code{$program} if $code{$program};
    my (%at, $last);
    for (split(/\n/, `objdump -d --no-show-raw-insn -M intel $build/programs/$program`)) {
        my ($address, $text) = /^ +([0-9a-f]+):\t(.*)/ or next;
        $text =~ s/^(?:(?:rep\w*|lock|notrack|bnd|data16|cs|ds|es|ss|rex\S*) +)*//;
        my ($mnemonic, $operand) = split(' ', $text, 2);
        $address = hex($address);
        $at{$last}[0] = $address if defined $last;
        $at{$address} = [0, $mnemonic, $operand // ''];
        $last = $address;
    }
    return $code{$program} = \%at;
}

sub entry_of
{
    my ($program) = @_;
    return hex((`readelf -h $build/programs/$program` =~ /Entry point address: +0x(\w+)/)[0]);
}

my $always = qr/^(?:jmp|call|ret|iretq?|iretd)$/;
my $branch = qr/^(?:j\w+|call|ret|iretq?|iretd|loop\w*)$/;

# What is wrong with the path of these branches, [from, to] each, or nothing. The path begins at
# `at` or where the first branch is, and runs straight from the last one to one of these mnemonics.
sub objection
{
    my ($program, $at, $branches, $ends) = @_;
    my $code = code_of($program);
    $at //= $branches->[0][0];
    for (@$branches) {
        my ($from, $to) = @$_;
        while ($at != $from) {
            my $instruction = $code->{$at} or return sprintf('no instruction at %x', $at);
            return sprintf('%s at %x is left out, before %x', $instruction->[1], $at, $from)
                if $instruction->[1] =~ $always;
            $at = $instruction->[0];
        }
        my ($next, $mnemonic, $operand) = @{$code->{$at}};
        return sprintf('%s at %x is no branch', $mnemonic, $at) if $mnemonic !~ $branch;
        return sprintf('%s %s at %x led to %x', $mnemonic, $operand, $at, $to)
            if $operand =~ /^([0-9a-f]+)\b/ && hex($1) != $to;
        $at = $to;
    }
    return '' if !$ends;
    for (1 .. 1000) {
        my $instruction = $code->{$at} or return sprintf('it ends in nothing, at %x', $at);
        return '' if $instruction->[1] =~ /^(?:$ends)$/;
        return sprintf('%s at %x is left out, at the end', $instruction->[1], $at)
            if $instruction->[1] =~ $always;
        $at = $instruction->[0];
    }
    return 'it does not end';
}

# {tid => [[from, to], ...]} of the branch samples in `perf script`'s lines.
sub ways_of
{
    my ($text) = @_;
    my %ways;
    for (split(/\n/, $text)) {
        my ($tid, $from, $to) =
            /^\s*\S+ +(\d+) .*branches:u: +([0-9a-f]+) \S+ => +([0-9a-f]+) /
            or next;
        push(@{$ways{$tid}}, [hex($from), hex($to)]);
    }
    return %ways;
}

my $fields = 'comm,tid,cpu,time,period,event,ip,sym,symoff,addr';

sub recorded
{
    my ($record, %with) = @_;
    my @before = @{delete $with{before} // []};
    my $machine = boot(%with, run => join('; ', @before, $record, 'poweroff'));
    ended_ok($machine, $record);
    return ($machine, scalar perf_script($machine, '-F', $fields));
}

# --- Every branch, and each right ----------------------------------------------------------------

# The last instruction of each program: its exit call, or the error that ends it.
for (['calls exit 3', 'syscall'], ['calls flags', 'syscall'], ['fs-load 1', 'syscall'],
    ['attack divide', 'div|idiv'], ['attack trap_flag', '\w+'], ['attack ss_syscall', 'syscall']) {
    my ($command, $ends) = @$_;
    my ($program) = split(' ', $command);
    my ($machine, $text) = recorded("perf record -m 4m -e branches -- /bin/$command");
    my $said = said($machine, "perf record -m 4m -e branches -- /bin/$command");
    my %ways = ways_of($text);
    is(scalar(keys %ways), 1, '... one program');
    my ($way) = values %ways;
    my ($kept) = $said =~ /^\[ perf record: (\d+) records? kept, \d+ instructions stepped \]$/m;
    is(scalar(@$way), $kept, '... each record is a branch of its own');
    is(objection($program, entry_of($program), $way, $ends), '',
        '... from its first instruction to its last no branch is left out, and each is right');
    like($text, qr/ _start\+0x\w+ => +[0-9a-f]+ main\+0x0$/m, '... by name in the real perf');
    next if $command ne 'calls flags';
    unlike($said, qr/exit status|killed/, '... and it does not see that it is stepped');
}

# Two runs of a program have equal counts; the console prints what perf prints.
{
    my $count = 'perf stat -e branches:u -- /bin/fs-load 1';
    my $few = 'perf record -e branches:u -- /bin/calls exit 3';
    my $machine = boot(run => join('; ', $count, $count, $few, 'perf script', 'perf report',
            'perf list', 'poweroff'));
    ended_ok($machine, 'counts');
    my @counts = map { said($machine, $count, $_) =~ /^ +(\d+) +branches:u$/m ? $1 : -$_ } 1, 2;
    is($counts[0], $counts[1], 'two runs have as many branches');
    cmp_ok($counts[0], '>', 10000, '... thousands');
    my @lines = script_lines(scalar perf_script($machine, '-F', $fields));
    same_lines_ok(script_lines(said($machine, 'perf script')), @lines,
        'perf script: the kernel prints the lines that perf prints');
    like(said($machine, 'perf report'), qr/^# Samples: \S+ +of event 'branches:u'$/m,
        'perf report has them');
    like(said($machine, 'perf list'), qr/^  branches\[:k\|:u\] OR branch-instructions /m,
        'perf list');
}

# --- Several at once, children, -p ---------------------------------------------------------------

# Each program's path is complete, whichever thread has the CPU in between.
for my $smp (1, 4) {
    my $record = 'perf record -m 4m -e branches:u -- /bin/attack brood';
    my ($machine, $text) = recorded($record, smp => $smp);
    my %ways = ways_of($text);
    is(scalar(keys %ways), 33, "$smp CPUs: a program and its children");
    my @wrong = grep { $_ } map { objection('attack', entry_of('attack'), $_, 'syscall') }
        values %ways;
    is_deeply(\@wrong, [], '... of each every branch is there, and right');
    unlike(said($machine, $record), qr/lost/, '... none is lost');
}
{
    my $record = 'perf record -m 4m -a -e branches:u -- /bin/fs-load 1';
    my ($machine, $text) = recorded($record, before => ['run spin calls &']);
    my %ways = ways_of($text);
    is(scalar(keys %ways), 2, '-a: the workload, and who runs beside it');
    my ($spin, $load) = map { $ways{$_} } sort { $a <=> $b } keys %ways;
    is(objection('spin', undef, $spin, undef), '', '... of which no branch is left out');
    is(objection('fs-load', entry_of('fs-load'), $load, 'syscall'), '', '... nor of the workload');
}

# --- A tail, and a stopped program ---------------------------------------------------------------

{
    my $of_pid = 'perf record --overwrite -m 8k -e branches -p 4 -- fs-stress 3';
    my $stop = 'perf record --overwrite -m 8k -e branches:u '
        . '-e mem:/bin/fs-load:client_logger:x/stop/ -- /bin/fs-load 3';
    my $machine = boot(run => join('; ', 'run spin calls &', $of_pid, 'perf script', 'kill 4; wait',
            $stop, 'perf script', 'ps', 'run calls exit 0', 'perf report -g none -s sym',
            'kill -CONT 5', 'wait', 'poweroff'));
    ended_ok($machine, 'tails');
    my %ways = ways_of(said($machine, 'perf script'));
    is(join(' ', keys %ways), '4', '-p: that program alone');
    is(objection('spin', undef, $ways{4}, undef), '', '... and its newest branches, without a gap');
    cmp_ok(scalar(@{$ways{4}}), '>', 8192 / 56 - 4, '... as many as the ring holds');
    like(said($machine, $stop),
        qr/^fs-load \(pid 5\): stopped by signal 19\n(?:.*\n)*\[ perf record: \d+ records? kept, /m,
        'a breakpoint stops its program, and the recording ends');
    my $script = said($machine, 'perf script', 2);
    my $hit = qr/mem:\/bin\/fs-load:client_logger:x: .*client_logger\+0x0\n/;
    like($script, qr/branches:u: .* => +[0-9a-f]+ client_logger\+0x0\n.*$hit\z/,
        '... in front of the instruction, with the way to it at hand');
    like(said($machine, 'ps'), qr/^ +5 +\d+ +stopped .* fs-load /m, '... it is stopped');
    unlike(said($machine, 'run calls exit 0'), qr/fs-load/, '... while another program runs');
    like(said($machine, 'perf report -g none -s sym'), qr/client_logger/, '... and can be read of');
    like($machine->console, qr/^fs-load: \d+ system calls, all verified$/m,
        'it goes on where it was');
    like($machine->console, qr/fs-load \(pid 5\): exit status 0$/m, '... to its end');
}

# --- Programs that change their flags ------------------------------------------------------------

{
    my @attacks = qw(trap_flag trap_flag_syscall trap_flag_int3 flags_int3 flags_ud2 flags_step
        ss_syscall lss_syscall ss_int3 ss_trap_flag_syscall ss_trap_flag_int3 trap_flag_operand
        trap_flag_syscall_operand int3 edge jump_kernel jump_non_canonical retf_32 iretq_kernel
        virtual_program virtual_step);
    my $load = 'perf stat -e mem:kernel_flag:w -- /bin/fs-load 3';
    my $beside = 'perf stat -e branches:u,mem:kernel_flag:w -- /bin/fs-load 3';
    my $machine = boot(icount => 1, run => join('; ', (map { ("run attack $_",
                    "perf stat -e branches:u -- /bin/attack $_") } @attacks),
            $load, $beside, 'cpus', 'poweroff'));
    ended_ok($machine, 'attacks that are stepped');
    for (@attacks) {
        my ($plain) = said($machine, "run attack $_") =~ /^(?:attack|\/bin\/attack): (killed.*)$/m;
        my ($stepped) = said($machine, "perf stat -e branches:u -- /bin/attack $_")
            =~ /^\/bin\/attack: (killed.*)$/m;
        is($stepped // 'goes on', $plain // 'goes on', "attack $_ ends as it does without steps");
    }
    my @stores = map { said($machine, $_) =~ /^ +(\d+) +mem:kernel_flag:w$/m ? $1 : -1 } $load,
        $beside;
    cmp_ok($stores[0], '>', 100, 'the kernel\'s data is watched');
    is($stores[1], $stores[0], '... beside the steps of a program, too');
    unlike($machine->console, qr/missed/, '... on all CPUs');
}

# --- Refusals ------------------------------------------------------------------------------------

my @refused = (
    ['-e branches:u -- fs-stress', qr/branches:u: fs-stress runs in the kernel: .*-p PID or -a/],
    ['-e branches:k -- /bin/fs-load', qr/branches:k: in a program .*--start mem:sys_write:x/],
    ['-e branches -p 1 -- fs-stress', qr/-p 1: this is a kernel thread; branches:u needs .*/],
    ['-e branches/window=9/ -- /bin/fs-load', qr/window=: a program is stepped all the way, .*/],
    ['-e branches:u --start mem:fs_write:x -- /bin/fs-load', qr/branches:u: --start opens .*/],
    ['-e branches,mem:/bin/fs-load:calls:w -- /bin/fs-load',
        qr/.*QEMU's TCG .* not the program's data/],
    ['-e mem:kernel_flag:w/stop/ -- /bin/fs-load', qr/mem:kernel_flag:w: the term stop is for .*/],
    ['-e cpu-clock/stop/ -- /bin/fs-load', qr/cpu-clock: the term stop is for a breakpoint .*/],
);
my $machine = boot(run => join('; ', (map { "perf record $_->[0]" } @refused), 'poweroff'));
ended_ok($machine);
like(said($machine, "perf record $_->[0]"), qr/^perf record: $_->[1]$/m, "refused: $_->[0]")
    for @refused;

done_testing();
