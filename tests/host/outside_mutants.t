#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: outside/pitot, tests/fuzz/pitot_mutants.c, outside/wire.h
#
# `pitot` with randomly damaged files (tests/fuzz/pitot_mutants.c), under AddressSanitizer and
# UBSan: a fixed number of runs of a fixed seed finds nothing. Such runs do find the errors in
# copies of the code in which a check is left out. Run from the root of the tree:
#
#     prove tests/host/outside_mutants.t
#
# SOAK=1 makes a hundred times as many, with the day's seed; SEED=N sets the seed.
use strict;
use warnings;
no warnings 'portable';
use lib 'tests/lib';
use File::Basename qw(basename);
use File::Copy qw(copy);
use File::Path qw(make_path);
use Test::More;
use Pitot::Files;
use Pitot::StandIn;
use Pitot::StrangeElf;

my $build = $ENV{BUILD} // 'build';
my $logs = "$build/logs/outside_mutants";
my $runs = $ENV{SOAK} ? 60_000 : 600;
my $seed = $ENV{SEED} // ($ENV{SOAK} ? int(time() / 86_400) : 1);
make_path($logs);

# --- The files -----------------------------------------------------------------------------------

my $room = stand_in_room();
my @mangled = qw(_ZN5sched5Queue4pushEi _RNvMNtCs1234_7mycrate3netNtB2_4Card4send
    _ZN5alloc3fmt6format17h0123456789abcdefE);
write_bytes("$room/more.c", join('', map { "int $_(int n);\nint $_(int n) { return n + 1; }\n" }
    qw(kmain sched_run vfs_read vfs_write), @mangled) . "long run_queue[8] = {1};\n");
sub quietly { system(@_) == 0 or die("@_: status $?\n") }
quietly('gcc', '-c', '-g', '-O1', '-ffreestanding', '-fno-pic', '-mcmodel=kernel',
    '-fno-asynchronous-unwind-tables', "$room/more.c",
    '-o', "$room/more.o");
quietly('ld', '--build-id=sha1', '-e', 'kmain', '-Ttext=0xffffffff80100000',
    '-Tdata=0xffffffff80101000', "-Map=$room/map", "$room/more.o", '-o', "$room/kernel.elf");
write_bytes("$room/strange.elf", strange_elf(symbols => [['kmain', 0xffffffff80100000, 16, 2],
    ['run_queue', 0xffffffff80200000, 8, 1]], segments =>
        [[5, 0x1000, 0xffffffff80100000, 0x1000, 0x1000],
        [6, 0x1000, 0xffffffff80200000, 0, 0x1000],
        [5, 0x1000, 0xffffffff80300000, 0x1000, 0x1000]]));
quietly('objcopy', '-O', 'elf32-i386', "$room/kernel.elf", "$room/narrow.elf");
write_bytes("$room/nm", scalar `nm -S $room/kernel.elf`);
my ($text, $queue) = (0xffffffff80100000, 0xffffffff80101000);
my @wire = (begin(2), mapping($queue, 0x1000, 1), mapping($queue, 0x2000, 2),
    thread(1, $text), context(1, 0, $text + 4, 5), context(2, 1, $text + 8),
    function(3, 0, $text), function(4, 3, $text + 5),
    sample(thread => 1, context => 2, ip => $text),
    sample(event => 1, ip => $text + 9, time => 5), count(0, 7), cost(3, 1, 20), cost(4, 2, 10),
    where(context => 1, ip => $text, time => 100, calls => 9),
    last_call(context => 1, entry => $text + 8, time => 90), clock(0, 100), clock(1, 100),
    (map { word(thread => 1, context => 1, address => $queue + 8 * $_, ip => $text, time => $_) }
        0 .. 7),
    word(address => $queue, physical => 0x2000, length => 64, ip => $text, time => 90, unit => 4,
        step => 5, interrupt => 15), block($text, $text + 16, 5), lost(0), patched(1));
write_bytes("$room/wire", @wire, end(instructions => 200));
pitot('blame', '-o', "$room/blame.data", '--', "$room/qemu", '-kernel', "$room/kernel.elf");
cmp_ok(-s "$room/blame.data", '>', 4_200, 'there are files to change');

# --- The program ---------------------------------------------------------------------------------

{
    local @ENV{qw(MAKEFLAGS MFLAGS MAKELEVEL)} = ('') x 3;
    system("make --no-print-directory $build/hosted/flags > $logs/build.log 2>&1");
}
chomp(my $compiler = slurp("$build/hosted/flags"));
$compiler .= q{ -DPITOT_COMMIT='""'};
my ($core) = slurp('outside/outside.mk') =~ /^PITOT_CORE := .*\.c,(.*?)\)\)$/m;
my @sources = ('tests/fuzz/pitot_mutants.c', map({ "core/$_.c" } split(' ', $core)),
    grep { !m{/(?:main|machine)\.c$} } glob('outside/pitot/*.c'));
my $objects = "$build/fuzz/mutants";
make_path($objects);

sub object_of { return "$objects/" . ($_[0] =~ s{/}{-}gr) . '.o' }

# Compiles each source that is newer than its object, or all if a header is newer; two at a time.
sub compiled
{
    my ($newest) = sort { $b <=> $a } map { (stat($_))[9] } glob('outside/pitot/*.h outside/*.h');
    my @stale = grep {
        my $made = (stat(object_of($_)))[9] // 0;
        $made < (stat($_))[9] || $made < $newest || /mutants/
    } @sources;
    write_bytes("$objects/lines", map { "$compiler -c $_ -o " . object_of($_) . "\0" } @stale);
    return system("xargs -0 -r -n 1 -P 2 sh -c < $objects/lines > $logs/build.log 2>&1") == 0;
}

sub linked
{
    my ($program, @objects) = @_;
    my $libraries = "$build/outside/page.o -ldw -lelf -liberty";
    return system("$compiler @objects $libraries -o $program >> $logs/build.log 2>&1") == 0;
}

# Runs the program; returns its status and output.
sub finds
{
    my ($program, $first, $count) = @_;
    local $ENV{ASAN_OPTIONS} = 'detect_leaks=0:exitcode=99:max_allocation_size_mb=1000:'
        . 'allocator_may_return_null=1';
    local $ENV{UBSAN_OPTIONS} = 'exitcode=99:print_stacktrace=1';
    my $said = `$program $room $seed $first $count 2>&1`;
    return ($? >> 8, $said);
}

(compiled() && linked("$room/bin/mutants", map { object_of($_) } @sources))
    or BAIL_OUT("see $logs/build.log");
my ($status, $said) = finds("$room/bin/mutants", 0, $runs);
is($status, 0, "$runs runs of seed $seed find nothing");
is($said, "$runs runs\n", '... and were made');
if ($status != 0) {
    copy($_, "$logs/" . basename($_)) for glob("$room/changed.* $room/printed");
    diag($said, "the files are in $logs\n", slurp("$logs/printed"));
}

# --- Broken copies -------------------------------------------------------------------------------

my @broken = (
    ['segments lie in the file', 'outside/pitot/elf_check.c',
        qr{offset <= file->size && size <= file->size - offset;},
        'size <= file->size && offset != 1;'],
    ['names are printed without control characters', 'outside/pitot/plain.c',
        qr{return \*text >= 0x20 && \*text != 0x7f;}, 'return 1;'],
    ['contexts are known', 'outside/pitot/contexts.c',
        qr{context < room && contexts\[context\]\.depth \?}, 'contexts[context].depth ?'],
);
for my $broken (@broken) {
    my ($claim, $file, $line, $instead) = @$broken;
    my $broke = slurp($file);
    ($broke =~ s/$line/$instead/g // 0) == 1 or fail("one line to break: $line");
    write_bytes("$room/broken.c", $broke);
    my @objects = map { $_ eq $file ? "$room/broken.o" : object_of($_) } @sources;
    (system("$compiler -c $room/broken.c -o $room/broken.o >> $logs/build.log 2>&1") == 0
        && linked("$room/bin/broken", @objects)) or fail("built without: $claim");
    my ($its_status) = finds("$room/bin/broken", 0, 3_000);
    is($its_status, 1, "what breaks is seen where this is not so: $claim");
}

done_testing();
