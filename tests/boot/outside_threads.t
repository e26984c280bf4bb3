#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: outside, docs/outside.md
#
# `pitot` on a kernel with a timer and threads of its own, ports/c, which has no line for it: what
# is only known where calls are followed is compared with what is counted without. Run from the
# root of the tree:
#
#     prove tests/boot/outside_threads.t
use strict;
use warnings;
use lib 'tests/lib';
use File::Path qw(make_path);
use File::Spec;
use Test::More;
use Pitot::Files;
use Pitot::Patience;
use Pitot::Perf;

plan skip_all => "a plugin is QEMU's" if ($ENV{MACHINE} // 'qemu') ne 'qemu';

my $build = $ENV{BUILD} // 'build';
my $logs = "$build/logs/outside_threads";
my $out = File::Spec->rel2abs("$logs/perf.data");
my $switched_off = 1;    # isa-debug-exit's status for 0
make_path($logs);

my @qemu = ('qemu-system-x86_64', '-machine', 'pc', '-accel', 'tcg', '-icount', 'shift=0,sleep=off',
    '-cpu', 'max', '-m', '64M', '-kernel', "$build/ports/c-level0.elf", '-append',
    '-e shop:job_done', '-nodefaults', '-display', 'none', '-no-reboot', '-serial', 'stdio',
    '-serial', 'null', '-device', 'isa-debug-exit,iobase=0xf4,iosize=1');

# What pitot says, on stderr; the kernel says that it has run to its end.
sub pitot
{
    my (@words) = @_;
    my $status = Pitot::Perf::run_between("$logs/console", "$logs/said", '/dev/null', 'timeout',
        $patience, "$build/outside/pitot", @words, '--', @qemu);
    is($status, $switched_off, "pitot @words") or diag(slurp("$logs/said"));
    like(slurp("$logs/console"), qr/^60 jobs$/m, '... the kernel runs as it does unwatched');
    return slurp("$logs/said");
}

# The count of each event.
sub counts
{
    return {reverse(pitot('stat', map { ('-e', $_) } @_) =~ /^ +(\d+) +(\S+)$/mg)};
}

# The functions of each sample, from the innermost on.
sub chains
{
    my $status = Pitot::Perf::run_between("$logs/script", "$logs/err", '/dev/null', 'perf',
        '--no-pager', 'script', '-i', $out, '-F', 'event,ip,sym');
    is($status, 0, '... perf reads it') or diag(slurp("$logs/err"));
    my @samples = split(/\n\n+/, slurp("$logs/script"));
    return map { join(' ', /^\s+[0-9a-f]+ (\S+)/mg) } @samples;
}

# --- Interrupts ----------------------------------------------------------------------------------

my $counts = counts('irq', 'mem:ticks:w', 'call:trap_serve');
cmp_ok($counts->{irq}, '>=', 2, 'interrupts of the timer');
is_deeply([@$counts{'mem:ticks:w', 'call:trap_serve'}], [($counts->{irq}) x 2],
    '... are as many as the handler counts');
like(pitot('record', '-g', '-e', 'irq', '-o', $out), qr/: $counts->{irq} samples in /,
    '... each is a sample');
my @chains = chains();
is(scalar(grep { /^trap_table (\S+ )*kernel_main high$/ } @chains), $counts->{irq},
    '... in the handler, called by what it interrupted') or diag(map { "$_\n" } @chains);
my $half = int($counts->{irq} / 2);
like(pitot('record', '-e', 'irq/period=2/', '-o', $out), qr/: $half samples? in /,
    '... or every second one');

done_testing();
