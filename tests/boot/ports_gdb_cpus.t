#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: ports/c, core/embed, core/gdb, core/pitot.h, arch/embed, arch/x86_64/debug/stop
# of: arch/x86_64/smp
#
# gdb from inside, in a kernel of two CPUs that is not Pitot's own (docs/porting.md, level 5): all
# CPUs stop together, and breakpoints, watches and steps work on each. Run from the root of the
# tree:
#
#     prove tests/boot/ports_gdb_cpus.t
use strict;
use warnings;
use lib 'tests/lib';
use File::Path qw(make_path);
use Test::More;
use Pitot::Files;
use Pitot::Gdb;
use Pitot::Port;
use Pitot::PortGdb;
use Pitot::Stub;

plan skip_all => "it is started by QEMU's -kernel" if ($ENV{MACHINE} // 'qemu') ne 'qemu';

my $build = $ENV{BUILD} // 'build';
my $logs = "$build/logs/ports_gdb_cpus";
my $kernel = "$build/ports/c-level5-two.elf";
my $done = 1; # isa-debug-exit's status for 0
my $refused = 2 * 3 + 1;
my $trapped = 2 * 9 + 1;
my @real = ('-accel', 'tcg,thread=multi'); # both CPUs run at a time

make_path($logs);

my ($jobs_done) = `nm $kernel` =~ /^([\da-f]+) \w jobs_done$/m;

sub port
{
    my ($line, @more) = @_;
    return {kernel => $kernel, line => $line, cpus => 2, logs => $logs, more => \@more};
}

my $watch = "-e mem:0x$jobs_done/8:w";

# --- Breakpoints ---------------------------------------------------------------------------------

# Each CPU's jobs, by the number in rdi, as gdb sees them.
my $all_jobs = <<'GDB';
break job_finish
python
jobs = {1: [], 2: []}
for stop in range(80):
    gdb.execute("continue")
    jobs[gdb.selected_thread().num].append(int(gdb.parse_and_eval("$edi")))
print("CPU 0:", *jobs[1])
print("CPU 1:", *jobs[2])
end
delete
detach
GDB
my @turns = map { my $job = $_; map { 100 * $_ + $job } 1 .. 3 } 0 .. 19;
my @helped = map { 400 + $_ } 0 .. 19;
for my $case (['in turns', $watch], ['at a time', '-e shop:job_done', @real]) {
    my ($how, @port) = @$case;
    my ($status, $console, $said) = port_gdb_session(port(@port), "two CPUs $how",
        jobs => $all_jobs);
    is(($said->{jobs} =~ /^CPU 0: (.*)$/m)[0], "@turns", '... a breakpoint stops CPU 0 each time');
    is(($said->{jobs} =~ /^CPU 1: (.*)$/m)[0], "@helped", '... and CPU 1, each once');
    is($status, $done, '... and after detach the kernel runs to its end') or diag($console);
    like($console, qr/^80 records\n0 doubtful hits\n80 jobs$/m, '... with all records');
}

# --- Everyday use --------------------------------------------------------------------------------

# By the time the helper works, CPU 0 has done its jobs and waits for it.
my ($status, $console, $said) = port_gdb_session(port($watch), 'a day',
    other => "info threads\nthread 2\nbt\nprint \$gs_base == (long)&cpus[1]\nprint \$cs\n",
    unknown => "print \$cr3\nprint \$cr0\nprint \$ds\nthread 1\nprint \$cr0 != 0\n",
    break => "break job_run if job >= 400\ncontinue\nbt\ninfo threads\n",
    step => "thread 1\nset \$one = \$pc\nthread 2\nset \$two = \$pc\nstepi\nprint \$pc == \$two\n"
        . "next\nfinish\nthread 1\nprint \$pc == \$one\nthread 2\n",
    alone => "set scheduler-locking on\ncontinue\nthread 1\nprint \$pc == \$one\nthread 2\n"
        . "set scheduler-locking off\ndelete\n",
    watch => "watch jobs_done\ncontinue\ndelete\n",
    hold => "tbreak wait_for_ticks\nset var ticks = 1l << 60\ncontinue\nnext\n",
    first => "thread 2\nwatch ticks\ncontinue\nprint \$_thread\ndelete\n"
        . "set var ticks = 0\ndetach\n",
    again => "attach-again\nbt\nthread 2\nbt\n",
    interrupt => "monitor gdb\ncontinue\ninfo threads\n",
    leave => "set var ticks = 1l << 61\ndetach\n");
like($said->{other}, qr/^\* 1 .*\bCPU 0.*\n  2 .*\bCPU 1.*\bother_main /m, 'CPUs are threads');
like($said->{other}, qr/^#0 .*other_main .*\n#1  \S+ in other_begin .*\n#2  \S+ in high .*\n(?!#)/m,
    '... a CPU that is stopped by an interrupt has registers, and memory to its first function');
like($said->{other}, qr/^\$1 = 1\n\$2 = 24$/m, '... and the GS base and selector of its own');
like($said->{unknown}, qr/^(?:\$\d+ = <unavailable>\n){3}(?:.*\n)*\$\d+ = 1$/m,
    '... and what is not known of it is not told');
like($said->{break}, qr/^#0  job_run \(job=job\@entry=400\).*\n#1  \S+ in other_main /m,
    'a breakpoint stops CPU 1');
like($said->{break}, qr/^  1 .*\bwait_for_others .*\n\* 2 .*\(helper \(4\)\)/m,
    '... with CPU 0 where it waits');
like($said->{step}, qr/^\$\d+ = 0\n46\t(?:.*\n)*other_main (?:.*\n)*\$\d+ = 1$/m,
    'steps and finish are of one CPU, and the other stays');
like($said->{alone}, qr/\bjob_run \(job=job\@entry=401\)(?:.*\n)*\$\d+ = 1$/m,
    '... or runs alone to the next breakpoint');
like($said->{watch}, qr/^Old value = 61\nNew value = 62\njob_finish \(job=job\@entry=401\)/m,
    'a watchpoint stops after the write');
like($said->{first}, qr/^Old value = \d+\nNew value = \d+\ntrap_serve (?:.*\n)*\$\d+ = 1$/m,
    '... of the other CPU, too');
like($said->{again}, qr/^#\d+ .* wait_for_ticks (?:.*\n)*#0 .*\bother_main /m,
    'a gdb that comes later stops both');
like($said->{interrupt}, qr/\breceived signal SIGINT(?:.*\n)*  2 .*\bother_main /m,
    '... and so does ^C');
is($status, $done, 'after detach the kernel runs to its end') or diag($console);
like($console, qr/^80 records\n0 doubtful hits\n80 jobs$/m,
    "Pitot's own recording has each write, those of the stops and the steps too");

# --- ^C while the other CPU runs alone -----------------------------------------------------------

# CPU 0 is stopped and polls the line. CPU 1 waits for a start that CPU 0 gives later.
{
    my ($pid, $stub) = (port_for_gdb(port($watch)), Pitot::Stub->new("$logs/line"));
    $stub->attach_inside;
    for (1 .. 3) {
        $stub->put('vCont;c:2');
        $stub->interrupt;
        like($stub->get, qr/^T02.*thread:0*2;/, '^C stops CPU 1 where it runs alone');
    }
    like($stub->ask('vCont;s:2'), qr/^T05.*thread:0*2;/, '... and it can be stepped there');
    $stub->ask_ok('D');
    waitpid($pid, 0);
    is($? >> 8, $done, '... and all run to the end without gdb') or diag(slurp("$logs/console"));
}

# --- A crash -------------------------------------------------------------------------------------

my ($trap) = `objdump -d --no-show-raw-insn --disassemble=thread_begin $kernel`
    =~ /^([\da-f]+):\s+ud2/m;
($status, $console, $said) = port_gdb_session(port($watch), 'a crash of CPU 1',
    crash => "tbreak job_run if job >= 400\ncontinue\nset \$pc = 0x$trap\ncontinue\n",
    see => "info threads\nthread 1\nbt\n",
    end_of_it => "continue\n");
like($said->{crash}, qr/\breceived signal SIGABRT.*\n.*\bthread_begin \(/m, '... stops all');
like($said->{see}, qr/^\* 2 .*thread_begin (?:.*\n)*#\d .*\bwait_for_others /m,
    '... with CPU 0 where it was');
like($said->{end_of_it}, qr/^Program terminated with signal SIGABRT/m, '... and ends the kernel');
is($status, $trapped, '... as it does without gdb');
my ($at) = $console =~ /^trap 6 at (\d+)$/m;
is(sprintf('%x', $at // 0), $trap, '... which says so');

# --- A program -----------------------------------------------------------------------------------

# ports/c/variants/gdb_program.c
$kernel = "$build/ports/c-gdb-program.elf";
my ($return) = `objdump -d --no-show-raw-insn --disassemble=trap_common $kernel`
    =~ /^([\da-f]+):\s+iretq/m;
($status, $console, $said) = port_gdb_session(port('-e shop:job_done'), 'a program on CPU 1',
    see => "thread 2\nprint \$cs\nprint \$gs_base\nset \$at = \$pc\n",
    step => "stepi\nthread 2\nprint \$pc == \$at\nthread 1\nstepi\n",
    # A made frame, which no CPU returns to.
    enter => "set \$at = \$pc\nset \$stack = \$sp\nset \$sp = \$sp - 256\n"
        . "set var *(unsigned long *)(\$sp + 8) = 83\nset \$pc = 0x$return\nstepi\n"
        . "print \$pc == 0x$return\nset \$pc = \$at\nset \$sp = \$stack\n",
    leave => "set var leaves = 1\ntbreak job_run if job >= 400\ncontinue\nstepi\ndetach\n");
like($said->{see}, qr/^\$1 = 83\n\$2 = <unavailable>$/m, '... has its registers');
like($said->{step},
    qr/^CPU 1 runs or enters a program: programs of this kernel cannot be stepped$/m,
    '... and is not stepped');
like($said->{step}, qr/^\$3 = 1\n(?:.*\n)*0x\w+\t/m, '... CPU 0 is');
like($said->{enter}, qr/^CPU 0 runs or enters a program: (?:.*\n)*\$4 = 1$/m,
    '... nor is a return to one');
like($said->{leave}, qr/\bCPU 1" hit Temporary breakpoint(?:.*\n)*0x\w+\t.*job_finish/m,
    '... as CPU 1 is when it runs the kernel again');
is($status, $done, '... and the kernel runs to its end') or diag($console);

# --- A CPU that does not answer ------------------------------------------------------------------

# ports/c/variants/hides.c, with the host's clock, as the wait is long. The CPU is listed, but it
# stops only once it has taken the interrupt; until then the breakpoint is refused.
my $until_it_stands = <<'GDB';
python
for attempt in range(10000):
    try:
        gdb.execute("continue")
        break
    except gdb.error:
        pass
end
GDB
$kernel = "$build/ports/c-hides.elf";
($status, $console, $said) = port_gdb_session(port('-e shop:job_done', @real), 'a CPU that hides',
    hide => "set var hide = 1\nwatch hidden\ncontinue\ndelete\n",
    miss => "set var begin = 1\ntbreak job_finish\ncontinue\ninfo threads\n",
    refuse => "${gdb_refusals}break job_run\npython refused(\"continue\")\nmonitor gdb\ndelete\n",
    found => "set var found = 1\ntbreak wait_for_ticks\n${until_it_stands}info threads\ndetach\n");
like($said->{hide}, qr/\bCPU 1" hit Hardware watchpoint/, '... stops at a watch all the same');
like($said->{miss}, qr/^CPU 1 does not answer: it continues to run$/m, '... or is missed');
like($said->{miss}, qr/^\* 1 .*\bjob_finish .*\n  2 .*, does not answer\)/m, '... by name');
like($said->{refuse}, qr/^gdb: refused last: CPU 1 does not answer: nothing was changed$/m,
    '... and nothing that it would not learn of is changed');
like($said->{found}, qr/^\* 1 .*\n  2 .*\(helper \(4\)\)/m, '... until it answers again');
is($status, $done, '... and the kernel runs to its end') or diag($console);
like($console, qr/^80 records$/m, '... with all records');

# --- Refusals ------------------------------------------------------------------------------------

for (['gdb-deaf', 'it does not answer interrupt_others by pitot_stand'],
    ['gdb-frameless', 'pitot_stand is not given the frame of its interrupt'])
{
    my ($name, $why) = @$_;
    ($status, $console) =
        boot_port("$build/ports/c-$name.elf", '-e shop:job_done', 2, $logs, @real);
    is($status, $refused, "c-$name: gdb is refused");
    like($console, qr/^refused: gdb: CPU 1: \Q$why\E$/m, '... and why');
}

done_testing();
