# SPDX-License-Identifier: BSD-2-Clause
#
# The cost of hits in executed guest instructions, and its table in docs/bench.md. Used by
# tests/boot/hit_cost.t and tests/bench/.
#
#     my $cost = measure_hits('build');     # {machine, ticks => {case => n, 'frame' => n}, bytes,
#                                            #  order => [cases], counted => {tracepoint => n}}
#     my $rows = hit_table();               # [{label, case, orc, fp}...] of the page
#     hit_table_write(orc => $cost, fp => $other);
#
# Run from the root of the tree.
package Pitot::HitCost;

use strict;
use warnings;

use Exporter qw(import);
use List::Util qw(max);

use Pitot;

our @EXPORT = qw(measure_hits hit_table hit_table_write frame_cost);

my $page = 'docs/bench.md';

# The page's rows, by their first words, and their names in `bench` and `bench-counted`.
my %case = (
    'a sample without chain' => 'sample',
    'a chain of 6' => 'chain-6',
    'a chain of 16' => 'chain-16',
    'a chain of 116' => 'chain-116',
    'a frame (116 against 16)' => 'frame',
    'counted' => 'count',
    'counted, and `breakpoint:hit` too' => 'written-count',
    'a sample, and one of `breakpoint:hit` with its record' => 'written-raw',
    'grouped by name' => 'count-by-comm',
    'grouped by caller' => 'count-by-caller',
    'a tracepoint that is off' => 'trace-off',
    'a tracepoint counted' => 'trace-count',
    '... of a system call, without its site' => 'call-count',
    '... the dearest of all' => 'counted-most',
    'a tracepoint grouped by CPU' => 'trace-by-cpu',
    '... in a histogram' => 'trace-hist',
    '... in one for each name' => 'trace-hist-by',
    '... as both ends of a span' => 'trace-span',
    'a tracepoint\'s sample' => 'trace-sample',
    '... with a record of 28 bytes' => 'trace-raw',
    '... with all registers instead' => 'trace-regs',
    '... with the record and a chain of 6' => 'trace-chain-6',
    'a sample in the timer\'s interrupt' => 'in-trap',
    '... with a chain of 11, across the trap' => 'chain-trap',
    'a system call\'s sample, with its record' => 'in-call',
    '... with a chain of 3, and 4 of the program' => 'chain-program',
);

sub frame_cost
{
    my ($ticks, $few, $many) = @_;
    return ($ticks->{"chain-$many"} - $ticks->{"chain-$few"}) / ($many - $few);
}

# Boots that directory's test kernel with a time stamp counter that counts executed instructions
# (QEMU's -icount shift=0), and lets it measure.
sub measure_hits
{
    my ($directory, @commands) = @_;
    my $machine = boot(kernel => 'pitot-test', iso => "$directory/test/pitot.iso", icount => 1,
        run => join('; ', 'bench', 'bench-counted', 'bench-borders', @commands, 'poweroff'));
    my %cost = (machine => $machine);
    for my $line (split(/\n/, $machine->console)) {
        if ($line =~ /^bench (\S+): (\d+) ticks\/hit, (\d+) bytes\/sample/) {
            push(@{$cost{order}}, $1);
            ($cost{ticks}{$1}, $cost{bytes}{$1}) = ($2, $3);
        } elsif ($line =~ m{^counted (\S+): (\d+) ticks/hit, [5-9]\d\d hits$}) {
            $cost{counted}{$1} = $2;
        }
    }
    die("the bench command printed nothing\n" . $machine->tail) if !$cost{order};
    push(@{$cost{order}}, 'counted-most');    # of all tracepoints
    $cost{ticks}{'counted-most'} = max(values %{$cost{counted}});
    $cost{ticks}{frame} = sprintf('%.1f', frame_cost($cost{ticks}, 16, 116));
    return \%cost;
}

sub lines
{
    open(my $file, '<', $page) or die("$page: $!\n");
    return <$file>;
}

sub number { return $_[0] =~ s/,//gr }

# 6035 => "6,035".
sub written
{
    my ($number) = @_;
    1 while $number =~ s/^(\d+)(\d{3})/$1,$2/;
    return $number;
}

my $row = qr/^\| (.+?) \| ([\d,.]+) \| ([\d,.]+) \|(.*)$/;

sub hit_table
{
    my @rows;
    for (lines()) {
        push(@rows, {label => $1, case => $case{$1}, orc => number($2), fp => number($3)})
            if /$row/ && $case{$1};
    }
    my %there = map { $_->{label} => 1 } @rows;
    my @missing = grep { !$there{$_} } sort(keys(%case));
    die("$page has no row: @missing\n") if @missing;
    return \@rows;
}

sub hit_table_write
{
    my (%cost) = @_;
    my @lines = map {
        /$row/ && $case{$1}
            ? "| $1 | " . written($cost{orc}{ticks}{$case{$1}}) . ' | '
                . written($cost{fp}{ticks}{$case{$1}}) . " |$4\n"
            : $_
    } lines();
    open(my $file, '>', "$page.part") or die("$page.part: $!\n");
    print {$file} @lines;
    close($file) && rename("$page.part", $page) or die("$page: $!\n");
    return;
}

1;
