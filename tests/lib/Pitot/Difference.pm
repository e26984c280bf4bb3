# SPDX-License-Identifier: BSD-2-Clause
#
# Compares two texts that must be equal. If they differ, it prints the first difference and the
# places of the others, and keeps the complete texts. Even a test file in which everything differs
# prints no more than a screen.
#
#     use Pitot::Difference;
#
#     same_ok($report, $expected, 'the reports are equal');
#     same_ok($ours, $theirs, "seed $seed", pitot => 'perf');   # the texts' names
#
# A text is a string, or a reference to an array of lines. The texts that differ are kept as
# build/logs/<test>.differ/<n>.pitot and <n>.perf, n counting the failures of one test file.
package Pitot::Difference;

use strict;
use warnings;

use Exporter qw(import);
use File::Basename qw(basename);
use File::Path qw(make_path remove_tree);
use Test::More ();

our @EXPORT = qw(same_ok);

my $shown_lines = 12;    # of the first difference of two texts
my $shown_places = 8;    # for the places of the others
my $lines_left = 36;     # that this test file may still print, with Test::More's
my $test_more = 4;
my $count = 0;

# One test: both texts are the same, line by line.
sub same_ok
{
    my ($got, $expected, $name, $got_from, $expected_from) = @_;
    my @texts = map { ref $_ ? join('', map { "$_\n" } @$_) : $_ =~ s/(?<=[^\n])\z/\n/r }
        $got, $expected;
    my $builder = Test::More->builder;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my $good = $builder->ok($texts[0] eq $texts[1], $name);
    $builder->diag(report($got_from // 'got', $expected_from // 'expected', @texts)) if !$good;
    return $good;
}

# Writes both texts to files. Returns their paths.
sub keep
{
    my (%texts) = @_;
    my $directory = ($ENV{BUILD} // 'build') . '/logs/' . basename($0, '.t') . '.differ';
    remove_tree($directory) if !$count++;
    make_path($directory);
    for my $name (keys %texts) {
        open(my $file, '>:raw', "$directory/$count.$name") or die("$directory: $!\n");
        utf8::encode($texts{$name}) if utf8::is_utf8($texts{$name});
        print $file $texts{$name};
        close($file) or die("$directory: $!\n");
    }
    return map { "$directory/$count.$_" } sort(keys %texts);
}

# The message about a difference, shortened once the test file has printed too much.
sub report
{
    my ($got_from, $expected_from, $got, $expected) = @_;
    my @paths = keep($got_from => $got, $expected_from => $expected);
    my $kept = "@paths";
    return "they differ, too: $kept" if $lines_left < $shown_lines + $test_more;

    my ($got_path, $expected_path) = $paths[0] =~ /\.\Q$got_from\E$/ ? @paths : reverse(@paths);
    my @lines = split(/\n/, scalar(`diff -a --speed-large-files -U1 $expected_path $got_path`));
    my @hunks = grep { $lines[$_] =~ /^\@\@/ } 0 .. $#lines;
    my $end = ($hunks[1] // @lines) - 1;
    my $cut = $end - $hunks[0] - $shown_lines;
    my @first = @lines[$hunks[0] .. ($cut > 0 ? $end - $cut : $end)];
    push(@first, "... and $cut lines more of this place") if $cut > 0;
    my @places = map { /^\@\@ -(\d+)/ ? $1 : () } @lines[@hunks[1 .. $#hunks]];
    push(@first, others(@places)) if @places;

    my @told = ("first difference, - $expected_from, + $got_from:", @first, "whole: $kept");
    $lines_left -= @told + $test_more;
    return join("\n", @told);
}

sub others
{
    my (@places) = @_;
    my $more = @places > $shown_places ? ', ...' : '';
    splice(@places, $shown_places) if $more;
    return "different, too, at line " . join(', ', @places) . $more;
}

1;
