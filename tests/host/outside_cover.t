#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: outside/pitot
#
# `pitot cover` maps the blocks that ran to the source lines of a kernel's file, as a tracefile of
# lcov's. The plugin is a script (tests/lib/Pitot/StandIn.pm); the kernel is assembled and compiled
# here. Run from the root of the tree:
#
#     prove tests/host/outside_cover.t
use strict;
use warnings;
no warnings 'portable';    # addresses have 64 bits
use lib 'tests/lib';
use Cwd qw(realpath);
use Test::More;
use Pitot::Files;
use Pitot::StandIn;

my $room = stand_in_room();
my $folder = realpath($room);
my $elf = "$room/covered.elf";
my $out = "$room/lcov.info";

sub quietly
{
    system(@_) == 0 or die("@_: status $?\n");
}

# One-byte instructions, one per line; and a function of a header that two files include.
write_bytes("$room/start.s", ".globl start\nstart:\n" . "nop\n" x 6 . "ret\n"
    . ".section .note.GNU-stack\n");
write_bytes("$room/twice.h", "static int twice(int n) { return 2 * n; }\n");
write_bytes("$room/one.c", "#include \"twice.h\"\nint one(void) { return twice(1); }\n"
    . "void never(void) {}\n");
write_bytes("$room/two.c", "#include \"twice.h\"\nint two(void) { return twice(2); }\n");
quietly('as', '-g', '--64', "$room/start.s", '-o', "$room/start.o");
quietly('gcc', '-c', '-g', '-O0', '-ffreestanding',
    "-fdebug-prefix-map=$folder=.", "$folder/$_.c", '-o', "$room/$_.o") for 'one', 'two';
quietly('ld', '-e', 'start', '-Ttext=0xffffffff80100000', map({ "$room/$_.o" } qw(start one two)),
    '-o', $elf);

# Start and end addresses of the functions with each name.
my (%from, %until);
for (split(/\n/, `nm -S $elf`)) {
    my ($address, $size, $name) = /^(\w+) (\w+) t (\w+)$/i or next;
    push(@{$from{$name}}, hex($address));
    push(@{$until{$name}}, hex($address) + hex($size));
}
my ($start) = map { hex } `nm $elf` =~ /^(\w+) T start$/m;

# Runs `pitot cover`: the tracefile's lines for each source, and stderr.
sub covered
{
    plugin_says(begin(1), @_, end(instructions => 1));
    my ($said, $complaints, $status) = pitot('cover', '-o', $out, '--', "$room/qemu", '-kernel',
        $elf);
    is($status, 0, 'pitot cover');
    my %sources = map { /\ATN:\nSF:(.*)\n((?s).*)\z/ ? ($1 => [split(/\n/, $2)]) : ('?' => $_) }
        split(/^end_of_record\n/m, slurp($out));
    return (\%sources, $complaints);
}

my ($sources, $said) = covered(
    block($start, $start + 2, 3), block($start + 1, $start + 4, 2),
    block($start + 1, $start + 4, 4),
    map({ block($from{$_->[0]}[$_->[1]], $until{$_->[0]}[$_->[1]], $_->[2]) }
        ['one', 0, 7], ['twice', 0, 7], ['twice', 1, 5]));
is_deeply($sources, {
    "$folder/start.s" => ['FNF:0', 'FNH:0', 'DA:3,3', 'DA:4,9', 'DA:5,6', 'DA:6,6', 'DA:7,0',
        'DA:8,0', 'DA:9,0', 'LF:7', 'LH:4'],
    "$folder/twice.h" => ['FN:1,twice', 'FNDA:12,twice', 'FNF:1', 'FNH:1', 'DA:1,12', 'LF:1',
        'LH:1'],
    "$folder/one.c" => ['FN:2,one', 'FNDA:7,one', 'FN:3,never', 'FNDA:0,never', 'FNF:2', 'FNH:1',
        'DA:2,7', 'DA:3,0', 'LF:2', 'LH:1'],
    "$folder/two.c" => ['FN:2,two', 'FNDA:0,two', 'FNF:1', 'FNH:0', 'DA:2,0', 'LF:1', 'LH:0'],
}, 'the lines of blocks that overlap, of a header in two files, and those that did not run');
is($said, "Summary coverage rate, in $out:\n  lines......: 54.5% (6 of 11 lines)\n"
    . "  functions..: 50.0% (2 of 4 functions)\n", '... are summed up');
like(request_words(), qr/,chains=0,cover=1,event=insn:0$/, '... and nothing is followed');

(undef, $said) = covered(block(0x1000, 0x2000, 1), lost(3));
like($said, qr/\Apitot: 3 blocks without room: code there may have run
Summary.*\n.* 0\.0% \(0 of 11 lines\)$/m, 'blocks that are no code of the kernel\'s');

# --- A function in several places ----------------------------------------------------------------

write_bytes("$room/parts.c", <<'C');
void stop(int n) __attribute__((cold, noinline));
void stop(int n) { __asm__ volatile("" : : "r"(n)); }
int split(int n);
int split(int n) { if (n > 9) { stop(n); stop(n + 1); n *= 3; } return n + 1; }
C
quietly('gcc', '-c', '-g', '-O2', '-ffreestanding', "$room/parts.c", '-o', "$room/parts.o");
quietly('ld', '-e', 'split', '-Ttext=0xffffffff80100000', "$room/parts.o", '-o', $elf);
my %parts = map { /^(\w+) t (\S+)$/i ? ($2 => hex($1)) : () } split(/\n/, `nm $elf`);
ok($parts{'split.cold'} && $parts{'split.cold'} != $parts{split}, 'the compiler splits it');
($sources) = covered(block($parts{split}, $parts{split} + 1, 3),
    block($parts{'split.cold'}, $parts{'split.cold'} + 1, 1));
is_deeply([grep { /split/ } map { @$_ } values(%$sources)], ['FN:4,split', 'FNDA:3,split'],
    '... and it has run as often as its entry');

# --- Refusals ------------------------------------------------------------------------------------

sub refused_ok
{
    my ($why, @words) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my ($all, $complaints, $status) = pitot({STAND_IN_END => 'parent CHLD'}, 'cover', @words);
    is_deeply([$all, $complaints, $status], ['', "pitot cover: $why\n", 1], "refused: $why");
}

my @qemu = ('--', "$room/qemu", '-kernel');
plugin_says(begin(1), block(9, 9, 1));
refused_ok('the plugin\'s block from 0x9 to 0x9 is invalid', '-o', $out, @qemu, $elf);
refused_ok("$room/kernel.elf has no line numbers (DWARF); compile it with -g, or --kernel ELF "
    . 'names the file that has them', '-o', $out, @qemu, "$room/kernel.elf");
refused_ok('/none/out: No such file or directory', '-o', '/none/out', @qemu, $elf);
plugin_says(begin(1), end());
my (undef, $complaints, $status) = pitot('cover', '-o', '/dev/full', @qemu, $elf);
is($status, 1, 'a full disk');
like($complaints, qr{^pitot cover: /dev/full: No space left on device$}m, '... is reported');

done_testing();
