#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: tools/machine, tests/lib/Pitot/Machine.pm
#
# The clock of a test's machine counts the instructions that the guest executes: the same boot with
# one CPU prints and streams the same bytes, including times, ticks and clock samples, however busy
# the host is. Other tests rely on that (docs/testing.md, "The clock of a test"). Run from the root
# of the tree:
#
#     prove tests/boot/same.t
use strict;
use warnings;
use lib 'tests/lib';
use POSIX ();
use Test::More;
use Pitot;
use Pitot::Files;

plan skip_all => 'the clock is set by QEMU' if ($ENV{MACHINE} // 'qemu') ne 'qemu';

my @commands = (
    'perf record -a -g -R -e cpu-clock,timer:tick,sched:* -- fs-stress --threads 3 6',
    'perf script',
    'perf record -a -m 64k -g -e mem:kernel_flag:rw,lock:* -- /bin/fs-load 3',
    'perf trace -S -- /bin/poll-load',
    'perf report',
    'run /bin/poll-load 100 &', 'ps', 'wait', 'ps', 'memory', 'poweroff',
);
my %run = (flags => 'perf.rate=0', run => join('; ', @commands));
my $loops = 4;    # more than any host here has spare CPUs

# Busy processes, ended by `end_loops`.
sub start_loops
{
    my @pids;
    for (1 .. $loops) {
        my $pid = fork() // die("fork: $!");
        if ($pid == 0) {
            $SIG{$_} = 'DEFAULT' for qw(INT TERM HUP);
            1 while getppid() != 1;    # until killed; or orphaned
            POSIX::_exit(0);
        }
        push(@pids, $pid);
    }
    return @pids;
}

sub end_loops
{
    kill('KILL', @_);
    waitpid($_, 0) for @_;
}

# The first line in which two texts differ, with its number; nothing if they are equal.
sub difference
{
    my ($left, $right) = map { [split(/\n/, $_, -1)] } @_;
    for my $number (0 .. ($#$left > $#$right ? $#$left : $#$right)) {
        my ($one, $other) = map { $_->[$number] // 'nothing' } $left, $right;
        return "line $number: $one / $other" if $one ne $other;
    }
    return '';
}

sub same_ok
{
    my ($machine, $first, $name) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    ended_ok($machine, "$name: the machine is switched off");
    is(difference($machine->console, $first->console), '', '... having said the same');
    my ($stream, $there) = map { slurp($_->com2) } $machine, $first;
    my $at = length(($stream ^ $there) =~ /\A(\0*)/ ? $1 : '');
    ok($stream eq $there, '... and streamed the same')
        or diag("from byte $at of " . length($stream) . ' and ' . length($there));
}

my $first = boot(%run);
ended_ok($first);
my ($samples, $ticks) = map { scalar(() = $first->console =~ /$_/g) } qr/ cpu-clock: /,
    qr/ timer:tick: /;
cmp_ok($samples, '>', 100, 'the clock has samples');
cmp_ok($ticks, '>', 2, '... and ticks');
cmp_ok(-s $first->com2, '>', 100_000, '... and there is a stream');
same_ok(scalar(boot(%run)), $first, 'the same boot');
my @pids = start_loops();
my $beside = eval { boot(%run) };
end_loops(@pids);
same_ok($beside // die($@), $first, "beside $loops busy loops");

done_testing();
