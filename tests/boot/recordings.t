#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: core/perf/record, core/recording, core/event, core/ring
#
# Recordings of every kind, several in one boot: events and their terms, shared registers, both
# modes of the ring when it is too small, registers, throttling, hits inside an interrupt. The
# console's numbers for each must equal those of the real perf for the stream. Run from the root of
# the tree:
#
#     prove tests/boot/recordings.t
use strict;
use warnings;
use lib 'tests/lib';
use Test::More;
use Pitot;
use Pitot::Transcript;

my $build = $ENV{BUILD} // 'build';
my $flag = address_of("$build/pitot.elf", 'kernel_flag');
my $load = 'fs-stress 2';
my $fields = 'comm,tid,cpu,time,period,event,ip,sym,symoff';
my $outermost = 'kernel_main boot_entry_high';
my $unthrottled = 'perf.rate=0';    # independent of the host's speed

# Ignores blanks: perf's column of event names is as wide as the stream's longest name.
sub squeezed
{
    my ($text) = @_;
    return [grep { /\S/ } map { s/\s+/ /gr =~ s/^ | $//gr } split(/\n/, $text)];
}

# The numbers that `perf record` printed at its end: {kept, lost, overwritten, throttled}.
sub summary
{
    my ($said) = @_;
    my ($line) = $said =~ /^\[ perf record: (.*) \]$/m or return {};
    my %numbers = reverse $line =~ /(\d+) (?:records |hits )?(\w+)/g;
    return \%numbers;
}

sub chains
{
    return [map { "@{$_->{chain}}" } @_];
}

# How many records of each type `perf report -D` lists.
sub records
{
    my ($dump) = @_;
    my %records;
    $records{$1}++ while $dump =~ /PERF_RECORD_(\w+)/g;
    return \%records;
}

# --- One boot, many recordings -------------------------------------------------------------------

# The spellings of the events distinguish the recordings in the stream.
my @recordings = (
    ['mem:kernel_flag:rw', "-g -m 4m -- $load"],
    ["5:$flag", "-c 7 -- $load"],
    ['mem:lock_kernel:x', "-g -c 50 -- $load"],
    ["mem:$flag/4:rw", "-g -m 16k --overwrite -- $load"],
    ['mem:kernel_flag/4:w/call-graph=no,period=10/ -e mem:ticks:w', '-g -- fs-stress 30'],
);
my $stat = 'perf stat -a -e mem:kernel_flag:rw -e mem:kernel_flag+0:rw -e mem:lock_kernel:x'
    . " -e mem:$flag/4:rw -e mem:$flag/4:rw:k -e mem:$flag:rw -- $load";
my $list = 'perf record -a -e mem:kernel_flag:rw,mem:kernel_flag/4:rw -- perf list';

my @commands = map { "perf record -a -e $_->[0] $_->[1]" } @recordings;
my $run = join('; ', (map { ($_, 'perf script') } @commands), $stat, $list, 'poweroff');
my $machine = boot(flags => $unthrottled, run => $run);
ended_ok($machine);

my %counts = reverse(said($machine, $stat) =~ /^ +(\d+) {6}(\S+)$/mg);
my $hits = $counts{'mem:kernel_flag:rw'};

my @summaries = map { summary(said($machine, $_)) } @commands;
my @scripts = map { said($machine, 'perf script', $_) } 1 .. @commands;
my ($whole, $period, $call, $overwrite, $several) = map { [samples($_)] } @scripts;

same_lines_ok(squeezed(join('', @scripts)),
    squeezed(scalar perf_script($machine, '-F', $fields)),
    'perf finds all recordings of the boot in the stream, each as the console shows it');
my $dump = perf_run('report', $machine, '-D');
my %events = $dump =~ /PERF_RECORD_EVENT_UPDATE\n\.\.\. id: +(\d+)\n\.\.\. name: +(\S+)$/mg;
is(scalar(keys %events), @recordings + 3, 'each event has an id of its own');
is($summaries[$_]{kept}, scalar(samples($scripts[$_])), "perf record kept: $recordings[$_][0]")
    for 0 .. $#recordings;

# --- Events --------------------------------------------------------------------------------------

cmp_ok($hits, '>', 500, 'perf stat counts hits');
is(scalar(@$whole), $hits, '... perf record makes each a sample');

is(scalar(@$period), int($hits / 7), '-c 7: every seventh hit is a sample');
is_deeply([grep { $_->{period} != 7 } @$period], [], '... that stands for seven');
is_deeply([grep { $_->{chain}[0] !~ /^(un)?lock_kernel$/ } @$period], [],
    '5:ADDR watches that address');

cmp_ok(scalar(@$call), '>', 0, 'a breakpoint on a function is hit');
is(scalar(() = $scripts[2] =~ /:x: *\n\t *[0-9a-f]+ lock_kernel\+0x0$/mg), @$call,
    '... at its first instruction');
is_deeply([grep { !/ fs_stress_run .*\Q$outermost\E$/ } @{chains(@$call)}], [],
    '... with a whole chain, though there is no frame yet');
my %callers = map { $_->{chain}[1] => 1 } grep { $_->{chain}[0] eq 'lock_kernel' } @$whole;
cmp_ok(scalar(grep { $callers{$_->{chain}[1]} } @$call), '>', 0,
    '... which begins with the caller');

cmp_ok(delete $counts{'mem:lock_kernel:x'}, '>=', $hits / 2, 'perf stat counts calls');
is_deeply([values %counts], [($hits) x 5], 'five events on one address: each counts every hit');
like(said($machine, $list), qr{^  dr0  \Q$flag\E/4:rw for perf mem:kernel_flag:rw and 1 more$}m,
    'events on the same bytes share a register');
like(said($machine, $list), qr/^  dr1  free$/m, '... and leave the others free');

# --- A ring that is too small --------------------------------------------------------------------

cmp_ok($summaries[3]{overwritten} // 0, '>', 0, 'a full ring in overwrite mode overwrites');
is($summaries[3]{kept} + $summaries[3]{overwritten}, $hits, '... and counts what it overwrites');
like($dump, qr/LOST_SAMPLES: id:\d+: lost samples :$summaries[3]{overwritten}$/m,
    '... perf knows how many');
is_deeply(chains(@$overwrite), chains(@$whole[-@$overwrite .. -1]),
    '... it keeps the newest, to the last hit');

# Without a port the ring is not read while it records (tests/boot/live.t tests it with one).
my $normal_record = "perf record -a -e mem:kernel_flag:rw:k -g -m 16k -- $load";
my $alone = boot(com2 => 'none', flags => $unthrottled,
    run => "$normal_record; perf script; poweroff");
ended_ok($alone);
my $normal_summary = summary(said($alone, $normal_record));
my $normal = [samples(said($alone, 'perf script'))];
cmp_ok($normal_summary->{lost} // 0, '>', 0, 'a full ring drops');
is($normal_summary->{kept} + $normal_summary->{lost}, $hits, '... and counts what it drops');
my $certain = $#$normal - 1;    # the last may be a later, shorter record that still fitted
is_deeply(chains(@$normal[0 .. $certain]), chains(@$whole[0 .. $certain]),
    '... it keeps the oldest');

# --- Several events, one of them in an interrupt -------------------------------------------------

my @ticks = grep { $_->{event} eq 'mem:ticks:w' } @$several;
my @writes = grep { $_->{event} ne 'mem:ticks:w' } @$several;
cmp_ok(scalar(@ticks), '>', 0, 'an event with a chain');
cmp_ok(scalar(@writes), '>', @ticks, '... beside one without');
is_deeply([map { $_->{period} } @writes], [(10) x @writes], '... which has a period of its own');
is_deeply([grep { @{$_->{chain}} != 1 } @writes], [], '... and no chain');

# A tick may interrupt the thread that streams, once that has begun.
my $through_trap = qr/^ticks_count .*\btrap_entry \w+ .*(?:\Q$outermost\E|thread_start)$/;
is_deeply([grep { !/$through_trap/ } @{chains(@ticks)}], [],
    'chains lead from the interrupt through its entry to the outermost caller');
my @in_load = grep { / trap_entry .*\bstress_rounds\b/ } @{chains(@ticks)};
cmp_ok(scalar(@in_load), '>', @ticks / 2, '... by way of the load that was interrupted');
my %interrupted = map { $_ => 1 } map { / trap_entry (\w+)/ } @in_load;
cmp_ok(scalar(keys %interrupted), '>', 1, '... in more than one function')
    or diag(explain(\%interrupted));

# --- Registers -----------------------------------------------------------------------------------

# In a separate boot: perf prints registers only if every event of a stream has them.
my $registers = 'perf record -a -e mem:kernel_flag:rw -e mem:lock_kernel:x -g --intr-regs -c 10'
    . " -- $load";
$machine = boot(flags => $unthrottled, run => "$registers; perf script -F +iregs; poweroff");
ended_ok($machine);
my $script = said($machine, 'perf script -F +iregs');
same_lines_ok(script_lines($script),
    script_lines(scalar perf_script($machine, '-F', "$fields,iregs")),
    '--intr-regs: perf prints the registers that the console prints');
my @sites = $script =~ /:(?:rw|x): *\n\t *([0-9a-f]+) /g;
my @there = $script =~ /\bIP:0x([0-9a-f]+) /g;
cmp_ok(scalar(@sites), '>', 2 * int($hits / 20), '... of both events');
is_deeply(\@there, \@sites, '... as they were at the hit');
is(scalar(grep { hex($_) & 2 } $script =~ /\bFLAGS:0x([0-9a-f]+) /g), @sites,
    '... and tell by bit 1 of the flags that they come from a trap');

# --- Throttling ----------------------------------------------------------------------------------

# A thousand a second are ten per tick of ten milliseconds, far fewer than this load causes.
my $flood = 'mem:kernel_flag:rw -- fs-stress 100';
$machine = boot(flags => 'perf.rate=1000',
    run => "perf record -a -e $flood; perf stat -a -e $flood; poweroff");
ended_ok($machine, 'an event that floods is throttled, the machine runs on to its end');
my $kept = summary(said($machine, "perf record -a -e $flood"));
my ($counted) = said($machine, "perf stat -a -e $flood") =~ /^ +(\d+) {6}mem:/m;
my $seen = records(scalar perf_run('report', $machine, '-D'));
cmp_ok($seen->{THROTTLE} // 0, '>', 1, 'the stream tells when it began');
cmp_ok(abs($seen->{THROTTLE} - $seen->{UNTHROTTLE}), '<=', 1, '... and when it ended');
is($seen->{SAMPLE} + $seen->{THROTTLE} + $seen->{UNTHROTTLE}, $kept->{kept},
    '... among the records kept');
is($seen->{SAMPLE} + $kept->{throttled}, $counted, 'what was not sampled is counted');
is($seen->{LOST}, undef, '... and is no loss');

done_testing();
