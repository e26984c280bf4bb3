#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: kernel/user, programs, kernel/x86_64/entry/user
#
# Programs (docs/programs.md): they run, each of their attacks on the kernel fails as it must, each
# system call does what it promises and follows no pointer outside the program's memory; afterwards
# the kernel still works. SOAK=1 makes a hundred times as many random calls, with a new seed each
# time; SEED=n sets the seed. Run from the root of the tree:
#
#     prove tests/boot/user.t
use strict;
use warnings;
use lib 'tests/lib';
use Test::More;
use Pitot;
use Pitot::Transcript;

plan skip_all => 'Bochs has the suite ktap-user, and its console cannot be typed at'
    if ($ENV{MACHINE} // 'qemu') ne 'qemu';

my $build = $ENV{BUILD} // 'build';
my $fp_iso = ($ENV{FP_BUILD} // "$build/fp") . '/test/pitot.iso';
my $watch = 'perf record -a -e mem:kernel_flag:rw -- fs-stress 3';

# Program flags that must not be set while the kernel runs for it.
my %harmful = (TF => 1 << 8, DF => 1 << 10, NT => 1 << 14, AC => 1 << 18);

my $place = qr{/bin/attack \+ 0x\w+, address 0xffffffff80200000 \(read, .*in user mode\)};
my $report = qr/^attack \(pid \d+\) killed by signal 11: page fault at 0x\w+, $place$/m;

# The number of records of each `perf record` of that command line.
sub kept
{
    my ($machine, $nth) = @_;
    return said($machine, $watch, $nth) =~ /^\[ perf record: (\d+) records? kept \]$/m ? $1 : -1;
}

# One test for each "ok" or "not ok" line of the program.
sub lines_ok
{
    my ($text, $program, $least) = @_;
    my @lines = $text =~ /^$program: ((?:not )?ok .*)$/mg;
    cmp_ok(scalar(@lines), '>=', $least, "$program has made its claims");
    like($_, qr/^ok/, "$program: " . s/^(?:not )?ok -? ?//r) for @lines;
    return;
}

# --- All attacks, on four CPUs, in both kernels --------------------------------------------------

for my $iso ("$build/test/pitot.iso", $fp_iso) {
    my $name = $iso eq $fp_iso ? 'with frame pointers' : 'without';
    my $machine = boot(smp => 4, iso => $iso, run => join('; ', $watch, 'run attack all',
            'run calls', $watch, 'perf record -a -m 4M -e mem:kernel_flag:rw -g -- /bin/attack all',
            '/bin/fs-load', 'ps', 'fs-stress 1', 'memory', 'run attack all', 'fs-stress 1',
            'memory', 'poweroff'));
    ended_ok($machine, "the kernel $name survives its programs");
    my $attacks = said($machine, 'run attack all');
    lines_ok($attacks, 'attack', 60);
    like($attacks, qr/^attack: all ended as they must$/m, 'all of them');
    like($attacks, $report, 'a fault is reported with its place, its address and what it was');
    lines_ok(said($machine, 'run calls'), 'calls', 55);
    like($machine->console,
        qr/^attack: all ended as they must\n(?:perf record: .*\n)*\[ perf record: \d+ records/m,
        'so it is while a breakpoint is armed and its hits are recorded with their chains');
    cmp_ok(kept($machine, 1), '>', 3000, 'a breakpoint hit before');
    is(kept($machine, 2), kept($machine, 1), '... and hits as often behind all that');
    like(said($machine, '/bin/fs-load'), qr/^fs-load: \d+ system calls, all verified$/m,
        'the load on the file system is a program, too');
    unlike(said($machine, 'ps'), qr/attack|calls|fs-load/, 'no thread of theirs is left');
    is(said($machine, 'memory', 2), said($machine, 'memory'), 'nor a page');
    like(said($machine, 'fs-stress 1', 2), qr/all verified/, '... as the file system finds, too');
}

# A CPU without SMEP and SMAP, where QEMU lets programs enter virtual-8086 mode.
my $machine = boot(cpu => 'default', run => 'run attack all; run attack names; poweroff');
ended_ok($machine);
like($machine->console, qr/^attack: all ended as they must$/m, 'an old CPU survives as well');
like(said($machine, 'run attack names'),
    qr{\A(?:/attack\.\d+: 32 programs are known already, more have no names\n){9,}\z},
    'programs that there is no room for the names of run, and it is said');

# A program loses its frame if it steps over its own watched byte: QEMU reports that twice. Earlier
# steps in the kernel must not matter.
$machine = boot(smp => 1, run => 'perf record -a -e branches -- help; '
        . 'perf record -a -e mem:/bin/attack:attack_operand/2:rw -- /bin/attack trap_flag_operand; '
        . 'poweroff');
ended_ok($machine, 'a program that steps over its own watched byte, behind branches');
like($machine->console, qr{^/bin/attack: killed by signal 5$}m, '... is ended, and nobody else');

# --- Flags in the kernel -------------------------------------------------------------------------

# The program sets all of these flags, calls the kernel, and is interrupted in a loop, on the only
# CPU.
for my $place ('mem:ticks:w', 'mem:sys_getpid:x') {
    my $record = "perf record -a -e $place --intr-regs -- /bin/attack flags";
    $machine = boot(smp => 1, com2 => 'none',
        run => "$record; perf script -F +iregs; poweroff");
    ended_ok($machine);
    my @flags = map { hex($_) }
        said($machine, 'perf script -F +iregs') =~ /^ *attack .*\bFLAGS:0x([0-9a-f]+)/mg;
    cmp_ok(scalar(@flags), '>', 3, "the program came by $place");
    for my $flag (sort keys %harmful) {
        is(scalar(grep { $_ & $harmful{$flag} } @flags), 0, "... without $flag");
    }
}

# --- NMIs at every place of the border -----------------------------------------------------------

# The kernel's part of a chain ends at an entry, or where the program's thread began; or where the
# console's thread began, which has the program's name while it waits for it.
my @ends = qw(syscall_entry trap_entry watch_entry trap_stubs user_begin thread_start
    boot_entry_high);

# The kernel's part of each chain, without the program's: kernel addresses have 16 digits.
sub kernel_chains
{
    my ($said) = @_;
    return samples($said =~ s/^\s+[0-9a-f]{1,12} .*\n//mgr);
}

for my $iso ("$build/test/pitot.iso", $fp_iso) {
    my $name = $iso eq $fp_iso ? 'by frame pointers' : 'by the table';
    $machine = boot(smp => 1, iso => $iso, com2 => 'none',
        run => 'perf record -a -m 8M -g -e cpu-clock -F 4000 -- /bin/attack storm 200000; '
            . 'perf script; poweroff');
    ended_ok($machine);
    like($machine->console, qr/^\[ perf record: \d+ record.*\]$/m, 'NMIs fell upon a program');
    my @samples = grep { $_->{comm} eq 'attack' } kernel_chains(said($machine, 'perf script'));
    my %last;
    $last{$_->{chain}[-1] // 'none'}++ for @samples;
    my @kernel = grep { @{$_->{chain}} > 1 } @samples;
    cmp_ok(scalar(@kernel), '>', 20, "chains $name begin where the program called the kernel");
    my %wrong = map { $_->{chain}[-1] => 1 } @kernel;
    delete @wrong{@ends};
    is(join(' ', sort keys %wrong), '', '... and end nowhere else') || diag(explain(\%last));
}

# --- A hit at the kernel's entry -----------------------------------------------------------------

# A program that is watched in its own data loads its stack segment from there and enters the
# kernel: by the manual, and on Bochs, the debug trap follows at the kernel's first instruction,
# with the program's stack pointer. QEMU reports it earlier.
{
    my $place = 'mem:/bin/attack:attack_operand/2:rw';
    $machine = boot(machine => 'bochs', smp => 1, com2 => 'none',
        run => "perf record -a -e $place -e breakpoint:hit -g -R -- /bin/attack ss_syscall; "
            . 'perf script; poweroff');
    ended_ok($machine, 'a program\'s own hit at the kernel\'s entry brings nobody down');
    my $script = said($machine, 'perf script');
    my @hits = samples($script);
    is_deeply([map { $_->{event} =~ s/:$//r } @hits], [$place, 'breakpoint:hit'],
        '... is recorded and reported');
    is_deeply([map { $_->{chain} } @hits], [(['syscall_entry']) x 2], '... with that place alone');
    like($script, qr/ old=0x23 new=0x23 insn=0x0 how=unknown$/m,
        '... and no instruction of the kernel has done it');
}

# --- An interactive session ----------------------------------------------------------------------

$machine = start();
$machine->expect(qr/^pitot> $/m, $patience, 'there is a prompt');
for my $line ('run spin', '/bin/spin calls',
    'perf record -a -e mem:kernel_flag:rw -- /bin/spin calls') {
    $machine->send("$line\n");
    $machine->expect(qr/^spin: until \^C; beside the console, until `kill PID`$/m, $patience,
        "$line prints how it ends");
    $machine->send("\x03");
    $machine->expect(qr/^\S*spin: killed by signal 2\n.*^pitot> $/ms, $patience, '... up to ^C');
}
my $spin = $machine->run_beside('spin', qr/spin: until/);
$machine->send("\x03kill $spin\n");
$machine->expect(qr/spin \(pid $spin\): killed by signal 15$/m, $patience,
    '... which is so beside the console, too');
$machine->send("run spin writes\n");
$machine->expect(qr/^x{63}$/m, $patience, 'one that writes 8 MiB in one call');
$machine->send("\x03");
my $written = $machine->expect(qr/spin: killed by signal 2\n.*^pitot> $/ms, $patience,
    '... is ended by ^C');
cmp_ok(length($written), '<', 4 << 20, '... before it has written them');
$machine->send("run calls sleep\n");
$machine->expect(qr/^calls: sleeps$/m, $patience, 'one that sleeps');
$machine->send("\x03");
$machine->expect(qr/^calls: killed by signal 2\n.*^pitot> $/ms, $patience, '... is ended, too');
$machine->send("run calls exit 7; run nothing; /bin\n");
my $said = $machine->expect(qr/exit status.*^pitot> $/ms, $patience, 'programs end by themselves');
like($said, qr/^calls: exit status 7$/m, '... with a status');
like($said, qr{^run: /bin/nothing: there is no such file$}m, 'what is not there is refused');
like($said, qr{^run: /bin: it is a directory$}m, '... as is a directory');
my $pid = $machine->run_beside('calls sleep', qr/calls: sleeps$/m, 'one runs beside the console');
$machine->send("wait\n");
$machine->expect(qr/wait\n/, $patience, 'which waits for it');
$machine->send("\x03");
$machine->expect(qr/^\^C\n.*^pitot> $/ms, $patience, '... up to ^C');
$machine->send("run calls exit 7 &\n");
$machine->expect(qr/calls \(pid \d+\): exit status 7$/m, $patience, 'another tells how it ended');
$machine->expect(qr/\A\npitot> /, $patience, '... and gives the prompt again');
my $third = $machine->run_beside('calls sleep', qr/calls: sleeps$/m, 'a third');
$machine->send("kill $third\n");
$machine->expect(qr/calls \(pid $third\): killed by signal 15\npitot> /, $patience,
    '... also if it is killed from there');
$machine->send("kill 1; kill -64 $pid; kill; wait 1; wait x; run &\n");
$said = $machine->expect(qr/^run: say which.*^pitot> $/ms, $patience, 'what cannot be is refused');
like($said, qr/^kill: no program runs as 1; `ps` lists the threads$/m, '... to kill the kernel');
my $spelling = qr/^kill: give kill \[-SIGNAL\] PID; the signal is a number .*, or one of .*STOP$/m;
is(scalar(() = $said =~ /$spelling/g), 2,
    '... to kill by no signal, or nobody');
like($said, qr/^wait: no program runs as 1 in the background; .*$/m, '... to wait for it');
like($said, qr/^wait: give the number of a program .*, or nothing$/m, '... or for no number');
$machine->send("kill -9 $pid; wait; ps\n");
$said = $machine->expect(qr/^ +pid .*^pitot> $/ms, $patience, 'wait is for those that run');
like($said, qr/^calls \(pid $pid\): killed by signal 9$/m, '... and how they ended is reported');
unlike($said, qr/ calls /, '... before it comes back');
$machine->send("poweroff\n");
$machine->wait_end;
ended_ok($machine);

# --- Memory after they exit ----------------------------------------------------------------------

# Stacks for as many programs as ran at once, and a page for the name of each unknown program. The
# second time nothing at all, to the page.
sub memory_left
{
    my ($machine, $nth) = @_;
    my $said = said($machine, 'memory', $nth);
    my ($free) = $said =~ /^(\d+) KiB of \d+ are free$/m;
    my ($stacks) = $said =~ /^(\d+) KiB are stacks/m;
    return [$free, $stacks];
}

my %names = ('run /bin/attack brood' => 1, 'run /bin/attack names' => 30,
    'run /bin/attack storm 3000' => 0, 'run /bin/attack all' => 0);

# Random system calls; the first of these runs has an unknown name.
my $calls = $ENV{SOAK} ? 2_000_000 : 10_000;
my $seed = $ENV{SEED} // ($ENV{SOAK} ? 1 + int(rand(2**31)) : 1);
my @chances = map { "run /bin/chance $_ $calls" } $seed .. $seed + 3;
$names{$chances[0]} = 1;
my @hostile = ('run /bin/attack brood', @chances, 'run /bin/attack names',
    'run /bin/attack storm 3000', 'run /bin/attack all');
my $kept = boot(smp => 2, icount => 8,
    run => join('; ', 'memory', (map { ($_, 'memory', $_, 'memory') } @hostile), 'poweroff'));
ended_ok($kept);
my @left = map { memory_left($kept, $_) } 1 .. 1 + 2 * @hostile;
for my $i (0 .. $#hostile) {
    my ($before, $first, $second) = @left[2 * $i .. 2 * $i + 2];
    is($before->[0] - $first->[0], $first->[1] - $before->[1] + 4 * ($names{$hostile[$i]} // 0),
        "$hostile[$i]: leaves stacks and names");
    is_deeply($second, $first, '... and the second time nothing');
}
cmp_ok($left[1][1], '>=', $left[0][1] + 32 * 16, 'stacks were taken');
for my $chance (@chances) {
    my @said = map { said($kept, $chance, $_) } 1, 2;
    my ($refused) = $said[0] =~ /\Achance: $calls calls, (\d+) refused\n\z/;
    cmp_ok($refused // 0, '>', $calls / 2, "$chance: calls by chance, and it ends well");
    cmp_ok($refused // $calls, '<', $calls * 0.9, '... of which some are obeyed');
}

done_testing();
