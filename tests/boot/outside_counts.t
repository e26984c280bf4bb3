#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: outside, core/breakpoint, core/perf
#
# The plugin as a referee (docs/outside.md): a dozen watches of one run are counted by Pitot's own
# debug registers, which they have to share, and from outside between the same two functions. The
# numbers are equal to the last hit, on one CPU and on four. SOAK=1 does the same with random
# watches of the kernel's variables, from QEMU 8.1 on, because older ones report unaligned stores to
# neighbouring watches (docs/breakpoints.md); SEED=N repeats the run whose log names N. Run from the
# root of the tree:
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

# File descriptors: three words, each watched by several watches.
my @watches = map { "mem:files$_" } qw(/8:w /8:rw +4/4:w +0/2:rw +8/8:rw +8/4:w +12/1:w +12/4:rw
    +16/8:rw +16/4:w +20/2:rw +16/8:w);
my $trap = 'watch_entry';    # Pitot's own reads of a watched word at a hit are below this function

# Each watch and its samples from outside, without those of Pitot's own code.
sub outside
{
    my ($data, @watches) = @_;
    local @ENV{qw(HOME PERF_CONFIG DEBUGINFOD_URLS LC_ALL)} = ($logs, '/dev/null', '', 'C');
    open(my $script, '-|',
        "perf script -i $data --no-inline -F event,ip,sym 2> $logs/err < /dev/null")
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

# The watches are set before the workload runs and removed after it. Accesses meanwhile may be
# counted from inside.
my $within = ['workload_run', 'session_end'];
my $around = ['session_begin', 'session_print_lapses'];

# Runs `$load` with these watches and further QEMU options: between the first two functions there
# are no more hits outside than inside, between the second two no fewer. Returns how many watches
# have hits, and for how many the kernel reports that the count may be short.
sub same_ok
{
    my ($name, $watches, $no_more, $no_fewer, $load, @more) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my @watches = @$watches;
    my $console = "$logs/$name.console";
    my @events = map { ('-e', $_) } @watches;
    unlink($console);
    my $status = Pitot::Perf::run_between("$logs/said", "$logs/complaints", '/dev/null', 'timeout',
        $patience, "$build/outside/pitot", 'record', '-g', '-o', "$logs/$name.data", @events,
        '--start', ($no_more // $no_fewer)->[0], '--until', ($no_more // $no_fewer)->[1], '--',
        qw(qemu-system-x86_64 -cpu max -m 256M -display none -no-reboot -nic none), '-device',
        'isa-debug-exit,iobase=0xf4', '-serial', "file:$console", '-kernel', "$build/pitot.elf",
        '-initrd', "$build/programs.tar", '-append',
        "perf.rate=0 run='perf stat -a @events -- $load; poweroff'", @more);
    is($status, 0, "$name: the machine runs as without") or diag(slurp("$logs/complaints"));
    my $outside = outside("$logs/$name.data", @watches);
    my (%inside, @wrong, $hit, $doubted);
    my $counts = slurp($console);
    while ($counts =~ /^ +(\d+) +(mem:\S+)(?: +\(not exact: up to (\d+) more\))?\s*$/mg) {
        my $most = $1 + ($3 // 0);
        $inside{$2} = $1;
        $hit += $1 > 0;
        $doubted += defined $3;
        push(@wrong, "$2: $1 to $most, $outside->{$2} from outside")
            if $no_fewer && $outside->{$2} < $1 || $no_more && $outside->{$2} > $most;
    }
    is_deeply([sort(keys(%inside))], [sort(@watches)], '... each watch is counted');
    is_deeply(\@wrong, [], '... as often as it is hit from outside')
        or diag("$name: perf stat -a @events -- $load");
    return ($hit // 0, $doubted // 0);
}

# With one thread per CPU QEMU 7.2 does not report the kernel's atomic instructions to the plugin;
# with one thread for all, QEMU 10 does not tell it which CPU runs (docs/machines.md).
my $threads = is_from('QEMU', '9.0') ? 'multi' : 'single';

my @one = ('fs-stress 1');
my @four = ('fs-stress --threads 4 1', '-accel', "tcg,thread=$threads", '-smp', 4);
is_deeply([same_ok('one', \@watches, $within, $within, @one)], [scalar(@watches), 0],
    '... each is, and exactly');
is_deeply([same_ok('four', \@watches, $within, $within, @four)], [scalar(@watches), 0],
    '... each is, and exactly');

# A dozen watches of four words, each in a kernel variable with a unique name.
sub random_watches
{
    my ($variables) = @_;
    my %watches;
    my @chosen = map { $variables->[rand(@$variables)] } 1 .. 4;
    while (keys(%watches) < 12) {
        my ($name) = @{$chosen[rand(4)]};
        my $length = 1 << int(rand(4));
        my $offset = int(rand(8 / $length)) * $length;
        $watches{"mem:$name+$offset/$length:" . (rand(2) < 1 ? 'w' : 'rw')} = 1;
    }
    return [sort(keys(%watches))];
}

if ($ENV{SOAK} && !is_from('QEMU', '8.1')) {
    diag('no watches at random: this QEMU reports unaligned stores to watches beside them');
} elsif ($ENV{SOAK}) {
    my %ours = map { $_ => 1 } grep { !/^(?:fields|tracepoint)_/ }
        `find $build/obj/kernel -name '*.o' | xargs nm` =~ / [bBdD] (\w+)$/mg;
    my (%places, %names);
    for (`nm -S $build/pitot.elf`) {
        $names{$1}++ if /(\S+)$/;
        $places{$3} = [$3, hex(substr($1, 8)), hex($2)] if /^(\w+) (\w+) [bBdD] (\w+)$/;
    }
    my @variables = grep { $_->[1] % 8 == 0 && $_->[2] >= 8 }
        @places{grep { $places{$_} && $names{$_} == 1 } sort(keys(%ours))};
    my ($hits, $doubts) = (0, 0);
    for my $seed (defined $ENV{SEED} ? $ENV{SEED} : map { int(rand(2**31)) } 1 .. 20) {
        srand($seed);
        my $chosen = random_watches(\@variables);
        note("SEED=$seed: @$chosen");
        for my $machine (\@one, \@four) {
            my ($hit, $doubted) = same_ok("SEED=$seed", $chosen, $within, undef, @$machine);
            same_ok("SEED=$seed", $chosen, undef, $around, @$machine);
            $hits += $hit;
            $doubts += $doubted;
        }
    }
    cmp_ok($hits, '>', $doubts, "$hits watches at random have hits, $doubts may have more")
        if !defined $ENV{SEED};
}

done_testing();
