#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: outside, core/breakpoint, core/stat
#
# The plugin as a referee (docs/outside.md): a dozen watches of one run are counted by Pitot's own
# debug registers, which they have to share, and from outside between the same two functions. The
# numbers are equal to the last hit, with one CPU and with four. Run from the root of the tree:
#
#     prove tests/boot/outside_counts.t
use strict;
use warnings;
use lib 'tests/lib';
use File::Path qw(make_path);
use Test::More;
use Pitot;
use Pitot::Files;
use Pitot::Patience;
use Pitot::Perf;
use Pitot::Versions;

plan skip_all => 'a plugin of QEMU' if ($ENV{MACHINE} // 'qemu') ne 'qemu';

my $build = $ENV{BUILD} // 'build';
my $logs = "$build/logs/outside_counts";
make_path($logs);

# Descriptors of open files: three words, each of which several watches share.
my @watches = map { "mem:files$_" } qw(/8:w /8:rw +4/4:w +0/2:rw +8/8:rw +8/4:w +12/1:w +12/4:rw
    +16/8:rw +16/4:w +20/2:rw +16/8:w);
my $trap = 'watch_entry';    # what Pitot reads of a watched word at a hit lies below it

# Each watch and its samples from outside, without Pitot's own.
sub outside
{
    my ($data) = @_;
    local @ENV{qw(HOME PERF_CONFIG DEBUGINFOD_URLS LC_ALL)} = ($logs, '/dev/null', '', 'C');
    open(my $script, '-|', "perf script -i $data -F event,ip,sym 2> $logs/err < /dev/null")
        or die("perf: $!\n");
    my %counts = map { $_ => 0 } @watches;
    my ($event, $own);
    while (my $line = <$script>) {
        if ($line =~ /^\s*(mem:\S+):\s*$/) {
            ($event, $own) = ($1, 0);
        } elsif ($line =~ /^\s+[0-9a-f]+ $trap\b/) {
            $own = 1;
        } elsif ($line !~ /\S/ && defined $event) {
            $counts{$event} += !$own;
            $event = undef;
        }
    }
    $counts{$event} += !$own if defined $event;
    return \%counts;
}

sub same_ok
{
    my ($name, $load, @more) = @_;
    my $console = "$logs/$name.console";
    my @events = map { ('-e', $_) } @watches;
    unlink($console);
    my $status = Pitot::Perf::run_between("$logs/said", "$logs/complaints", '/dev/null', 'timeout',
        $patience, "$build/outside/pitot", 'record', '-g', '-o', "$logs/$name.data", @events,
        '--from', 'workload_run', '--until', 'session_end', '--',
        qw(qemu-system-x86_64 -cpu max -m 256M -display none -no-reboot -nic none), '-device',
        'isa-debug-exit,iobase=0xf4', '-serial', "file:$console", '-kernel', "$build/pitot.elf",
        '-initrd', "$build/programs.tar", '-append',
        "perf.rate=0 run='perf stat -a @events -- $load; poweroff'", @more);
    is($status, 0, "$name: the machine runs as without") or diag(slurp("$logs/complaints"));
    my %inside = reverse(slurp($console) =~ /^ +(\d+) +(mem:\S+)\s*$/mg);
    is(scalar(grep { $inside{$_} } @watches), scalar(@watches), '... each watch has hits');
    is_deeply(outside("$logs/$name.data"), \%inside, '... as many as are seen from outside');
    unlike(slurp($console), qr/not exact/, '... and none is in doubt');
}

# With a thread for each CPU QEMU 7.2 does not report the kernel's atomic instructions to it; with
# one for all of them QEMU 10 does not tell the plugin which CPU it is (docs/machines.md).
my $threads = is_from('QEMU', '9.0') ? 'multi' : 'single';

same_ok('one', 'fs-stress 1');
same_ok('four', 'fs-stress --threads 4 1', '-accel', "tcg,thread=$threads", '-smp', 4);

done_testing();
