#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: core/gdb, arch/x86_64/debug/stop, tests/lib/Pitot/GdbInside.pm
#
# gdb on the kernel's own stub (docs/gdb.md): everyday use, as through QEMU's stub; and what only
# this stub has: debug registers shared with perf, the kernel's commands, refusals with reasons,
# panics that wait for gdb, hung CPUs, noisy lines. Run from the root of the tree:
#
#     prove tests/boot/gdb_inside.t
#
# Scripts and gdb's output stay beside the machines' logs, build/logs/gdb_inside/<n>.script, .gdb.
use strict;
use warnings;
use lib 'tests/lib';
use List::Util qw(uniq);
use Test::More;
use Pitot;
use Pitot::BadLine;
use Pitot::Gdb;
use Pitot::GdbHabits;
use Pitot::GdbInside;

plan skip_all => "COM3 is QEMU's" if ($ENV{MACHINE} // 'qemu') ne 'qemu';

# The machine, at its end, and gdb's output of each part, including the last.
sub session
{
    my ($name, $options, @parts) = @_;
    my ($machine, $said) = gdb_session({door => gdb_at_com3(), smp => 4, %$options}, '', @parts);
    $machine->wait_end;
    my $last = last_part($said, @parts);
    ok(exists $said->{end}, "$name: gdb comes to the end of its script")
        or diag($last, substr($said->{$last}, -2000));
    return ($machine, $said);
}

# A noisy line between gdb and COM3, with these faults. gdb must not ask twice because a busy host
# answers late.
sub by_bad_line
{
    my (%faults) = @_;
    my $door = gdb_at_com3();
    my $ready = $door->{ready};
    $door->{ready} = sub { $ready->(@_); bad_line("$_[0].com3", "$_[0].line", %faults) };
    $door->{attach} = sub { "set remotetimeout $patience\nset remote noack-packet off\n"
            . "target remote $_[0].line\n" };
    return $door;
}

my ($machine, $said);

# --- Everyday use --------------------------------------------------------------------------------

gdb_habits_ok('from inside', smp => $_, door => gdb_at_com3()) for 1, 4;

# --- Registers, and accessible memory ------------------------------------------------------------

(undef, $said) = session('registers', { run => 'fs-stress 1000000' }, stop => <<'GDB',
tbreak fs_write
continue
GDB
    general => <<'GDB',
info registers rip
print $cs == 8
print/x $eflags & 0x200
GDB
    system => <<'GDB',
print ($cr0 >> 31) & 1
print $cr3 != 0
print ($cr4 >> 5) & 1
print ($efer >> 10) & 1
print $gs_base == (unsigned long)percpu
print $dr7 & 0xff
print $fs_base
GDB
    others => <<'GDB',
thread 2
print $gs_base == (unsigned long)&percpu[1]
print $cr3
print $fs_base
thread 1
GDB
    set => <<'GDB',
set $kept = $rbx
set $rbx = 0x1234567890abcdef
print/x $rbx
set $rbx = $kept
GDB
    memory => $gdb_refusals . <<'GDB',
python
refused("print *(int *)0x10")
refused("print *(int *)0xffffc20000000000")
refused("set var *(char *)fs_write = 1")
refused("print $cr3 = 1")
end
GDB
    kill => "kill\n");
like($said->{general}, qr/^rip .*<fs_write(?:\+\d+)?>\n\$\d+ = 1\n/m, 'general registers');
like($said->{general}, qr/^\$\d+ = 0x200$/m, 'interrupts are on in the eflags');
is(join(' ', $said->{system} =~ /^\$\d+ = (\d+)$/mg), '1 1 1 1 1 0 0',
    'control and debug registers, and bases');
like($said->{others}, qr/^\$\d+ = 1$/m, "another CPU's base");
is(() = $said->{others} =~ /^\$\d+ = <unavailable>$/mg, 2,
    '... and what only it knows is not made up');
like($said->{set}, qr/^\$\d+ = 0x1234567890abcdef$/m, 'a register is set');
is(() = $said->{memory} =~ /^Cannot access memory at address 0x[0-9a-f]+$/mg, 3,
    'memory that is not there, devices and text are refused, and nothing faults');
like($said->{memory}, qr/Could not write register "cr3".*watch and hbreak/, 'so is a register');

# --- Refusals ------------------------------------------------------------------------------------

# Functions that only hits, NMIs and the stub run, with the registers off.
my @unseen = qw(breakpoint_trap handle_one nmi_trap debug_trap gdb_server_serve stop_enter);

(undef, $said) = session('refusals',
    { run => 'perf record -a -e mem:kernel_flag:w -- fs-stress 1000000' },
    stop => "tbreak fs_write\ncontinue\n",
    full => $gdb_refusals . <<'GDB',
watch *(char (*)[24])stresses
watch *(char (*)[16])&stresses[1]
python
refused("continue")
end
monitor gdb
delete
GDB
    text => "break event_hit\npython refused('continue')\nmonitor gdb\ndelete\n",
    (map { $_ => "hbreak $_\npython refused('continue')\nmonitor gdb\ndelete\n" } @unseen),
    (map { ("break $_" => "break $_\npython refused('continue')\nmonitor gdb\ndelete\n") }
            qw(nmi_trap syscall_entry)),
    instead => "hbreak memset\ncontinue\nbt 3\ndelete\n",
    nowatch => "watch *(long *)&percpu[0].dr7\npython refused('continue')\nmonitor gdb\ndelete\n",
    after => "tbreak fs_close\ncontinue\n",
    kill => "kill\n");
like($said->{full}, qr/Could not insert hardware (?:watch|break)point/,
    'more watches than there are registers are refused');
like($said->{full}, qr/refused last: \d debug registers? needed, \d of 4 free; held by .*perf mem/,
    '... and who holds them is reported');
my $of_perf = qr{^  dr\d  0x[0-9a-f]+/4:w for perf mem:kernel_flag:w$}m;
like($said->{full}, $of_perf, '... register by register');
like($said->{text}, qr/^Cannot insert breakpoint \d+\.$/m, 'so is an int3 where hits run');
like($said->{text},
    qr/refused last: no breakpoint at .*: hits, NMIs .*: use hbreak/,
    '... with the reason');
for my $unseen (@unseen, 'break nmi_trap') {
    like($said->{$unseen}, qr/refused last: .*: only hits, NMIs .* nothing can stop it$/m,
        "$unseen: a breakpoint that would never stop is refused");
}
like($said->{'break syscall_entry'}, qr/refused last: .*: traps and system calls .* stepi, or /,
    'an entry does not recommend what it refuses');
like($said->{instead}, qr/hit Breakpoint \d+(?:\.\d)?, memset \(/, 'hbreak stops there');
like($said->{nowatch}, qr/refused last: .* overlaps the CPU's own area and the descriptor tables/,
    'what traps use is refused');
like($said->{after}, qr/hit Temporary breakpoint \d+, fs_close/, 'after refusals all goes on');

# At a prompt, Pitot's commands print the reason.
(undef, $said) = session('typed',
    { run => 'perf record -a -e mem:kernel_flag:w -- fs-stress 1000000', typed => 1 },
    full => "watch *(char (*)[24])stresses\nwatch *(char (*)[16])&stresses[1]\ncontinue\n",
    once => "delete\n",
    text => "break event_hit\ncontinue\n",
    made => "delete\nhbreak handle_one\nbreak syscall_entry\nhbreak *0x400000\n"
        . "watch *(int *)0x400010\n",
    program => "delete 4 5 6\ncontinue\n",
    too => "delete\nhbreak memset\ncontinue\n",
    noted => "continue\n",
    kill => "delete\nkill\n");
like($said->{full}, qr/^Pitot: \d debug registers? needed, \d of 4 free; held by .*gdb watch/m,
    'behind a refusal its reason is shown');
unlike($said->{once}, qr/^Pitot: /m, '... once');
like($said->{text}, qr/^Pitot: no breakpoint at .*: use hbreak$/m,
    '... and the next');
# A function that the compiler has split has several places, each refused with its reason.
my @reasons = $said->{made} =~ /^Pitot: .*?(only hits|traps and system calls|a program's)/mg;
is(join(' ', uniq(@reasons)), "only hits traps and system calls a program's",
    '... at once, when it is made');
like($said->{program}, qr/0x400010 is a program's address/, '... or when a watch is to be set');
like($said->{too}, qr/^Pitot: the breakpoint at 0x\w+ does not stop hits, NMIs or /m,
    '... and what a breakpoint that is set will not stop');
unlike($said->{noted}, qr/^Pitot: /m, '... once, too');

# --- perf and gdb at once ------------------------------------------------------------------------

($machine, $said) = session('both at once',
    # One ring that holds all records: the host determines how soon the stream makes room.
    { flags => 'perf.rate=0',
        run => 'perf record -a -m 4m -e mem:kernel_flag:w -- fs-stress 20; poweroff' },
    begin => "tbreak client_editor\ncontinue\n",
    overlap => <<'GDB',
watch *(char (*)[2])&kernel_flag
continue
continue
monitor gdb
delete
GDB
    equal => <<'GDB',
set breakpoint always-inserted on
watch kernel_flag
monitor gdb
set breakpoint always-inserted off
continue
continue
delete
GDB
    step => <<'GDB',
tbreak unlock_kernel
continue
while kernel_flag
stepi
end
info symbol $pc
GDB
    end_of_it => "continue\n");
is(() = $said->{overlap} =~ /^New value = /mg, 2,
    "gdb's watch of a part of what perf watches is hit");
like($said->{overlap}, $of_perf, "perf's stays armed");
like($said->{equal}, qr{^  dr\d  0x[0-9a-f]+/4:w for perf mem:kernel_flag:w and 1 more$}m,
    'equal ones share a register');
like($said->{step}, qr/^unlock_kernel \+ /m, 'steps go over what is watched');
like($said->{end_of_it}, qr/^\[Inferior 1 .* exited normally\]$/m,
    'the end of the machine is reported');
my ($kept) = $machine->console =~ /^\[ perf record: (\d+) records? kept/m;
my ($operations) = $machine->console =~ /^fs-stress: (\d+) operations, all verified$/m;
is($kept // 'none', 2 * ($operations // 0),
    'perf has a record of each time that the lock was taken or released, stepped ones too');

# --- Pitot's commands ----------------------------------------------------------------------------

# A serial line takes half a minute for each MiB, so the test streams one ring of the four.
(undef, $said) = session('a ring',
    { run => 'perf record -a -e mem:kernel_flag:w -g -- fs-stress 1000000' },
    begin => "tbreak stress_leave\ncontinue\n",
    ring => "set debug remote 1\npitot ring -n 3 -g\nset debug remote 0\n",
    kill => "kill\n");
like($said->{ring}, qr/ mem:kernel_flag:w: (?:.*\n)+CPU 3: 0 records/,
    'pitot ring shows the newest');
my $packets = () = $said->{ring} =~ /Sending packet: /g;
cmp_ok($packets, '<', 300, '... and reads no more than there is of a recording');

# --- The console's commands ----------------------------------------------------------------------

($machine, $said) = session('monitor', {},
    prompt => "tbreak input_wait\ncontinue\ninfo registers rip rsp rbp rbx\n",
    record => "monitor perf record -a -e mem:kernel_flag:w -g -- fs-stress\n",
    report => "monitor perf report -g none -s sym\n",
    unknown => "monitor nonsense\n",
    same => "maint flush register-cache\ninfo registers rip rsp rbp rbx\nbt 1\n",
    interrupt => <<'GDB',
tbreak ticks_count
continue
python
try:
    gdb.execute("monitor help")
except gdb.error as why:
    print(why)
end
GDB
    kill => "kill\n");
# On a slow host the stream shows its progress.
like($said->{record},
    qr/^fs-stress: .*, all verified\n(?:\rperf record: KiB .*\n)?\[ perf record: \d+ record/m,
    'monitor perf record records a load');
like($said->{report}, qr/^ +50\.00% +\d+ +\[k\] lock_kernel/m, 'monitor perf report reports it');
like($said->{unknown}, qr/^nonsense: no such command/m,
    'gdb gets the answer of the console to nonsense');
my ($before) = $said->{prompt} =~ /^(rip (?:.*\n){4})/m;
my ($after) = $said->{same} =~ /^(rip (?:.*\n){4})/m;
is($after // '', $before // 'none', 'the stop is as it was');
like($said->{interrupt}, qr/^this CPU is in an interrupt's handler/m,
    'where no command can run it is refused with the reason');
unlike($machine->console, qr/nonsense/, 'the console itself does not show it');

# --- CPUs that hang ------------------------------------------------------------------------------

for my $cpus (1, 4) {
    (undef, $said) = session("hang, $cpus", { smp => $cpus, run => 'crash hang',
            door => by_bad_line(break => qr/^qRcmd/) },
        hang => "tbreak crash_spin\ncontinue\nbt 1\n",
        again => "monitor gdb\ncontinue\nbt 3\nprint \$eflags & 0x200\n",
        step => "stepi\nstepi\nprint \$eflags & 0x200\n",
        kill => "kill\n");
    like($said->{again}, qr/received signal SIGINT(?:.*\n)+#1 .*crash_(?:spin|hang) /,
        "$cpus CPUs: ^C stops one that spins with interrupts off");
    like($said->{again} . $said->{step}, qr/^\$1 = (?:0|\[ \])\n(?:.*\n)*\$2 = (?:0|\[ \])$/m,
        "$cpus CPUs: ... and after a step they still are");
}

# --- Panics --------------------------------------------------------------------------------------

($machine, $said) = session('a panic', { run => 'fs-stress; crash divide', door => gdb_at_com1() },
    console => "break crash_divide\ncontinue\nprint zero\n",
    panic => "continue\nbt 2\nprint \$rip\nthread 2\nbt 1\n",
    steps => $gdb_refusals . "thread 1\nstepi\nnext\npython\nrefused('finish')\n"
        . "refused('tbreak fs_open')\nrefused('continue')\nend\nbt 1\ndelete\n",
    end_of_it => "continue\n");
like($said->{console}, qr/^fs-stress: \d+ operations, all verified$/m,
    'at COM1 gdb shows the output of the console');
like($said->{panic}, qr/^PANIC: divide error at crash_divide(?:.*\n)+.*received signal SIGABRT/m,
    'a panic is reported, and then waits for gdb');
like($said->{panic}, qr/^#0 .*crash_divide \(\)(?:.*\n)#1 .*crash_run /m,
    '... which sees what failed');
like($said->{panic}, qr/^\[Switching to thread 2(?:.*\n)+#0 /m, '... and the other CPUs');
is(() = $said->{steps} =~ /^after a panic no code can run: `continue` ends .*$/mg, 2,
    'stepi and next do not end it');
is(() = $said->{steps} =~ /^Cannot insert breakpoint \d+\.$/mg, 2,
    '... nor does what needs a breakpoint: finish');
like($said->{steps}, qr/^Command aborted\.\n#0 .*crash_divide \(\)/m,
    '... which all leave it as it was')
    or diag($said->{steps});
like($said->{end_of_it}, qr/^Program terminated with signal SIGABRT/m, 'going on is the end');
is($machine->status, 99, 'and the status that of a panic');

# --- Bad lines -----------------------------------------------------------------------------------

($machine, $said) = session('a bad line', { run => 'fs-stress 20; poweroff',
        door => by_bad_line(damage => [2, 8, 15], noise => [3, 9, 20], deaf => [4, 12],
            lose => qr/^qRcmd/) },
    stop => "break fs_write if length > 1000\ncontinue\nbt\ninfo registers\nx/64xg \$rsp\n",
    more => "stepi\nfinish\ninfo threads\nthread apply all bt\n",
    # gdb asks again only once it has missed the lost packet.
    counts => "set remotetimeout 2\nmonitor gdb\nset remotetimeout $patience\n",
    leave => "detach\n");
like($said->{stop}, qr/hit Breakpoint 1, fs_write (?:.*\n)+#\d+ .* boot_entry_high/,
    'a bad line is survived');
like($said->{counts}, qr/packets damaged [1-9]\d*, too long 0, sent again [1-9]\d*; noise [1-9]/,
    '... and was one');
ended_ok($machine, 'the machine runs on to its end');

done_testing();
