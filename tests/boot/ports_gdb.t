#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: ports/c, core/embed, core/gdb, core/pitot.h, arch/embed
#
# gdb from inside, in a kernel that is not Pitot's own (docs/porting.md, level 5): the real gdb
# connects by a serial line of that kernel while Pitot records there. Run from the root of the tree:
#
#     prove tests/boot/ports_gdb.t
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
my $logs = "$build/logs/ports_gdb";
my $kernel = "$build/ports/c-level5.elf";
my $jobs = 60; # of the three workers
my $done = 1;  # isa-debug-exit's status for 0
my $refused = 2 * 3 + 1;
my $trapped = 2 * 9 + 1;

make_path($logs);

my ($jobs_done) = `nm $kernel` =~ /^([\da-f]+) \w jobs_done$/m;

sub port
{
    return {kernel => $kernel, line => "-e mem:0x$jobs_done/8:w", cpus => 1, logs => $logs};
}

# Returns the status, the console, and gdb's output of each part.
sub session { return port_gdb_session(port(), @_) }

# --- Everyday use --------------------------------------------------------------------------------

# Of two successive steps at most one is of `hlt`, in which the CPU waits.
my ($status, $console, $said) = session('a day',
    break => "break job_finish\ncontinue\nbt\nprint \$cs == 0x18 && \$gs_base == (long)&cpus[0]\n",
    watch => "delete\nwatch jobs_done\ncontinue\nbt 1\ncontinue\n",
    over => "tbreak job_finish\ncontinue\nstepi\nprint \$pc > (long)job_finish\n",
    step => "delete\ntbreak job_run\ncontinue\nnext\nstepi\ntbreak job_finish\ncontinue\nfinish\n",
    set => "print jobs_done\nset var jobs_done = 1000\nprint jobs_done\n"
        . "set var jobs_done = \$3\nset var ticks = 1l << 60\n",
    refusals => $gdb_refusals . <<'GDB',
python refused("print *(int *)0x10")
python refused("set var *(char *)job_finish = 1")
python refused("print $cr3 = 1")
break worker
break thread_yield
break thread_switch
break thread_end
break work
python refused("continue")
monitor gdb
delete
GDB
    hold => "tbreak wait_for_ticks\ncontinue\nnext\nset var ticks = 0\ndetach\n",
    again => "attach-again\nbt\ninfo threads\n",
    interrupt => "monitor gdb\ncontinue\nbt\n",
    given => "set \$r15 = 0x1234567890abcdef\nset \$kept = \$pc\nstepi 2\nprint/x \$r15\n"
        . "print \$pc != \$kept\nprint/x \$eflags & 0x200\n",
    leave => "set var ticks = 1l << 61\ndetach\n");
my $bottom = qr/#2  \S+ in worker \(\) .*\n#3  \S+ in thread_begin \(\) .*\n/;
like($said->{break}, qr/^#0  job_finish \(job=100\) .*\n#1  \S+ in job_run .*\n$bottom(?!#)/m,
    'bt at a breakpoint leads to the first function of the thread');
like($said->{break}, qr/^\$1 = 1$/m, "the registers are the kernel's own");
like($said->{watch}, qr/^Old value = 0\nNew value = 1\njob_finish \(job=100\)/m,
    'a watchpoint stops after the write, with what it changed');
like($said->{watch}, qr/^Old value = 1\nNew value = 2\njob_finish \(job=200\)/m,
    '... and at the next one');
like($said->{over}, qr/^Old value = 2\nNew value = 3\n(?:.*\n)*\$2 = 1$/m,
    'a step over the write is a hit of it');
like($said->{step},
    qr/^(\d+)\t    __asm__.*\n0x\S+\t\1\t(?:.*\n)*.* job_finish \(job=201\).*\n.*\njob_run /m,
    'steps and finish end where they have to');
like($said->{set}, qr/^\$3 = (\d+)\n\$4 = 1000$/m, 'memory is read and written');
like($said->{refusals}, qr/^Cannot access memory at address 0x10\n.*0x[\da-f]+\n.*"cr3"/m,
    'memory that is not there, text and system registers are refused');
like($said->{refusals}, qr/^Cannot insert breakpoint \d+\.$/m,
    'so is a breakpoint for which there is no register');
like($said->{again}, qr/^#\d+ .* wait_for_ticks .*\n#\d+ .* work .*\n#\d+ .*kernel_main/m,
    "a gdb that comes later stops the kernel where the timer's interrupt found it");
like($said->{again}, qr/^\* 1 .*\(boot \(0\)\)/m, '... and is told the thread');
like($said->{refusals}, qr/^gdb: refused last: \d debug registers? needed, .*\n(?:.*\n)*?  dr\d /m,
    'monitor gdb says why a breakpoint was refused, and who holds which register');
like($said->{interrupt}, qr/^Program received signal SIGINT(?:.*\n)+#\d+ .*kernel_main/m,
    'and so does ^C');
like($said->{given}, qr/= 0x1234567890abcdef\n\$\d+ = 1\n\$\d+ = 0x200$/m,
    'registers that are set there the interrupted code has, and interrupts are on again');
is($status, $done, 'after detach the kernel runs to its end') or diag($console);
like($console, qr/^$jobs records\n0 doubtful hits\n/m,
    "Pitot's own recording has each write, those of the stops and the step too");

# --- A crash, and a gdb that kills ----------------------------------------------------------------

my ($trap) = `objdump -d --no-show-raw-insn --disassemble=thread_begin $kernel`
    =~ /^([\da-f]+):\s+ud2/m;
($status, $console, $said) = session('a crash',
    crash => "tbreak job_run\ncontinue\nset \$pc = 0x$trap\ncontinue\n",
    see => "print \$pc == 0x$trap\nprint jobs_done\n",
    end_of_it => "continue\n");
like($said->{crash}, qr/^Program received signal SIGABRT.*\n.*\bthread_begin \(/m,
    'a trap that ends the kernel stops for gdb first');
is($said->{see} =~ s/^\$\d+ = //mgr, "1\n0\n\n", '... which sees the place and the memory');
like($said->{end_of_it}, qr/^Program terminated with signal SIGABRT/m, '... and lets it end');
is($status, $trapped, '... as it does without gdb');
my ($at) = $console =~ /^trap 6 at (\d+)$/m;
is(sprintf('%x', $at // 0), $trap, '... and says so');

($status, $console, $said) = session('a kill', stop => "break job_finish\ncontinue\n",
    kill => "kill\n");
is($status, $done, 'after kill the kernel runs to its end') or diag($console);
like($console, qr/^$jobs records\n0 doubtful hits\n$jobs jobs$/m, '... with all of its work');

# --- ^C in a stop --------------------------------------------------------------------------------

# gdb sends ^C during a stop, while it evaluates a condition and then steps over the breakpoint.
{
    my ($finish) = `nm $kernel` =~ /^([\da-f]+) \w job_finish$/m;
    my ($pid, $stub) = (port_for_gdb(port()), Pitot::Stub->new("$logs/line"));
    $stub->attach_inside;
    $stub->ask_ok("Z0,$finish,1");
    like($stub->ask('vCont;c'), qr/^T05/, 'a breakpoint stops');
    $stub->interrupt;
    like($stub->ask('vCont;s:1'), qr/^T02/, '... and the step after ^C ends with SIGINT');
    like($stub->ask('vCont;s:1'), qr/^T05/, '... which is reported once');
    $stub->interrupt;
    like($stub->ask('vCont;r0,ffffffffffffffff:1'), qr/^T02/, '... also one that has no end');
    $stub->ask_ok("z0,$finish,1");
    $stub->ask_ok('D');
    waitpid($pid, 0);
    is($? >> 8, $done, '... and runs to its end without gdb') or diag(slurp("$logs/console"));
}

# --- The stack of the interrupt that polls -------------------------------------------------------

{
    my ($room) = slurp('core/pitot.h') =~ /^#define PITOT_SAMPLE_STACK (\d+)$/m;
    $kernel = "$build/ports/c-gdb-stack.elf";
    ($jobs_done) = `nm $kernel` =~ /^([\da-f]+) \w jobs_done$/m;
    ($status, $console, $said) = session('a stop in the interrupt',
        hold => "set var ticks = 1l << 60\ntbreak wait_for_ticks\ncontinue\nnext\n"
            . "set var ticks = 0\ndetach\n",
        again => "attach-again\nbt\nbreak job_run\nwatch jobs_done\ninfo registers\n"
            . "monitor gdb\nset var ticks = 1l << 61\ndelete\ndetach\n");
    like($said->{again}, qr/^#\d+ .* wait_for_ticks /m, '... is where gdb has come');
    is($status, $done, '... and the kernel runs to its end') or diag($console);
    my ($used) = $console =~ /^stack: (\d+) bytes$/m;
    cmp_ok($used // $room, '<', $room / 2, '... the interrupted stack has room for it');

    # The kernel waits for gdb, which comes and goes in one interrupt.
    ($status, $console, $said) = session('a visit in the interrupt', leave => "detach\n");
    is($status, $done, '... ends the wait for gdb') or diag($console);
}

# --- A line that Pitot drives itself --------------------------------------------------------------

{
    $kernel = "$build/ports/c-gdb-port.elf";
    ($jobs_done) = `nm $kernel` =~ /^([\da-f]+) \w jobs_done$/m;
    ($status, $console, $said) = session('by gdb_port',
        come => "break job_finish\ncontinue\nbt\ndelete\ndetach\n");
    like($said->{come}, qr/^#0 .*\bjob_finish /m, '... gdb sees where the kernel stops');
    is($status, $done, '... which runs to its end') or diag($console);
    like($console, qr/^\d+ records$/m, '... and streams by a function of its own');
}

# --- Refusals ------------------------------------------------------------------------------------

for (['lineless', 'gdb_get and gdb_put of struct pitot_kernel are needed, or gdb_port alone'],
    # QEMU has no COM3 here, so the kernel reads 0xff from it.
    ['level5', 'gdb_get gives 0xff without end: no line is there'],
    ['vanishes', 'gdb_get gives 0xff without end: no line is there'],
    ['gdbless', 'the object is made without it: GDB=1 of make lib'])
{
    my ($port, $why) = @$_;
    ($status, $console) = boot_port("$build/ports/c-$port.elf", '-e shop:job_done', 1, $logs);
    is($status, $refused, "c-$port: gdb is refused");
    like($console, qr/^refused: gdb: \Q$why\E$/m, '... and why');
}

done_testing();
