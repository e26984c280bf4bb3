# SPDX-License-Identifier: BSD-2-Clause
#
# The part of the call graphs of `perf report --stdio` whose order perf defines, to compare the
# kernel's reports with the real perf's. perf sorts siblings by weight, then by file, then by
# address, the higher one first. "By file" compares the addresses of perf's own file objects on its
# heap, which depend on perf's environment, not on the recording. A place in no file has address 0
# there, and comes last.
#
#     use Pitot::CallGraph;
#
#     my %files = (kernel => "$build/pitot.elf", 'fs-load' => "$build/programs/fs-load");
#     same_report_ok($ours, $theirs, \%files, 'the report is perf\'s');
#
# Both reports are references to lines, without blanks at their ends.
package Pitot::CallGraph;

use strict;
use warnings;
no warnings qw(portable);    # addresses have 64 bits here

use Carp qw(croak);
use Exporter qw(import);
use List::Util qw(max min);
use Test::More ();

use Pitot::Difference;

our @EXPORT = qw(same_report_ok);

my $page = 4096;
my $indent = 12;        # of a graph
my $trunk_indent = 3;   # added where branches leave a trunk
my $rest = '[...]';     # perf's name for the omitted branches of a fork, in fractal mode
my $step = 11;          # columns from one depth of forks to the next
my $place = qr/^((?:[| ] {10})*)(?:[| ]--(\d+\.\d\d%)--)?([^| ].*)$/;

# --- Which file a place is in ---------------------------------------------------------------------

my %known;

# {NAME => {FILE => 1}} of all functions, and [FILE, FROM, TO] of their pages.
sub places_of
{
    my ($files) = @_;
    return $known{join("\0", %$files)} //= read_places($files);
}

sub read_places
{
    my ($files) = @_;
    my (%names, @ranges);
    for my $file (sort keys %$files) {
        my (@starts, @ends);
        for (`nm -S $files->{$file}`) {
            my ($address, $size, $name) = /^([0-9a-f]+) (?:([0-9a-f]+) )?[tTwW] (\S+)$/ or next;
            $names{$name}{$file} = 1;
            push(@starts, hex($address));
            push(@ends, hex($address) + hex($size // 0));
        }
        croak("no functions in $files->{$file}") if !@starts;
        push(@ranges, [$file, min(@starts), (max(@ends) + $page - 1) & -$page]);
    }
    return {names => \%names, ranges => \@ranges};
}

# The names of the files that may contain a place, joined; '' if no file does.
sub file_of
{
    my ($place, $places) = @_;
    return join('|', sort keys %{$places->{names}{$place}}) if $places->{names}{$place};
    return '' if $place !~ /^(?:0x)?[0-9a-f]+$/;
    my $address = hex($place);
    return join('|', sort map { $_->[0] }
            grep { $address >= $_->[1] && $address < $_->[2] } @{$places->{ranges}});
}

# --- A graph as a tree, and as lines --------------------------------------------------------------

# A node: {percent, names, branches}; `percent` is undefined for the trunk, which may have no names.
# Returns undef if the lines are no graph.
sub parsed
{
    my (@lines) = map { length($_) > $indent ? substr($_, $indent) : '' } @_;
    my $trunk = {names => [], branches => []};
    if (@lines > 1 && $lines[0] eq '|' && $lines[1] =~ /^---(.+)$/) {
        push(@{$trunk->{names}}, $1);
        @lines = map { length($_) > $trunk_indent ? substr($_, $trunk_indent) : '' }
            @lines[2 .. $#lines];
    }
    my @open = ($trunk);    # the open node of each depth, the last one being filled
    for my $line (@lines) {
        next if $line =~ /^[| ]*$/;
        my ($bars, $percent, $name) = $line =~ $place or return;
        my $depth = length($bars) / $step;
        return if $depth >= @open;
        splice(@open, $depth + 1);
        if (defined $percent) {
            push(@open, {percent => $percent, names => [], branches => []});
            push(@{$open[$depth]{branches}}, $open[-1]);
        }
        push(@{$open[-1]{names}}, $name);
    }
    return $trunk;
}

# The lines of a node's branches, all at `depth`. perf keeps the bars in an int, so its shift takes
# the depth modulo 32.
sub drawn_branches
{
    my ($node, $margin, $depth, $bars) = @_;
    my $draw = sub {
        my ($mask, $columns) = @_;
        return ' ' x $margin
            . join(' ' x ($step - 1), map { $mask >> ($_ % 32) & 1 ? '|' : ' ' } 0 .. $columns - 1);
    };
    my @lines;
    my @branches = @{$node->{branches}};
    my $own = 1 << (($depth - 1) % 32);
    my $left = $bars | $own;
    while (my $branch = shift @branches) {
        push(@lines, $draw->($left, $depth)) if $branch->{names}[0] ne $rest;
        $left &= ~$own if !@branches;
        my ($first, @others) = @{$branch->{names}};
        push(@lines, $draw->($left, $depth) . "--$branch->{percent}--$first",
            map { $draw->($left, $depth) . ' ' x ($step - 1) . $_ } @others);
        push(@lines, drawn_branches($branch, $margin, $depth + 1, $left));
    }
    return @lines;
}

sub drawn
{
    my ($trunk) = @_;
    my ($first, @others) = @{$trunk->{names}};
    return drawn_branches($trunk, $indent, 1, 0) if !defined $first;
    my $margin = $indent + $trunk_indent;
    return (' ' x $indent . '|', ' ' x $indent . "---$first", map({ ' ' x $margin . $_ } @others),
        drawn_branches($trunk, $margin, 1, 0));
}

# --- The order ------------------------------------------------------------------------------------

# Sorts siblings of equal weight. Those that may be in several files are in the order of their drawn
# lines; those in one file keep their order, which is by address. Files follow each other by name.
sub sorted_stretch
{
    my ($places, @siblings) = @_;
    my %of_file;
    push(@{$of_file{file_of($_->{names}[0], $places)}}, $_) for @siblings;
    for my $several (grep { /\|/ } keys %of_file) {
        my %text = map { $_ => join("\n", @{$_->{names}}, drawn_branches($_, 0, 1, 0)) }
            @{$of_file{$several}};
        @{$of_file{$several}} = sort { $text{$a} cmp $text{$b} } @{$of_file{$several}};
    }
    return map { @{$of_file{$_}} } sort keys %of_file;
}

# Sorts siblings with equal printed percentages, except those in no file.
sub sort_branches
{
    my ($node, $places) = @_;
    sort_branches($_, $places) for @{$node->{branches}};
    my @left = @{$node->{branches}};
    my @sorted;
    while (@left) {
        my @stretch = shift @left;
        my $inside = file_of($stretch[0]{names}[0], $places) ne '';
        push(@stretch, shift @left)
            while $inside && @left && $left[0]{percent} eq $stretch[0]{percent}
            && file_of($left[0]{names}[0], $places) ne '';
        push(@sorted, @stretch > 1 ? sorted_stretch($places, @stretch) : @stretch);
    }
    $node->{branches} = \@sorted;
}

# A graph that is not drawn as perf draws it remains unchanged.
sub graph_in_order
{
    my ($places, @lines) = @_;
    my $tree = parsed(@lines);
    return @lines if !$tree || join("\n", drawn($tree)) ne join("\n", @lines);
    sort_branches($tree, $places);
    return drawn($tree);
}

# The lines of a report, with a defined order of the siblings that perf leaves undefined.
sub in_defined_order
{
    my ($lines, $files) = @_;
    my $places = places_of($files);
    my (@report, @graph);
    for my $line (@$lines, '') {
        if ($line =~ /^ {$indent}/) {
            push(@graph, $line);
            next;
        }
        push(@report, graph_in_order($places, @graph), $line);
        @graph = ();
    }
    pop(@report);
    return \@report;
}

# One test: our report is not empty, and equals the other.
sub same_report_ok
{
    my ($ours, $theirs, $files, $name) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    if (join("\n", @$ours) ne join("\n", @$theirs)) {
        ($ours, $theirs) = map { in_defined_order($_, $files) } $ours, $theirs;
    }
    return same_ok($ours, $theirs, $name, 'pitot', 'perf') if @$ours;
    Test::More::diag('there is no report to compare');
    return Test::More::fail($name);
}

1;
