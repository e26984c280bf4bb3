#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: core/gdb, arch/x86_64/debug/stop
#
# gdb's machine interface on the kernel's own stub, with the commands that editors send for their
# buttons and panes (docs/gdb.md): run, stop, step, breakpoints, watches, frames, variables,
# registers, memory, disassembly. Run from the root of the tree:
#
#     prove tests/boot/gdb_mi.t
#
# The log of both sides is in build/logs/gdb_mi/mi.
use strict;
use warnings;
use lib 'tests/lib';
use IO::Select;
use IPC::Open2;
use Test::More;
use Time::HiRes qw(time);
use Pitot;
use Pitot::GdbInside;

plan skip_all => "COM3 is QEMU's" if ($ENV{MACHINE} // 'qemu') ne 'qemu';

my $build = $ENV{BUILD} // 'build';
my $logs = "$build/logs/gdb_mi";
my $machine = Pitot::Machine->new(icount => '', smp => 2, flags => 'gdb=wait',
    run => 'fs-stress 1000000', com3 => "unix:$logs/com3");
await_said($machine->console_path, qr/^gdb: waiting at COM3/m);

my $pid = open2(my $out, my $in, qw(gdb -nx -q --interpreter=mi3), "$build/pitot.elf");
open(my $log, '>', "$logs/mi") or die("$logs/mi: $!\n");
my ($input, $told, $number) = ('', '', 0);    # `told`: what the stub printed for the last command

# The next line that matches; notifications before it are dropped.
sub await
{
    my ($pattern) = @_;
    my $deadline = time + $patience;
    while (time < $deadline) {
        while ($input =~ s/^(.*)\n//) {
            my $line = $1;
            print {$log} "$line\n";
            $told .= $1 if $line =~ /^@"(.*)"$/;
            return $line if $line =~ $pattern;
        }
        next if !IO::Select->new($out)->can_read(1);
        sysread($out, $input, 65536, length($input)) or last;
    }
    return 'nothing';
}

# The result of a command, without its number.
sub mi
{
    my ($command) = @_;
    ($number, $told) = ($number + 1, '');
    print {$log} "$number$command\n";
    syswrite($in, "$number$command\n");
    return await(qr/^$number\^/) =~ s/^\d+\^//r;
}

# The record of the next stop; gdb reports that the threads run before it sets breakpoints.
sub mi_stops
{
    my ($command) = @_;
    my $said = mi($command);
    return $said =~ /^running/ ? await(qr/^(?:\*stopped|$number\^error)/) : $said;
}

like(mi($_), qr/^done/, $_)
    for '-gdb-set mi-async on', '-gdb-set pagination off', "-gdb-set remotetimeout $patience",
    '-enable-pretty-printing';
like(mi("-target-select remote $logs/com3"), qr/^connected/, 'an editor connects');
like(mi('-thread-info'), qr/\{id="1",.*\{id="2",/, '... and lists the CPUs');

# --- Breakpoints ---------------------------------------------------------------------------------

like(mi('-break-insert -h fs_open'), qr/^done,bkpt=\{.*type="hw breakpoint"/, 'hbreak');
like(mi('-break-insert -f fs_write'), qr/^done,bkpt=\{.*type="breakpoint"/, 'break');
like(mi_stops('-exec-continue'), qr/reason="breakpoint-hit".*bkptno="1".*func="fs_open"/,
    'the run stops at the one');
like(mi('-break-condition 2 length > 10'), qr/^done/, 'a condition');
like(mi('-break-disable 1'), qr/^done/, '... while the other is disabled');
like(mi_stops('-exec-continue'), qr/reason="breakpoint-hit".*bkptno="2".*func="fs_write"/,
    '... and at the other');
like(mi('-data-evaluate-expression length'), qr/^done,value="(?:1[1-9]|[2-9]\d|\d{3,})"/,
    '... where it holds');

# --- Panes ---------------------------------------------------------------------------------------

like(mi('-stack-info-depth'), qr/^done,depth="\d+"/, 'the depth of the stack');
my $frames = mi('-stack-list-frames 0 100');
like($frames, qr/level="0".*func="fs_write".*func="boot_entry_high"/, 'frames');
like(mi('-stack-list-arguments 1 0 0'), qr/name="fd",value="/, 'arguments');
like(mi('-stack-list-variables --thread 1 --frame 0 --simple-values'), qr/^done,variables=\[\{/,
    'variables');
like(mi('-var-create - * length'), qr/^done,name="var1",.*type="size_t"/, 'a watched expression');
like(mi('-var-update --all-values *'), qr/^done,changelist=\[/, '... and its changes');
like(mi('-data-list-register-names'), qr/"rip".*"dr7"/, 'names of registers');
like(mi('-data-list-register-values --skip-unavailable x'), qr/number="16",value="0xffffffff8/,
    'registers');
like(mi('-data-list-changed-registers'), qr/^done,changed-registers=\[/, '... that have changed');
like(mi('-data-read-memory-bytes $rsp 256'), qr/contents="[0-9a-f]{512}"/, 'memory');
like(mi('-data-disassemble -s $pc -e "$pc + 32" -- 5'), qr/^done,asm_insns=\[/, 'disassembly');
like(mi('-data-read-memory-bytes 16 8'), qr/^error,msg="Unable to read memory/,
    'memory that is not there is an error');
like(mi('-data-write-memory-bytes $rsp-256 0102'), qr/^done/, 'memory is written');
like(mi('-data-read-memory-bytes $rsp-256 2'), qr/contents="0102"/, '... and read back');

# --- Steps ---------------------------------------------------------------------------------------

like(mi('-break-delete 2'), qr/^done/, 'a breakpoint is deleted');
like(mi_stops('-exec-step-instruction'), qr/reason="end-stepping-range"/, 'stepi');
like(mi_stops('-exec-next'), qr/reason="end-stepping-range"/, 'next');
like(mi_stops('-exec-step'), qr/reason="end-stepping-range"/, 'step');
like(mi_stops('-exec-finish'), qr/reason="function-finished"/, 'finish');
like(mi('-break-watch kernel_flag'), qr/^done,wpt=\{number="\d+"/, 'watch');
like(mi_stops('-exec-continue'), qr/reason="watchpoint-trigger".*value=\{old="\d",new="\d"\}/,
    '... tells the change');
like(mi('-break-delete'), qr/^done/, 'all breakpoints are deleted');

# --- The pause button ----------------------------------------------------------------------------

for (1 .. 3) {
    like(mi('-exec-continue'), qr/^running/, 'the machine runs');
    like(mi_stops('-exec-interrupt'), qr/^done/, '... is asked to stop');
    like(await(qr/^\*stopped/), qr/signal-name="SIGINT"/, '... and stops');
}

# --- Refusals ------------------------------------------------------------------------------------

like(mi('-break-insert -h handle_one'), qr/^done/, 'a breakpoint that will not stop');
like(mi_stops('-exec-continue'), qr/\^error,msg="/,
    '... is refused');
like(mi('-break-delete'), qr/^done/, '... and deleted');
mi('-interpreter-exec console "monitor gdb"');
like($told, qr/refused last: no breakpoint at .*: only hits, NMIs/, '... with the reason');
like(mi('-target-detach'), qr/^done/, 'the editor leaves');
syswrite($in, "-gdb-exit\n");
waitpid($pid, 0);
$machine->stop;
done_testing();
