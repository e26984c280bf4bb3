# SPDX-License-Identifier: BSD-2-Clause
#
# Turns the KTAP output of suites inside the kernel into results of the test that booted it. A
# console holds other lines too, and any number of suites: each begins with its version line, counts
# from 1, and needs a plan, before or after its results; otherwise it died in the middle. If one
# boot runs several suites, said_by() returns the output of one. Source: the kernel documentation's
# "The Kernel Test Anything Protocol (KTAP), version 1".
package Pitot::Ktap;

use strict;
use warnings;

use Test::More ();

# Returns the suites: {results => [{holds, name, skip, notes}], plan, complaints}.
sub parse
{
    my ($console) = @_;
    my @suites;
    for my $line (split(/\n/, $console)) {
        if ($line =~ /^KTAP version \d+\s*$/) {
            push(@suites, {results => [], plan => undef, complaints => []});
        } elsif (@suites) {
            parse_line($suites[-1], $line);
        }
    }
    check_plan($_) for @suites;
    return @suites;
}

sub parse_line
{
    my ($suite, $line) = @_;
    my $results = $suite->{results};

    if ($line =~ /^1\.\.(\d+)\s*$/) {
        push(@{$suite->{complaints}}, "a second plan: $line") if defined $suite->{plan};
        $suite->{plan} = $1;
    } elsif ($line =~ /^(not )?ok (\d+)\s*(?:- )?(.*?)\s*(?:# SKIP\b\s*(.*))?$/) {
        push(@$results, {holds => !$1, name => $3, skip => $4, notes => ''});
        my $number = @$results;
        push(@{$suite->{complaints}}, "result $number has the number $2") if $number != $2;
    } elsif ($line =~ /^#/ && @$results) {
        $results->[-1]{notes} .= "$line\n";
    }
}

sub check_plan
{
    my ($suite) = @_;
    my $count = @{$suite->{results}};
    my $complaint
        = !defined $suite->{plan}  ? "no plan behind $count results: the suite did not end"
        : $suite->{plan} != $count ? "$count results, $suite->{plan} planned"
        : $count == 0              ? 'a suite without a result'
        :                            undef;
    push(@{$suite->{complaints}}, $complaint) if defined $complaint;
}

# The part of a console between the command that ran the suite and the next prompt, or the end.
sub said_by
{
    my ($console, $suite) = @_;
    return $console =~ /^pitot> \Q$suite\E\n(.*?)(?:^pitot> |\z)/ms ? $1 : '';
}

# Runs one test per result and one for completeness, which it returns.
sub report
{
    my ($console) = @_;
    my $builder = Test::More->builder;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my @suites = parse($console);
    my @complaints = map { @{$_->{complaints}} } @suites;
    push(@complaints, 'no KTAP on the console') if !@suites;

    for my $result (map { @{$_->{results}} } @suites) {
        if (defined $result->{skip}) {
            $builder->skip("$result->{skip}: $result->{name}");
        } elsif (!$builder->ok($result->{holds}, $result->{name})) {
            $builder->diag($result->{notes}) if $result->{notes};
        }
    }
    return $builder->is_eq(join("\n", @complaints), '', 'every suite ran as planned');
}

1;
