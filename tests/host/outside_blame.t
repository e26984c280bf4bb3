#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: outside/pitot, outside/wire.h
#
# `pitot blame` prints the writers of each place that the plugin reports, and no answer if it has
# none. The plugin is a script (tests/lib/Pitot/StandIn.pm). Run from the root of the tree:
#
#     prove tests/host/outside_blame.t
use strict;
use warnings;
use lib 'tests/lib';
use Test::More;
use Pitot::Files;
use Pitot::StandIn;

my $room = stand_in_room();
my @qemu = ("$room/qemu", '-kernel', "$room/kernel.elf");
my $queue = $place{run_queue};

# The lines that `pitot blame` prints, with single blanks between words.
sub blamed
{
    my ($said, $complaints, $status) = pitot('blame', @_, '--', @qemu);
    is($complaints, '', "pitot blame @_");
    return [map { s/^\s+//r =~ s/\s+/ /gr } split(/\n/, $said)];
}

# --- Places --------------------------------------------------------------------------------------

my $page = $queue & ~0xfff;
my @known = (begin(2), mapping($page, $page & 0xfffff), thread(1, $place{kmain} + 0x10),
    context(1, 0, $place{kmain} + 0x10, 5), context(2, 1, $place{sched_run} + 4));
plugin_says(@known, clock(0, 9_000), clock(1, 2_000_000_007),
    word(thread => 1, context => 2, address => $queue, ip => $place{timer_isr} + 8, time => 8_000),
    word(cpu => 1, address => $queue + 2, length => 4, ip => $place{vfs_read},
        time => 2_000_000_000, count => 12_345, value => 0xfffffffe),
    word(place => 1, thread => 1, context => 1, address => $queue + 9, length => 1,
        ip => $place{panic}, time => 1), end(instructions => 9_000));
is_deeply(blamed('run_queue/8', 'run_queue+9/2', sprintf('0x%x', $queue + 16)), [
    'run_queue, 8 bytes (0xffffffff80101000):',
    'kmain 2 [000] 0.000008000: 1000 instructions ago',
    'ffffffff80100708 timer_isr+0x8', 'ffffffff80100204 sched_run+0x4',
    'ffffffff80100115 kmain+0x15',
    'kernel.elf 1 [001] 2.000000000: 12345 times in a row, bytes 2-5, value 0xfffffffe, '
        . '7 instructions ago',
    'ffffffff80100300 vfs_read+0x0', '',
    'run_queue+9, 2 bytes (0xffffffff80101009):',
    'kmain 2 [000] 0.000000001: byte 0, 8999 instructions ago',
    'ffffffff80100500 panic+0x0', 'ffffffff80100115 kmain+0x15', '',
    '0xffffffff80101010, 4 bytes (0xffffffff80101010):',
    'not written since the kernel began'], 'the newest write comes first');
is(request_words() =~ s/^.*?,writers/,writers/r,
    sprintf(',writers=3,place=%x:8,place=%x:2,at=%x:4,event=insn:0', $queue, $queue + 9,
        $queue + 16), '... which the plugin is asked for');

sub two_words
{
    my (%second) = @_;
    my %first = (thread => 1, context => 1, ip => $place{vfs_write}, time => 5, count => 2,
        value => 5);
    plugin_says(@known, clock(0, 9), clock(1, 9), word(%first, address => $queue + 8),
        word(%first, address => $queue + 16, time => 6, %second), end(instructions => 9));
    return scalar(grep { /vfs_write/ } @{blamed('-n', 1, 'run_queue')});
}

is(two_words(), 1, 'neighbouring words with the same writers are one');
is(two_words(value => 1), 1, '... whatever they wrote');
unlike(join("\n", @{blamed('run_queue')}), qr/value/, '... which is not reported, then');
is(two_words(@$_), 2, "... not if another $_->[0] wrote")
    for [cpu => 1], [thread => 0], [context => 2], [count => 3], [length => 4];
is_deeply([grep { /:$|not/ } @{blamed('run_queue')}], [
    'run_queue, bytes 0-7 (0xffffffff80101000):', 'not written since the kernel began',
    'run_queue, bytes 8-15 (0xffffffff80101008):', 'run_queue, bytes 16-23 (0xffffffff80101010):',
    'run_queue, bytes 24-63 (0xffffffff80101018):', 'not written since the kernel began'],
    '... nor are words that nothing has written');

my @deep = map { context($_, $_ - 1, $place{kmain} + 0x20, 5) } 1 .. 200;
plugin_says(begin(1), mapping($page, $page & 0xfffff), @deep,
    word(context => 200, address => $queue, ip => $place{kmain}), end(instructions => 9));
my $lines = blamed('run_queue/8');
is(scalar(@$lines), 1 + 1 + 1 + 32 + 1 + 32, 'of a chain of 200 both ends are shown');
is($lines->[-33], '... 136 times kmain ...', '... and what lies between');

# --- Contents of memory --------------------------------------------------------------------------

# The lines about what memory holds, which follow the writes.
sub memory_of
{
    my ($place, @words) = @_;
    plugin_says(@known, clock(0, 9), @words, end(instructions => 9));
    return [grep { /holds|not|:$/ } @{blamed($place)}];
}

my $by = 'written by a device, the CPU, or before the kernel began';
my @both = map { word(thread => 1, context => 1, ip => $place{vfs_write}, time => 5, value => 5,
    address => $queue + $_) } 0, 8;
my $at = $queue & 0xfffff;
is_deeply(memory_of('run_queue/16', @both, held(physical => $at + 8, value => 0x99)),
    ['run_queue, bytes 0-7 (0xffffffff80101000):', 'run_queue, bytes 8-15 (0xffffffff80101008):',
    "memory holds 0x99: $by"], 'what memory holds is told where the last write has left another');
is_deeply(memory_of('run_queue/16', @both, map { held(physical => $at + $_, value => $_) } 0, 8),
    ['run_queue, 16 bytes (0xffffffff80101000):', "memory holds other values: $by"],
    '... once for neighbours with the same writers');
is_deeply(memory_of('run_queue/8', held(physical => $at, value => 0x1234, likely => 1)),
    ['run_queue, 8 bytes (0xffffffff80101000):', 'not written since the kernel began',
    "memory holds 0x1234: $by; or other memory is there now"],
    '... and where there is none, with what is not sure');
plugin_says(@known, clock(0, 9), clock(1, 9), @both, held(physical => $at, value => 1),
    end(instructions => 9));
like(join("\n", @{blamed('run_queue/8')}), qr/\Qmemory holds 0x1: $by, or by two CPUs at once\E$/,
    '... which may be the order of two CPUs');
plugin_says(@known, unread(1), end(instructions => 9));
is((pitot('blame', 'run_queue', '--', @qemu))[1],
    "pitot: the memory at the end was not compared with the last writes\n",
    'memory that was not compared is reported');
for ([held(physical => 1 << 52)], [held(physical => $at, length => 0)],
    [held(physical => $at + 1)]) {
    plugin_says(@known, @$_, end(instructions => 9));
    like((pitot('blame', 'run_queue', '--', @qemu))[1],
        qr/^pitot blame: what the plugin says memory holds at 0x\w+ is invalid$/m, '... invalid');
}

# --- Memory at several addresses -----------------------------------------------------------------

# At $queue two address spaces map different memory; a third address maps the second one's.
my ($mine, $other) = (0x300_000, 0x200_000);
my @spaces = (begin(1), mapping($page, $other, 1), mapping($page, $mine, 2),
    mapping(0x7000, $mine, 3), thread(1, $place{kmain} + 0x10), clock(0, 100));

# A write to physical memory through an address.
sub at
{
    my ($physical, $through, %more) = @_;
    return word(thread => 1, physical => $physical, address => $through, ip => $place{panic},
        time => 10, %more);
}

plugin_says(@spaces, at($mine + 8, 0x7008), at($other, $queue), at($other + 8, $queue + 8),
    end(instructions => 9));
is_deeply(blamed('run_queue/16'), [
    'run_queue, bytes 0-7 (0xffffffff80101000, physical 0x300000):',
    'not written since the kernel began', '',
    'run_queue, bytes 8-15 (0xffffffff80101008, physical 0x300008):',
    'kmain 2 [000] 0.000000010: through 0x7008, 90 instructions ago',
    'ffffffff80100500 panic+0x0', '',
    'run_queue, 16 bytes (0xffffffff80101000, physical 0x200000, of another address space or '
        . 'before):',
    'kmain 2 [000] 0.000000010: 90 instructions ago', 'ffffffff80100500 panic+0x0'],
    'a write through another address is one, a write to other memory is told as such');
plugin_says(begin(1), mapping(0x7000, $mine, 3), end(instructions => 9));
is(blamed('run_queue')->[1], 'not written at this address since the kernel began, nor was its page',
    'a page that nothing wrote to may be written through another address, which is not known');
plugin_says(@spaces, at($mine, $queue, interrupt => 15), at($mine + 8, $queue + 8,
    interrupt => 257), end(instructions => 9));
is_deeply([grep { /ago$/ } @{blamed('run_queue/16')}],
    ["kmain 2 [000] 0.000000010: the CPU's frame of interrupt 14, 90 instructions ago",
    "kmain 2 [000] 0.000000010: the CPU's frame of an interrupt, 90 instructions ago"],
    'the CPU itself writes, too');

# --- A file --------------------------------------------------------------------------------------

my $file = "$room/blame.data";
my @all = (@known, clock(0, 100), (map { word(thread => 1, context => 1, time => 10, @$_) }
    [address => $queue, length => 4, ip => $place{panic}],
    [address => $queue + 4, length => 1, ip => $place{vfs_read}],
    [address => $queue + 16, length => 8, ip => $place{vfs_write}],
    [address => $queue + 24, length => 8, ip => $place{vfs_write}, time => 11]));

# The file's answers about places, stderr, and the status.
sub asked
{
    my ($said, $complaints, $status) = pitot('blame', '-i', $file, @_);
    return [[map { s/^\s+//r =~ s/\s+/ /gr } grep { !/kmain\+/ } split(/\n/, $said)], $complaints,
        $status];
}

sub write_file
{
    plugin_says(@_);
    return [(pitot('blame', '-o', $file, '--', @qemu))[1, 2]];
}

is_deeply(write_file(@all, lost(0), end(instructions => 100)),
    ["[ pitot blame: the last writers of all memory in $file ]\n", 0], 'all memory, in a file');
like(request_words(), qr/,memory=268435456,event=insn:0$/, '... the plugin has 256 MiB');
is_deeply(asked('run_queue/32', 'run_queue+2/2', 'run_queue+6/1'), [[
    'run_queue, bytes 0-3 (0xffffffff80101000):', 'kmain 2 [000] 0.000000010: 90 instructions ago',
    'ffffffff80100500 panic+0x0', '',
    'run_queue, byte 4 (0xffffffff80101004):', 'kmain 2 [000] 0.000000010: 90 instructions ago',
    'ffffffff80100300 vfs_read+0x0', '',
    'run_queue, bytes 5-7 (0xffffffff80101005):',
    'not known: the last write to these 4 bytes did not cover them', '',
    'run_queue, bytes 8-15 (0xffffffff80101008):', 'not written since the kernel began', '',
    'run_queue, bytes 16-31 (0xffffffff80101010):',
    'kmain 2 [000] 0.000000010: 90 instructions ago',
    'ffffffff80100400 vfs_write+0x0', '',
    'run_queue+2, 2 bytes (0xffffffff80101002):', 'kmain 2 [000] 0.000000010: 90 instructions ago',
    'ffffffff80100500 panic+0x0', '',
    'run_queue+6, 1 byte (0xffffffff80101006):',
    'not known: the last write to these 4 bytes did not cover them'], '', 0],
    '... answers what is asked afterwards');
write_file(@spaces, at($other, $queue), at($mine + 8, 0x7008, length => 80, time => 50, unit => 8,
    step => 3), lost(0), end(instructions => 100));
is_deeply([grep { /physical|ago|before/ } @{asked('run_queue+12/8')->[0]}], [
    'run_queue+12, 8 bytes (0xffffffff8010100c, physical 0x30000c):',
    'kmain 2 [000] 0.000000023: through 0x700c, 77 instructions ago'],
    'a loop that filled memory is told with the time of each write');
is_deeply([grep { /physical|ago/ } @{asked('run_queue/8')->[0]}], [
    'run_queue, 8 bytes (0xffffffff80101000, physical 0x300000):',
    'run_queue, 8 bytes (0xffffffff80101000, physical 0x200000, of another address space or '
        . 'before):', 'kmain 2 [000] 0.000000010: 90 instructions ago'],
    '... which other memory at the same address is not part of');
is_deeply(write_file(@all, lost(5), end(instructions => 100)),
    ["pitot: 5 writes without room; -m gives more\n"
    . "[ pitot blame: the last writers of all memory in $file ]\n", 0], 'writes without room');
is_deeply(asked('run_queue+8/8')->[0], ['run_queue+8, 8 bytes (0xffffffff80101008):',
    'not written, or one of 5 writes without room (-m)'], '... may be the answer');
pitot('blame', '-o', $file, '-m', '2G', '--', @qemu);
like(request_words(), qr/,memory=2147483648,/, '... -m has the plugin keep more');

sub refused_ok
{
    my ($why, @places) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my ($said, $complaints, $status) = @{asked(@places)};
    ok(!@$said && $complaints =~ /\Apitot blame: $why\n\z/ && $status == 1, "refused: $why")
        or diag($complaints);
}

refused_ok('no symbol "run_queu"; near: run_queue\b.*', 'run_queu');
my $good = slurp($file);
my $damaged = 'is damaged, or pitot was killed; record it again';
for my $damage (['was not written by pitot blame', 'x' x 8_000],
    ['has version 3, 5 is expected; record it again',
        $good =~ s/^.{8}\K..../pack('L<', 3)/ser],
    [$damaged, substr($good, 0, -1)], [$damaged, substr($good, 0, -8)],
    [$damaged, substr($good, 0, 4_500)], [$damaged, $good . "\0" x 8],
    (map { [$damaged, $good =~ s/^.{$_}\K./$& ^ "\1"/ser] } 20, 41, 4_200, length($good) - 20)) {
    my ($why, $bytes) = @$damage;
    write_bytes($file, $bytes);
    refused_ok("\Q$file\E $why", 'run_queue');
}
# The answer from a file with invalid records and a correct checksum.
my $invalid = 'is invalid';
for my $case (
    ["the plugin's write by CPU 0, after 101 of its 100 instructions, $invalid",
        word(address => $queue + 32, ip => $place{panic}, time => 101)],
    ["the plugin's write by CPU 3, after 1 of its 0 instructions, $invalid",
        word(address => $queue + 32, ip => $place{panic}, time => 1, cpu => 3)],
    ["the plugin's two last writers of physical 0x1014 are invalid",
        word(address => $queue + 20, ip => $place{panic}, time => 10)],
    ["the plugin's two last writers of physical 0x1014 are invalid",
        word(address => 0x7014, physical => 0x1014, length => 4, ip => $place{panic}, time => 10)],
    ["the plugin's mapping of 0xffffffff80101000 $invalid", mapping($page, 0x9000)],
    (map { ["the plugin's write by CPU 0 in context 0 $invalid", word(ip => $place{panic},
        address => $queue + 32, time => 10, @$_)] }
        [address => -4], [physical => 0x1021], [physical => (1 << 52) + 0x20], [interrupt => 258],
        [length => 4_065], [length => 12, unit => 4, step => 6])) {
    my ($why, $record) = @$case;
    write_file(@all, $record, lost(0), end(instructions => 100));
    refused_ok($why, 'run_queue');
}
for my $mapping ([$page + 8, 0x1000], [$page, 0x1008], [$page, 1 << 52]) {
    write_file(begin(1), mapping(@$mapping), lost(0), end(instructions => 100));
    refused_ok(sprintf("the plugin's mapping of 0x%x $invalid", $mapping->[0]), 'run_queue');
}

# Three pages of one variable that map the same memory.
write_file(begin(1), clock(0, 100), map({ mapping($page + 0x1000 * $_, 0x1000) } 0 .. 2),
    word(address => $page, physical => 0x1000, length => 4_096, ip => $place{panic}, time => 10),
    lost(0), end(instructions => 100));
is_deeply([map { /, (bytes \S+)/ } @{asked(sprintf('0x%x/8192', $page + 2_048))->[0]}],
    ['bytes 0-2047', 'bytes 2048-6143', 'bytes 6144-8191'],
    'a page at several addresses of a place is told at each');
write_bytes($file, $good);
link_kernel("$room/other.elf", [qw(kmain)]);
refused_ok("\Q$file\E is of another build than \\S+/other.elf; --kernel ELF names the right one",
    '--kernel', "$room/other.elf", 'run_queue');
link_kernel("$room/kernel.elf", [qw(kmain)], '--build-id=none');
write_file(@all, lost(0), end(instructions => 100));
like(asked('run_queue')->[1],
    qr/\Apitot: \S+ has no build id: another build may have run\n\z/,
    'a kernel without a build id is taken, which is said');
unlink($file);
refused_ok("no \Q$file\E; pitot blame -- QEMU... writes one", 'run_queue');
$room = stand_in_room();
@qemu[0, 2] = ("$room/qemu", "$room/kernel.elf");
plugin_says(@all, lost(0), end(instructions => 100));
is((pitot('blame', '-o', '/dev/full', '--', @qemu))[2], 1, 'a full disk is reported');

# --- No answer -----------------------------------------------------------------------------------

my $unrun = "pitot: no code of the kernel's file ran; --kernel ELF names another";
for my $case (['exit 0', end(instructions => 0), $unrun],
    ['signal KILL', '', 'pitot: QEMU was killed: its last counts are lost']) {
    my ($how, $end, $why) = @$case;
    plugin_says(begin(1), $end);
    my ($said, $complaints) = pitot({STAND_IN_END => $how}, 'blame', 'run_queue', '--', @qemu);
    is_deeply([$said, $complaints], ['', "$why\n"], $why);
}
for my $damaged ([word(address => $queue, context => 7), 'write by CPU 0 in context 7'],
    [word(address => $queue, cpu => 256), 'write by CPU 256 in context 0'],
    [word(address => $queue, length => 0), 'write by CPU 0 in context 0'],
    [clock(256, 1), 'CPU 256'], [thread(1 << 20, 1), 'thread 1048576']) {
    my ($record, $what) = @$damaged;
    plugin_says(begin(1), $record);
    my ($said, $complaints, $status) =
        pitot({STAND_IN_END => 'parent CHLD'}, 'blame', 'run_queue', '--', @qemu);
    is_deeply([$said, $complaints, $status], ['',
        "pitot blame: the plugin's $what is invalid\n", 1], "refused: $what");
}

done_testing();
