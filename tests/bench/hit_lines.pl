#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
#
# `make bench`, what a hit reads: the cache lines of its own structures that the hit of a watch
# reads for a plain sample. gdb steps through one in QEMU (hit_lines.py): the accessed members are
# observed, not assumed, and the debug information gives their places. Run from the root of the
# tree, as by bench.pl.
use strict;
use warnings;
use lib 'tests/lib';
use Pitot::Gdb;

use constant AIM => 4;    # lines beside the ring
use constant EARLIER => 20;    # hits, so that the one that is stepped is an ordinary one

if (!grep { -x "$_/gdb" } split(/:/, $ENV{PATH})) {
    print("not measured: gdb is not installed (tools/packages bench)\n");
    exit(0);
}
my ($machine, $said) = gdb_session(
    {run => 'perf record -a -e mem:kernel_flag:w -- fs-stress; poweroff'}, '',
    hit => "hbreak breakpoint_trap\nignore \$bpnum " . EARLIER . "\ncontinue\ndelete\n"
        . "source tests/bench/hit_lines.py\n");
$machine->wait_end;
my @lines = $said->{hit} =~ /^line (.*?) (\d+): (.*)$/mg or die("gdb saw no hit:\n$said->{hit}\n");
my %beside = reverse($said->{hit} =~ /^beside (\d+) (.*)$/mg);

my %count;
printf("%-18s %5s   %s\n", 'structure', 'line', 'members, at byte');
while (my ($structure, $line, $members) = splice(@lines, 0, 3)) {
    $count{$structure}++;
    printf("%-18s %5d   %s\n", $structure, $line, $members);
}
print("\n");
printf("%-28s %d\n", "lines of $_", $count{$_}) for sort(keys(%count));
my $ring = delete($count{'struct ring'}) // die("a sample that does not touch the ring\n");
my $sum = 0;
$sum += $_ for values(%count);
printf("cache lines that a plain sample's hit looks at from breakpoint_trap on, beside the ring: "
        . "%d, aim %d: %s\n", $sum, AIM, $sum <= AIM ? 'met' : 'missed');
print("not in the sum: the stack, GS, and ",
    join(', ', map { "$_ ($beside{$_})" } sort(keys(%beside))), "\n");
