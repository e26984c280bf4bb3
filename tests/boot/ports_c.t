#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: ports/c, core/embed, core/pitot.h, arch/embed
#
# A kernel with descriptor tables, GS, threads and a timer of its own uses build/lib/pitot.o, level
# by level (docs/porting.md): each level is booted, and the real perf reads its stream. Requests
# that a level cannot meet are refused with the reason. The glue's lines are counted. Run from the
# root of the tree:
#
#     prove tests/boot/ports_c.t
use strict;
use warnings;
use lib 'tests/lib';
use File::Path qw(make_path);
use Test::More;
use Pitot::Files;
use Pitot::Port;
use Pitot::Transcript;

plan skip_all => "it is started by QEMU's -kernel" if ($ENV{MACHINE} // 'qemu') ne 'qemu';

my $build = $ENV{BUILD} // 'build';
my $logs = "$build/logs/ports_c";
my $jobs = 20;             # JOBS of ports/c/main.c, of each worker
my @workers = qw(baker cook smith);
my $done = 1;              # isa-debug-exit's status for 0
my $refused = 2 * 3 + 1;

make_path($logs);

# Variants of level 2 with tables; `low` is linked at 1 MiB.
my %tables = ('2, with tables' => 'level2-tables', '2, low, with tables' => 'low-tables');
my %others = (
    %tables,
    '0, by a script that drops' => 'dropped',
    '0, by a script that drops sites' => 'siteless',
    '0, with Linux\' tracepoints' => 'switches',
    '2, with tables, no build id' => 'nameless-tables',
    '3, with tables' => 'level3-tables',
    '3, that gives too little' => 'lacks',
    '3, with CPU and clock in line' => 'level3-inline',
    '3, with patched tracepoints' => 'patched',
    '3, that moves threads' => 'moves',
    '3, that checks' => 'check',
    '3, that checks, with other traps' => 'check-trapless',
    '3, that does not answer' => 'deaf',
    '3, with one task state' => 'task-state-two',
    '3, of an object for one' => 'two-of-one',
    '2, of an object for two' => 'one-of-two',
    '2, with tables, without the entries' => 'undescribed-tables',
    '2, with its own gate' => 'own-gate',
    '2, with its own gate and tables' => 'own-gate-tables',
    '2, with no IST stack' => 'istless',
    '2, with an IST stack that NMIs have' => 'ist-shared',
    '2, with many threads' => 'many-threads',
    '2, with no tick' => 'tickless',
    '2, with a copied frame' => 'frame-copied',
    '2, with another bp' => 'bp-wrong',
    '2, with a frame too low' => 'frame-low',
    '2, with little stack' => 'cramped',
    '2, with watches turned off' => 'disarms',
    '2, with watches turned off late' => 'disarms-late',
    '2, with an outer entry' => 'outer-entry',
    '2, with an outer entry, no gate' => 'outer-gateless',
    '2, with another GDT' => 'task-state',
    '2, on a small stack' => 'small-tables',
    '2, a stray trap' => 'stray',
    '2, a stray trap, with no gate' => 'stray-first',
    '2, that serves debug traps' => 'served',
    '2, that serves them on a stack of its own' => 'served-stack',
    '2, that steps a program' => 'program',
    '2, that runs a program' => 'program-chain-tables',
    '2, of programs above' => 'program-above',
    '2, of programs above memory of the kernel' => 'program-below-tables',
);

sub kernel { return "$build/ports/c-" . ($others{$_[0]} // "level$_[0]") . '.elf' }

# Boots that level with these options. Returns the status and the console.
sub run_level
{
    my ($level, $options) = @_;
    return boot_port(kernel($level), $options, $level =~ /^3/ ? 2 : 1, $logs);
}

sub perf_says
{
    my ($level, @line) = @_;
    return perf_of_port(kernel($level), $logs, 'script', @line);
}

sub records
{
    my ($level, $options, $count) = @_;
    my ($status, $console) = run_level($level, $options);
    my $all = $jobs * (@workers + ($level =~ /^3/ ? 1 : 0));
    is($status, $done, "level $level, $options: it runs to its end") or diag($console);
    like($console, qr/^$count records\n0 doubtful hits\n$all jobs$/m,
        '... with all its records');
}

sub refuses
{
    my ($level, $options, $why) = @_;
    my ($status, $console) = run_level($level, $options);
    is($status, $refused, "level $level, $options: refused");
    like($console, qr/^refused: .*$why/m, '... and why');
    is(slurp_if_there("$logs/stream"), '', '... and nothing is streamed');
}

sub address
{
    my ($level, $name) = @_;
    my ($hex) = `nm ${\kernel($level)}` =~ /^([\da-f]+) \w \Q$name\E$/m;
    return "0x$hex";
}

# Each worker's jobs, in the order of the threads' turns.
my @turns = map { my $job = $_; map { [$workers[$_ - 1], $_, 100 * $_ + $job] } 1 .. @workers }
    0 .. $jobs - 1;

# --- Level 0: tracepoints -------------------------------------------------------------------------

records(0, '-e shop:job_done -e pitot:mark', @turns + 1);
my @lines = perf_says(0, '-F', 'comm,tid,event,ip,sym,trace') =~ /^ *(\S.*?)$/mg;
like(shift(@lines), qr/^boot +0 +pitot:mark: begin 0 +[\da-f]+ record_begin$/,
    'perf script: the mark, by a thread of pid 0');
my $job = qr{^(\w+) +(\d+) +shop:job_done: job=(\d+) worker=(\w+) +[\da-f]+ (\w+)$};
is_deeply([map { [/$job/] } @lines],
    [map { [@$_[0 .. 2], $_->[0], 'job_finish'] } @turns],
    '... and each job: thread, fields and function');
records(0, '-e shop:job_done -c 10', @turns / 10);

refuses(0, '', 'no event: -e SYSTEM:NAME');
refuses(0, '-e shop:job', 'no tracepoint "shop:job"; near: shop:job_done');
refuses(0, '-e shop:job_done -x', '-x: -e EVENT, -c N, -p N and -g are allowed');
refuses(0, '-e shop:job_done -c 0', '-c 0: a whole number, 1 or more');
refuses(0, '-e', '-e needs an argument');
refuses(0, '-e mem:' . 'x' x 200, 'at most 95 are allowed');
refuses(0, '-e shop:job_done -g', '-g: stack of struct pitot_kernel is 0: where stacks lie');
refuses('0, by a script that drops', '-e pitot:mark',
    'the linker script drops the section pitot_tracepoints');
refuses('0, by a script that drops sites', '-e pitot:mark',
    'the linker script drops the section pitot_sites');
refuses(0, '-e mem:' . address(0, 'jobs_done') . ':w',
    'mapped of struct pitot_kernel is 0: what memory is there');

# PITOT_PATCHED: on both CPUs a nop while no event listens, otherwise a jump.
my $patched = '3, with patched tracepoints';
records($patched, '-e shop:job_done', $jobs * (@workers + 1));
is_deeply([sort map { "@$_" } map { [/$job/] } perf_says($patched, '-F',
            'comm,tid,event,ip,sym,trace') =~ /^ *(\S.*?)$/mg],
    [sort((map { "@$_[0 .. 2] $_->[0] job_finish" } @turns),
            map { "helper 4 @{[400 + $_]} helper job_finish" } 0 .. $jobs - 1)],
    '... with thread, fields and function');
my $code = `objdump -d --no-show-raw-insn --disassemble=job_finish ${\kernel($patched)}`;
like($code, qr/\bnopl +0x0\(%rax,%rax,1\)/, '... and costs one instruction while it is off');
unlike($code, qr/\b(?:cmp|test)/, '... and asks nothing');

# Weights, states at begin and end, and more fields than registers: each switch of a turn, and the
# last of each thread; perf sched takes them for Linux'.
my $switches = "0, with Linux' tracepoints";
my $turns = ($jobs + 1) * (@workers + 1);
records($switches, '-e sched:sched_switch -e sched:sched_stat_runtime -e shop:turn',
    3 * $turns + 2);
@lines = perf_says($switches, '-F', 'event,trace') =~ /^ *(\S.*?)$/mg;
my $idle = 'sched:sched_switch: prev_comm=%s prev_pid=0 prev_state=R ==> next_comm=%s next_pid=0';
is($lines[0], sprintf($idle, 'swapper', 'boot'),
    'what the CPU does when a recording begins is told');
is($lines[-1], sprintf($idle, 'boot', 'swapper'), '... and when it ends');
is_deeply([map { /prev_comm=(\w+) \S+ prev_state=X/ } @lines], \@workers,
    '... each state by its letter');
my $yield = address($switches, 'thread_yield');
is_deeply([(map { /^shop:turn: (.*)/ } @lines)[0 .. 3]],
    [map { "$_->[0] to $_->[1] in $yield 0x0 -1 $_->[2]" } [0, 1, 'baker'], [1, 2, 'cook'],
        [2, 3, 'smith'], [3, 0, 'boot']], '... and six fields, passed in memory');
system("tools/perf-file $logs/stream $logs/perf.data");
my %latency = `perf sched -i $logs/perf.data latency 2>&1`
    =~ /^  (\w+):\d+ +\| +[\d.]+ ms \| +(\d+) \|/mg;
is_deeply(\%latency, {boot => $jobs + 3, map { ($_ => $jobs + 1) } @workers},
    '... which perf sched latency counts');
records($switches, '-e sched:sched_stat_runtime -c 1000000', 1);
like(perf_says($switches, '-F', 'comm,trace'), qr/^ *boot +comm=boot pid=0 runtime=\d{7}$/m,
    '-c counts what a weighted tracepoint weighs: one sample where a thread ran for so long');

# --- Level 1: call chains -------------------------------------------------------------------------

records(1, '-e shop:job_done -g', scalar(@turns));
my %chains = map { ("@{$_->{chain}}", 1) }
    samples(perf_says(1, '-F', 'comm,tid,cpu,time,period,event,ip,sym,symoff'));
is_deeply([sort(keys %chains)], ['job_finish job_run worker thread_begin'],
    'perf script: the way to each, from its thread\'s first function on');

my ($ended) = run_level(1, '-e shop:tick -g');
is($ended, $done, 'a tracepoint stands in the interrupt of the timer');
%chains = map { ("@{$_->{chain}}", 1) }
    samples(perf_says(1, '-F', 'comm,tid,cpu,time,period,event,ip,sym,symoff'));
is_deeply([keys(%chains)], ['trap_serve trap_common work kernel_main high'],
    "perf script: a chain by frame pointers crosses the kernel's own entry where that is named");
my @ticks = perf_says(1, '-F', 'trace') =~ /^ *(\d+)$/mg;
cmp_ok(scalar(@ticks), '>', 1, '... more than one');
is_deeply(\@ticks, [map { $ticks[0] + $_ } 0 .. $#ticks], '... and no tick is left out');

# --- Level 2: breakpoints -------------------------------------------------------------------------

my $watched = 'mem:' . address(2, 'jobs_done');
records(2, "-e $watched/8:w", scalar(@turns));
my @hits = perf_says(2, '-F', 'comm,tid,addr,ip,sym') =~ /^ *(\w+ +\d+) .*?([\da-f]+ \w+)$/mg;
is_deeply([map { s/ +/ /gr } map { $hits[2 * $_] } 0 .. @hits / 2 - 1],
    [map { "$_->[0] $_->[1]" } @turns], 'perf script: who writes the variable, thread by thread');
is_deeply([grep { !/ job_finish$/ } map { $hits[2 * $_ + 1] } 0 .. @hits / 2 - 1], [],
    '... in the one function that does');
records(2, '-e mem:' . address(2, 'job_finish') . ':x', scalar(@turns));
records(2, "-e $watched/8:w -e shop:job_done", 2 * @turns);
my ($status, $console) = run_level(2, '-e mem:' . address(2, 'cpus') . '/4:rw');
is($status, $done, 'what the debug trap itself reads can be watched');

# The boot thread waits for the first tick by reading the variable.
sub doubtful
{
    my ($status, $console) = run_level($_[0], "-e $_[1]/8:w -e $_[1]/4:rw");
    is($status, $done, "level $_[0]: who read and who wrote is told, or in doubt");
    return $console =~ /^(\d+) doubtful hits$/m ? $1 : undef;
}

cmp_ok(doubtful(2, 'mem:' . address(2, 'ticks')), '>', 0, '... without tables some are in doubt');

my $gate = 'the trap entry code';
my $stack = 'the stacks that the CPU pushes trap frames on';
refuses(2, '-e mem:' . address(2, $_) . ':x', $gate)
    for qw(embed_debug_entry pitot_debug_trap trap_common);
refuses(2, '-e mem:' . address(2, 'debug_stack') . '/8:w', $stack);
refuses('2, with an IST stack that NMIs have', "-e $watched/8:w",
    'debug_ist of struct pitot_kernel: another gate of the IDT has that IST stack');
refuses('2, with no IST stack', "-e $watched/8:w",
    'debug_ist of struct pitot_kernel is not 1 to 7: the IST stack of debug traps');
# ports/c/variants/task_state.c: the GDT changes, which the CPU reads only at `ltr`.
my $task = '2, with another GDT';
refuses($task, "$_ -e $watched/8:w", 'the TSS of this CPU is not where its GDT says')
    for qw(base unmapped type short cut);
refuses(2, '-e mem:' . address(2, 'percpu') . '/8:rw',
    q{the CPU's own area and the descriptor tables, which trap entries use});
refuses(2, '-e mem:0xffffffffff000000:w', 'is not mapped');
refuses(2, '-e mem:jobs_done:w', 'as the tables are missing: pitot-tables makes them; 0x...');
refuses(2, "-e $watched:w -g", 'frame pointers alone name wrong callers');

# --- ... incomplete recordings --------------------------------------------------------------------

sub incomplete_ok
{
    my ($level, $options, $lacks, $name) = @_;
    my ($status, $console) = run_level($level, $options);
    is($status, $done, "$name: recorded");
    my ($told) = $console =~ /^incomplete: (.*)$/m;
    is($told, $lacks, '... and what it lacks is ' . ($lacks ? 'told' : 'nothing'));
}

my $ticks = '-e shop:tick -g';
my $entry = 'traps of struct pitot_kernel: `frame` does not lie on top of the stack where the '
    . "timer's entry calls";
my $frame = "frame of struct pitot_kernel: there is no CPU's frame at `ip` in the timer's "
    . 'interrupt';
# ports/c/variants/frames.c: the frame passed to pitot_tick.
incomplete_ok('2, with a copied frame', "$_$ticks", undef, "a true frame, $_") for '', 'late ';
for (['2, with another bp', $entry, undef], ['2, with a frame too low', $frame, $frame]) {
    my ($level, $lacks, $without) = @$_;
    incomplete_ok($level, $ticks, $lacks, $level);
    refuses($level, "late $ticks", "-g: \Q$lacks\E");
    incomplete_ok($level, 'late -e shop:tick', $without, "$level, no chains");
}
# ports/c/variants/cramped.c
($status, $console) = run_level('2, with little stack', '-e cpu-clock');
is($status, $done, 'where little of the stack is left, a tick does nothing');
like($console, qr/^0 records$/m, '... takes no sample');
like($console,
    qr/^incomplete: [1-9]\d* ticks did nothing: fewer than 2048 bytes of the stack were left$/m,
    '... and is reported');
# ports/c/variants/disarms.c: found at a tick, or at the end.
incomplete_ok($_, '-e mem:' . address($_, 'jobs_done') . '/8:w',
    'hits are missing, as the debug registers were changed 1 time: does the kernel write them?', $_)
    for '2, with watches turned off', '2, with watches turned off late';
incomplete_ok('2, with watches turned off', '-e shop:job_done', undef, '... and no watch');
# ports/c/variants/outer_entry.c: the registers are those of the inner interrupt.
incomplete_ok($_, $ticks, undef, $_)
    for '2, with an outer entry', '2, with an outer entry, no gate';
incomplete_ok('2, with no tick', '-e cpu-clock', 'no samples by time: pitot_tick was not called',
    'a kernel without pitot_tick');
incomplete_ok('2, with no tick', '-e shop:job_done', undef, '... that does not need it');

# With one thread per CPU QEMU 7.2 does not report xchg to watches of reads and writes; 10 does.
my ($qemu) = `qemu-system-x86_64 --version` =~ /version (\d+)/;
my $locked = 'watches miscount xchg and locked instructions on this machine: start QEMU with '
    . '-accel tcg,thread=single';
for (['multi', "-e mem:${\address(3, 'jobs_done')}/8:w", $qemu < 8 ? $locked : undef],
    ['multi', '-e shop:job_done', undef],
    ['single', "-e mem:${\address(3, 'jobs_done')}/8:w", undef])
{
    my ($thread, $options, $lacks) = @$_;
    ($status, $console) = boot_port(kernel(3), $options, 2, $logs, '-accel', "tcg,thread=$thread");
    is($status, $done, "thread=$thread, $options: recorded");
    is(($console =~ /^incomplete: (.*)$/m)[0], $lacks, '... and what it lacks is reported');
}

# Without tables, on two CPUs, hits of two watches are doubtful in QEMU before 8.1.
($status, $console) =
    run_level(3, join(' ', map { "-e mem:${\address(3, $_)}/8:w" } qw(jobs_done ticks)));
my ($sure, $unsure) = $console =~ /^(\d+) records\n(\d+) doubtful hits$/m;
cmp_ok(($sure // 0) + ($unsure // 0), '>', $jobs * (@workers + 1), 'two watches, on two CPUs');
my $left = 'hits are left out, as they may be of another event: tables tell, made by pitot-tables';
is($console =~ /^incomplete: (\d+) \Q$left\E$/m ? $1 : 0, $unsure, '... doubts are reported');

# ports/c/variants/many_threads.c: names 64 threads; those of thread 0 and the workers are needed.
my $many = '2, with many threads';
($status, $console) = run_level($many, '-e pitot:mark -e shop:job_done');
like($console, qr/^no room for the name: 64 threads have one, and none has ended/m,
    'more names than there is room for');
my %name = reverse(perf_says($many, '-F', 'comm,tid,event') =~ /^ *(\S+) +(\d+) +\w/mg);
my %wanted = (0 => 'boot', map { ($_ => $workers[$_ - 1]) } 1 .. @workers);
$wanted{$_} = $_ < 240 ? ":$_" : "short-$_" for 100 .. 299;
is_deeply(\%name, \%wanted, '... the names of those that ended first have given way');
($status, $console) = run_level($many, 'flood -e pitot:mark');
my ($kept, $lost) = $console =~ /^(\d+) records\n(?:.*\n)incomplete: (\d+) records are lost: RING/m;
is(($kept // 0) + ($lost // 0), 2001, 'records that there is no room for are reported');

# --- ... with tables: symbols, and chains by what compiler and assembly say of frames -------------

for my $low (sort keys %tables) {
    is(doubtful($low, 'mem:ticks'), 0, '... with tables none is');
    records($low, '-e mem:jobs_done/8:w -e mem:jobs_done/4:rw', 2 * @turns);
    records($low, '-e mem:jobs_done:w -e shop:job_done -g', 2 * @turns);
    %chains = map { ("$_->{event}: @{$_->{chain}}", 1) }
        samples(perf_says($low, '-F', 'comm,tid,cpu,time,period,event,ip,sym,symoff'));
    is_deeply([sort(keys %chains)],
        [map { "$_: job_finish job_run worker thread_begin" } qw(mem:jobs_done:w shop:job_done)],
        'perf script: breakpoints are spelt by name, and both have chains');
}
cmp_ok(hex(address('2, low, with tables', 'jobs_done')), '<', 1 << 24,
    '... in the lower half, too');

my $nameless = '2, with tables, no build id';
records($nameless, '-e mem:jobs_done:w -g', scalar(@turns));
%chains = map { ("@{$_->{chain}}", 1) }
    samples(perf_says($nameless, '-F', 'comm,tid,cpu,time,period,event,ip,sym,symoff'));
is_deeply([keys(%chains)], ['job_finish job_run worker thread_begin'],
    'perf script: a linker script that drops the build id does no harm');

my $tables = '2, with tables';
($status, $console) = run_level($tables, '-e mem:ticks:w -g');
my @samples = samples(perf_says($tables, '-F', 'comm,tid,cpu,time,period,event,ip,sym,symoff'));
cmp_ok(scalar(@samples), '>', 0, "the timer's interrupt writes its variable");
is_deeply(
    [grep { $_ ne 'trap_serve trap_common work kernel_main high' }
            map { "@{$_->{chain}}" } @samples],
    [], "... and chains cross the kernel's own entry, to what it interrupted");
# ports/c/variants/undescribed: by `traps`, where the table says nothing of an entry.
my $undescribed = '2, with tables, without the entries';
($status, $console) = run_level($undescribed, '-e mem:ticks:w -g');
@samples = samples(perf_says($undescribed, '-F', 'comm,tid,cpu,time,period,event,ip,sym,symoff'));
cmp_ok(scalar(@samples), '>', 0, '... of a kernel that does not describe its entry');
is_deeply(
    [grep { !/^trap_serve trap_common work kernel_main\b/ }
            map { "@{$_->{chain}}" } @samples],
    [], '... chains cross it, too');
# A sample of the running code each millisecond: the boot thread waits for two ticks.
($status, $console) = run_level($tables, '-e cpu-clock -g');
@samples = samples(perf_says($tables, '-F', 'comm,tid,cpu,time,period,event,ip,sym,symoff'));
is_deeply({map { ("@{$_->{chain}}", 1) } @samples}, {'work kernel_main high' => 1},
    'cpu-clock: the timer finds the boot thread, and who called');
refuses($tables, '-e cpu-clock -c 10', 'cpu-clock: -c must be at least 100000');
refuses(2, '-e cpu-clock -g', 'frame pointers alone name wrong callers');
# Pitot's object has a variable of this name as well.
($status, $console) = run_level($tables, '-e mem:threads/8:w');
is($status, $done, 'a name that the object has, too, is the kernel\'s') or diag($console);
my %places = map { ($_, 1) } perf_says($tables, '-F', 'addr,event') =~ /^ *mem:\S+ +([\da-f]+)/mg;
is_deeply([keys(%places)], [`nm ${\kernel($tables)}` =~ /^([\da-f]+) D threads$/m],
    '... and is where it lies');
refuses($tables, '-e mem:jobs_don:w', 'did you mean jobs_done|jobs_done');
refuses($tables, '-e mem:trap_common:x', $gate);

# --- ... on a stack of its own --------------------------------------------------------------------

# ports/c/variants/small_stack.c prints how much of it pitot_start, a tracepoint and pitot_stop
# used. The kernel's own interrupts may take a tenth of the numbers in the header.
my $small = '2, on a small stack';
my $header = slurp('core/pitot.h');
my ($room) = $header =~ /^#define PITOT_START_STACK (\d+)$/m;
my ($sampled) = $header =~ /^#define PITOT_SAMPLE_STACK (\d+)$/m;
for my $options ('-e mem:jobs_done:w -e mem:jobs_done/4:rw -e mem:ticks:rw -e shop:job_done -g',
    '-e pitot:mark -g', '-e cpu-clock -g', '-e mem:jobs_don:w', '-e shop:nosuch', '-x', '-e nosuch')
{
    my (undef, $console) = run_level($small, $options);
    my @used = $console =~ /^stack: (\d+) bytes/mg;
    is(scalar(@used), $console =~ /^refused/m ? 1 : 3, "$options: what is taken of the stack");
    my $by_mark = @used == 3 ? splice(@used, 1, 1) : 0;
    is(scalar(grep { $_ > $room * 9 / 10 } @used), 0, "... is what core/pitot.h says: @used");
    cmp_ok($by_mark, '<=', $sampled * 9 / 10, '... by a sample, too');
}
refuses($small, 'on 2048 -e mem:jobs_done:w',
    "fewer than $room bytes of the stack are left: call pitot_start on a larger one");

# --- ... debug traps that are not Pitot's ---------------------------------------------------------

sub stray
{
    my ($level, $name, $status, $says) = @_;
    my ($ended, $console) = run_level($level, '-e mem:' . address($level, 'jobs_done') . '/8:w');
    is($ended, $status, $name);
    like($console, $says, '... and says what came');
}
stray('2, a stray trap', 'one is for the kernel to serve', 2 * 9 + 1, qr/^trap 1 at \d+$/m);
stray('2, a stray trap, with no gate', '... or ends the kernel', $refused,
    qr/^a debug trap that is not Pitot's, and gate 1 of the IDT was empty$/m);

# The kernel's handler causes a hit, whose trap takes the stack of debug traps.
for my $level ('2, that serves debug traps', '2, that serves them on a stack of its own',
    '2, that steps a program') {
    my ($ended, $console) = run_level($level, '-e mem:' . address($level, 'served') . '/8:w');
    is($ended, $done, "level $level: it runs to its end");
    my ($served) = $console =~ /^(\d+) served, 0 on another stack$/m;
    ok($served, '... its traps come on the stack that its gate had');
    my ($records) = $console =~ /^(\d+) records$/m;
    is($records, $served, '... and each hits the watch');
}

# --- ... with programs ---------------------------------------------------------------------------

# ports/c/variants/program_chain.c: of three functions, the outer two are left at calls.
my $program = '2, that runs a program';
my @callers = map { sprintf('%x', hex(substr($_, -8)) & 0x7fffffff) }
    map { address($program, "program_$_") } qw(inner middle);
for my $event ('cpu-clock', 'shop:tick') {
    ($status, $console) = run_level($program, "-e $event -g");
    is($status, $done, "$event: a kernel with a program runs to its end") or diag($console);
    my @programs = grep { /^\s+[\da-f]{1,8} /m }
        split(/^$/m, perf_says($program, '-F', 'comm,event,ip,sym'));
    cmp_ok(scalar(@programs), '>', 2, '... and is interrupted in the program');
    my $kernel = $event eq 'cpu-clock' ? '' : 'trap_serve __wrap_trap_serve trap_common ';
    is_deeply([grep { $_ ne "${kernel}@callers" } map {
            my @chain = /^\s+([\da-f]+ \S+)$/mg;
            my @ours = map { /^f{8}\w+ (\S+)/ } @chain;
            my ($inner, @rest) = map { /^([\da-f]{1,8}) / } @chain;
            join(' ', @ours, @rest)
        } @programs], [], '... whose callers are in the chain');
}
refuses('2, of programs above', '-e shop:tick',
    "programs_end of struct pitot_kernel is above the kernel's code");
refuses($program, '-p 7 -e mem:0x130000/8:w',
    'process, process_read or process_watchable of struct pitot_kernel is 0');

# The kernel's own writes below the programs' range, to watches that share a register.
my $below = '2, of programs above memory of the kernel';
my $word = sprintf('0x%x', hex(substr(address($below, 'word'), -8)) & 0x7fffffff);
($status, $console) = run_level($below, "-e mem:$word/8:w -e mem:$word/4:rw");
is($status, $done, 'memory below the programs is the kernel\'s') or diag($console);
like($console, qr/^18 records\n0 doubtful hits$/m, '... and its hits are certain');

# --- ... with a gate of its own -------------------------------------------------------------------

my $own = '2, with its own gate';
records($own, '-e mem:' . address($own, 'jobs_done') . '/8:w', scalar(@turns));
refuses($own, '-e mem:' . address($own, $_) . ':x', $gate)
    for qw(__wrap_trap_serve pitot_debug_trap);
refuses($own, '-e mem:' . address($own, 'debug_stacks') . '/8:w', $stack);
records("$own and tables", '-e mem:jobs_done:w -e shop:job_done -g', 2 * @turns);
%chains = map { ("$_->{event}: @{$_->{chain}}", 1) }
    samples(perf_says("$own and tables", '-F', 'comm,tid,cpu,time,period,event,ip,sym,symoff'));
is_deeply([sort(keys %chains)],
    [map { "$_: job_finish job_run worker thread_begin" } qw(mem:jobs_done:w shop:job_done)],
    '... and its chains begin where the watch was hit');

# --- Level 3: many CPUs ---------------------------------------------------------------------------

# The helper is the other CPU's thread. Each thread's actions are in order; the order between CPUs
# is unknown.
my $two = '3, with tables';
my %each;
for my $thread ((map { [$_, $workers[$_ - 1], 0] } 1 .. @workers), [@workers + 1, 'helper', 1]) {
    my ($pid, $name, $cpu) = @$thread;
    $each{"$name $pid [00$cpu]"} = [map { 100 * $pid + $_ } 0 .. $jobs - 1];
}
records($two, '-e shop:job_done', 80);
my %found;
for my $line (split(/\n/, perf_says($two, '-F', 'comm,tid,cpu,event,trace'))) {
    my ($who, $job) = $line =~ /^ *(\w+ +\d+ +\[\d+\]) +shop:job_done: job=(\d+) /;
    push(@{$found{($who // $line) =~ s/ +/ /gr}}, $job);
}
is_deeply(\%found, \%each, 'perf script: the jobs of each thread, on its CPU, in its order');

records($two, '-e mem:jobs_done:w -e shop:job_done -g', 160);
my %ways;
$ways{"$_->{comm} ${\int($_->{cpu})} $_->{event}: @{$_->{chain}}"}++
    for samples(perf_says($two, '-F', 'comm,tid,cpu,time,period,event,ip,sym,symoff'));
my %on = ('helper 1' => 'other_main other_begin high');
$on{"$_ 0"} = 'worker thread_begin' for @workers;
my %right;
for my $who (keys %on) {
    $right{"$who $_: job_finish job_run $on{$who}"} = $jobs for qw(mem:jobs_done:w shop:job_done);
}
is_deeply(\%ways, \%right, '... and who writes a variable, on both CPUs, with the way there');
records('3', '-e mem:' . address('3', 'jobs_done') . '/8:w -c 10', 8);

# The thread that calls pitot_start moves to another CPU as soon as it may.
my $moves = '3, that moves threads';
my $watch = '-e mem:' . address($moves, 'jobs_done') . '/8:w';
records($moves, $watch, 80);
records($moves, "$watch -e shop:job_done", 160);

my $inline = '3, with CPU and clock in line';
records($inline, '-e mem:' . address($inline, 'jobs_done') . '/8:w -e shop:job_done', 160);
records($inline, '-e pitot:mark', 1);
like(perf_says($inline, '-F', 'comm,tid,event'), qr/^ *early +0 +pitot:mark: *$/m,
    '... and a name from before pitot_init');

# ports/c/variants/lacks.c leaves out each member in turn.
($status, $console) = run_level('3, that gives too little', '-e shop:job_done');
my $given = 'of struct pitot_kernel is 0';
is_deeply([$console =~ /^without it: (.*)$/mg],
    ["panic $given", 'write and write_port of struct pitot_kernel are 0',
        'write_port of struct pitot_kernel: there is no 16550', "more than one CPU: cpu $given",
        "more than one CPU: interrupt_others $given",
        "memory_take or memory_give $given: both or neither",
        "calls $given, and call_count is not",
        'calls of struct pitot_kernel are not in the order of their numbers',
        'call_count of struct pitot_kernel: up to 64 system calls are allowed',
        'calls of struct pitot_kernel: one has no name, or more than 6 arguments',
        "traps $given, and trap_count is not",
        "traps: frame $given: what trap entries push",
        'frame of struct pitot_kernel lacks a register: r8 to r15, ax, bx, cx, dx, si, di, bp, ip, '
            . 'cs, flags, sp and ss are needed',
        'frame of struct pitot_kernel: only r8 to r15, ax, bx, cx, dx, si, di, bp, ip, cs, flags, '
            . 'sp, ss and - are allowed, with a blank between two',
        'frame of struct pitot_kernel has a register twice',
        "frame of struct pitot_kernel: the CPU's words lie as `ip cs flags sp ss`, upwards",
        'pitot_init has succeeded before'],
    'a member that every kernel needs is missed by name');
like($console, qr/^not Pitot's, DR7 is as it was$/m, '... the debug registers stay the kernel\'s');
like($console, qr/^80 records$/m, '... and pitot_init may come again, with all, and not once more');
refuses('3, of an object for one', '-e shop:job_done', 'more CPUs than the object is made for');
# Uses the host's clock, as the wait is long.
for (['mem:' . address('3, that does not answer', 'jobs_done') . '/8:w',
        'CPU 1: it does not answer interrupt_others by pitot_stand'],
    ['shop:job_done', 'CPU 1 does not answer: nothing was changed']) {
    my ($event, $why) = @$_;
    ($status, $console) = boot_port(kernel('3, that does not answer'), "-e $event", 2, $logs,
        '-accel', 'tcg,thread=multi');
    is($status, $refused, "$event: a CPU that does not call pitot_stand is missed");
    like($console, qr/^refused: .*$why$/m, '... by number');
}
my $shared = '3, with one task state';
refuses($shared, "one -e mem:${\address($shared, 'jobs_done')}/8:w",
    'CPU 1: another CPU has the same TSS: each CPU needs one of its own');
my $one = '2, of an object for two';
records($one, '-e mem:' . address($one, 'jobs_done') . '/8:w', scalar(@turns));

# --- pitot_check ----------------------------------------------------------------------------------

sub checks
{
    my ($level, $options, $says, $name) = @_;
    my ($ended, $console) = run_level($level, $options);
    is($ended, $done, "level $level, with $options: it runs to its end");
    my ($said) = $console =~ /^check: (.*)$/m;
    is($said, $says, $name);
}
my $checked = '3, that checks';
my $written = '-e mem:' . address($checked, 'jobs_done') . '/8:w';
checks($checked, $written, 'nothing', 'pitot_check: all that is given was called');
my @uncalled = qw(print thread_start wait wake interrupted task_rename task_find program_load
    gdb_get gdb_put);
checks("$checked, with other traps", $written,
    join('', map { "$_ of struct pitot_kernel was not called; " } @uncalled)
        . "no chain has crossed the timer's entry",
    '... or some functions were not, and no chain crosses an entry that is not listed');

# --- Errors with tables ---------------------------------------------------------------------------

sub tables_say { return scalar(`$build/lib/bin/pitot-tables @_ 2>&1`) }
my @link = ('--', 'sh', kernel(2) =~ s/elf$/link/r, '-o', "$logs/kernel.elf");

unlink("$logs/kernel.elf"); # of an earlier run
like(tables_say(), qr/^usage:/, 'pitot-tables: nothing to do');
like(tables_say('--txt', 'a,b', @link), qr/^usage:/, '... an option that it does not have');
like(tables_say('--'), qr/^usage:/, '... no command');
is(tables_say(@link[0 .. 2]), "pitot-tables: no -o KERNEL.ELF in the link command\n",
    '... a command without an output');
is(tables_say('--', qw(gcc -Xlinker -o -Xlinker), "$logs/kernel.elf"),
    "pitot-tables: no -o KERNEL.ELF in the link command\n", '... or with one in two words of gcc');
is(tables_say(qw(-- false -o), "$logs/kernel.elf"), '', '... one that fails');
is($? >> 8, 1, '... has its status');
like(tables_say(@link), qr/no symbol _text: .*--text START,END/,
    '... a kernel whose text begins at other symbols');
like(tables_say('--text', 'text_start', @link), qr/two symbols are wanted/,
    '... one symbol of two');
like(tables_say('--text', 'text_start,text_end', @link),
    qr/section \.boot has code outside .*--exempt/, '... code outside of the text');
like(tables_say('--text', 'text_start,text_end', '--exempt', '.boot', @link[0, 1],
        "$build/ports/c-kept-behind.link", @link[3, 4]),
    qr/\.bss\.pitot_kept is a section of its own: behind the kernel's end, if .* as \.kept /,
    '... what survives a reset behind its end');
is(tables_say(qw(-- ld -e 0 -o), "$logs/kernel.elf"),
    "pitot-tables: $logs/kernel.elf: no build/lib/pitot.o in the link, or its symbols are "
        . "stripped\n",
    '... a link without Pitot');
is(tables_say(qw(-- true -o), "$logs/kernel.elf"),
    "pitot-tables: $logs/kernel.elf: the link command has not made it\n", '... one without a file');
is(tables_say(@link[0 .. 3], $logs), "pitot-tables: $logs is there, and no file\n",
    '... a folder in its place');
ok(!-e "$logs/kernel.elf", '... and none has made the file');

# --- The glue's lines -----------------------------------------------------------------------------

my %lines = `ports/count ports/c` =~ /^level (\d): (\d+) lines/mg;
my %told = slurp('docs/porting.md') =~ /^\| (\d) \| .* \| (\d+) \| [\d-]+ \|$/mg;
is_deeply(\%told, \%lines, 'docs/porting.md says how many lines each level takes');
for my $most ([2, 60], [5, 120]) {
    my ($level, $aim) = @$most;
    my $all = 0;
    $all += $lines{$_} for 0 .. $level;
    cmp_ok($all, '<=', $aim, "... and $aim are enough up to level $level: $all");
}

done_testing();
