#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: core/report, core/script, core/sample/view, core/report/percent
# of: tests/host/report_sample
#
# The kernel's own report and script print what the real perf prints of the same recording:
# build/host/report_sample invents recordings and writes both the stream and the texts. Needs perf,
# as and ld. Run from the root of the tree: prove tests/host/report_perf.t SEEDS=n tries n
# recordings (default 9, the number of keys to sort by; QUICK=1: 4, SOAK=1: 600), SEED=n only
# recording n.
use strict;
use warnings;
use lib 'tests/lib';
use File::Path qw(make_path);
use File::Temp qw(tempdir);
use Test::More;
use Pitot::CallGraph;
use Pitot::PerfText;

my $sample = ($ENV{BUILD} // 'build') . '/host/report_sample';
my $room = tempdir(CLEANUP => 1);
my $kernel = "$room/kernel.elf";
my $report = 'report --stdio --no-children --no-inline';
my $script = 'script -F comm,tid,cpu,time,period,event,ip,sym,symoff';
my %files = (kernel => $kernel, map { $_ => "$room/symfs/bin/$_" } qw(fs-load pipes));
my %scripts = (script => $script, registers => "$script,iregs", stack => "$script --max-stack 3");

# perf looks for settings and debug files in these places, and must find none.
$ENV{HOME} = $room;
@ENV{qw(PERF_CONFIG LC_ALL)} = ('/dev/null', 'C');

sub run
{
    my ($command) = @_;
    system($command) == 0 or BAIL_OUT("failed: $command");
}

sub make_kernel
{
    my @objects;
    for my $part (0, 1) {
        run("$sample assembly $part > $room/$part.s");
        run("as -o $room/$part.o $room/$part.s");
        push @objects, "$room/$part.o";
    }
    my $build_id = '01' . '00' x 19;
    run("ld --build-id=0x$build_id -e _text -Ttext=0xffffffff80100000 -o $kernel @objects");
}

# perf finds these programs below the root given by --symfs.
sub make_programs
{
    make_path("$room/symfs/bin");
    for (['02', 'fs-load', 0], ['03', 'pipes', 1]) {
        my ($id, $name, $number) = @$_;
        run("$sample program $number > $room/$name.s");
        run("as -o $room/$name.o $room/$name.s");
        my $build_id = $id . '00' x 19;
        run("ld --build-id=0x$build_id -e 0 -Ttext=0x401000 -o $room/symfs/bin/$name"
            . " $room/$name.o");
    }
}

# The lines that perf's text and ours must share: without perf's advice and count of losses, blanks
# at line ends, and repeated empty lines. What perf calls "[...]" is no function: perf may call it
# "inlined" before it has asked.
sub essence
{
    my ($command) = @_;
    my @lines = map { s/\s+$//r =~ s/\[\.\.\.\]\K \(inlined\)$//r } `$command`;
    my @said = grep { !/^#/ || /^# (Samples|Event count|Overhead|\.\.\.)/ } @lines;
    my $text = join("\n", @said);
    $text =~ s/\n\n+/\n\n/g;
    $text =~ s/^\n+|\n+$//g;
    return script_lines($text);
}

# The call graphs to compare, both ways: complete, with perf's own threshold, and with one other: a
# round one, which small counts meet exactly, an arbitrary one, or a whole number. SOAK=1 tries all
# three.
sub graphs
{
    my ($seed) = @_;
    srand($seed);
    my @round = (0.1, 0.5, 1, 2, 2.5, 3.125, 5, 6.25, 10, 12.5, 20, 25, 50, 100);
    my $round = $round[rand @round];
    my $any = sprintf('%.4f', rand(rand(2) < 1 ? 5 : 100));
    my $whole = int(rand(101));
    my @thresholds = map { ",$_" } $round, $any, $whole;
    @thresholds = $thresholds[$seed % 3] if !$ENV{SOAK};
    return ('none', (map { ("caller$_", "callee$_") } '', ',0', @thresholds),
        map { "fractal$_" } ',caller', ',0,callee', ",callee$thresholds[-1]");
}

# Reports with other keys and with a limit to chains; each recording gets a few.
sub keyed
{
    my ($seed) = @_;
    my @keys = qw(comm cpu pid dso comm.dso.sym sym.cpu cpu.comm pid.cpu.sym
        sym.comm.cpu.dso.pid);
    tr/./,/ for @keys;
    my @depths = (1, 2, 3, 7, 126, 127);
    my ($some, $others) = @keys[$seed % @keys, ($seed * 5 + 3) % @keys];
    my $depth = $depths[$seed % @depths];
    return ("none:--sort:$some", "caller,0:--sort:$others",
        "callee:--sort:$some:--max-stack:$depth", "caller:--max-stack:$depth");
}

# The real perf's command for one of these reports.
sub report_command
{
    my ($graph, %options) = split(/:/, $_[0]);
    my $keys = delete $options{'--sort'} // 'sym';
    return join(' ', $report, '-g', $graph, '-F', "overhead,sample,$keys", %options);
}

sub compare
{
    my ($name, $command, $seed) = @_;
    my $ours = essence("cat $room/$name");
    my $theirs = essence("perf $command -i - --symfs=$room/symfs --vmlinux=$kernel"
            . " < $room/stream 2> $room/said");
    cmp_ok(scalar(@$theirs), '>', 0, "seed $seed: perf prints the $name");
    same_report_ok($ours, $theirs, \%files, "seed $seed: $name as perf prints it");
}

sub compare_all
{
    my ($seed) = @_;
    my @graphs = (graphs($seed), keyed($seed));
    unlink(map { "$room/$_" } keys %scripts);
    run("$sample $seed $room @graphs");
    compare($_, report_command($_), $seed) for @graphs;
    compare($_, $scripts{$_}, $seed) for grep { -e "$room/$_" } sort keys %scripts;
}

make_kernel();
make_programs();
my $seeds = $ENV{SEEDS} // ($ENV{SOAK} ? 600 : $ENV{QUICK} ? 4 : 7);
compare_all($_) for defined $ENV{SEED} ? $ENV{SEED} : 1 .. $seeds;
done_testing();
