#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: core, tests/unit
#
# Runs the unit tests that `make` has built from tests/unit/*_test.c, and turns each of their cmocka
# tests into a result. It is also a failure if a program is missing, prints no plan, stops before
# its last test or ends with a status of its own (a sanitizer's, a signal's). Run from the root of
# the tree:
#
#     prove tests/unit/units.t
#
# UNITS="ring_test line_test" runs only those.
use strict;
use warnings;
use lib 'tests/lib';
use File::Path qw(make_path);
use Test::More;
use Pitot::Files;

my $build = $ENV{BUILD} // 'build';
my $logs = "$build/logs/units";
my $tail_lines = 40;    # of a program's output, such as a sanitizer's report

# Runs one program. Returns its output, and its status as a shell gives it.
sub run
{
    my ($unit) = @_;
    local $ENV{CMOCKA_MESSAGE_OUTPUT} = 'TAP';
    system("$build/unit/$unit > $logs/$unit.out 2> $logs/$unit.err < /dev/null");
    return (slurp("$logs/$unit.out"), $? & 127 ? 128 + ($? & 127) : $? >> 8);
}

sub tail
{
    my ($unit) = @_;
    my @lines = split(/\n/, slurp("$logs/$unit.err"));
    splice(@lines, 0, -$tail_lines) if @lines > $tail_lines;
    return "$logs/$unit.out and .err; the end of the latter:\n" . join("\n", @lines);
}

# Each result of the program's TAP, with the lines after it that give the reason. Returns how many.
sub results_ok
{
    my ($unit, $output) = @_;
    my $count = 0;
    while ($output =~ /^(not )?ok \d+ (?:- |# SKIP )?(\S+).*\n((?:# (?!ok|not ok).*\n)*)/mg) {
        my ($failed, $name, $reason) = ($1, $2, $3);
        ok(!$failed, "$unit: $name") or diag($reason =~ s/^# //gmr);
        $count++;
    }
    return $count;
}

sub unit_ok
{
    my ($unit) = @_;
    return fail("$unit is built") if !-x "$build/unit/$unit";
    my ($output, $status) = run($unit);
    my ($plan) = $output =~ /^1\.\.(\d+)$/m;
    my $count = results_ok($unit, $output);
    ok($plan && $count == $plan && $status == 0, "$unit ends well, with all its results")
        or diag("status $status, $count results of ", $plan // 'no plan', ': ', tail($unit));
}

make_path($logs);
my @units = $ENV{UNITS} ? split(' ', $ENV{UNITS})
    : map { m{([^/]+)\.c$} } sort glob('tests/unit/*_test.c');
cmp_ok(scalar(@units), '>', 0, 'there are unit tests');
unit_ok($_) for @units;
done_testing();
