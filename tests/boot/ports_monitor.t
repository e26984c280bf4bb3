#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: ports/c, core/embed, core/gdb, core/console/command, core/pitot.h, arch/embed
# of: arch/x86_64/debug/stop
#
# gdb's `monitor` in a kernel that is not Pitot's own (docs/porting.md, level 5): commands run in a
# thread that the kernel has started, while the thread that gdb has stopped waits. Run from the root
# of the tree:
#
#     prove tests/boot/ports_monitor.t
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
my $logs = "$build/logs/ports_monitor";
my $done = 1;    # isa-debug-exit's status for 0

make_path($logs);

sub symbol
{
    my ($port, $name) = @_;
    return (`nm $build/ports/c-$port.elf` =~ /^([\da-f]+) \w $name$/m)[0];
}

sub port
{
    my ($name, $line, $cpus, @more) = @_;
    return {kernel => "$build/ports/c-$name.elf", line => $line, cpus => $cpus, logs => $logs,
        more => \@more};
}

my $tools = <<'GDB';
python
def refused(line):
    try:
        gdb.execute("monitor " + line)
        print("not refused: " + line)
    except gdb.error as why:
        print(why)
def registers():
    gdb.execute("maint flush register-cache", to_string=True)
    return gdb.execute("info registers", to_string=True)
def same(line):
    before = registers()
    gdb.execute(line)
    print("same registers" if registers() == before else "other registers")
end
GDB

# --- One CPU -------------------------------------------------------------------------------------

my ($status, $console, $said) = port_gdb_session(port('monitor-tables', 'perf list shop:*;work', 1),
    'one CPU',
    first => "${tools}monitor version\nmonitor frobnicate\n",
    record => "break job_run\nmonitor perf record -e mem:jobs_done:w -g -- work\nprint jobs_done\n",
    report => "monitor perf report -g caller\n",
    ask => "monitor ask\nprint jobs_done\n",
    off => "set var pitot_preemption[0].off = 1\npython refused('version')\n"
        . "set var pitot_preemption[0].off = 0\n",
    busy => "continue\npython refused('version')\ndelete\n",
    own => "tbreak thread_yield if cpus[0].current == 4\ncontinue\npython refused('version')\n",
    off_too => "tbreak wait_to_go\ncontinue\ntbreak trap_serve\ncontinue\n"
        . "python refused('version')\ndetach\n",
    again => "attach-again\npython same('monitor version')\nbt 1\nstepi\nset var let_go = 1\n"
        . "detach\n");
like($said->{first}, qr/^Pitot \S+, build id \w+$/m,
    "a command of Pitot prints to gdb, for which the kernel's boot waits");
like($said->{first}, qr/^frobnicate: no such command; `help` lists them$/m, '... or is none');
like($said->{record}, qr/^\[ perf record: 60 records kept \]\n\$1 = 60$/m,
    'a command of the kernel runs and is recorded, and no breakpoint stops it');
like($said->{report}, qr/^ +---thread_begin\n +worker\n +job_run\n +job_finish$/m,
    '... which can be reported');
like($said->{again}, qr/^Pitot \S+, .*\nsame registers\n#0 .* wait_to_go .*\n(?:.*\n)*?thread_/m,
    "where the timer's interrupt has stopped a thread, that goes on from there after a command");
like($console, qr/^gdb may come\npitot: gdb's monitor is running a command: let it end first$/m,
    'meanwhile other threads are refused, and what they print is for the console');
is(($said->{ask} =~ /^\$2 = (\d+)$/m)[0], 60, '... and run no command');
my %why = (
    off => 'this CPU holds a spinlock, or preemption is off for another reason: ',
    busy => 'the console is running a command: let it end first',
    own => 'this CPU runs the thread that runs commands for gdb: first let it go on',
    off_too => "this CPU is in an interrupt's handler or a program, has interrupts off, or ",
);
like($said->{$_}, qr/^\Q$why{$_}\E.*\nProtocol error/m, "refused: $why{$_}") for sort keys %why;
is($status, $done, 'after detach the kernel runs to its end') or diag($console);
like($console, qr/^120 jobs$/m, '... with all of its work');

# gdb takes a line that is silent for two seconds for broken.
{
    my $pid = port_for_gdb(port('monitor-tables', '', 1));
    my $stub = Pitot::Stub->new("$logs/line");
    my (@said, $answer);
    $stub->attach_inside;
    $stub->put('qRcmd,' . unpack('H*', 'rest'));
    push(@said, pack('H*', substr($answer, 1)))
        while ($answer = $stub->get // '') =~ /^O(?:[0-9a-f]{2})*$/;
    is(join(' ', map { "<$_>" } @said), "<> <> <rested\n>",
        'gdb hears each second from a command that takes longer');
    is($answer, 'OK', '... and of its end');
    $stub->ask_ok('M' . symbol('monitor-tables', 'let_go') . ',4:01000000');
    $stub->ask_ok('D');
    waitpid($pid, 0);
    is($? >> 8, $done, '... and the kernel runs to its end') or diag(slurp("$logs/console"));
}

# --- Two CPUs ------------------------------------------------------------------------------------

# CPU 1 has no threads: only the first has.
($status, $console, $said) = port_gdb_session(
    port('monitor-two-tables', '', 2, '-accel', 'tcg,thread=multi'), 'two CPUs',
    first => "${tools}tbreak wait_to_go\ncontinue\ndetach\n", # the console's commands are over
    again => "attach-again\nthread 2\nset scheduler-locking on\nstepi\n"
        . "python same('monitor rest')\nbt\nset scheduler-locking off\n",
    work => "tbreak thread_yield if cpus[0].current == 0\ncontinue\n"
        . "python same('monitor perf record -a -e shop:job_done -- work')\n"
        . "set var let_go = 1\ndetach\n");
like($said->{again}, qr/^rested\nsame registers\n#0 .* other_main /m,
    'a CPU that has no threads waits for a command, too');
like($said->{work}, qr/^\[ perf record: 80 records kept \]\nsame registers$/m,
    '... and one command uses both');
is($status, $done, 'after detach the kernel runs to its end') or diag($console);

# --- Refusals ------------------------------------------------------------------------------------

for (['threadless-tables', 'thread_start, wait or wake of struct pitot_kernel is 0'],
    ['level5', 'the object is made without them: LEVEL=4 of make lib'])
{
    my ($port, $why) = @$_;
    ($status, $console, $said) = port_gdb_session(port($port, '-e shop:job_done', 1), $port,
        refused => "${tools}python refused('version')\nmonitor gdb\ndetach\n");
    like($said->{refused}, qr/^this kernel runs no commands for gdb: \Q$why\E\nProtocol error/m,
        "c-$port: monitor is refused: $why");
    like($said->{refused}, qr/^gdb: attached at /m, '... but for `monitor gdb`');
    is($status, $done, '... and the kernel runs to its end') or diag($console);
}

done_testing();
