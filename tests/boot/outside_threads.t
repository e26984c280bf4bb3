#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: outside, docs/outside.md
#
# `pitot` on ports/c, unchanged, a kernel with a timer and threads: results of the commands that
# follow calls are compared with counts that do not. Run from the root of the tree:
#
#     prove tests/boot/outside_threads.t
use strict;
use warnings;
use lib 'tests/lib';
use File::Path qw(make_path);
use File::Spec;
use Test::More;
use Pitot::Files;
use Pitot::Outside;
use Pitot::Patience;
use Pitot::Perf;

plan skip_all => "a plugin is QEMU's" if ($ENV{MACHINE} // 'qemu') ne 'qemu';

my $build = $ENV{BUILD} // 'build';
my $logs = "$build/logs/outside_threads";
my $out = File::Spec->rel2abs("$logs/perf.data");
make_path($logs);

my @qemu = machine_of('stdio', '-kernel', "$build/ports/c-level0.elf", '-append',
    '-e shop:job_done');

# The stderr of pitot; the kernel prints that it has run to its end.
sub pitot
{
    my (@words) = @_;
    my $status = Pitot::Perf::run_between("$logs/console", "$logs/said", '/dev/null', 'timeout',
        $patience, "$build/outside/pitot", @words, '--', @qemu);
    is($status, $switched_off, "pitot @words") or diag(slurp("$logs/said"));
    like(slurp("$logs/console"), qr/^60 jobs$/m, '... the kernel runs as it does unwatched');
    return slurp("$logs/said");
}

# The count of each event.
sub counts
{
    return {reverse(pitot('stat', map { ('-e', $_) } @_) =~ /^ +(\d+) +(\S+)$/mg)};
}

# The functions of each sample, innermost first.
sub chains
{
    my $status = Pitot::Perf::run_between("$logs/script", "$logs/err", '/dev/null', 'perf',
        '--no-pager', 'script', '-i', $out, '-F', 'event,ip,sym');
    is($status, 0, '... perf reads it') or diag(slurp("$logs/err"));
    my @samples = split(/\n\n+/, slurp("$logs/script"));
    return map { join(' ', /^\s+[0-9a-f]+ (\S+)/mg) } @samples;
}

# --- README's lines ------------------------------------------------------------------------------

my ($record, $report) = slurp('README.md')
    =~ m{^[ ]{4}make[ ]outside\b.*\n[ ]{4}build(/outside/pitot[ ]record[ ].*)[ ]-kernel[ ]my\.elf[ ]
        \.\.\.\n[ ]{4}(perf[ ]report)\b}mx;
ok($report, 'README has three lines for a kernel of one\'s own') or BAIL_OUT('README');
my $here = File::Spec->rel2abs($build);
my $rest = join(' ',
    map { "'$_'" } '-kernel', "$here/ports/c-level0.elf", @qemu[13 .. $#qemu]);
system("cd $logs && $here$record $rest > console 2> said < /dev/null");
is($? >> 8, $switched_off, '... as they are typed, with such a kernel')
    or diag(slurp("$logs/said"));
local $ENV{PERF_CONFIG} = '/dev/null';
my $profile = `cd $logs && $report --stdio --no-children -g none -s sym 2> err < /dev/null`;
like($profile, qr/^ +[\d.]+% +\[\.\] \w+/m, '... the report has what takes the time');

# The kernel's variables have no bytes in its file, and lie where perf would take them for code.
my %functions = map { $_ => 1 } `nm $build/ports/c-level0.elf` =~ /^\w+ [tTwW] (\S+)/mg;
pitot('record', '-c', 500, '-o', $out);
my $names = `perf script -i $out --no-inline -F ip,sym 2> $logs/err < /dev/null`;
my @wrong = grep { !$functions{$_} } $names =~ /^\s+[0-9a-f]+ (\S+)/mg;
is("@wrong", '', 'perf takes no variable for code');

# --- Interrupts ----------------------------------------------------------------------------------

my $counts = counts('irq', 'mem:ticks:w', 'call:trap_serve');
cmp_ok($counts->{irq}, '>=', 2, 'interrupts of the timer');
is_deeply([@$counts{'mem:ticks:w', 'call:trap_serve'}], [($counts->{irq}) x 2],
    '... are as many as the handler counts');
like(pitot('record', '-g', '-e', 'irq', '-o', $out), qr/: $counts->{irq} samples in /,
    '... each is a sample');
my @chains = chains();
is(scalar(grep { /^trap_table (\S+ )*kernel_main high$/ } @chains), $counts->{irq},
    '... in the handler, called by what it interrupted') or diag(map { "$_\n" } @chains);
my $half = int($counts->{irq} / 2);
like(pitot('record', '-e', 'irq/period=2/', '-o', $out), qr/: $half samples? in /,
    '... or every second one');

# --- Callees -------------------------------------------------------------------------------------

# The lines of pitot, one per function: [DEPTH, NAME, CALLS, INCLUSIVE, SELF].
sub graph
{
    my @words = @_;
    my @lines;
    for (split(/\n/, pitot('graph', @words))) {
        push(@lines, [length($5) / 2, $6, $1, $2, $4])
            if /^ *(\d+) +(\d+) +(\d+) +(\d+)  \|  ( *)(\w+)\(\)/;
    }
    return @lines;
}

# The lines whose inclusive cost is not the sum of their own and their callees'.
sub uneven
{
    my @lines = @_;
    my @uneven;
    for my $i (0 .. $#lines) {
        my ($depth, $name, undef, $all, $self) = @{$lines[$i]};
        for my $line (@lines[$i + 1 .. $#lines]) {
            last if $line->[0] <= $depth;
            $self += $line->[3] if $line->[0] == $depth + 1;
        }
        push(@uneven, "$name: $all, not $self") if $all != $self;
    }
    return @uneven;
}

my @graph = graph('worker');
is_deeply([map { "@$_[0 .. 2]" } grep { $_->[0] < 3 && $_->[1] !~ /^pitot/ } @graph],
    ['0 worker 3', '1 job_run 60', '2 job_finish 60', '1 thread_yield 60', '2 thread_switch 60'],
    'calls, as main.c makes them') or diag(map { "@$_\n" } @graph);
my %page = reverse(slurp('docs/outside.md') =~ /^ {8,}(\d+)(?: +\d+){3}  \|  +(\w+)\(\)/mg);
is_deeply(\%page, {map { @$_[1, 2] } grep { $_->[0] < 3 } @graph}, '... as in docs/outside.md');
is_deeply([uneven(@graph)], [], '... cost what they do, and what they call');
my ($yield) = grep { $_->[1] eq 'thread_yield' } @graph;
cmp_ok($yield->[3], '<', $graph[0][3] / 4, '... and not what other threads do meanwhile');
my @twice = graph('worker');
is_deeply(\@twice, \@graph, '... the same in each run');

# --- Returns -------------------------------------------------------------------------------------

my @returns = ('return:job_run', 'return:thread_yield');
my $returned = counts(@returns, 'call:thread_yield');
is($returned->{'return:job_run'}, 60, 'each call returns');
is($returned->{'call:thread_yield'} - $returned->{'return:thread_yield'}, 3,
    '... but for the last of each thread');
pitot('record', '-g', '-o', $out, map { ('-e', $_) } @returns, 'irq');
my $status = Pitot::Perf::run_between("$logs/script", "$logs/err", '/dev/null', 'perf',
    '--no-pager', 'script', '-i', $out, '-F', 'event,weight,ip,sym');
is($status, 0, '... perf reads it') or diag(slurp("$logs/err"));
my (%took, %ways);
for (split(/\n\n+/, slurp("$logs/script"))) {
    my ($event, $weight) = /^\s*(\S+):\s+(\d+)\s*$/m or next;
    $took{$event} += $weight;
    $ways{join(' ', $event, /^\s+[0-9a-f]+ (\S+)/mg)}++;
}
is($took{'return:job_run'}, (grep { $_->[1] eq 'job_run' } @graph)[0][3],
    '... with what they took, together what the graph shows');
is($took{irq}, 0, '... which is not known of an interrupt');
is($ways{'return:job_run job_run worker thread_begin'}, 60, '... each with its callers');

# --- ... of what is called from everywhere -------------------------------------------------------

my %calls = %{counts('call:thread_yield', 'call:thread_switch')};
my @all = graph('thread_yield');
is_deeply([map { $_->[2] } grep { $_->[1] =~ /^thread_/ } @all],
    [@calls{'call:thread_yield', 'call:thread_switch'}], 'calls from everywhere are counted');
is(scalar(graph('worker', '--depth', 2)), 3, 'a depth');
my @interrupted = graph('kernel_main');
my @handlers = grep { $_->[1] eq 'trap_table' } @interrupted;
is_deeply([map { "@$_[0, 2]" } @handlers], ["0 $counts->{irq}"], 'interrupts are apart');

# --- The last calls ------------------------------------------------------------------------------

# The calls in the output, those that are folded, and the functions of the place at the end.
sub last_calls
{
    my ($text) = @_;
    my ($kept, $all) = $text =~ /^# CPU 0: the last (\d+) of (\d+) calls and interrupts$/m;
    my @calls;
    for (split(/\n/, $text)) {
        push(@calls, $1) if /^ +\d+ \|( +[\w.]+)\(\)$/;
        my ($cycle, $times) = /^ +\|  \.\.\. (?:these (\d+) )?again, (\d+) times$/ or next;
        push(@calls, (@calls[-($cycle // 1) .. -1]) x $times);
    }
    my @where = map { s/\+.*//r } $text =~ /^ +[0-9a-f]+ (\S+)$/mg;
    return ($kept, $all, \@calls, \@where);
}

my @end = qw(stop_machine kernel_main high);
my ($kept, $total, $last, $where) = last_calls(pitot('last', '-n', 20));
my @outer = map { /^  (\w\S*)/ ? $1 : () } @$last;
is_deeply([$kept, @outer[-3 .. -1]], [20, qw(say_number say stop_machine)],
    'the last calls, as main.c makes them');
my @page = slurp('docs/outside.md') =~ /^ {8,}\d+ \|  (\w+)\(\)$/mg;
is_deeply(\@page, [@outer[-3 .. -1]], '... as in docs/outside.md');
is_deeply($where, \@end, '... and where the CPU was');
my $said = pitot('last', '-n', 100_000);
($kept, undef, $last) = last_calls($said);
is(scalar(@$last), $total, '... and all are printed, if so many are asked for, or folded');
cmp_ok($kept, '<', $total, '... where a loop makes the same calls');
my %seen;
$seen{s/^ +//r}++ for @$last;
is_deeply([@seen{qw(worker job_run thread_switch trap_table)}],
    [3, 60, $calls{'call:thread_switch'}, $counts->{irq}], '... as often as they are counted');
like($said, qr{^ +==========> \|  +/\* vector 32, at \w+\+0x\w+ \*/$}m,
    '... interrupts with their vector');
like($said, qr/^ high-\d+ => thread_begin-\d+$/m, '... and changes of threads');

# A kernel that does not end, and ^C; the kernel may still be running then.
pipe(my $console, my $to) or die("pipe: $!\n");
my $pid = fork() // die("fork: $!\n");
if ($pid == 0) {
    my @hangs = grep { $_ ne '-device' && !/^isa-debug-exit/ } @qemu;
    open(STDOUT, '>&', $to) or die("stdout: $!\n");
    open(STDERR, '>', "$logs/said") or die("stderr: $!\n");
    open(STDIN, '<', '/dev/null') or die("stdin: $!\n");
    exec('timeout', '--foreground', $patience, "$build/outside/pitot", 'last', '-n', 3, '--',
        @hangs) or die("exec: $!\n");
}
close($to);
while (<$console>) {
    last if /^60 jobs/;
}
kill('INT', $pid);
waitpid($pid, 0);
($kept, undef, $last, $where) = last_calls(slurp("$logs/said"));
is_deeply([$kept, @$where[-2, -1]], [3, @end[-2, -1]], '... of a kernel that hangs, after ^C');

done_testing();
