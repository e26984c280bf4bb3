#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: core/gdb, arch/x86_64/debug/stop, arch/x86_64/smp/park, boot/gdb_door
#
# The kernel's own stub for gdb beside programs (docs/gdb.md): gdb attaches while one runs, steps go
# through `syscall` and `sysret`, end where a program faults, and ^C arrives wherever the CPU that
# runs alone is. The test implements the protocol itself. Run from the root of the tree:
#
#     prove tests/boot/gdb_programs.t
use strict;
use warnings;
no warnings qw(portable);    # numbers have 64 bits here
use lib 'tests/lib';
use List::Util qw(max);
use Test::More;
use Time::HiRes qw(time);
use Pitot;
use Pitot::Files;
use Pitot::GdbInside;
use Pitot::Stub;
use Pitot::Transcript;

plan skip_all => "COM3 is QEMU's" if ($ENV{MACHINE} // 'qemu') ne 'qemu';

my ($IF, $TF) = (0x200, 0x100);
my ($RSP, $RIP) = (7, 16);    # register numbers
my $steps = 1000;             # at most, on the path through the kernel
my $build = $ENV{BUILD} // 'build';
my $logs = "$build/logs/gdb_programs";
my %pid;    # of a machine's program
my %symbol = map { /^(\S+) \S (\S+)$/ ? ($2, hex($1)) : () } split(/\n/, `nm $build/pitot.elf`);

# Starts a machine with that program in the background; gdb's first packet arrives while it runs.
sub beside
{
    my ($name, $program, %options) = @_;
    my $path = "$logs/$name.com3";
    my $machine = start(com3 => "unix:$path", %options);
    $machine->expect(qr/^pitot> $/m, $patience);
    $pid{$machine} = $machine->run_beside($program, qr/spin: .*\n/);
    my $stub = Pitot::Stub->new($path);
    $stub->come;
    $stub->put('qC');
    return ($machine, $stub, $stub->get($patience));
}

# The chosen CPU's general registers, rip, eflags and cs.
sub registers
{
    my ($stub) = @_;
    my $all = pack('H*', $stub->ask('g'));
    my %value;
    @value{qw(rax rbx rcx rdx rsi rdi rbp rsp r8 r9 r10 r11 r12 r13 r14 r15 rip)}
        = unpack('Q<17', $all);
    @value{qw(eflags cs)} = unpack('L<2', substr($all, 17 * 8));
    return \%value;
}

# The stub's answer to a console command.
sub monitor
{
    my ($stub, $command) = @_;
    my ($said, $answer) = ('');
    $stub->put('qRcmd,' . unpack('H*', $command));
    $said .= pack('H*', substr($answer, 1)) while ($answer = $stub->get) =~ /^O[0-9a-f]/;
    return $said;
}

sub set_register { $_[0]->ask(sprintf('P%x=%s', $_[1], unpack('H*', pack('Q<', $_[2])))) }

# Chooses the CPU on which the program runs; undef if none does.
sub choose_program
{
    my ($stub, $cpus) = @_;
    for my $thread (1 .. $cpus) {
        $stub->ask_ok("Hg$thread");
        return $thread if registers($stub)->{cs} == 0x2b;
    }
    return undef;
}

# Sends ^C until it stops the program itself, on a CPU other than the first if there are several;
# undef if it never does.
sub stop_in_program
{
    my ($stub, $cpus) = @_;
    my $deadline = time + $patience;
    while (time < $deadline) {
        $stub->go(0.01);
        my $thread = choose_program($stub, $cpus) // 0;
        return $thread if $thread && ($thread > 1 || $cpus == 1);
    }
    return undef;
}

# Steps that CPU until its registers satisfy `holds`; returns those before and after the last step.
sub step_until
{
    my ($stub, $thread, $holds) = @_;
    my ($before, $after) = (undef, registers($stub));
    for (1 .. $steps) {
        $before = $after;
        $stub->put("vCont;s:$thread;c");
        my $answer = $stub->get($patience) // die("a step has no end\n");
        die("$answer behind a step of $thread\n") if $answer !~ /^T05thread:0*$thread;/;
        $after = registers($stub);
        return ($before, $after) if $holds->($after);
    }
    die(sprintf("%d steps, the last at %x\n", $steps, $after->{rip}));
}

sub instruction { return unpack('H*', $_[0]->memory($_[1], $_[2])) }

# Kills the running program and ends the machine.
sub end_ok
{
    my ($machine, $name) = @_;
    $machine->send("kill -9 $pid{$machine}\n");
    $machine->expect(qr/spin \(pid \d+\): killed by signal 9$/m, $patience, $name);
    $machine->send("poweroff\n");
    $machine->wait_end;
    ended_ok($machine);
}

my ($machine, $stub, $answer);

# --- gdb attaches --------------------------------------------------------------------------------

($machine, $stub, $answer) = beside('comes', '/bin/spin', smp => 1);
like($answer // 'nothing', qr/^QC/, 'gdb is answered though the CPU runs a program');
BAIL_OUT('the stub is deaf') if !defined $answer;
is(stop_in_program($stub, 1), 1, '... which goes on, and ^C stops it');
my $there = registers($stub);
ok($there->{eflags} & $IF, '... with interrupts on');

# A program may load anything into its stack pointer, even an address in a kernel stack.
my $stack = $symbol{stack_task} + 0x5000 - 256;
set_register($stub, $RSP, $stack);
my $before = $stub->memory($stack - 64, 64);
like(monitor($stub, 'help'), qr/^this CPU is in an interrupt's handler or a program/,
    'monitor is refused in a program, whatever its stack pointer is');
is(registers($stub)->{rip}, $there->{rip}, '... which stays where it is');
is(unpack('H*', $stub->memory($stack - 64, 64)), unpack('H*', $before),
    '... and so does what is in that stack');
set_register($stub, $RSP, $there->{rsp});
like(set_register($stub, $RIP, $symbol{panic}), qr/^E/, 'nor is it sent to the kernel');
$stub->ask_ok('D');
end_ok($machine, 'it runs on when gdb has left');

# --- Steps ---------------------------------------------------------------------------------------

my $cpus = 4;
($machine, $stub) = beside('steps', '/bin/spin calls', smp => $cpus);
my $thread = stop_in_program($stub, $cpus);
ok($thread, '^C stops all CPUs, one of them in a program');

# Out of the program and back into it, while the other CPUs are stopped.
for (1 .. 3) {
    my ($before, $after) = step_until($stub, $thread, sub { $_[0]{cs} == 8 });
    is(sprintf('%x', $after->{rip}), sprintf('%x', $symbol{syscall_entry}),
        "a step over syscall ends at the kernel's entry") or last;
    is($after->{rcx}, $before->{rip} + 2, '... which knows where the program was');
    is($after->{r11} & ($IF | $TF), $IF, '... and what its flags were');
    is($after->{eflags} & ($IF | $TF), 0, '... with interrupts off');
    ($before, $after) = step_until($stub, $thread, sub { $_[0]{cs} == 0x2b });
    is(instruction($stub, $before->{rip}, 3), '480f07', 'a step over sysret ends in the program');
    is($after->{rip}, $before->{rcx}, '... behind its syscall');
    is($after->{eflags} & ($IF | $TF), $IF, '... with interrupts on');
    is($after->{r11} & ($IF | $TF), $IF, '... also in r11');
}

# One CPU runs, while the one that receives ^C is parked.
$stub->put("vCont;c:$thread");
is($stub->get(0.1), undef, 'the program runs alone');
$stub->interrupt;
like($stub->get, qr/^T02thread:0*$thread;/, '... and ^C stops it');
$stub->ask_ok("Hg$thread");

# An instruction that faults and kills its program.
step_until($stub, $thread, sub { $_[0]{cs} == 0x2b }) if registers($stub)->{cs} != 0x2b;
set_register($stub, $RIP, 0x1000);
$stub->put("vCont;s:$thread;c");
like($stub->get, qr/^T05thread:0*$thread;/, "a step ends where the program's instruction faults");
is(registers($stub)->{cs}, 8, '... in the kernel');
$stub->ask_ok('D');
$machine->expect(qr/spin \(pid \d+\) killed by signal 11: page fault/m, $patience,
    '... which kills it then');
$machine->send("poweroff\n");
$machine->wait_end;
ended_ok($machine);

# On QEMU data watches are off during a step, and the stub determines what the instruction has
# accessed. The loop reads where it writes.
my $turns = 60_000;
my ($written, $touched) =
    map { "perf stat -e mem:/bin/spin:turns:$_ -- /bin/spin turns $turns" } qw(w rw);
my $alone = boot(run => "$touched; poweroff", smp => 1);
ended_ok($alone);
my ($all) = said($alone, $touched) =~ m{^ +(\d+) +mem:/bin/spin:turns:rw *$}m;
cmp_ok($all, '>', $turns, 'a program reads what it writes');
for my $count ($written, $touched) {
    my $expected = $count eq $written ? $turns : $all;
    $machine = start(com3 => "unix:$logs/turns.com3", run => "$count; poweroff", smp => 1);
    $machine->expect(qr/^pitot> perf stat/m, $patience);
    $stub = Pitot::Stub->new("$logs/turns.com3");
    $stub->come;
    ok(stop_in_program($stub, 1), "$count: the program is stopped");
    my %seen;
    for (1 .. 100) {
        $seen{registers($stub)->{rip}}++;
        $stub->put('vCont;s:1');
        ($stub->get($patience) // '') =~ /^T05/ or die("a step has no end\n");
    }
    cmp_ok(max(values %seen), '>=', 3, '... and stepped, several times around its loop');
    $stub->ask_ok('D');
    $machine->wait_end;
    ended_ok($machine);
    like($machine->console, qr/^spin: $turns turns$/m, '... until its end');
    like($machine->console, qr{^ +$expected +mem:/bin/spin:turns:r?w *$}m,
        '... and nothing was missed');
}

# A program's `popf` does not change the interrupt flag, which the stub keeps off for the program.
($machine, $stub) = beside('flags', '/bin/spin flags', smp => 1);
stop_in_program($stub, 1);
my ($pushes, $pops, $wrong) = (0, 0, '');
for (1 .. 100) {
    my $before = registers($stub);
    $stub->put('vCont;s:1');
    ($stub->get($patience) // '') =~ /^T05/ or die("a step has no end\n");
    my $after = registers($stub);
    $pushes++ if $after->{rsp} == $before->{rsp} - 8;
    $pops++ if $after->{rsp} == $before->{rsp} + 8;
    $wrong = sprintf('%x at %x', $after->{eflags}, $before->{rip})
        if ($after->{eflags} & ($IF | $TF)) != $IF;
}
cmp_ok($pushes + $pops, '>=', 60, 'a program that stores and loads its flags is stepped');
is($wrong, '', '... and its flags stay what they were');
$stub->ask_ok('D');
end_ok($machine, '... so that a tick ends it when gdb has left');

done_testing();
