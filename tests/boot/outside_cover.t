#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: outside
#
# `pitot cover` on an unchanged kernel, tests/port: each function has run as often as `pitot stat`
# counts its calls in another run of the same boot, except one with a breakpoint, and all sources
# are found, in C and in assembly. Then a kernel of four CPUs, whose counts are known. Run from the
# root of the tree:
#
#     prove tests/boot/outside_cover.t
use strict;
use warnings;
use lib 'tests/lib';
use File::Path qw(make_path);
use Test::More;
use Pitot::Files;
use Pitot::FourCpus;
use Pitot::Outside;
use Pitot::Patience;
use Pitot::Perf;

plan skip_all => "a plugin is QEMU's" if ($ENV{MACHINE} // 'qemu') ne 'qemu';

my $build = $ENV{BUILD} // 'build';
my $logs = "$build/logs/outside_cover";
make_path($logs);

my @qemu = machine_of("file:$logs/console", '-kernel', "$build/port.elf");

# The stderr of pitot.
sub pitot
{
    my (@words) = @_;
    my $status = Pitot::Perf::run_between("$logs/said", "$logs/err", '/dev/null', 'timeout',
        $patience, "$build/outside/pitot", @words, '--', @qemu);
    is($status, $switched_off, "pitot $words[0]") or diag(slurp("$logs/err"));
    return slurp("$logs/err");
}

my $said = pitot('cover', '-o', "$logs/lcov.info");
like(slurp("$logs/console"), qr/^port: 40 writes, 40 hits, 80 records$/m,
    'the kernel runs as it does unwatched');
my $info = slurp("$logs/lcov.info");
my @files = $info =~ /^SF:(.*)$/mg;
is_deeply([grep { !m{^/} || !-f } @files], [], 'each source is a file that there is');
is(scalar(grep { m{/tests/port/(?:port\.c|entry\.asm)$} } @files), 2, '... in C and in assembly');
my ($lines) = $said =~ /^ +lines\.+: .*\((.*) lines\)$/m;
my ($of) = $said =~ /^ +functions\.+: .*\((.*) functions\)$/m;
my ($hit, $found, $ran, $functions) = (0) x 4;
($found, $hit) = ($found + 1, $hit + ($1 > 0)) while $info =~ /^DA:\d+,(\d+)$/mg;
($functions, $ran) = ($functions + 1, $ran + ($1 > 0)) while $info =~ /^FNDA:(\d+),/mg;
is("$hit of $found, $ran of $functions", "$lines, $of", 'the summary counts the same');

# The functions in the kernel's own source file, and others as far as a command takes them.
my ($own) = $info =~ m{^SF:[^\n]*/tests/port/port\.c\n(.*?)^end_of_record}ms;
my %symbols;
$symbols{$_}++ for `nm $build/port.elf` =~ / [tT] (\w+)$/mg;
my (%covered, @names);
for ("$own$info" =~ /^FNDA:(\d+,\w+)$/mg) {
    my ($count, $name) = split(/,/);
    push(@names, $name) if ($symbols{$name} // 0) == 1 && @names < 96 && !defined $covered{$name};
    $covered{$name} //= $count;
}
my $counts = pitot('stat', map { ('-e', "call:$_") } @names);
my %counted = reverse($counts =~ /^ +(\d+) +call:(\w+)$/mg);
is($covered{port_middle}, 20, 'a function that is called 20 times');
is(scalar(@names), 96, 'many functions');
is($covered{port_leaf}, 2 * $counted{port_leaf}, 'one begins twice for a breakpoint in each call');
delete(@$_{'port_leaf'}) for \%covered, \%counted;
is_deeply({map { $_ => $covered{$_} } @names}, {map { $_ => $counted{$_} } @names},
    '... the others have run as often as they were called');

# --- Several CPUs --------------------------------------------------------------------------------

# Four CPUs run `work` at the same time, 10,000,000 times each.
my $work = <<'END';
work:   nop
        loop work
        ret
END
@qemu = four_cpus("$logs/cpus", 10_000_000, $work);
pitot('cover', '-o', "$logs/cpus.info");
my ($runs) = slurp("$logs/cpus.info") =~ m{^SF:[^\n]*/cpus\.inc\n.*?^DA:1,(\d+)$}ms;
is($runs, 40_000_000, 'what several CPUs run at the same time is counted for each');

done_testing();
