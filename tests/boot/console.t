#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: kernel/console, drivers/uart16550
#
# The console as a user sees it (docs/machines.md): keys, history, completion, wrong and endless
# lines, typing ahead, ^C, reboot. Run from the root of the tree:
#
#     prove tests/boot/console.t
#
# QEMU only: Bochs' console takes no keys.
use strict;
use warnings;
no warnings 'portable';    # addresses have 64 bits
use lib 'tests/lib';
use Test::More;
use Pitot;
use Pitot::Transcript;

my $elf = ($ENV{BUILD} // 'build') . '/pitot.elf';
my ($control_c, $control_u, $control_w, $tab) = ("\x03", "\x15", "\x17", "\t");
my ($backspace, $delete, $home, $end) = ("\x7f", "\e[3~", "\e[H", "\e[F");
my ($up, $down, $right, $left) = ("\e[A", "\e[B", "\e[C", "\e[D");

my $machine = start(machine => 'qemu', reboot => 1);
prompted('a boot without run= ends at a prompt');

sub prompted
{
    my ($name) = @_;
    return $machine->expect(qr/^pitot> $/m, $patience, $name);
}

# Types one line and returns what is shown up to the next prompt.
sub line
{
    my ($keys) = @_;
    $machine->send("$keys\n");
    return prompted();
}

# Types any text, such as several lines, which must leave an empty line. Prompts appear meanwhile,
# so a last line with a known answer marks the end.
sub keys_typed
{
    my ($keys) = @_;
    $machine->send("${keys}that-is-all\n", $patience);
    return $machine->expect(qr/^that-is-all: no such command.*\npitot> $/m, $patience);
}

# One test: `help COMMAND` ran for exactly these commands, in this order.
sub helped_ok
{
    my ($text, $commands, $name) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my @helped = $text =~ /^(\w\S*)(?: \S.*)?\n {4}\S/mg;
    return is("@helped", $commands, $name) || diag($text);
}

# --- help ----------------------------------------------------------------------------------------

# The number of pointers to commands that the linker has collected.
sub commands_linked
{
    my ($start, $stop) = map { hex(address_of($elf, "__${_}_pitot_commands")) } qw(start stop);
    return ($stop - $start) / 8;
}

my @commands = line('help') =~ /^  (\S+) +\S+ \S+/mg;
is(scalar(@commands), commands_linked(), '`help` lists every command, with a summary');
is("@commands", join(' ', sort(@commands)), '... in order');
helped_ok(join('', map { line("help $_") } @commands), "@commands", '... and tells of each');

like(line('pref list'), qr/^pref: no such command; near: perf; `help` lists them$/m,
    'an unknown command is answered with what is near');
like(line('powerof'), qr/^powerof: no such command; near: .*\bpoweroff\b/m, '... a part too');
like(line('qqqqqqqq'), qr/^qqqqqqqq: no such command; `help` lists them$/m, '... if anything is');

# --- Keys ----------------------------------------------------------------------------------------

my %keys = (
    'backspace' => "help bx${backspace}t",
    'delete' => "help bxt$left$left$delete",
    'into the line' => "hlp bt$home${right}e",
    'to the end of the line' => "elp b${home}h${end}t",
    'cut a word' => "help perf${control_w}bt",
    'cut the line' => "reboot${control_u}help bt",
    'cancel the line' => "reboot${control_c}help bt",
);
helped_ok(keys_typed("$keys{$_}\n"), 'bt', "editing: $_") for sort(keys %keys);

helped_ok(line("help $_"), $_, "help $_") for qw(regs perf);
helped_ok(line("$up$up"), 'regs', 'up: the line before the last');
helped_ok(line("$up$up$down"), 'regs', 'down: back to the last');
helped_ok(line("$up${control_w}bt"), 'bt', 'a line of the history can be edited');

helped_ok(line("he${tab}bt"), 'bt', 'TAB completes a command');
like(keys_typed("p$tab$tab$control_u"), qr/^perf  poweroff  ps\npitot> p/m,
    'TAB, when there are several, lists them and shows the line again');
like(line("perf rec$tab-e mem:kernel_fl$tab:rw -g -- fs-str${tab}1"),
    qr/^fs-stress: \d+ operations, all verified\n(?:perf record: .*\n)*\[ perf record: \d{3,} rec/m,
    'TAB completes subcommands, symbols in events, and workloads');

like(keys_typed("perf trace -e getp$tab$tab$control_u"), qr/^getpid  getppid$/m,
    'TAB knows the system calls');
like(keys_typed("crash $tab$tab$control_u"), qr/^assert  console  .*\swrite-text$/ms,
    '... how to crash');
like(keys_typed("bt $tab$tab$control_u"), qr/^0  1(?:  \d+)*$/m, '... threads, the idle one, too');
unlike(keys_typed("perf record -p $tab$tab$control_u"), qr/^0 /m, '... but -p takes no idle one');
like(keys_typed("kill -$tab$tab$control_u"), qr/^-CONT  -INT  -KILL  -STOP  -TERM$/m,
    '... signals');
my $pid = $machine->run_beside('calls sleep', qr/calls: sleeps$/m, 'a program in the background');
$machine->send("wait $tab");
$machine->expect(qr/wait $pid $/, $patience, '... is what TAB knows to wait for');
$machine->send("${control_u}kill -9 $tab\n");
$machine->expect(qr/calls \(pid $pid\): killed by signal 9\npitot> /, $patience, '... and to kill');
like(keys_typed("run fs-$tab$control_u"), qr/^run fs-load /m, '... and programs to run');
like(line("run"), qr/^run: say which program; there are accesses, /m, '`run` lists the programs');
like(line("perf stat -a -e mem:/bin/fs-l$tab:cal${tab}:w -- /bin/fs-l${tab}1"),
    qr/^ +[1-9]\d* +mem:\/bin\/fs-load:calls:w$/m, 'TAB knows them, and their symbols');

# --- Wrong lines ---------------------------------------------------------------------------------

my $garbage = join('', map { chr } 0x80 .. 0xff);
my $text = keys_typed("help ${garbage}perf\nhelp bt\n");
like($text, qr/^the line has bytes that are neither .* \(128, first 0x80\): nothing was run$/m,
    'a line with garbage is refused');
helped_ok($text, 'bt', '... as a whole, and the next one runs');

$text = keys_typed(('help perf; ' x 1_000) . "\nhelp bt\n");
like($text, qr/^the line has 11000 characters, 1024 are allowed: nothing was run$/m,
    'an endless line is refused');
helped_ok($text, 'bt', '... as a whole, and the next one runs');

$text = keys_typed("help 'perf\nhelp bt\n");
like($text, qr/quote/, 'an open quote is refused');
helped_ok($text, 'bt', '... and the next line runs');

# --- Typing ahead, ^C ----------------------------------------------------------------------------

# More text than the kernel buffers (4096 bytes).
my @ahead = map { sprintf('ahead-%04d', $_) } 1 .. 600;
$text = keys_typed("fs-stress 500\n" . join('', map { "$_\n" } @ahead));
my ($done) = $text =~ /^fs-stress: \d+ operations, all verified\n(.*)/ms;
is_deeply([($done // '') =~ /^(ahead-\d+): no such command/mg], \@ahead,
    'lines typed while a workload runs are run after it, all, and in order');

my $record = 'perf record -a -e mem:kernel_flag:rw -g --overwrite -- fs-stress 1000000';
$machine->send("$record; help perf\n");
$machine->expect(qr/^fs-stress: \d+ of 1000000/m, $patience, 'a long workload shows how far it is');
$machine->send("help regs\n$control_c");
$text = prompted();
like($text, qr/^fs-stress: stopped after \d+ of 1000000 rounds\n/m, '^C stops it');
like($text, qr/^\[ perf record: \d+ records? kept.*\]\n\^C\n/m, '... what is recorded is kept');
helped_ok($text . line('help bt'), 'bt',
    '... neither the rest of the line runs nor what was typed before');
like(line('perf report -g none'), qr/^ +\d+\.\d+% +\d+  \[k\] lock_kernel$/m,
    '... and the recording can be reported');

$machine->send("perf record -a -e mem:ticks:w\n");
$machine->expect(qr/^recording until \^C$/m, $patience, 'without a workload a recording waits');
$machine->send($control_c);
like(prompted(), qr/^\[ perf record: \d+ records? kept \]$/m, '... for ^C');
is(scalar(() = line('perf list') =~ /^  dr\d  free$/mg), 4, 'nothing stays armed');

# --- Much text -----------------------------------------------------------------------------------

# It would print for some ten minutes if ^C did not end it.
my $much = join('; ', ('perf script') x 50);
line('perf record -a --overwrite -e lock:* -R -g -- fs-stress 40');
$machine->send("$much\n");
$machine->expect(qr/^fs-stress +1 \[000\] .*\n\t/m, $patience, 'perf script prints');
$machine->send($control_c);
my $rest = prompted('... until ^C');
like($rest, qr/\n\^C\npitot> $/, '... which ends it behind a whole line');
cmp_ok(length($rest), '<', 1_000_000, '... and neither it nor the rest of the line goes on');
like(line('perf list sched:*witch'), qr/\A.*\n  sched:sched_switch .*\n(?!  \w+:)/,
    'perf list prints what matches');
my $a_field = qr/(?:int|long|char|void \*|unsigned \w+) \w+/;
unlike(line('perf list *:*'), qr/^  [a-z]\w*:[a-z]\w*+(?! +$a_field)/m,
    '... each with a blank before its fields');
like(line('perf list nothing-of-the-kind'), qr/^perf list: no event matches "nothing-of-the-kind"/m,
    '... or reports that nothing does');

# --- As in perf -----------------------------------------------------------------------------------

like(line('perf record -a -- fs-stress --threads 2 30; perf report -g none'),
    qr/^# Samples: \S+ +of event 'cpu-clock'$/m, 'perf record without -e samples the clock');
like(line('perf stat -a -- fs-stress 3 --threads 1'),
    qr/^ +[\d.]+ msec cpu-clock\n +[1-9]\d* +sched:sched_switch\n +\d+ +irq:\S+\n +0 +raw_sys/m,
    'perf stat counts what a person asks first; rounds and --threads stand in either order');
like(line('perf record -a -e mem:lock_kernel -- help bt'),
    qr/^perf record: mem:lock_kernel watches the bytes of a function .* mem:lock_kernel:x .*\nbt /m,
    'a function that is watched as data: how to have its calls is said');
my $no_watch = qr/breakpoint:hit needs a breakpoint, and there is none: add one with -e mem:ADDR/;
for my $kind (qw(record stat)) {
    like(line("perf $kind -a -e breakpoint:hit -- help bt"),
        qr/^perf $kind: $no_watch\nbt /m,
        "perf $kind of breakpoint:hit without a watch: that there is none is said");
    unlike(line("perf $kind -a -e breakpoint:hit -e mem:kernel_flag:w -- help bt"), $no_watch,
        '... with one nothing');
}
unlike(line('perf stat -e breakpoint:hit -e mem:/bin/calls:main:x -- help bt'), $no_watch,
    '... nor with one of a program that does not run yet');
like(line('help perf record'), qr/^    -e, --event EVENT  +what is watched/m,
    'help tells of a part of perf');
like(line('help bt x'), qr/^help: bt has no subcommands/m, '... where there are parts');

# --- The end -------------------------------------------------------------------------------------

$machine->send("reboot\n");
$machine->expect(qr/^Pitot: \d+ MiB free/m, $patience, '`reboot` restarts the machine');
prompted('... to a prompt');
like(line('perf report'), qr/^perf report: nothing is recorded/m, '... and nothing is left');
$machine->send("poweroff\n");
$machine->wait_end;
ended_ok($machine, '`poweroff` ends it');
is(() = $machine->console =~ /^Pitot: \d+ MiB free/mg, 2, 'there were two boots, and no more');

done_testing();
