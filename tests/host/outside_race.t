#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: outside/pitot, docs/outside.md
#
# The request that `pitot race` sends to the plugin, the races that it prints, its refusals, and its
# files. Run from the root of the tree:
#
#     prove tests/host/outside_race.t
use strict;
use warnings;
use lib 'tests/lib';
use Test::More;
use Pitot::Files;
use Pitot::StandIn;

my $room = stand_in_room();
my $elf = "$room/kernel.elf";
my $out = "$room/race.data";
my %environment = (STAND_IN_VERSION => '10.0.0');
my @machine = ("$room/qemu", '-kernel', $elf, '-smp', 4);

# The stderr of `pitot race`, and its status.
sub race
{
    my (undef, $complaints, $status) = pitot(\%environment, 'race', @_);
    return ($complaints, $status);
}

# --- The request ---------------------------------------------------------------------------------

sub asked
{
    my ($said) = race('-o', $out, @_, '--', @machine);
    my ($words) = request_words() =~ /,(race=.*?),event=/;
    return ($words, $said);
}

plugin_says(begin(4), stops(stops => 7, places => 3), end(instructions => 9_999));
my ($words, $said) = asked('--seed', 5);
is($words, 'race=250:5', 'the seed is what was given');
is($said, "[ pitot race: 0 races; 7 stops at 3 places; seed 5; $out ]\n", '... and reported');
is((asked('--seed', 5, '--every', 20))[0], 'race=20:5', '--every');
my $queue = $place{run_queue};
my @synced = map { sprintf('%x', $_) } $place{vfs_read}, $place{vfs_read} + 0x100,
    $place{vfs_write}, $place{vfs_write} + 0x100, $queue, $queue + 64;
is((asked('--seed', 5, '--sync', 'run_queue', '--sync', 'vfs_*'))[0],
    'race=250:5,sync=' . join(':', @synced), '--sync: variables and functions, sorted');
($words, $said) = asked();
my ($seed) = $words =~ /\Arace=250:(\d+)\z/;
like($said, qr/; seed $seed; /, 'without a seed one is chosen, and reported');

plugin_says(begin(4), stops(stops => 7, places => 3, ran => 0), end(instructions => 9_999));
like((asked())[1], qr/^pitot: no CPU ran while another one was stopped, so none could race: /,
    'that nothing could race is reported');
plugin_says(begin(1), stops(stops => 7, ran => 0), end(instructions => 9_999));
like((race('-o', $out, '--', "$room/qemu", '-kernel', $elf))[0],
    qr/^pitot: no interrupt came where the CPU had stopped, so none could race$/m,
    '... of one CPU');
plugin_says(begin(4), stops(stops => 7, ran => 0, interrupted => 1), end(instructions => 9_999));
unlike((asked())[1], qr/could race/, '... unless an interrupt came');

# --- Refusals ------------------------------------------------------------------------------------

sub refused_ok
{
    my ($why, @words) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my ($complaints, $status) = race(@words);
    like($complaints, qr/\Apitot race: \Q$why\E\n\z/, "refused: $why");
    isnt($status, 0, '... with a status');
    is_deeply([stand_in_words()], [], '... before QEMU starts');
}

my @one = ("$room/qemu", '-kernel', $elf);
{
    local $environment{STAND_IN_VERSION} = '7.2.22';
    refused_ok('the races of one CPU: QEMU 7.2 gives plugins no registers; 9.2 and later do', '--',
        @one, @$_)
        for [], ['-smp', 1], ['-smp', 'cores=1'];
}
my $threads = 'all CPUs in one thread, where no two run at the same time; '
    . 'use -accel tcg,thread=multi';
for my $version ('7.2.22', '10.0.0') {
    local $environment{STAND_IN_VERSION} = $version;
    refused_ok("-accel: $threads", '--', @machine, '-accel', 'tcg,thread=single');
    refused_ok("-icount: $threads", '--', @machine, '-icount', 'shift=0');
}
refused_ok('no symbol "run_queu"; near: run_queue', '--sync', 'run_queu', '--',
    @machine);
refused_ok('no QEMU command and no -i FILE; pitot help race');
refused_ok('-i reads files; leave out -- QEMU', '-i', $out, '--', @machine);
refused_ok("\"$out\": -i $out adds up files; -- comes before QEMU", $out, '--', @machine);
refused_ok("$$_[0] is for a run; leave out -i", @$_, '-i', $out)
    for ['--kernel', 'x'], ['--symbols', 'x'], ['--seed', 1], ['--every', 1],
    ['--suppress', 'x'], ['--sync', 'kmain'];
refused_ok('--every "0": 1 to 1000000000 accesses are allowed', '--every', 0, '--', @machine);

# --- Output --------------------------------------------------------------------------------------

my $call = 5;
my @contexts = (context(1, 0, $place{kmain} + 0x20, $call),
    context(2, 1, $place{vfs_read} + 0x10, $call), context(3, 0, $place{idle_loop} + 0x40));
my @threads = (thread(1, $place{kmain}), thread(2, $place{idle_loop}));
my %reads = (cpu => 1, context => 2, thread => 1, access => 1, length => 4,
    ip => $place{vfs_write} + 4, address => $place{run_queue} + 8, value => 5);
my %writes = (cpu => 2, context => 3, thread => 2, access => 2, length => 8,
    ip => $place{timer_isr} + 8, address => $place{run_queue} + 8, value => 6);
my @races = (
    race_of(3, [{%writes, ip => $place{sched_run}, value => undef},
            {%reads, address => 0x1000, length => 1, value => undef}], count => 3),
    race_of(3, [\%reads, {%writes, ip => $place{timer_isr} + 2}], count => 2),
    race_of(0, [\%reads, \%writes], then => $place{vfs_write} + 9, count => 40));

sub race_of
{
    my ($kind, $sides, @of) = @_;
    return race_report(kind => $kind, sides => $sides, @of);
}

plugin_says(begin(4), @contexts, @threads, @races, stops(stops => 90, places => 12, more => 1),
    end(instructions => 9_999));
my $reports = <<'END';
== race, a value was lost: run_queue+0x8, 40 times
   CPU 1 reads 4 bytes, 0x5              vfs_write+0x4 < vfs_read+0x15 < kmain+0x25, in kmain-2
   CPU 2 writes 8 bytes, 0x6             timer_isr+0x8 < !idle_loop+0x40, in idle_loop-3
   CPU 1 then overwrites that            vfs_write+0x9
   1 more pair of places in these functions, 2 times

== race of a read and a write: run_queue+0x8, 3 times
   CPU 2 writes 8 bytes                  sched_run+0x0 < !idle_loop+0x40, in idle_loop-3
   CPU 1 reads 1 byte                    vfs_write+0x4 < vfs_read+0x15 < kmain+0x25, in kmain-2

END
($said, my $status) = race('-o', $out, '--seed', 5, '--', @machine);
is($said, $reports . "pitot: 1 race left out: 4,096 pairs of places were told\n"
    . "[ pitot race: 2 races; 90 stops at 12 places; seed 5; $out ]\n",
    'both sides, the worst first, those of the same functions together');
is($status, 0, '... and the status is QEMU\'s');
($said) = race('-o', $out, '--max', 1, '--', @machine);
like($said, qr/\A== .*lost.*\n(?:   .*\n){4}\npitot: 1 race left out: --max was reached\n/,
    '--max: so many of them');
write_bytes("$room/known", "sched_run < idle_*\n");
($said) = race('-o', $out, '--suppress', "$room/known", '--', @machine);
like($said, qr/^pitot: 1 race suppressed$/m, '--suppress: the innermost functions of a side');
unlike($said, qr/sched_run/, '... are left out');

# --- Files ---------------------------------------------------------------------------------------

race('-o', $out, '--seed', 5, '--', @machine);
plugin_says(begin(4), @contexts, @threads,
    race_of(2, [\%writes, \%reads], count => 2),
    stops(stops => 10, places => 20), end(instructions => 9_999));
race('-o', "$room/two.data", '--seed', 6, '--', @machine);
my $sum = $reports =~ s/40 times/42 times/r;
($said, $status) = race('-o', "$room/sum.data", '-i', $out, "$room/two.data");
is($said, $sum . "[ pitot race: 2 races; 2 runs, 100 stops at 20 places ]\n",
    '-i: the same places are one race, in any order');
is($status, 0, '... with status 0');
is((race('-i', "$room/sum.data"))[0], $said, '... and of what it writes the same is read');
plugin_says(begin(4), @contexts, @threads, @races);
race('-o', "$room/killed.data", '--', @machine);
ok(!-e "$room/killed.data", 'a run that was killed has no file');

sub unread_ok
{
    my ($why, $text, $name) = @_;
    write_bytes("$room/bad.data", $text);
    is_deeply([race('-i', "$room/bad.data")], ["pitot race: $why\n", 1], $name);
}

my $good = slurp($out);
unread_ok("$room/bad.data was not written by pitot race", $_, 'another file is refused')
    for '', "x\n", "pitot race 2\n", "\0" x 9;
my ($line) = grep { (split(/\n/, $good))[$_] =~ /lost|^race\t0/ } 0 .. 4;
my $wrong = "$room/bad.data:" . ($line + 1) . ': unexpected line; record it again';
unread_ok($wrong, $good =~ s/^race\t0/race\t$_/mr, "... and a kind $_")
    for 4, -1, '', 'x';
unread_ok($wrong, $good =~ s/^(race\t0\t.*)\t[^\t]*$/$1/mr, '... and a line that is cut');
unread_ok("kernel.elf of one run is another build than kernel.elf of the first",
    $good =~ s/^(run\t.*\n)/$1run\tkernel.elf\tother\t1\t1\t1\n/mr, '... and two builds');

# ... linked without a build id.
my @runs;
for my $last (qw(kmain idle_loop)) {
    link_kernel($elf, ['vfs_read', $last], '--build-id=none');
    plugin_says(begin(4), stops(stops => 1, places => 1), end(instructions => 9_999));
    for my $run (1, 2) {
        push(@runs, "$room/$last.$run");
        race('-o', $runs[-1], '--', @machine);
    }
}
like((race('-i', @runs[0, 1]))[0], qr/^\[ pitot race: 0 races; 2 runs, 2 stops /,
    'a kernel without a build id is known by its file');
is_deeply([race('-i', @runs[1, 2])],
    ["pitot race: kernel.elf of one run is another build than kernel.elf of the first\n", 1],
    '... and another one is refused');

done_testing();
