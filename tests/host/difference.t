#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: tests/lib/Pitot/Difference.pm, tests/lib/Pitot/Transcript.pm
#
# A failing comparison shows the first difference and lists the others' places; keeps the complete
# texts; a test file in which everything differs prints 40 lines for the first few failures, then
# one line for each (tests/lib/Pitot/Difference.pm). Run from the root of the tree:
#
#     prove tests/host/difference.t
use strict;
use warnings;
use lib 'tests/lib';
use Cwd qw(getcwd);
use File::Temp qw(tempdir);
use Test::More;
use Pitot::Difference;
use Pitot::Files;

my $room = tempdir(CLEANUP => 1);

# Runs `body` as a separate test file with its logs in the room. Returns its stdout, stderr and
# status.
sub run_tests
{
    my ($body) = @_;
    open(my $file, '>', "$room/planted.t") or die("planted.t: $!\n");
    print $file "use strict; use warnings; use Test::More; use Pitot::Difference;\n"
        . "use Pitot::Transcript;\n$body\ndone_testing();\n";
    close($file) or die("planted.t: $!\n");
    local $ENV{BUILD} = $room;
    my $status = system("$^X -Itests/lib $room/planted.t > $room/out 2> $room/err");
    return (slurp("$room/out"), slurp("$room/err"), $status >> 8);
}

my ($output, $told, $status) = run_tests(<<'END');
my @lines = map { "line $_" } 1 .. 200;
my @other = @lines;
$other[9] = 'another tenth';
splice(@other, 99, 3);
$other[150] = 'another';
same_ok(\@lines, join("\n", @lines), 'the same');
same_ok(\@other, \@lines, 'not the same', 'pitot', 'perf');
END
is($status, 1, 'one of two comparisons fails');
like($output, qr/^ok 1 - the same$/m, 'equal texts pass, as lines and as a string');
like($output, qr/^not ok 2 - not the same$/m, 'texts that differ fail');
like($told, qr/^# -line 10\n# \+another tenth\n/m, 'the first difference is shown');
like($told, qr/^# different, too, at line 99, 153$/m, '... and where the others are');
unlike($told, qr/line 100/, '... but not they');
like($told, qr{^# whole: \S+/logs/planted\.differ/1\.perf \S+/1\.pitot$}m, '... and what is kept');
is(slurp("$room/logs/planted.differ/1.perf"), join('', map { "line $_\n" } 1 .. 200),
    'the whole text is kept');
like(slurp("$room/logs/planted.differ/1.pitot"), qr/^another tenth$/m, '... and the other');

(undef, $told, $status) = run_tests(<<'END');
same_ok([map { "a $_" } 1 .. 500], [map { "b $_" } 1 .. 500], "text $_") for 1 .. 40;
END
my @told = split(/\n/, $told);
my $test_more = 3;    # lines that Test::More prints before ours
my ($late) = map { $_ - $test_more } grep { $told[$_] =~ /they differ, too/ } 0 .. $#told;
is($status, 40, 'forty comparisons fail');
cmp_ok($late, '<', 40, 'within 40 lines the first differences are shown');
is(scalar(grep { !/^$|^#\s*(Failed test|at |they differ)/ } @told[$late .. $#told]), 1,
    '... and a line for each of the others, before the count of failures');
is(scalar(() = glob("$room/logs/planted.differ/*")), 80, 'all the texts are kept');

($output, $told, $status) = run_tests(<<'END');
same_lines_ok([], [], 'nothing and nothing');
same_lines_ok(['a'], [], 'a line and nothing');
END
is($status, 2, 'no lines on both sides are a failure, too');
like($told, qr/^# there are no lines to compare$/m, '... that is reported');

done_testing();
