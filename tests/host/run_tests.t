#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: tools/tests, tools/one-test
#
# How tests are run (tools/tests, tools/one-test), in a small tree made here: which tests a name
# selects, what is refused, that a failing file prints at most one screen and keeps the rest, the
# time each file took, and which file is over its budget. Run from the root of the tree:
#
#     prove tests/host/run_tests.t
use strict;
use warnings;
use lib 'tests/lib';
use Cwd qw(abs_path);
use File::Basename qw(dirname);
use File::Path qw(make_path);
use File::Temp qw(tempdir);
use Test::More;
use Pitot::Files;
use Pitot::Patience;

my $tree = tempdir(CLEANUP => 1);
symlink(abs_path('tools'), "$tree/tools") or die("$tree/tools: $!\n");

sub plant
{
    my ($path, $text) = @_;
    make_path(dirname("$tree/$path"));
    open(my $file, '>', "$tree/$path") or die("$path: $!\n");
    print $file $text;
    close($file) or die("$path: $!\n");
}

sub plant_test
{
    my ($path, $of, $body) = @_;
    plant($path, "#!/usr/bin/perl -w\n# of: $of\nuse Test::More;\n$body;\ndone_testing();\n");
}

# stdout, stderr and status of tools/tests in that tree.
sub run
{
    my (@arguments) = @_;
    local $ENV{BUILD} = 'build';
    delete local @ENV{qw(UNITS QUICK SOAK)};
    my $status = system("cd $tree && tools/tests @arguments > out 2> err");
    return (slurp("$tree/out"), slurp("$tree/err"), $status >> 8);
}

sub chosen_ok
{
    my ($names, $expected, $name) = @_;
    my ($out, $err, $status) = run('--list', $names);
    is($status == 0 ? join(' ', split(' ', $out)) : $err, $expected, $name);
}

plant("core/perf/$_", "\n") for qw(ring.c ring.h ring_merge.c report.c);
plant('drivers/hpet.c', "\n");
plant('tests/unit/ring_test.c', qq(#include "core/perf/ring.h"\n));
plant("tests/unit/$_.c", "\n") for qw(report_test print_test);
my %objects
    = (ring_test => ['core/perf/ring'], report_test => ['core/perf/report'], print_test => []);
for my $unit (keys %objects) {
    my @objects = ("tests/unit/$unit", @{$objects{$unit}});
    plant("build/unit/$unit.linked", join('', map { "build/hosted/$_.c.o\n" } @objects, 'libc'));
}
plant("build/hosted/tests/unit/$_.c.d", "build/hosted/x.o: tests/unit/$_.c \\\n core/perf/ring.h\n"
        . "core/perf/report.c:\n") for keys %objects;
plant("build/hosted/core/perf/$_.c.d", "build/hosted/x.o: core/perf/$_.c\n") for qw(ring report);
plant_test('tests/unit/units.t', 'core', 'pass("all")');
plant_test('tests/boot/demo.t', 'core/perf/report, boot', 'pass("demo")');
plant_test('tests/boot/ring.t', 'core/perf/ring', 'pass("ring")');

chosen_ok('tests/boot/demo.t', 'tests/boot/demo.t', 'a file of tests is itself');
chosen_ok('tests/boot', 'tests/boot/demo.t tests/boot/ring.t', 'a folder is all in it');
chosen_ok('core/perf/report.c', 'tests/boot/demo.t tests/unit/units.t report_test',
    'a source: tests whose head names it, and the unit tests that it is linked into');
my $with_header = 'tests/boot/ring.t tests/unit/units.t print_test report_test ring_test';
chosen_ok('core/perf/ring.h', $with_header,
    'a header: the unit tests that include it');
chosen_ok('core/perf/ring', $with_header,
    'a beginning: source, header and what else begins so');
chosen_ok('core/ring.c', 'tests/boot/ring.t tests/unit/units.t ring_test',
    'folders may be left out');
chosen_ok('tests/boot/demo.t core/ring.c',
    'tests/boot/demo.t tests/boot/ring.t tests/unit/units.t ring_test', 'two names are both');
chosen_ok('core/perf/report.c tests/unit', 'tests/boot/demo.t tests/unit/units.t',
    'all units are asked for besides');

my ($out, $err, $status) = run('--targets', 'core/perf/ring');
is($out, "build/unit/ring_test\n", '--targets: the unit tests that include a header of a source');
($out, $err, $status) = run('--near', 'core/perf/ring.c');
is($status, 0, '--near: they run');
like($out, qr{^also of core/perf/ring\.c, with ALL=1: tests/boot/ring\.t$}m, '... and no others');
($out, $err, $status) = run('--near', 'core/perf/report.c');
like($err, qr/no unit test includes a header of core\/perf\/report\.c; ALL=1 runs/,
    '... where there are some');

($out, $err, $status) = run('core/perf/rong');
is($status, 2, 'a name that is none is refused');
like($err, qr/^tools\/tests: core\/perf\/rong is neither tests nor .* as tests\/boot\/demo\.t/,
    '... with what would be right');
(undef, $err) = run('hpet.c');
like($err, qr/; there is drivers\/hpet\.c$/, '... or what is near');
(undef, $err, $status) = run('drivers/hpet');
is($status, 2, 'a source without tests is refused, too');
like($err, qr/no test is about drivers\/hpet: its line `# of:`/, '... and that is said');

($out, $err, $status) = run('tests/boot/demo.t', 'tests/boot/ring.t');
is($status, 0, 'what passes, passes');
like($out, qr/^no budget in \S+ for tests\/boot\/demo\.t, tests\/boot\/ring\.t \(make budgets\)$/m,
    'files without a budget are named');

plant_test('tests/boot/loud.t', 'boot', 'ok(0, "claim $_") or diag("why $_") for 1 .. 100;');
($out, $err, $status) = run('tests/boot/loud.t');
isnt($status, 0, 'what fails, fails');
cmp_ok(scalar(split(/\n/, $err)), '<=', 41, 'a file that fails a hundred times prints a screen');
like($err, qr{^# \.\.\. and \d{3} lines more: build/logs/loud\.tap$}m, '... and where the rest is');
my $log = slurp("$tree/build/logs/loud.tap");
is(scalar(() = $log =~ /^# why \d+$/mg), 100, '... all of it');
is(scalar(() = $log =~ /^not ok \d+/mg), 100, '... and all results');

# The third file begins once the second has ended, although the first has printed a remark and still
# runs.
plant_test('tests/boot/three_a.t', 'boot', "my \$deadline = time + $patience;\n" . <<'END');
diag('a remark');
select(undef, undef, undef, 0.02) until -e 'third-began' || time > $deadline;
ok(-e 'third-began', 'the third has begun meanwhile');
opendir(my $open, '/proc/self/fd');
is((grep { (readlink("/proc/self/fd/$_") // '') =~ m{/err$} } readdir($open)), 0,
    'the stream of remarks is not open here');
is($ENV{REMARKS}, undef, '... and not in the environment');
END
plant_test('tests/boot/three_b.t', 'boot', 'pass("second")');
plant_test('tests/boot/three_c.t', 'boot', 'open(my $file, ">", "third-began"); pass("third")');
($out, $err, $status) = run('-j2', map { "tests/boot/three_$_.t" } qw(a b c));
is($status, 0, 'a file that has printed a remark delays no other') or diag($out, $err);
like($err, qr/^# a remark$/m, '... and the remark is printed');
unlink("$tree/tests/boot/three_$_.t") for qw(a b c);

plant_test('tests/boot/killed.t', 'boot', 'pass("one"); kill(KILL => $$);');
($out, $err, $status) = run('tests/boot/killed.t');
isnt($status, 0, 'a file that is killed fails');
like($err, qr{^# tests/boot/killed\.t: killed by signal 9$}m, '... and that is reported');

# Like a full disk: no file may exceed 32 KiB here. The error differs, the result does not.
plant_test('tests/boot/full.t', 'boot', <<'END');
open(my $file, '>', 'build/much') or die;
print $file 'x' x 100_000;
close($file);
is(-s 'build/much', 100_000, 'there are other samples');
END
{
    local $SIG{XFSZ} = 'IGNORE';
    ($out, $err, $status) = run('tests/boot/full.t');
    unlike($err, qr/can be written/, 'where there is room nothing is said of it');
    my $line = "cd $tree && ulimit -f 64 && BUILD=build tools/tests tests/boot/full.t > out 2> err";
    isnt(system('sh', '-c', $line), 0, 'a file fails that cannot write');
    like(slurp("$tree/err"),
        qr{^# tests/boot/full\.t: nothing can be written to build/logs: File too large; that may}m,
        '... and that is reported');
    my $files = abs_path('tests/lib');
    my $asked = "$^X -I$files -MPitot::Files -e 'need_room(q($tree))' 2>&1";
    is(scalar(`$asked`), '', 'a test asks whether there is room');
    is(scalar(`ulimit -f 64; $asked`), "nothing can be written to $tree: File too large\n",
        '... and dies if not');
    my $run = "Pitot::Perf::run_between(qw($tree/o $tree/e /dev/null sh -c), q(kill -9 \$\$))";
    is(scalar(`$^X -I$files -MPitot::Perf -e '$run' 2>&1`),
        "killed by signal 9: sh -c kill -9 \$\$\n", '... and if a tool is killed');
}
plant_test('tests/boot/leaves.t', 'boot', <<'END');
pass('one');
my $pid = fork();
if (!$pid) { sleep(60); exit }
open(my $file, '>', 'left');
print $file $pid;
END
($out, $err, $status) = run('tests/boot/leaves.t');
is($status, 0, 'a process that is left behind is not waited for');
is(kill(KILL => slurp("$tree/left")), 1, '... and runs on');

# CPU time of a child counts once the child was waited for, by the clock that is measured.
plant_test('tests/boot/costly.t', 'boot', <<'END');
if (!fork) { until ((times)[0] > 1.1) { my $n = 0; $n++ while $n < 100_000 } exit }
wait;
pass('worked');
END
plant('tests/budgets', "tests/boot/costly.t 50\n");
($out) = run('tests/boot/costly.t');
cmp_ok(slurp("$tree/build/logs/costly.cpu"), '>=', 1.1, 'the time of children is counted');
unlike($out, qr/^over its budget/m, 'within its budget nothing is said');
($out) = run('--budgets');
is(slurp("$tree/tests/budgets") =~ s/ [2-9]$/ N/mr,
    join('', "tests/boot/costly.t N\n", map { "tests/boot/$_.t 1\n" }
        qw(demo killed leaves loud ring)),
    'what was measured becomes the budgets');
plant('tests/budgets', "tests/boot/costly.t 1\ntests/boot/demo.t 1\n");
plant_test('tests/boot/costly.t', 'boot',
    'until ((times)[0] > 2.7) { my $n = 0; $n++ while $n < 100_000 } pass("worked")');
($out, undef, $status) = run('tests/boot/costly.t', 'tests/boot/demo.t');
like($out, qr{^over its budget: tests/boot/costly\.t: [2-9]\.\d CPU-seconds of 1$}m,
    'over it the file is named');
unlike($out, qr{^over its budget: tests/boot/demo}m, '... and no other');
is($status, 0, '... and nothing fails');

plant_test("tests/boot/small_$_.t", 'boot', 'pass("small")') for 1 .. 6;
($out) = run(map { "tests/boot/small_$_.t" } 1 .. 6);
like($out, qr/^no budget in \S+ for 6 of them \(make budgets\)$/m, 'many without one are a number');

# What make runs when no test is named, and when a source is.
delete @ENV{qw(MAKEFLAGS MFLAGS MAKELEVEL TESTS QUICK ALL)};
my $line = `make -n test 2>&1`;
like($line, qr{^tools/tests -j2 +tests/unit tests/model tests/host tests/boot$}m,
    'make test: all of them');
like($line, qr/ tests-built$/m, '... with all that they need');
$line = `make -n test TESTS=core/ring 2>&1`;
like($line, qr{^tools/tests -j2 --near core/ring$}m, 'make test TESTS=core/ring: its unit tests');
unlike($line, qr/ tests-built$/m, '... and nothing else is built');
$line = `make -n test TESTS=/elsewhere/x.t 2>&1`;
like($line, qr{^tools/tests -j2 +/elsewhere/x\.t$}m, 'a file of tests may lie anywhere');

done_testing();
