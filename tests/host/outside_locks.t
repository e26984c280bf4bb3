#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: outside/pitot, docs/outside.md
#
# The request that `pitot locks` sends to the plugin, its output from the plugin's records, and its
# refusals. Run from the root of the tree:
#
#     prove tests/host/outside_locks.t
use strict;
use warnings;
use lib 'tests/lib';
use Test::More;
use Pitot::StandIn;

my $room = stand_in_room();
my $elf = "$room/kernel.elf";
my @functions = qw(kmain vfs_read timer_isr spin_lock spin_trylock spin_unlock mutex_lock acquire
    release my_lock my_unlock);
link_kernel($elf, \@functions);
my %at = map { $functions[$_] => (0xffffffff << 32 | 0x80100000) + 0x100 * ($_ + 1) }
    0 .. $#functions;
my %environment = (STAND_IN_VERSION => '10.0.0');
my @qemu = ('--', "$room/qemu", '-kernel', $elf);

# The stderr of `pitot locks`, and its status.
sub locks
{
    my (@words) = @_;
    my (undef, $complaints, $status) = pitot(\%environment, 'locks', @words, @qemu);
    return ($complaints, $status);
}

# --- Records of outside/wire.h -------------------------------------------------------------------

sub place { return pack('Q<L<2', $_[0]{ip} // 0, $_[0]{context} // 0, $_[0]{cpu} // 0) }

sub moment
{
    my ($of) = @_;
    return pack('Q<', $of->{count} // 0) . place($of->{taken} // {}) . place($of->{at} // {});
}

sub lock_record
{
    my %of = (flags => 0, taken => 1, contended => 0, waited => 0, held => 0, moved => 0,
        unseen => 0, longest_wait => 0, longest_hold => 0, first => {}, holder => 0, @_);
    return Pitot::StandIn::record(60, 0, 'L<2Q<7Q<a16Q<a16a16a40a40a40a40L<2a16',
        @of{qw(lock flags address taken contended waited held moved unseen longest_wait)},
        place($of{first}), $of{longest_hold}, place($of{first}), place($of{first}),
        (map { moment($of{$_} // {}) } qw(open handler halted left)), $of{holder}, 0,
        place($of{by} // {}));
}

sub order
{
    my ($from, $to, $outer, $inner, @guards) = @_;
    return Pitot::StandIn::record(61, 0, 'L<4Q<a16a16L<2L<24', $from, $to, 1, 0, 1, place($outer),
        place($inner), scalar @guards, 0, @guards, (0) x (24 - @guards));
}

sub waiting
{
    my ($lock, $thread, $at, $length) = @_;
    return Pitot::StandIn::record(62, $at->{cpu} // 0, 'L<2a16Q<', $lock, $thread, place($at),
        $length);
}

sub masked
{
    my ($off, $on, $longest) = @_;
    return Pitot::StandIn::record(63, 0, 'a16a16Q<2', place($off), place($on), 1, $longest);
}

sub totals { return Pitot::StandIn::record(64, 0, 'Q<6', @_) }

# --- The request ---------------------------------------------------------------------------------

sub asked
{
    my ($said) = locks(@_);
    my ($words) = request_words() =~ /,locks=1((?:,words=1)?(?:,lock=[^,]*)*)/;
    my %name = map { sprintf('%x', $at{$_}) => $_ } keys %at;
    $words =~ s/=(\w+):/=$name{$1}:/g;
    return [split(/,lock=/, $words)];
}

plugin_says(begin(1), totals(0, 0, 0, 0, 0, 0), end());
is_deeply(asked(), [',words=1', 'spin_lock:0:1:0', 'spin_trylock:1:1:0', 'spin_unlock:3:1:0'],
    'functions by their usual names, but for a family without one that gives back, or of which '
    . 'only a part is there; and words that are seen');
is_deeply(asked('--lock', 'my_lock', '--mutex', 'mutex_lock:2', '--trylock', 'spin_trylock=0',
        '--unlock', 'my_unlock:run_queue', '--lock-init', 'kmain:6'),
    ['', 'my_lock:0:1:0', 'mutex_lock:0:2:1', 'spin_trylock:2:1:0',
        'my_unlock:3:ffffffff80101000:0', 'kmain:4:6:0'], '... or those that are given, alone');
like((locks())[0],
    qr/^pitot: no lock was taken; name the kernel's functions: --lock FUNCTION and --unlock FUNC/m,
    'no lock at all');

# --- Refusals ------------------------------------------------------------------------------------

sub refused_ok
{
    my ($why, @words) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my ($complaints, $status) = locks(@words);
    is_deeply([$complaints, $status, [stand_in_words()]], ["pitot locks: $why\n", 1, []],
        "refused: $why");
}

refused_ok("--lock my_lock:$_: F[:LOCK], with LOCK an argument from 1 to 6, or a variable",
    '--lock', "my_lock:$_") for '0', '7', '1x', '';
refused_ok('no symbol "run_quue"; near: run_queue', '--lock', 'my_lock:run_quue');
refused_ok('no function "my_lok"; near: my_lock, my_unlock', '--lock', 'my_lok');
refused_ok('my_lock takes locks: add its --unlock FUNCTION', '--lock', 'my_lock');
refused_ok('my_unlock: add its --lock or --mutex FUNCTION', '--unlock', 'my_unlock');
{
    local $environment{STAND_IN_VERSION} = '7.2.22';
    refused_ok('the locks: QEMU 7.2 gives plugins no registers; 9.2 and later do');
}
is((pitot(\%environment, 'locks', '--alloc', 'kmain', @qemu))[2], 129,
    'an option of another command');

# --- Output --------------------------------------------------------------------------------------

my %in = (main => {context => 1}, read => {context => 2}, isr => {context => 4});
my @contexts = (context(1, 0, $at{kmain} + 0x10, 5), context(2, 1, $at{vfs_read} + 0x20, 5),
    context(3, 1, $at{kmain} + 0x30), context(4, 3, $at{timer_isr} + 8, 5));
my $queue = (0xffffffff << 32 | 0x80101000);
plugin_says(begin(2), @contexts,
    lock_record(lock => 1, address => $queue, taken => 9, contended => 2, waited => 70,
        longest_wait => 60, held => 100, longest_hold => 50, first => $in{main},
        open => {count => 3, taken => $in{main}, at => $in{read}},
        handler => {count => 4, taken => $in{isr}, at => $in{isr}}),
    lock_record(lock => 2, address => $queue + 8, flags => 1, first => $in{read},
        open => {count => 3, taken => $in{main}, at => $in{main}},
        handler => {count => 4, taken => $in{isr}, at => $in{isr}},
        left => {count => 1, taken => $in{main}, at => $in{read}}, holder => 7, by => $in{read}),
    (map { lock_record(lock => $_, address => 0x1000 * $_, held => 10, longest_hold => $_,
                first => $in{read}) } 3 .. 9),
    lock_record(lock => 10, address => 0x9999, flags => 2, first => $in{main},
        halted => {count => 2, taken => $in{main}, at => $in{read}}),
    order(1, 2, $in{main}, $in{read}), order(2, 1, $in{read}, $in{main}),
    order(3, 4, $in{main}, $in{read}), order(4, 3, $in{main}, $in{read}),
    order(5, 6, $in{main}, $in{read}), order(6, 5, $in{main}, $in{read}),
    order(7, 8, $in{main}, $in{read}, 1, 2), order(8, 7, $in{main}, $in{read}, 2),
    order(8, 9, $in{main}, $in{read}),
    waiting(2, 7, {context => 2, cpu => 1}, 44), masked($in{isr}, $in{main}, 12),
    masked($in{read}, $in{main}, 500), totals(1, 2, 3, 4, 5, 6), end());
my ($said, $status) = locks('-n', 2);
is($status, 0, 'what the plugin has seen');
is($said =~ s/\+0x[0-9a-f]+(?= <|\n)//gr, <<'END', '... is reported');
pitot: functions of locks: spin_lock spin_trylock spin_unlock
#contended  total wait  max wait     taken  total hold  max hold  lock
         2          70        60         9         100        50  run_queue
            max wait  kmain
            max hold  kmain
         0           0         0         7          70         9  7 locks, first taken at vfs_read
            max hold  vfs_read < kmain
# 2 more; -n shows them
# interrupts off: the longest times, in instructions
         500  from vfs_read < kmain
              to   kmain
          12  from timer_isr < !kmain < kmain
              to   kmain

== lock order: run_queue and run_queue
   run_queue, then run_queue+0x8: 1 time, by thread 1
 holds since      kmain
 asks at          vfs_read < kmain
   run_queue+0x8, then run_queue: 1 time, by thread 1
 holds since      vfs_read < kmain
 asks at          kmain

== lock order: 0x3000 (first taken at vfs_read+0x25) and 0x4000 (first taken at vfs_read+0x25)
   0x3000, then 0x4000: 1 time, by thread 1
 holds since      kmain
 asks at          vfs_read < kmain
   0x4000, then 0x3000: 1 time, by thread 1
 holds since      kmain
 asks at          vfs_read < kmain
   the same of 1 other, by the same code

== interrupt inversion: run_queue: held with interrupts on 3 times, taken by a handler 4 times
 holds since      kmain
 turns them on    vfs_read < kmain
 handler takes    timer_isr < !kmain < kmain

== held at the end: run_queue+0x8, by thread 7
 holds since      vfs_read < kmain
 waits itself     vfs_read < kmain
                  thread 7, for 44 instructions of CPU 1

== held at hlt: 0x9999 (first taken at kmain+0x15), 2 times
 holds since      kmain
 halts at         vfs_read < kmain

pitot: 6 words taken by xadd or xchg, whose holder is not seen: --lock names their functions
pitot: 1 lock without room
pitot: 4 exchanges without room: locks by sight may be missing
pitot: 5 locks taken by a thread that held 24: orders are missing
pitot: 2 orders of locks without room
pitot: 3 times with interrupts off without room
[ pitot locks: 4 reports; 10 locks, taken 18 times, 1 held at the end ]
END

plugin_says(begin(1), @contexts, lock_record(lock => 1, address => $queue, first => {context => 9}),
    end());
($said, $status) = locks();
is($status, 1, 'a record with a context that was not told');
like($said, qr/^pitot locks: the plugin's record of kind 60 is invalid$/m, '... is refused');

done_testing();
