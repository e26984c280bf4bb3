#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: kernel/lock, kernel/sched, kernel/memory/pages, core/tracepoint, tools/perf-file
#
# Tracepoints with Linux' names have Linux' fields, so the real perf's tools for locks, pages and
# threads work for Pitot: their numbers equal those of the load, the kernel and the samples. Run
# from the root of the tree:
#
#     prove tests/boot/linux_tools.t
use strict;
use warnings;
use lib 'tests/lib';
use File::Copy qw(copy);
use File::Path qw(make_path remove_tree);
use File::Spec;
use List::Util qw(sum0);
use Test::More;
use Pitot;
use Pitot::Files;
use Pitot::Transcript;
use Pitot::Versions;

my $logs = File::Spec->rel2abs(($ENV{BUILD} // 'build') . '/logs/linux_tools');
# The CPUs of such a machine take turns when a timer is due. A clock at 500 Hz therefore stops one
# CPU within an operation while the others meet the lock, wherever between ticks the load begins.
# There are more threads than CPUs.
my $load = 'fs-stress --threads 5 2';
my $record = "perf record -a -m 8M -g -R -e lock:*,sched:*,kmem:*,cpu-clock/freq=500/ -- $load";
my $everything = 'perf record -a -R -e *:* -- memory';
my $machine = boot(machine => 'qemu', smp => 4, icount => 8, flags => 'perf.rate=0',
    run => "ps; $record; ps; poweroff");
ended_ok($machine);
my $file = "$logs/perf.data";
is(system('tools/perf-file', $machine->com2, $file), 0, 'the recording is a file');

# An empty folder in place of the host's tracefs, which containers and ordinary users do not have.
my $no_tracefs = "$logs/tracefs";
make_path($no_tracefs);

# The output of a perf command about the file, with our kernel and settings.
sub perf_says
{
    my ($command) = @_;
    local @ENV{qw(HOME PERF_CONFIG DEBUGINFOD_URLS LC_ALL TRACEFS_PATH)}
        = ($logs, '/dev/null', '', 'C', $no_tracefs);
    return scalar(`perf --no-pager $command 2>&1 < /dev/null`);
}

perf_says('buildid-cache -a ' . $machine->elf);
my @samples = map { /^ *(\w+:\w+): +(.*)/ ? {event => $1, fields => $2} : () }
    split(/\n/, perf_says("script -i $file -F event,trace -G"));

# The values of one field in the samples of an event.
sub values_of
{
    my ($event, $field) = @_;
    return map { $_->{fields} =~ /\b$field=(\S+)/ } grep { $_->{event} eq $event } @samples;
}

# The command that `make perfdata` suggests, which must also find source lines: with --symfs= alone
# perf 6.1 gives addr2line a name without its folder, and dies.
my $made = "$logs/made";
make_path("$made/symfs");
symlink(File::Spec->rel2abs($machine->elf), "$made/$_") for qw(pitot.elf symfs/vmlinux);
my ($offered) = `make -s BUILD=$made FROM=@{[$machine->com2]} perfdata` =~ /^perf (.*)$/m;
my $lines = perf_says("$offered --stdio -g none --no-children -s sym,srcline");
is($?, 0, 'make perfdata offers a report, also of source lines') or diag($lines);
like($lines, qr/ \[k\] \w+ +\w+\.c:\d+ *$/m, '... which it shows');

# --- Locks ---------------------------------------------------------------------------------------

my ($operations, $waits)
    = said($machine, $record) =~ /fs-stress: (\d+) operations .*; (\d+) waits for the kernel lock/;
my $report = perf_says("lock report -i $file");
my ($acquired, $contended) = $report =~ /^ *kernel_flag +(\d+) +(\d+) /m;
is($acquired, $operations, 'perf lock report: each operation has taken the big lock once');
is($contended, $waits, '... as often as one waited for it, it was contended');
cmp_ok($waits, '>', 20, '... often');

# perf counts contention_end and lock_acquired as two acquisitions, but they are one
# (docs/tracepoints.md).
my %fought = map { $_->{fields} =~ /^(\S+)/ ? ($1 => 1) : () }
    grep { $_->{event} eq 'lock:contention_end' } @samples;
my ($bad) = $report =~ /^bad: (\d+), total: \d+$/m;
cmp_ok($bad, '>', 0, '... it calls some bad');
cmp_ok($bad, '<=', scalar(keys %fought), '... but no others than those that were contended');
my %badly = $report =~ /^ +(acquire|acquired|contended|release): (\d+)$/mg;
# All CPUs' idle threads are thread 0: to perf, one that waits takes another's lock.
my ($acquire, $twice) = delete(@badly{qw(acquire acquired)});
is_deeply([$acquire + $twice, \%badly], [$bad, {contended => 0, release => 0}],
    '... and those for these reasons');
my %reported = map { $_ => 1 } $report =~ /^ *(\S.*?) +\d+ +\d+ +[\d.]+ +[mnu]?s +/mg;
my %named = map { $_->{fields} =~ /^\S+ (.+)/ ? ($1 => 1) : () }
    grep { $_->{event} eq 'lock:lock_acquired' } @samples;
is_deeply(\%reported, \%named, '... and the others have their own names');
is_deeply([grep { /\s/ } keys %named], [], '... each of one word, as filters want it');

my $contention = perf_says("lock contention -i $file");
my ($wait, %waited) = qr/^ +(\d+) +(?:[\d.]+ +[mnu]?s +){3}/m;
if (differs('`perf lock contention` counts a wait for other callers than it ends for')) {
    my $by_lock = perf_says("lock contention -l -i $file");
    $waited{$2} += $1 while $by_lock =~ /$wait[0-9a-f]{16} +\S+ \((\w+)\)$/mg;
} else {
    $waited{$2} += $1 while $contention =~ /$wait(\w+) +\S+$/mg;
}
is($waited{mutex}, $waits, 'perf lock contention: the same waits');
is($waited{spinlock} // 0, scalar(grep { $_->{event} eq 'lock:contention_begin'
    && $_->{fields} =~ /flags=1\)/ } @samples), '... and those that burn time');
like($contention, qr/ mutex +(?:fs|step|client|append|stress)_\w+\+0x\w+$/m, '... by callers');

# --- Pages ---------------------------------------------------------------------------------------

my $pages = perf_says("kmem -i $file --page --caller stat");
my ($allocations) = $pages =~ /^Total allocation requests +: +(\d+) /m;
my ($frees) = $pages =~ /^Total free requests +: +(\d+) /m;
my ($failures) = $pages =~ /^Total allocation failures +: +(\d+) /m;
my ($left) = $pages =~ /^Total alloc-only requests +: +(\d+) /m;
my %there;
for my $sample (@samples) {
    $there{$1} = 1 if "$sample->{event} $sample->{fields}" =~ /mm_page_alloc address=(\S+)/;
    delete $there{$1} if "$sample->{event} $sample->{fields}" =~ /mm_page_free address=(\S+)/;
}
cmp_ok($allocations, '>', 50, 'perf kmem --page: pages are allocated');
is($allocations, scalar(() = values_of('kmem:mm_page_alloc', 'pfn')), '... as often as told');
is($frees, scalar(() = values_of('kmem:mm_page_free', 'pfn')), '... and freed');
is($failures, 0, '... no allocation has failed');
is($left, scalar(keys %there), '... and those that stay are those');
like($pages, qr/ \| UNMOVABL \| Z +\| /, '... zeroed, where they are');

# --- Threads -------------------------------------------------------------------------------------

# The CPU time of each worker, which sleeps both when the recording begins and when it ends.
my $worked = qr/^ +\d+ +\d+ +sleeps +([\d.]+) .* (kworker\S+) +work$/m;
my @ran = map { {reverse said($machine, 'ps', $_) =~ /$worked/g} } 1, 2;
my ($worker) = sort { $ran[1]{$b} - $ran[0]{$b} <=> $ran[1]{$a} - $ran[0]{$a} } keys %{$ran[1]};
my $milliseconds = 1000 * ($ran[1]{$worker} - $ran[0]{$worker});
cmp_ok($milliseconds, '>', 0, "$worker has worked");
my $latency = perf_says("sched latency -i $file");
my ($told) = $latency =~ /^ +\Q$worker\E:\d+ +\| +([\d.]+) ms /m;
cmp_ok(abs(($told // 0) - $milliseconds), '<', 0.003,
    "perf sched latency: so long, $told ms by its count, $milliseconds by ps'");
unlike($latency, qr/^ +[^:|]+:0 +\|/m, '... the idle threads are no work of theirs');
my $map = perf_says("sched map -i $file");
unlike($map, qr/ secs \S+ => [^:]+:0$/m, '... nor tasks in perf sched map');
my ($all) = $latency =~ /^ +TOTAL: +\| +([\d.]+) ms /m;
cmp_ok(abs($all - sum0(values_of('sched:sched_stat_runtime', 'runtime')) / 1e6), '<', 0.01,
    '... and all threads those of the samples');
my %states = map { $_ => 1 } values_of('sched:sched_switch', 'prev_state');
is_deeply([sort(keys %states)], [qw(R S X)], 'threads leave the CPU in the states that there are');

# A program that keeps its CPU for the whole recording switches only at its start and end.
my $spins = boot(machine => 'qemu', smp => 2, icount => '', flags => 'perf.rate=0',
    run => 'run spin &; perf record -a -m 4m -e sched:* -- fs-stress 10; poweroff');
ended_ok($spins);
is(system('tools/perf-file', $spins->com2, "$logs/spins.data"), 0, 'the recording is a file');
my ($spun) = perf_says("sched latency -i $logs/spins.data") =~ /^ +spin:\d+ +\| +([\d.]+) ms /m;
cmp_ok($spun // 0, '>', 0, 'perf sched latency: a thread that never switches is in it');
my ($turn) = perf_says("sched timehist -i $logs/spins.data") =~ /^.* spin\[.* ([\d.]+) *$/m;
cmp_ok($turn // 0, '>', 0, '... and in perf sched timehist');

# --- Commands that take a stream or a file -------------------------------------------------------

# How perf's refusals begin.
my $refuses = qr/(?:\S+ \[\S+\]: )?failed to|No (?!kallsyms).* found|No trace sample|Please use/;
$refuses = qr/$refuses|ERROR: at offset/;

# True if the command accepts the input, with some output, on stdout or in the file that it names.
sub takes_it
{
    my ($command, $input, $from) = @_;
    my ($name, $arguments) = $command =~ /^perf (\S+)(.*)/;
    local @ENV{qw(HOME PERF_CONFIG DEBUGINFOD_URLS LC_ALL TRACEFS_PATH)}
        = ($logs, '/dev/null', '', 'C', $no_tracefs);
    my $line = $name =~ /^(?:report|script|trace|kmem)$/ ? "$name -i $input$arguments"
        : "$name$arguments -i $input";
    my ($written) = $arguments =~ m{(\S+/logs/linux_tools/\S+)};
    unlink($written) if defined $written;
    my $says = `sh -c 'perf --no-pager $line 2>&1 < $from'`;
    return 'no' if $? != 0 || $says =~ /^(?:$refuses|unknown tracepoint)/m;
    return (defined $written ? -s $written : $says =~ /\S/) ? 'yes' : 'no';
}

# perf annotate overruns a buffer if the stream has several events.
my $single = boot(machine => 'qemu', icount => 8, flags => 'perf.rate=0',
    run => 'perf record -a -e mem:kernel_flag:w -- fs-stress 1; poweroff');
ended_ok($single);
my @rows = slurp('docs/stream.md') =~ /^(\| `perf .*\|)$/mg;
cmp_ok(scalar(@rows), '>', 10, 'docs/stream.md lists commands');
for my $row (@rows) {
    my ($command, $stream, $of_file) = $row =~ /^\| `(.*?)` \| (.*) \| (yes|no)\b/;
    my ($of_stream) = $stream =~ /^(yes|no)\b/;
    my ($from, $later) = $stream =~ /; perf ([\d.]+): (yes|no)/;
    $of_stream = $later if defined $later && is_from('perf', $from);
    my $from_stream = $command eq 'perf annotate' ? $single->com2 : $machine->com2;
    is(takes_it($command, '-', $from_stream), $of_stream, "$command: of a stream, $of_stream");
    next if $command eq 'perf trace';    # of a file: tests/boot/user_perf.t
    is(takes_it($command, $file, '/dev/null'), $of_file, "... of a file, $of_file");
}

my @plain = ('inject', 'evlist', 'buildid-list', 'report --stats', 'report --tasks');
is(takes_it("perf $_", '-', 'docs/demo.perf'), 'yes', "perf $_: of a stream without tracepoints")
    for @plain;

# --- The prompt's answer to commands of the host --------------------------------------------------

# Each line runs in a folder with the files it names: the status alone would also fit where perf
# only misses a file.
my @left = (qw(annotate archive buildid-cache buildid-list data evlist inject kmem kwork lock sched
    timechart), 'lock contention', 'sched map', 'sched timehist', 'report --header',
    'report --stats', 'script -F comm,ip', 'script --show-task-events');
my $mixed = 'perf record -a -m 8m -e mem:kernel_flag:rw,lock:*,sched:*,kmem:*,irq:* -- fs-stress 2';
$machine = boot(machine => 'qemu', smp => 1, icount => 8, flags => 'perf.rate=0',
    cpu => 'max,family=25,model=33,stepping=2',
    run => join('; ', $mixed, (map { "perf $_" } @left), 'poweroff'));
ended_ok($machine);
my $room = "$logs/room";
remove_tree($room);
make_path("$room/build");
copy($machine->com2, "$room/build/com2.bin");
copy($machine->elf, "$room/build/pitot.elf");
my $tool = File::Spec->rel2abs('tools/perf-file');
for my $name (@left) {
    my ($line) = said($machine, "perf $name")
        =~ m{^perf (?:\Q$name\E|report|script): .* on the host, (tools/perf-file .*; perf .*)$}m;
    ok($line, "perf $name: there is a line for the host") or next;
    local @ENV{qw(HOME PERF_CONFIG DEBUGINFOD_URLS LC_ALL TRACEFS_PATH)}
        = ($room, '/dev/null', '', 'C', $no_tracefs);
    my $says = `cd $room && (${\($line =~ s{^tools/perf-file}{$tool}r)}) 2>&1 < /dev/null`;
    is($?, 0, '... which ends well') or diag($says);
    my $refused
        = qr/^ *(?:Usage:|Error|No .* found|No trace sample|failed(?! to read max )|tar: )/mi;
    unlike($says, $refused, '... and finds what it asks for');
}
ok(-s "$room/build/$_", "... it has written $_")
    for qw(perf.data perf.data.tar.bz2 perf.json injected.data timechart.svg);
like(slurp("$room/build/perf.json"), qr/"cpuid": "AuthenticAMD,25,33,2"/,
    'perf data: the CPU\'s kind is that of the machine that was recorded, not of the host');

{
    local @ENV{qw(HOME PERF_CONFIG DEBUGINFOD_URLS LC_ALL)} = ($room, '/dev/null', '', 'C');
    my $says = `perf --no-pager kwork report -i $room/build/perf.data 2>&1 < /dev/null`;
    like($says, qr/^ +timer:0 +\| /m, 'perf kwork: an interrupt has the name of its device');
    unlike($says, qr/\(null\)/, '... each has one');
}

# --- All tracepoints with Linux' names -----------------------------------------------------------

# Linux 6.1's fields, from include/trace/events. Those after the bar are missing: Pitot has no
# priorities, no virtual run time, no locks that are tried or read, no return values of handlers,
# and one clock.
my %linux = map { /^(\S+): *(.*?) *(?:\| *(.*))?$/ ? ($1 => [$2, $3 // '']) : () }
    split(/\n/, <<'END' =~ s/,\n +/, /gr);
lock_acquire: void * lockdep_addr, char[] name | unsigned int flags
lock_acquired: void * lockdep_addr, char[] name
lock_release: void * lockdep_addr, char[] name
lock_contended: void * lockdep_addr, char[] name
contention_begin: void * lock_addr, unsigned int flags
contention_end: void * lock_addr, int ret
mm_page_alloc: unsigned long pfn, unsigned int order, unsigned long gfp_flags, int migratetype
mm_page_free: unsigned long pfn, unsigned int order
irq_handler_entry: int irq, char[] name
irq_handler_exit: int irq | int ret
timer_expire_entry: void * timer, void * function | unsigned long now, unsigned long baseclk
sched_switch: char[] prev_comm, int prev_pid, long prev_state, char[] next_comm,
    int next_pid | int prev_prio, int next_prio
sched_wakeup: char[] comm, int pid, int target_cpu | int prio
sched_process_exit: char[] comm, int pid | int prio
sched_process_fork: char[] parent_comm, int parent_pid, char[] child_comm, int child_pid
sched_stat_runtime: char[] comm, int pid, unsigned long runtime | unsigned long vruntime
sys_enter: long id | unsigned long[] args
sys_exit: long id, long ret
END
my %own = map { $_ => 1 } qw(tick workqueue_execution hit);    # names that Linux does not have

$machine = boot(machine => 'qemu', smp => 1, icount => 8, run => "$everything; poweroff");
ended_ok($machine);
my $stream = slurp($machine->com2);
my %format;
while ($stream =~ /name: (\w+)\nID: \d+\nformat:\n(.*?)\nprint fmt/gs) {
    my ($name, $fields) = ($1, $2);
    my @fields = grep { $_->[1] !~ /^common_/ }
        map { /^\tfield:(.*) (\w+)(\[\d+\])?;\t/ ? [$3 ? "$1\[]" : $1, $2] : () }
        split(/\n/, $fields);
    $format{$name} = {map { ($_->[1] => $_->[0]) } @fields};
}
cmp_ok(scalar(keys %format), '>', 30, 'the stream describes all tracepoints');
my @unknown = grep { !$linux{$_} && !$own{$_} && !/^sys_(?:enter|exit)_/ } sort(keys %format);
is_deeply(\@unknown, [], '... of which each is Linux\' or known to be our own');
for my $name (sort(keys %linux)) {
    my %wanted = map { /^(.*) (\w+)$/ ? ($2 => $1) : () } split(/, /, $linux{$name}[0]);
    my %absent = map { /^(.*) (\w+)$/ ? ($2 => $1) : () } split(/, /, $linux{$name}[1]);
    my $there = $format{$name} // {};
    is_deeply({map { ($_ => $there->{$_}) } keys %wanted}, \%wanted, "$name has Linux' fields");
    is_deeply([grep { exists($there->{$_}) } keys %absent], [], '... and none that tells nothing');
}

# docs/tracepoints.md lists the missing fields.
my ($table) = slurp('docs/tracepoints.md') =~ /^\| left out \| as \|\n\|.*\n((?:\|.*\n)+)/m;
my %told = map { /^`(\w+)`: (.*)$/ ? ($1 => $2) : ('' => $_) }
    map { split(/; /, (split(/ \| /, s/^\| //r))[0]) } split(/\n/, $table);
my %lacking = map { my @names = $linux{$_}[1] =~ /(\w+)(?:,|$)/g; @names ? ($_ => "@names") : () }
    keys %linux;
is_deeply({map { ($_ => $told{$_} =~ s/,//gr) } keys %told}, \%lacking,
    'docs/tracepoints.md lists the fields that are left out');

done_testing();
