#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: tools/shake
#
# tools/shake finds and reports a test that fails sometimes, leaves no busy loop running even if
# interrupted, and can stop emulators for a while. Runs in a small tree made here. Run from the root
# of the tree:
#
#     prove tests/host/shake.t
use strict;
use warnings;
use lib 'tests/lib';
use Cwd qw(abs_path);
use File::Path qw(make_path);
use File::Temp qw(tempdir);
use Test::More;
use Pitot::Files;

my $tree = tempdir(CLEANUP => 1);
symlink(abs_path('tools'), "$tree/tools") or die("$tree/tools: $!\n");
make_path("$tree/tests");
@ENV{qw(BUILD TIMES LOADS)} = ('build', 2, '1 2');

sub plant
{
    my ($name, $body) = @_;
    open(my $file, '>', "$tree/tests/$name.t") or die("$name.t: $!\n");
    print $file "use Test::More;\n$body;\ndone_testing();\n";
    close($file) or die("$name.t: $!\n");
}

# The busy loops that tools/shake says it started, and those that still run.
sub loops
{
    my ($said) = @_;
    my @loops = map { split(' ') } $said =~ /^\d+ busy loops: (.*)$/mg;
    return (scalar(@loops), join(' ', grep { kill(0 => $_) } @loops));
}

# Its output and status. Output goes to a file, as a remaining busy loop would hold a pipe open.
sub shake
{
    my ($command) = @_;
    my $status = system("cd $tree && $command > said 2>&1");
    return (slurp("$tree/said"), $status >> 8);
}

plant('quiet', 'pass("always")');
my ($said, $status) = shake('tools/shake tests/quiet.t');
is($status, 0, 'tests that pass are quiet');
is(scalar(() = $said =~ /^\S.*: \d of 2 +ok, \d+ s$|^nice 19 on one CPU +ok, \d+ s$/mg), 5,
    'a line for each run');
like($said, qr/^shake: 5 runs, no failure\n\z/m, '... and how many there were');
is_deeply([loops($said)], [3, ''], 'three busy loops have run, and none does');

plant('frail', <<'END');
open(my $file, '>>', 'runs'); print $file "run\n"; close($file);
isnt(-s 'runs', 8, 'not the second time') or diag('because');
END
($said, $status) = shake('tools/shake tests/quiet.t tests/frail.t');
is($status, 1, 'one failure in five runs is one');
like($said, qr{^beside 1: 2 of 2 +FAILED: tests/frail\.t,}m, 'the failed run is reported');
like($said, qr{^tests/frail\.t: failed in 1 of 5 runs\nshake: not quiet}m, '... and the end');
like(slurp("$tree/build/logs/shake/1-2.frail.tap"), qr/^# because$/m, 'its log is kept');
is_deeply([loops($said)], [3, ''], 'no busy loop is left');

($said, $status) = shake('TIMES=none tools/shake tests/quiet.t');
is($status, 2, 'wrong usage is refused');
($said, $status) = shake('TIMES=1 LOADS=1 tools/shake tests/nothing.t');
is($status, 1, 'a name that is no test is no success');

# A process with an emulator's name that does nothing. The test polls until it is stopped and runs
# again.
plant('stands', <<'END');
symlink($^X, 'qemu-system-none') or -e 'qemu-system-none' or die;
my $pid = fork();
if (!$pid) { exec('./qemu-system-none', '-e', 'sleep(1000)') or die }
sub state { open(my $stat, '<', "/proc/$pid/stat"); return (<$stat> =~ /\) (\S)/)[0] }
my $end = time + 600;
select(undef, undef, undef, 0.01) until state() eq 'T' || time > $end;
is(state(), 'T', 'stands still');
select(undef, undef, undef, 0.01) until state() eq 'S' || time > $end;
is(state(), 'S', 'runs again');
kill(KILL => $pid);
waitpid($pid, 0);
END
($said, $status) = shake('TIMES=1 LOADS=0 STOPS=0.5 tools/shake tests/stands.t');
is($status, 0, 'with STOPS emulators stand still');
like($said, qr/^[1-9]\d* times an emulator stood still for 0\.5 s\n/m, '... as often as is said');
($said, $status) = shake('TIMES=1 LOADS=0 STOPS=0.5 tools/shake tests/quiet.t');
is($status, 1, '... and where none ran, nothing was shown');
($said, $status) = shake('TIMES=1 LOADS=0 STOPS=long tools/shake tests/quiet.t');
like($said, qr/^tools\/shake: STOPS=long: seconds, as 0\.3$/m, '... which is a number');

# A test that reports its start and then waits to be ended.
plant('waits', <<'END');
open(my $file, '>', 'runs.soon');
print $file $$;
close($file);
rename('runs.soon', 'runs.now');
pass('one');
sleep(100);
END
my $pid = fork() // die("fork: $!\n");
if ($pid == 0) {
    open(STDOUT, '>', "$tree/said");
    chdir($tree) && exec('tools/shake', 'tests/waits.t') or exit(127);
}
select(undef, undef, undef, 0.05) until -e "$tree/runs.now" || waitpid($pid, 1) == $pid;
my ($started, $running) = loops(slurp("$tree/said"));
ok($started == 1 && $running, 'a busy loop runs');
kill(INT => $pid);
waitpid($pid, 0);
is($? >> 8, 130, '^C ends it');
$said = slurp("$tree/said");
like($said, qr/^shake: stopped by SIGINT$/m, '... as reported');
is_deeply([loops($said)], [1, ''], '... and its busy loop');
my $test = slurp("$tree/runs.now");
unlike(slurp_if_there("/proc/$test/stat"), qr/\) [^Z]/, '... and the test');

done_testing();
