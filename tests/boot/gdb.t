#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: tools/gdb, tests/gdb, arch/x86_64/unwind/cfi.inc, kernel/x86_64/entry/trap
#
# What docs/gdb.md promises to a person with gdb on QEMU's stub: symbols, source, breakpoints,
# watchpoints, `finish`, and backtraces through every way into the kernel. The last is tested at
# each instruction from the entry to the return: there gdb must know the interrupted context,
# register by register. Run from the root of the tree:
#
#     prove tests/boot/gdb.t
#
# Scripts and gdb's output stay beside the machines' logs, build/logs/gdb/<n>.script and .gdb.
use strict;
use warnings;
use lib 'tests/lib';
use Fcntl qw(F_SETFD);
use IO::Select;
use Test::More;
use Pitot;
use Pitot::Listing;
use Pitot::Files;
use Pitot::Gdb;

plan skip_all => "a stub for gdb is QEMU's" if ($ENV{MACHINE} // 'qemu') ne 'qemu';

my $build = $ENV{BUILD} // 'build';
my $logs = "$build/logs/gdb";

# --- A session -----------------------------------------------------------------------------------

# The machine, at its end, and gdb's output of each part.
sub session
{
    my ($machine, $said) = gdb_session(shift, '', @_);
    $machine->wait_end;
    return ($machine, $said);
}

# The functions of a backtrace, innermost first.
sub frames
{
    my ($text) = @_;
    return $text =~ /^#\d+ +(?:0x[0-9a-f]+ in )?(<signal handler called>|[^ ]+)/mg;
}

# One test: the backtrace begins with these functions and ends where the kernel begins.
sub backtrace_ok
{
    my ($text, $inner, $name) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my @all = frames($text);
    # gdb shows a function that the compiler has split twice.
    my @frames = @all[grep { $_ == 0 || $all[$_] ne $all[$_ - 1] } 0 .. $#all];
    my $count = @$inner;
    return is_deeply([@frames[0 .. $count - 1], @frames[-2, -1]],
        [@$inner, 'kernel_main', 'boot_entry_high'], $name) || diag($text) if @frames >= $count + 2;
    return fail($name) || diag($text);
}

# --- An interactive session ----------------------------------------------------------------------

my ($machine, $said) = session({ run => 'fs-stress; poweroff' }, place => <<'GDB',
info registers rip
info line
list
bt
GDB
    break => <<'GDB',
tbreak fs_stress_run
continue
break fs_open
continue
bt
GDB
    step => <<'GDB',
x/2i $pc
stepi
print $pc
next
next
next
bt 1
delete
GDB
    watch => <<'GDB',
watch kernel_flag
continue
bt
continue
delete
GDB
    finish => <<'GDB',
tbreak fs_write
continue
print length
finish
GDB
    detach => <<'GDB');
detach
GDB

# gdb skips a function's prologue, so the first stop is at its start or shortly after.
my $stops = qr/^(?:Thread \d+ hit )?/m;    # gdb numbers threads where there are several CPUs
like($said->{entry},
    qr{${stops}Temporary breakpoint 1, kernel_main \(.*\) at (\./)?boot/main\.c:\d+},
    'a new machine runs to kernel_main');
like($said->{place}, qr/^rip .* <kernel_main(\+\d+)?>$/m, 'rip is there');
like($said->{place}, qr{^Line \d+ of "(\./)?boot/main\.c" starts}m, 'the address has a line');
like($said->{place}, qr/^\d+\t +clock_start\(\);/m, 'and the line a source');
backtrace_ok($said->{place}, [], 'the backtrace ends with the kernel, not behind it');

like($said->{break}, qr{${stops}Breakpoint \d+, fs_open \(path=.*"/fs-stress},
    'a breakpoint set by name is hit, arguments are readable');
backtrace_ok($said->{break}, ['fs_open'], 'the backtrace leads from there to kernel_main');

my ($following) = $said->{step} =~ /^=> .*\n +(0x[0-9a-f]+) <fs_open/m;
like($said->{step}, qr/^=> .*:\t\w+ +[^%\n]+$/m, 'instructions are shown in the syntax of NASM');
like($said->{step}, qr/ \Q${\($following \/\/ 'next')}\E </, 'stepi goes to the next instruction');
my $start = ($said->{break} =~ /^(\d+)\t/mg)[-1];
my @lines = $said->{step} =~ /^(\d+)\t/mg;
cmp_ok($lines[-1] // 0, '>', $start // 0, 'next goes on in the source');
is((frames($said->{step}))[0], 'fs_open', 'and stays in the function');

my $change = qr/^Old value = (\d)\nNew value = (\d)\n(?:0x\w+ in )?(\w+) \(\)/m;
is_deeply([$said->{watch} =~ /$change/g], [qw(0 1 lock_kernel 1 0 unlock_kernel)],
    'a watchpoint shows who takes and who releases the lock');
backtrace_ok($said->{watch}, ['lock_kernel'], 'the backtrace tells who took it');

my ($length) = $said->{finish} =~ /^\$\d+ = (\d+)$/m;
cmp_ok($length // 0, '>', 0, 'an argument at the start of a function');
like($said->{finish}, qr/^Value returned is \$\d+ = \Q${\($length \/\/ 'length')}\E$/m,
    'finish shows what the function returns: all has been written');

unlike(join('', values %$said), qr/^warning: |Error|Cannot /m, 'gdb has nothing to complain about');
ended_ok($machine, 'after detach the machine runs on to its end');
like($machine->console, qr/^fs-stress: \d+ operations, all verified$/m, 'and has lost nothing');

# --- Backtraces through traps --------------------------------------------------------------------

(undef, $said) = session({ run => 'fs-stress 100000; poweroff' }, tick => <<'GDB');
tbreak stress_round
continue
tbreak ticks_count
continue
bt
kill
GDB
backtrace_ok($said->{tick},
    [qw(ticks_count tick timer_interrupt interrupt_serve apic_timer_interrupt trap_interrupt),
        'trap_dispatch', '<signal handler called>'],
    'a backtrace leads from an interrupt into what was interrupted');
like($said->{tick}, qr/ stress_rounds \(/, 'which was the load');

($machine, $said) = session({ run => 'perf record -a -e mem:kernel_flag:w -- fs-stress; poweroff' },
    hit => <<'GDB');
tbreak sample_write
continue
bt
detach
GDB
# handle_group is in the chain on machines where one trap covers several iterations.
backtrace_ok($said->{hit} =~ s/^#\d+ .*\bhandle_group .*\n//mr,
    [qw(sample_write sample_take event_hit_checked event_hit_meant event_breakpoint_hit handle_one),
        qw(breakpoint_trap debug_hit debug_trap_inside), '<signal handler called>', 'lock_kernel'],
    'a backtrace leads from the debug trap to who touched the watched lock');
ended_ok($machine, 'the recording goes on after it');

# --- ... at each instruction ---------------------------------------------------------------------

# At the first instruction of a stub all registers are still those of the interrupted context,
# except those that the CPU has pushed (followed by an error code of `error` bytes). The expected
# values of the walk are taken there, so they do not depend on call frame information.
my $program_end = '0x7ffffffff000ul';
my $walk = <<'GDB';
define show_registers
    printf "%lx %lx %lx %lx %lx ", $rip, $rsp, $rbp, $rax, $rbx
    printf "%lx %lx %lx %lx ", $rcx, $rdx, $rsi, $rdi
    printf "%lx %lx %lx %lx ", $r8, $r9, $r10, $r11
    printf "%lx %lx %lx %lx\n", $r12, $r13, $r14, $r15
end
define show_interrupted
    printf "\nat %#lx: ", $rip
    set $up = 0
    while $rip != $ip || $rsp != $sp_there
        up-silently
        set $up = $up + 1
    end
    show_registers
    down-silently $up
end
define walk
    tbreak *((char *)&trap_stubs + $arg0 * 16) if *(unsigned long *)((char *)$rsp + $arg1) <= $arg3
    continue
    set $pushed = (unsigned long *)((char *)$rsp + $arg1)
    set $ip = $pushed[0]
    set $sp_there = $pushed[3]
    printf "\ntruth: %lx %lx ", $ip, $sp_there
    printf "%lx %lx %lx %lx %lx %lx %lx ", $rbp, $rax, $rbx, $rcx, $rdx, $rsi, $rdi
    printf "%lx %lx %lx %lx ", $r8, $r9, $r10, $r11
    printf "%lx %lx %lx %lx\n", $r12, $r13, $r14, $r15
    while $rip != (unsigned long)$arg2
        show_interrupted
        stepi
    end
    show_interrupted
    bt
end
GDB

# The gdb commands up to the first instruction of a program's function.
sub to_program
{
    my ($program, $function) = @_;
    my ($address) = `nm $build/programs/$program` =~ /^([0-9a-f]+) [Tt] $function$/m
        or die("$program has no $function\n");
    return "tbreak *0x$address\ncontinue\n";
}

# Keeps the thread on its CPU, whatever other thread is ready.
my $stays = "set var pitot_preemption[0].off += 1\n";

# The entries: the vector, the size of its error code, what triggers it, and where the walk ends:
# back in the interrupted function, or where a report begins.
my @ways = (
    {
        # A thread switch at the interrupt's exit would lead elsewhere, and time passes while gdb
        # steps.
        name => 'a timer interrupt', vector => 0xf0, until => '$ip',
        run => join('; ', ('perf list') x 50, 'poweroff'),
        provoke => "tbreak perf_list\ncontinue\n$stays",
    },
    {
        name => 'a hit of a watched variable', vector => 1, until => '$ip',
        run => 'perf record -a -e mem:kernel_flag:w -g -- fs-stress; poweroff',
    },
    {
        name => 'a page fault', vector => 14, error => 8,
        until => '&trap_dispatch', run => 'crash write-text',
    },
    {
        name => 'an NMI', vector => 2, until => '&nmi_trap',
        run => 'fs-stress 100000; poweroff',
        provoke => "tbreak fs_rename\ncontinue\nmonitor nmi\n",
    },
    {
        # The gates of #UD and of #NP, the fault of using such a gate, are marked not present.
        name => 'a double fault', vector => 8, error => 8,
        until => '&trap_fatal', run => 'crash undefined',
        provoke => "tbreak crash_run\ncontinue\n"
            . "set idt[6].type &= 0x7f\nset idt[11].type &= 0x7f\n",
    },
    {
        name => 'a timer interrupt of a program', program => 1, vector => 0xf0, until => '$ip',
        run => '/bin/spin', provoke => to_program('spin', 'main') . $stays,
    },
    {
        name => 'an NMI upon a program', program => 1, vector => 2, until => '$ip',
        run => 'perf record -a -e cpu-clock -F 100 -- /bin/spin',
        provoke => to_program('spin', 'main'),
    },
    {
        name => "a program's own step", program => 1, vector => 1, until => '&trap_dispatch',
        run => '/bin/attack trap_flag', provoke => to_program('attack', 'attack_trap_flag'),
    },
    {
        name => 'a double fault of a program', program => 1, vector => 8, error => 8,
        until => '&trap_fatal', run => '/bin/attack ud2',
        provoke => to_program('attack', 'attack_ud2')
            . "set idt[6].type &= 0x7f\nset idt[11].type &= 0x7f\n",
    },
);

my %visited;    # addresses of instructions

# The addresses of an entry's instructions; unreachable places hold a ud2. Left out is what only a
# program's trap executes (docs/programs.md): the switch of GS, the branch of its own debug traps,
# followed by the one for a trap in which a debugger requested a stop; and what follows the tests of
# a frame's VM and TF, for virtual-8086 mode and a stepped context. None of these moves the stack
# pointer.
sub instructions
{
    my ($entry) = @_;
    my $listing = `gdb -nx -q -batch -ex 'disassemble $entry' $build/pitot.elf`;
    $listing =~ s/^[^\n]*\bmov +%rax,%rsp\n(?:.*?\bjmp [^\n]*\n){2}//ms
        if $entry eq 'watch_entry';
    $listing = without_guarded($listing);
    return $listing =~ /^ +(0x[0-9a-f]+) <\+\d+>:\t(?!ud2|swapgs|inc +%ebx)/mg;
}

sub walk_ok
{
    my ($way) = @_;
    my $commands = ($way->{provoke} // '')
        . "walk $way->{vector} " . ($way->{error} // 0) . " $way->{until} "
        . ($way->{program} ? $program_end : '-1ul') . "\nkill\n";
    # One CPU: while one is stepped, others would run on to the end of the load.
    my ($machine, $said) = session({ run => $way->{run}, smp => 1 }, walk => $walk . $commands);
    my ($truth) = $said->{walk} =~ /^truth: (.*)$/m;
    my @steps = $said->{walk} =~ /^at (0x[0-9a-f]+: .*)$/mg;
    my @wrong = grep { !/^0x[0-9a-f]+: \Q${\($truth \/\/ 'truth')}\E$/ } @steps;

    $visited{s/:.*//r} = 1 for @steps;
    cmp_ok(scalar(@steps), '>', 5, "$way->{name}: it comes");
    is("@wrong", '', "$way->{name}: the right registers at each of " . @steps . ' instructions');
    my ($begin) = ($truth // 'none') =~ /^(\S+)/;
    my $ends = $way->{program} ? $said->{walk} =~ /^#\d+ +0x0*$begin in /m
        : grep { $_ eq 'kernel_main' } frames($said->{walk});
    ok($ends, "$way->{name}: walked to the end")
        or diag(substr($said->{walk}, -1000));
}

walk_ok($_) for @ways;
for my $entry (qw(trap_entry watch_entry fatal_entry)) {
    my @instructions = instructions($entry);
    my @missed = grep { !$visited{$_} } @instructions;
    cmp_ok(scalar(@instructions), '>', 15, "$entry has instructions");
    is("@missed", '', "$entry: none was left out");
}

# --- A watch beside the kernel's own --------------------------------------------------------------

# gdb watches a byte that is also recorded, from the recording's first hits on.
my $counted = 'mem:kernel_flag:w -- fs-stress 2';
($machine, $said) = session(
    { run => "perf stat -a -e $counted; perf record -a -e $counted; poweroff", smp => 1 },
    overlapping => "tbreak perf_record\ncontinue\ntbreak client_editor\ncontinue\n"
        . "watch *(char *)&kernel_flag\n" . "continue\n" x 5 . "monitor info registers\ndelete\n",
    on => "detach\n");
my ($hits) = $machine->console =~ /^ +([\d,]+) +mem:kernel_flag:w/m;
my ($records) = $machine->console =~ /^\[ perf record: (\d+) records? kept \]$/m;
my $taken = () = $said->{overlapping} =~ /^New value = /mg;
is($taken, 5, 'gdb watches what the kernel watches, too');
like($said->{overlapping}, qr/ DR7=0+d0402\b/, '... whose registers stay armed');
is(($records // 0) + $taken, ($hits // '') =~ tr/,//dr,
    '... each hit is gdb\'s or the kernel\'s: of ' . ($hits // 'none') . ' so many are recorded');
ended_ok($machine, '... and the machine runs on');

# --- make gdb ------------------------------------------------------------------------------------

# Runs tools/gdb/attach and returns its output. A process that it leaves behind keeps the pipe open.
sub attach
{
    my ($arguments) = @_;
    pipe(my $alive, my $held) or die("pipe: $!");
    fcntl($held, F_SETFD, 0);
    my $slow = "-iex 'set remotetimeout $patience'";    # before gdb connects
    my $said = `timeout -k 5 $patience tools/gdb/attach $slow $arguments 2>&1 < /dev/null`;
    my $status = $? >> 8;
    close($held);
    return ($said, $status, scalar IO::Select->new($alive)->can_read(0));
}

$ENV{CONSOLE} = "$logs/attach.console";
my ($said_there, $status, $all_gone) = attach("-nx -batch -ex bt -ex 'pitot cpus' -ex 'quit 3'");
like($said_there, qr/tail -f \Q$ENV{CONSOLE}\E$/m, 'attach prints where the console is');
backtrace_ok($said_there, [], 'attach stops in kernel_main');
like($said_there, qr/^ +0 +- +- +kernel_main/m, "gdb has Pitot's commands there");
is($status, 3, "attach ends with gdb's status");
ok($all_gone, 'attach leaves no machine behind');

# The session of docs/gdb.md.
$ENV{GDB} = 'inside';
$ENV{COM2} = "$logs/attach.com2";
unlink($ENV{COM2});
($said_there) = attach("-nx -batch -ex 'tbreak input_wait' -ex continue"
        . " -ex 'monitor perf record -a -e mem:kernel_flag:w -g -- fs-stress'"
        . " -ex 'monitor perf report -g none -s sym' -ex kill");
like($said_there, qr/^\[ perf record: 3280 records kept \]\n(?:#.*\n)+ +50\.00% +1640 /m,
    'attach inside: monitor records and reports, and gdb sees these lines alone');
like(slurp_if_there($ENV{COM2}), qr/^PERFILE2/, '... as the stream has left by COM2');
delete @ENV{qw(GDB COM2)};

$ENV{ISO} = "$logs/no.iso";
($said_there, $status, $all_gone) = attach('');
like($said_there, qr/no\.iso is not there/, 'attach without an image is reported');
is($status, 1, '... and ends with status 1');

done_testing();
