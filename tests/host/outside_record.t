#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: outside/pitot, outside/wire.h
#
# `pitot record` writes the plugin's records as a file that perf symbolizes without options, however
# QEMU or pitot itself ends, and refuses records that no plugin sends. The plugin is a script
# (tests/lib/Pitot/StandIn.pm). Run from the root of the tree:
#
#     prove tests/host/outside_record.t
use strict;
use warnings;
use lib 'tests/lib';
use JSON::PP qw(decode_json);
use Test::More;
use Pitot::Files;
use Pitot::Patience;
use Pitot::PerfText;
use Pitot::StandIn;

my $room = stand_in_room();
my $elf = "$room/kernel.elf";
my $out = "$room/out";
my @record = ('record', '-o', $out);
my @qemu = ('--', "$room/qemu", '-kernel', $elf);

# Each sample as "comm tid [cpu] time period event" and its functions with their offsets.
sub samples
{
    my ($text) = in_perf($out, 'script', '-F', 'comm,tid,cpu,time,period,event,ip,sym,symoff', @_);
    my @samples;
    for my $line (split(/\n/, $text)) {
        my ($comm, $tid, $cpu, $time, $period, $event, $rest) = script_head($line);
        push(@samples, {head => "$comm $tid $cpu $time $period $event", chain => []})
            if defined $comm;
        $line = $rest // '' if defined $comm;
        push(@{$samples[-1]{chain}}, $1) if $line =~ /^\s*[0-9a-f]+ (\S+)$/;
    }
    return map { "$_->{head}: @{$_->{chain}}" } @samples;
}

# --- No results ----------------------------------------------------------------------------------

for my $case ([0, 0, 'no code of the kernel\'s file ran; --kernel ELF names another'],
    [9_000, 9_000, 'the kernel ran 9000 instructions; a lower -c samples them'],
    [9_000, 0, 'the kernel ran 9000 instructions, and there was no hit']) {
    my ($ran, $hits, $why) = @$case;
    plugin_says(begin(1), count(0, $hits), end(instructions => $ran));
    my $file = $ran ? "0 samples in $out" : "$out is not written";
    is((pitot(@record, @qemu))[1], "pitot: $why\n[ pitot record: $file ]\n", $why);
}

# --- A profile -----------------------------------------------------------------------------------

# The call in sched_run is its last instruction, as the call of a function that does not return may
# be.
my @contexts = (context(1, 0, $place{kmain} + 0x10, 5), context(2, 1, $place{sched_run} + 0xfb, 5),
    context(3, 2, $place{vfs_read} + 4));
my @threads = (thread(1, $place{kmain} + 0x10), thread(2, $place{idle_loop}), thread(3, 0x1000));
my @samples = (
    sample(thread => 1, context => 2, ip => $place{vfs_read} + 0x20, time => 1_000, weight => 600),
    sample(thread => 2, cpu => 1, ip => $place{idle_loop} + 8, time => 1_500, weight => 1_000),
    sample(thread => 1, context => 3, ip => $place{timer_isr} + 8, time => 2_000, weight => 1_400),
    sample(thread => 3, cpu => 1, ip => $place{panic}, time => 3_000, weight => 1_000),
    sample(ip => $place{panic}, time => 4_000, weight => 1_000),
);
my @profile = (begin(2), @threads, @contexts, @samples);
plugin_says(@profile, count(0, 5_000), end(instructions => 9_000));
my ($said, $complaints, $status) = pitot({STAND_IN_END => 'exit 3'}, @record, '-g', @qemu);
is($status, 3, 'the status is QEMU\'s');
is($complaints, "[ pitot record: 5 samples in $out ]\n", '... the samples are reported');
is_deeply([samples()], [
    'kmain 2 000 0.000001 600 instructions: vfs_read+0x20 sched_run+0xff kmain+0x15',
    'idle_loop 3 001 0.000001 1000 instructions: idle_loop+0x8',
    'kmain 2 000 0.000002 1400 instructions: timer_isr+0x8 vfs_read+0x4 sched_run+0xff kmain+0x15',
    '0x1000 4 001 0.000003 1000 instructions: panic+0x0',
    'kernel.elf 1 000 0.000004 1000 instructions: panic+0x0',
], 'perf names threads and functions with no option');
my @report = in_perf($out, 'report', '--stdio', '--no-children', '-g', 'none', '-F',
    'sample,period,dso,sym') =~ /^ +(\d+) +(\d+) +(\S+) +\[\.\] (\S+)/mg;
my %report;
while (my ($count, $period, $dso, $symbol) = splice(@report, 0, 4)) {
    $report{$symbol} = "$count $period $dso";
}
is_deeply(\%report, {vfs_read => '1 600 kernel.elf', idle_loop => '1 1000 kernel.elf',
    timer_isr => '1 1400 kernel.elf', panic => '2 2000 kernel.elf'}, '... so does perf report');
is(slurp("$room/perf.err"), '', '... without a warning');

my %header = in_perf($out, 'report', '--header-only') =~ /^# ([\w ]+?) : (.*?) *$/mg;
is_deeply([@header{'arch', 'nrcpus online', 'nrcpus avail', 'perf version'}],
    ['x86_64', 2, 2, (split(/\n/, (pitot('--version'))[0]))[0]],
    'the header has the machine, and what pitot is');
is($header{cmdline}, "$room/bin/pitot @record -g @qemu", '... and the command, as it was typed');
is_deeply([samples('--time', '0.0000018,0.0000025')], [(samples())[2]], 'times may be chosen');
my ($build_id) = `readelf -n $elf` =~ /Build ID: (\w+)/;
is(in_perf($out, 'buildid-list'), "$build_id $elf\n", 'the build id is there');
(undef, $status) = in_perf($out, 'data', 'convert', '--force', '--to-json', "$room/json");
is($status, 0, 'perf data converts it');
is(scalar(@{decode_json(slurp("$room/json"))->{samples}}), 5, '... all of it');
is_deeply([sort(split(/\n/, `$room/bin/pitot show $out --folded -o -`))], [
    '0x1000;panic 1000', 'idle_loop;idle_loop 1000', 'kernel.elf;panic 1000',
    'kmain;kmain;sched_run;vfs_read 600', 'kmain;kmain;sched_run;vfs_read;timer_isr 1400',
], 'pitot show reads it');

plugin_says(@profile, end());
is((pitot(@record, qw(-g --show), @qemu))[1],
    "[ pitot record: 5 samples in $out ]\n[ pitot show: $out.html ]\n", '--show draws it');
like(slurp("$out.html"), qr/"kmain","sched_run","vfs_read"/, '... with its functions');
plugin_says(begin(1), end());
unlink("$out.html");
pitot(@record, qw(-g --show), @qemu);
ok(!-e "$out.html", '... but nothing without a sample');
plugin_says(@profile, end());
pitot(@record, '-g', @qemu);

link_kernel($elf, [qw(other kmain)]);
unlike(join("\n", samples()), qr/other|kmain\+/, 'another build at this path gives no names');
$room = stand_in_room();
($elf, $out) = ("$room/kernel.elf", "$room/out");
@record = ('record', '-o', $out);
@qemu = ('--', "$room/qemu", '-kernel', $elf);

plugin_says(@profile, end());
pitot(@record, @qemu);
is_deeply([map { s/.*instructions: //r } samples()],
    [qw(vfs_read+0x20 idle_loop+0x8 timer_isr+0x8 panic+0x0 panic+0x0)],
    'without -g there are no chains');

# --- Registers -----------------------------------------------------------------------------------

# The register names and values that perf prints for each sample.
sub sampled_registers
{
    my $text = in_perf($out, 'script', '-F', 'time,ip,sym,iregs');
    return map { [/\b([A-Z]\w+):0x([0-9a-f]+)/g] } grep { /^\s*\d+\.\d+:|ABI/ } split(/\n/,
        $text =~ s/\n\s*(?=[0-9a-f]{16} )/ /gr =~ s/\n\s*ABI/ ABI/gr);
}

plugin_says(begin(1), registers(0xa .. 0x1a), sample(ip => $place{panic}, time => 1_000),
    sample(ip => $place{panic}, time => 2_000), registers((~0) x 17), $samples[1], @threads[0, 1],
    end());
($said, $complaints) = pitot({STAND_IN_VERSION => '10.0.13'}, @record, '-I', @qemu);
like(request_words(), qr/,registers=1,/, '-I: the plugin is asked for registers');
my @order = (qw(AX BX CX DX SI DI BP SP IP), map { "R$_" } 8 .. 15);
is_deeply([sampled_registers()], [
    [map { ($order[$_] => sprintf('%x', 0xa + $_)) } 0 .. 16], [],
    [map { ($_ => 'f' x 16) } @order]], '... perf shows those that each sample has');

# --- A stream ------------------------------------------------------------------------------------

plugin_says(@profile, end());
my ($stream, $told) = pitot(qw(record -g -o -), @qemu);
write_bytes("$room/stream", $stream);
is($told, "[ pitot record: 5 samples in - ]\n", '-o -: the stream is standard output');
for my $command ('script -F comm,tid,cpu,time,period,event,ip,sym,symoff',
    'report --stdio -g none') {
    my $of_stream = `cd $room && PERF_CONFIG=/dev/null perf --no-pager $command -i - < stream 2>&1`;
    is($of_stream =~ s/^#.*\n//mgr, in_perf($out, split(' ', $command)) =~ s/^#.*\n//mgr,
        "... perf $command prints the same of it as of the file") if pitot(@record, '-g', @qemu);
}
($stream, $told) = pitot({STAND_IN_END => 'raw'}, qw(record -o -), @qemu);
like($told, qr/^in: /m, '... what QEMU prints goes to standard error');
like($stream, qr/\APERFILE2/, '... and not into the stream');
my $typed = "$room/bin/pitot record -o - @qemu";
{
    local $ENV{STAND_IN_ROOM} = $room;
    like(scalar(`script -qec "$typed" /dev/null < /dev/null`), qr/^\Qpitot record: -o -: standard \E
        output\ is\ a\ terminal;\ \|\ perf\ report\ -i\ -\ reads\ the\ stream\r?$/mx,
        '... a terminal gets none');
}
plugin_says(begin(1), slide(0x2000000), thread(1, $place{kmain} + 0x2000010),
    sample(thread => 1, ip => $place{vfs_read} + 0x2000004, time => 1_000), end());
($stream) = pitot(qw(record -e mem:run_queue -o -), @qemu);
write_bytes("$room/stream", $stream);
like(scalar(in_perf("$room/stream", 'script', '-F', 'comm,ip,sym')),
    qr/^\s*kmain\s+\w+ vfs_read$/m, '... of a kernel that was relocated, too');

# --- Limits ------------------------------------------------------------------------------------

my $bytes = 64;    # size of a sample without a chain
plugin_says(begin(1), (map { sample(ip => $place{panic}, time => 1_000 * $_) } 1 .. 100), end());
(undef, $complaints) = pitot(@record, '--overwrite', '-m', '1K', @qemu);
my $kept = 1024 / $bytes;
is($complaints, 'pitot: ' . (100 - $kept)
    . " samples overwritten; a larger -m keeps more\n"
    . "[ pitot record: $kept samples in $out ]\n", '--overwrite keeps what there is room for');
is_deeply([map { /panic/ ? (split)[3] : () } samples()],
    [map { sprintf('%.6f', $_ / 1e6) } 100 - $kept + 1 .. 100],
    '... the last ones, in their order');
my $head = in_perf($out, 'report', '--header-only');
is_deeply([$head =~ /^# time of \w+ sample : ([\d.]+)$/mg],
    [map { sprintf('%.6f', $_ / 1e6) } 100 - $kept + 1, 100], '... the header has their times');
(undef, $complaints) = pitot(@record, '--overwrite', @qemu);
is($complaints, "[ pitot record: 100 samples in $out ]\n", '... all of them, if there is room');

plugin_says(begin(1), sample(ip => $place{panic}, time => 1_000), end(samples_left_out => 7));
(undef, $complaints) = pitot(@record, '--max', 1, @qemu);
is($complaints, "pitot: 7 samples left out: --max was reached\n"
    . "[ pitot record: 1 sample in $out ]\n", '--max tells how many came after');

plugin_says(begin(1), count(0, 3), count(1, 0), end(instructions => 9));
(undef, $complaints) = pitot(@record, '--trigger', 'call:panic', @qemu);
like($complaints, qr/^pitot: --trigger call:panic: no hit$/m,
    'a --trigger that was not hit is reported');
plugin_says(begin(1), count(0, 0), end(instructions => 9, within => 0));
for my $command ([@record], ['stat']) {
    (undef, $complaints) = pitot(@$command, '--start', 'kmain', @qemu);
    like($complaints, qr/^pitot: --start kmain was not reached$/m,
        "$command->[0]: ... and so is a --start");
    (undef, $complaints) = pitot(@$command, '--until', 'panic', @qemu);
    like($complaints, qr/^pitot: nothing ran before --until panic$/m, '... or an empty --until');
}
for my $hits (0, 7) {
    plugin_says(begin(1), count(0, $hits), end(instructions => 90, within => 7));
    (undef, $complaints) = pitot(@record, '--start', 'kmain', '--until', 'panic', @qemu);
    my $why = $hits ? '; a lower -c samples them' : ', and there was no hit';
    is($complaints, 'pitot: the kernel ran 90 instructions, 7 of them within --start kmain --until '
        . "panic$why\n[ pitot record: 0 samples in $out ]\n", '... what ran there is reported');
}

# --- Several events ------------------------------------------------------------------------------

plugin_says(begin(1), $contexts[0], thread(1, $place{kmain}),
    sample(event => 0, thread => 1, context => 1, ip => $place{vfs_write}, time => 1_000),
    sample(event => 1, thread => 1, context => 1, ip => $place{vfs_write} + 1, time => 2_000,
        address => $place{run_queue} + 8, length => 8, access => 2, weight => 2),
    sample(event => 2, thread => 1, ip => $place{kmain}, time => 3_000),
    sample(event => 3, thread => 1, context => 1, ip => $place{timer_isr}, time => 4_000), end());
my @events = ('call:vfs_*', 'mem:run_queue:w', 'instructions', 'irq');
($said, $complaints, $status) = pitot(@record, '-g', '-e', "$events[0],$events[1]/period=2/", '-e',
    $events[2], '-e', $events[3], @qemu);
is($status, 0, 'several events') or diag($complaints);
is_deeply([samples()], [
    "kmain 2 000 0.000001 1 $events[0]: vfs_write+0x0 kmain+0x15",
    "kmain 2 000 0.000002 2 $events[1]: vfs_write+0x1 kmain+0x15",
    "kmain 2 000 0.000003 1 $events[2]: kmain+0x0",
    "kmain 2 000 0.000004 1 $events[3]: timer_isr+0x0 kmain+0x15",
], '... have their names and weights');
like(scalar in_perf($out, 'script', '-F', 'event,addr'),
    qr/^\s*\Q$events[1]\E: +ffffffff80101008$/m, '... an access has its address');
my $watch = attributes_of(scalar in_perf($out, 'evlist', '-v'))->{'mem:run_queue'};
is_deeply([@$watch{'bp_addr', 'bp_len', 'sample_period'}],
    [sprintf('0x%x', $place{run_queue}), '0x40', 2], 'the watch is described');

# --- Returns -------------------------------------------------------------------------------------

plugin_says(begin(1), $contexts[0], thread(1, $place{kmain}),
    sample(event => 0, thread => 1, context => 1, ip => $place{vfs_write} + 9, time => 1_000,
        spent => 8_000_000_000),
    sample(event => 1, thread => 1, ip => $place{kmain}, time => 2_000), end());
for my $chains ([], ['-g']) {
    ($said, $complaints, $status) = pitot(@record, @$chains, '-e', 'return:vfs_*', '-e',
        'instructions', @qemu);
    is($status, 0, "returns @$chains") or diag($complaints);
    my %weights = in_perf($out, 'script', '-F', 'event,weight') =~ /^\s*(\S+): +(\d+)\s*$/mg;
    is_deeply(\%weights, {'return:vfs_*' => 8_000_000_000, instructions => 0},
        '... have what was spent, where perf has a weight');
    my @sorted = in_perf($out, 'report', '--stdio', '--no-children', '-g', 'none', '-F',
        'sample,sym,local_weight') =~ /^ +(\d+) +\[\.\] (\S+) +(\d+)/mg;
    is_deeply(\@sorted, [1, 'vfs_write', 8_000_000_000, 1, 'kmain', 0], '... by which it sorts');
}
is_deeply([samples()], ["kmain 2 000 0.000001 1 return:vfs_*: vfs_write+0x9 kmain+0x15",
    "kmain 2 000 0.000002 1 instructions: kmain+0x0"], '... and a chain as others have');

# --- Threads whose outermost function is not known -----------------------------------------------

plugin_says(begin(1), context(1, 0, $place{kmain} + 4, 5), thread(2, $place{kmain}),
    sample(thread => 7, context => 1, ip => $place{vfs_read}, time => 1_000),
    sample(thread => 2, ip => $place{kmain}, time => 2_000), end());
pitot(@record, '-g', @qemu);
is(in_perf($out, 'script', '-F', 'comm,tid') =~ s{\s+}{ }gr, ' [not known] 8 kmain 3 ',
    'a thread that was never named has a name in perf, too');

# --- Chains that are long ------------------------------------------------------------------------

my @deep = map { context($_, $_ - 1, $place{kmain} + 0x20, 5) } 1 .. 10_000;
plugin_says(begin(1), @deep, thread(1, $place{kmain}),
    sample(thread => 1, context => 8_000, ip => $place{kmain}),
    sample(thread => 1, context => 10_000, ip => $place{kmain}, time => 1_000), end());
($said, $complaints, $status) = pitot(@record, '-g', @qemu);
is($complaints, "pitot: 1 chain too long for a perf record: [left out] in its middle\n"
    . "[ pitot record: 2 samples in $out ]\n", 'of a chain of 10,000 the middle is left out');
my @lines = grep { /kmain/ } split(/\n/, in_perf($out, 'script', '--max-stack', 10_000, '-F',
    'ip,sym'));
is(scalar(@lines), 2 * 8_001, '... and perf has the rest');

# --- Losses --------------------------------------------------------------------------------------

plugin_says(@profile, end(switches => 9, doubtful => 3, chains_ended => 4, contexts_lost => 2,
    samples_lost => 1));
($said, $complaints) = pitot(@record, '-g', @qemu);
is($complaints, "pitot: 1 sample lost: the pipe was closed\n"
    . "pitot: 2 chains cut: no room for more calling contexts\n"
    . "pitot: 4 chains with callers that are not known: [not known]\n"
    . "pitot: 3 of 9 stack switches in doubt\n"
    . "[ pitot record: 5 samples in $out ]\n", 'what is lost is said');

# --- Ends ----------------------------------------------------------------------------------------

my @killed = ("pitot: QEMU was killed: its last counts are lost\n",
    "[ pitot record: 5 samples in $out ]\n");
plugin_says(@profile, substr($samples[0], 0, 24));
($said, $complaints, $status) = pitot({STAND_IN_END => 'signal KILL'}, @record, '-g', @qemu);
is_deeply([$complaints, $status], [join('', @killed), 128 + 9], 'a QEMU that is killed');
is(scalar(samples()), 5, '... leaves a file that opens, with all whole samples');
is(scalar(keys(%{{in_perf($out, 'report', '--header-only') =~ /^# ([\w ]+?) : (.*?) *$/mg}})),
    scalar(keys(%header)), '... and its header');

for my $signal (qw(INT TERM HUP)) {
    plugin_says(@profile);
    plugin_says_last(sample(ip => $place{panic}, time => 5_000), end());
    ($said, $complaints, $status) = pitot({STAND_IN_END => "parent $signal"}, @record, '-g', @qemu);
    is_deeply([$complaints, $status], ["[ pitot record: 6 samples in $out ]\n", 0],
        "SIG$signal ends QEMU, which sends its last records");
    is(scalar(samples()), 6, '... and all of it is in the file');
}
plugin_says(@profile);
plugin_says_last(end());
($said, $complaints, $status) = pitot({STAND_IN_END => 'twice TERM INT'}, @record, '-g', @qemu);
is_deeply([$complaints, $status], ["[ pitot record: 5 samples in $out ]\n", 0],
    'a second signal at once, as from timeout, is the same wish');
plugin_says(@profile);
($said, $complaints, $status) = pitot({STAND_IN_END => 'deaf TERM 2.1 INT'}, @record, '-g', @qemu);
is_deeply([$complaints, $status],
    [join('', "pitot: a signal came again: QEMU is killed\n", @killed), 128 + 9],
    '... one that comes later kills QEMU');
if ($ENV{SOAK}) {
    (undef, $complaints, $status) = pitot({STAND_IN_END => 'deaf TERM'}, @record, '-g', @qemu);
    is_deeply([$complaints, $status],
        [join('', "pitot: QEMU has not ended in 10 seconds: it is killed\n", @killed), 128 + 9],
        '... as ten seconds do');
}

plugin_says(@profile, end());
($said, $complaints, $status) = pitot({STAND_IN_END => 'leave'}, @record, '-g', @qemu);
kill('KILL', slurp("$room/child"));
is_deeply([$complaints, $status], ["[ pitot record: 5 samples in $out ]\n", 0],
    'a QEMU whose children live on');

# The plugin's pipe holds at most 1 MiB, so once all is written, two thirds have been read, and all
# but the last read is in the file.
plugin_says(begin(1), @threads, @contexts,
    map { sample(thread => 1, context => 2, ip => $place{vfs_read}, time => $_) } 1 .. 50_000);
($said, $complaints, $status) = pitot({STAND_IN_END => 'parent KILL'}, @record, '-g', @qemu);
is($status, 128 + 9, 'if pitot itself is killed');
my $left = $patience * 20;
select(undef, undef, undef, 0.05) until -s "$room/ended" || $left-- == 0;
is(slurp_if_there("$room/ended"), 'by SIGTERM', '... QEMU ends as well');
my @kept = samples();
cmp_ok(scalar(@kept), '>', 1_000, '... the file opens');
is(scalar(grep { !/^kmain 2 000 \S+ 1 instructions: vfs_read\+0x0 sched_run\S+ kmain/ } @kept), 0,
    '... with names of threads, events and functions');

plugin_says(@profile, end());
my @shell = map { "'$_'" } "$room/bin/pitot", @record, '-g', @qemu;
{
    local @ENV{qw(STAND_IN_ROOM STAND_IN_END)} = ($room, 'raw');
    my $line = "stty -g; @shell; stty -g";
    my $terminal = `echo hello | timeout $patience script -qec "$line" /dev/null`;
    my ($before, $after) = $terminal =~ /^([0-9a-f]+:[0-9a-f:]+)\r?$/mg;
    ok(defined $after && $before eq $after, 'the terminal is as it was') or diag($terminal);
    like($terminal, qr/^pitot: where perf script prints offsets in .*, -G prints addresses\r?$/m,
        '... and is told how perf prints addresses');
    like($terminal, qr/^in: hello\r?\nerr\r?$/m, '... and QEMU had its input and its output');
}

# --- Damage --------------------------------------------------------------------------------------

# Records that are refused after a valid sample: the sample is kept and QEMU is ended.
sub damaged_ok
{
    my ($pattern, @records) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    plugin_says(@records);
    my (undef, $told, $its_status) = pitot({STAND_IN_END => 'parent CHLD'}, @record, '-g', @qemu);
    ok($its_status == 1 && $told =~ /^pitot record: $pattern$/m, "refused: $pattern")
        or diag("$its_status: $told");
}

my @good = (begin(1), sample(ip => $place{panic}, time => 1_000));
damaged_ok("\\S+ writes records of version 99, not $wire_version: rebuild it by make outside",
    begin(1, 99));
damaged_ok('\S+ did not send its version first: rebuild it by make outside', end());
my $expected = "\\(version $wire_version is expected\\); make outside";
damaged_ok("unknown record from the plugin: kind $_, 16 bytes $expected",
    @good, pack('S<CCL<Q<', 16, $_, 0, 0, 0)) for 9, 5;
damaged_ok("the plugin's sample of event 1 in context 0 is invalid", @good,
    sample(event => 1, ip => 1));
damaged_ok("the plugin's sample of event 0 in context 7 is invalid", @good,
    sample(context => 7, ip => 1));
damaged_ok('the plugin counted an event 1, of 1', @good, count(1, 1));
damaged_ok("the plugin's calling context $$_[0], called by $$_[1], is invalid", @good,
    $contexts[0], context(@$_, $place{kmain}, 5)) for [0, 0], [1, 0], [2, 2], [2, 9], [1 << 22, 0];
is_deeply([samples()], ['kernel.elf 1 000 0.000001 1 instructions: panic+0x0'],
    'what came before is kept');

plugin_says(@profile, map { sample(ip => $place{panic}, time => $_) } 1 .. 5_000);
($said, $complaints, $status) = pitot({STAND_IN_END => 'parent CHLD', LIMIT => 64}, @record, '-g',
    @qemu);
is($status, 1, 'a file that may not grow');
like($complaints, qr/^pitot record: \Q$out\E: File too large$/m, '... is reported');
cmp_ok(scalar(samples()), '>', 100, '... and opens');
my ($at, $size) = unpack('x40 Q<2', my $file = slurp($out));
my $end = $at + $size;
while ($at + 8 <= $end) { $at += unpack('x6 S<', substr($file, $at, 8)) }
is($at, $end, '... with whole records alone');

# --- The file is checked -------------------------------------------------------------------------

for my $slide (0x2000000, -0x100000) {
    my $at = sprintf('%s0x%x', $slide < 0 ? '-' : '', abs($slide));
    plugin_says(begin(1), slide($slide), late(3), thread(1, $place{kmain} + $slide + 0x10),
        context(1, 0, $place{sched_run} + $slide + 0xfb, 5),
        sample(thread => 1, context => 1, ip => $place{vfs_read} + $slide + 4, time => 1_000),
        patched(7), end());
    (undef, $complaints) = pitot(@record, '-g', '-e', 'instructions', '-e', 'mem:run_queue', '-e',
        'mem:0x1000', @qemu);
    my $told = attributes_of(scalar in_perf($out, 'evlist', '-v'));
    is_deeply([map { $told->{$_}{bp_addr} } 'mem:run_queue', 'mem:0x1000'],
        [sprintf('0x%x', $place{run_queue} + $slide), '0x1000'],
        'what is watched moves with the kernel');
    is_deeply([samples()], ['kmain 2 000 0.000001 1 instructions: vfs_read+0x4 sched_run+0xff'],
        "names of a kernel that runs $at from its file's addresses");
    is($complaints, "pitot: the kernel was relocated by $at from kernel.elf\n"
            . "pitot: 3 blocks of its code ran before that was known: hits there are missing\n"
            . "pitot: 7 places differ from kernel.elf: patched, or overwritten\n"
            . "[ pitot record: 1 sample in $out ]\n", '... which is told, as patched code is');
}
damaged_ok("\Q$elf\E is another build than the kernel that runs: 40 of 64 blocks of its code "
        . 'differ; --kernel ELF names the right one', @good, strange(40, 64));
damaged_ok('all CPUs in one thread, which QEMU 7.2 does not distinguish for plugins; use -accel '
        . 'tcg,thread=multi or -smp 1', @good, one_thread(1));

# --- Files with less information -----------------------------------------------------------------

system('strip', '-o', "$room/bare.elf", $elf);
plugin_says(@profile, end());
my @bare = ('--kernel', "$room/bare.elf");
($said, $complaints, $status) = pitot(@record, @bare, '-e', 'mem:0x1000', @qemu);
is($status, 0, 'a stripped kernel works');
like($complaints, qr/^pitot: \S+ is stripped: places have addresses and no names$/m,
    '... and is reported');
is(scalar(() = in_perf($out, 'script', '-F', 'comm,event') =~ /^\s*0xffffffff80100110 .*0x1000:/mg),
    2, '... its threads are called by addresses');
($said, $complaints) = pitot(@record, @bare, '-e', 'mem:run_queue', @qemu);
like($complaints, qr/: no symbol "run_queue": \S+bare.elf is stripped; give an address$/m,
    '... and so are places');
($said, $complaints) = pitot(@record, @bare, '-e', 'call:kmain', @qemu);
like($complaints, qr/: no function "kmain": \S+bare.elf is stripped; --symbols FILE or --kernel /,
    '... but no functions');

link_kernel($elf, [qw(kmain)], '--build-id=none');
plugin_says(begin(1), sample(ip => $place{kmain}), end());
pitot(@record, @qemu);
like(join("\n", samples()), qr/ kmain\+0x0$/, 'a kernel without a build id is named, too');

done_testing();
