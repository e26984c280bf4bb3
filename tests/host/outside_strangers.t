#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: outside/pitot, docs/outside.md
#
# `pitot` with untrusted files: ELF files with wrong headers, lists that are no lists, names with
# control characters. Each is refused in one line, or does no harm. The plugin is a script
# (tests/lib/Pitot/StandIn.pm). Run from the root of the tree:
#
#     prove tests/host/outside_strangers.t
use strict;
use warnings;
no warnings 'portable';
use lib 'tests/lib';
use Cwd ();
use POSIX ();
use File::Temp;
use Test::More;
use Pitot::Files;
use Pitot::StandIn;
use Pitot::StrangeElf;

my $room = stand_in_room();
my $elf = "$room/strange.elf";
my $out = "$room/out";
my @qemu = ('--', "$room/qemu", '-kernel', $elf);
my $text = 0xffffffff << 32 | 0x80100000;

sub slurp_at
{
    my ($path, $at, $size) = @_;
    open(my $file, '<:raw', $path) or die("$path: $!\n");
    seek($file, $at, 0);
    read($file, my $bytes, $size);
    return $bytes;
}

# The output of `pitot record` for a kernel file with these bytes, and the status.
sub recorded
{
    my ($bytes, @options) = @_;
    write_bytes($elf, $bytes);
    unlink($out, "$out.symbols");
    plugin_says(begin(1), sample(ip => $text), end(instructions => 1, calls => 1));
    my ($said, $complaints, $status) = pitot('record', @options, '-o', $out, @qemu);
    return ($complaints, $status);
}

sub refused_ok
{
    my ($why, $bytes) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my ($complaints, $status) = recorded($bytes);
    ok($complaints =~ /\Apitot record: \Q$elf\E $why\n\z/ && $status == 1 && !stand_in_words(),
        "refused: $why") or diag("$status: $complaints");
}

# --- Ranges that do not lie in the file ----------------------------------------------------------

# A variable at the file offset of code: pitot has to copy the code into a file for perf.
my %hides = (symbols => [['kmain', $text, 16, 2], ['jobs', 0xffffffff80200000, 8, 1]],
    segments => [[5, 0x1000, $text, 0x1000, 0x1000], [6, 0x1000, 0xffffffff80200000, 0, 0x1000]]);
my ($complaints, $status) = recorded(strange_elf(%hides));
is_deeply([$complaints, $status, -e "$out.symbols"], ["[ pitot record: 1 sample in $out ]\n", 0, 1],
    'a kernel whose code is copied');
my $short = 'is truncated or damaged: it ends before its (.*); copy or link it again';
my %ranges = ('offset beyond the end' => [0x10000000, 0x1000], 'size beyond it' =>
        [0x1000, 0x10000000], 'sum that overflows' => [0xfffffffffffff000, 0x2000]);
for my $how (sort keys %ranges) {
    my ($offset, $size) = @{$ranges{$how}};
    my @segments = ([5, $offset, $text, $size, $size], $hides{segments}[1]);
    note($how);
    refused_ok($short =~ s/\(\.\*\)/segment at 0xffffffff80100000/r,
        strange_elf(%hides, segments => \@segments));
    refused_ok($short =~ s/\(\.\*\)/segment at 0xffffffff80300000/r, strange_elf(%hides,
        segments => [@{$hides{segments}}, [6, $offset, 0xffffffff80300000, $size, $size]]));
}
refused_ok('has a segment at 0xffffffff80100000 that is longer than memory; link it again',
    strange_elf(%hides, segments => [[5, 0x1000, $text, 0x1000, 1 << 32]]));
refused_ok('has a segment at 0xffffffff80100000 with more bytes in the file than in memory; '
    . 'link it again', strange_elf(%hides, segments => [[5, 0x1000, $text, 0x1000, 0x800]]));
my $whole = strange_elf(%hides);
refused_ok($short =~ s/\(\.\*\)/section headers/r, substr($whole, 0, -1));
refused_ok($short =~ s/\(\.\*\)/program headers/r, substr($whole, 0, 0x1800));
refused_ok($short =~ s/\(\.\*\)/section 2/r, strange_elf(%hides, sections => [1 << 40, 24]));


refused_ok('has 257 program headers; up to 256 are allowed', strange_elf(%hides, segments =>
        [@{$hides{segments}}, ([6, 0x1000, 0xffffffff80300000, 0, 0x1000]) x 255]));
refused_ok('has debug information and no code; --kernel ELF names the file that has both, or '
    . 'eu-unstrip joins them', strange_elf(%hides, code => 8));

# --- Excessive sizes -----------------------------------------------------------------------------

($complaints, $status) = recorded(strange_elf(%hides, segments => [
    [5, 0x1000, $text, 0x1000, 0x1000], [6, 0x1000, 0xffffffff80200000, 0, 0x1000],
    [5, 0x1000, 0x1000000, 0x1000, 1 << 36], [5, 0x1000, 1 << 40, 0x1000, 0x1000]]));
is_deeply([$complaints, $status], ["[ pitot record: 1 sample in $out ]\n", 0],
    'a segment of 64 GiB in memory');
cmp_ok(-s "$out.symbols", '>', 1 << 36, '... has its offsets for perf');
cmp_ok((stat("$out.symbols"))[12] * 512, '<', 1 << 20, '... and takes no room on the disk');
my $copied = slurp_at("$out.symbols", (-s _) - 0x1000, 0x1000);
is($copied, "\x90" x 0x1000, '... where the code behind it is whole');
refused_ok('has a segment at 0x100000000000000 that is longer than memory; link it again',
    strange_elf(%hides, segments => [@{$hides{segments}}, [5, 0x1000, 1 << 56, 0, 1 << 47]]));

# A template type that contains the next inner type twice, so that each level doubles it.
sub nested
{
    my ($levels) = @_;
    my @digits = (0 .. 9, 'A' .. 'Z');
    return '_Z1fI1aIiiE' . join('', map { "S0_IS$digits[$_]_S$digits[$_]_E" } 1 .. $levels) . 'Evv';
}

for my $levels (4, 26) {
    my $long = nested($levels);
    ($complaints, $status) = recorded(strange_elf(%hides, symbols => [['kmain', $text, 16, 2],
        [$long, $text + 16, 16, 2]]), '-e', "call:$long", '-e', 'call:' . ($levels < 9 ? 'f<a<*'
            : '_Z1fI1aI*'));
    is_deeply([$complaints, $status], ["[ pitot record: 1 sample in $out ]\n", 0],
        $levels < 9 ? 'a name of templates' : '... of 2 GiB, if it were demangled');
}

# --- Output that cannot be written ----------------------------------------------------------------

# The status of pitot with its stdout and stderr in these files.
sub status_into
{
    my ($to, $complaints_to, @words) = @_;
    local $ENV{STAND_IN_ROOM} = $room;
    return system('sh', '-c', "exec \"\$@\" >$to 2>$complaints_to", 'sh', "$room/bin/pitot", @words)
        >> 8;
}

plugin_says(begin(1), end(instructions => 9));
write_bytes($elf, strange_elf(%hides));
for my $words (['blame', 'jobs', @qemu], ['help'], ['help', 'stat']) {
    is(status_into('/dev/full', "$room/told", @$words), 1, "pitot $words->[0] on a full disk");
    is(slurp("$room/told"), "pitot: standard output: No space left on device\n", '... is reported');
}
is(status_into('/dev/null', '/dev/full', 'stat', @qemu), 1,
    '... so is stat, which prints on stderr');
is(status_into('/dev/null', '/dev/null', 'stat', @qemu), 0, '... but not where all is written');
symlink('/dev/null', "$room/null");
is_deeply([(pitot('record', '-o', "$room/null", @qemu))[2], -e "$room/null.symbols"], [0, undef],
    'what is written to a device has no file beside it');

# --- Lists of symbols ----------------------------------------------------------------------------

sub listed
{
    my ($list, @more) = @_;
    plugin_says(begin(1), sample(ip => $text), end(instructions => 1, calls => 1));
    return [(pitot('record', '-o', $out, '--symbols', $list, @more, @qemu))[1, 2]];
}

my $expected = 'expected what nm prints, or a map of GNU ld (-Map)';
write_bytes("$room/disk", "\xeb\x63\x90" . "\0" x 509);
truncate("$room/disk", 1 << 32);
is_deeply(listed("$room/disk"), ["pitot record: $room/disk has no text; $expected\n", 1],
    'a disk image is refused at its first bytes');
write_bytes("$room/endless", 'ffffffff80100000 T ' . 'x' x (1 << 17) . "\n");
is_deeply(listed("$room/endless"),
    ["pitot record: $room/endless: line 1 is longer than 65536 bytes; $expected\n", 1],
    'a line without an end');
is_deeply(listed($room), ["pitot record: $room is a directory; $expected\n", 1], 'a folder');

# --- Names with control characters ---------------------------------------------------------------

my $escape = "\e]0;title\a\x7f";
my $shown = '\x1b]0;title\x07\x7f';
my @named = (symbols => [["k$escape", $text, 16, 2], ["jo\nbs$escape", 0xffffffff80200000, 8, 1],
    ["caf\xc3\xa9", $text + 16, 16, 2], ["\xc2\x9b2J\x9b\xe2\x82", $text + 32, 16, 2]]);
write_bytes($elf, strange_elf(%hides, @named));
plugin_says(begin(1), where(ip => $text, time => 3, calls => 2), map({ last_call(entry => $_) }
    $text, $text + 16, $text + 32), end(instructions => 3, calls => 2));
my @told = pitot('last', @qemu);
is_deeply([$told[1] =~ /\|  (.*)\(\)$/mg, $told[1] =~ / (\S+)\+0x0$/m],
    ["k$shown", "caf\xc3\xa9", '\xc2\x9b2J\x9b\xe2\x82', "k$shown"],
    'names are printed without control characters');
@told = pitot('stat', '-e', 'mem:jo\x0a', @qemu);
is($told[1], "pitot stat: no symbol \"jo\\x0a\"; near: jo\\x0abs$shown\n", '... what is near, too');
@told = pitot('stat', '-e', "mem:jo$escape", @qemu);
like($told[1], qr/\Apitot stat: no symbol "jo\Q$shown\E"[^\e\n]*\n\z/, '... and what was typed');
is((pitot('stat', '-e', "call:k$shown", @qemu))[2], 0, '... it can be typed as it is shown');

# --- Where source files lie ----------------------------------------------------------------------

# Outside of this tree, so that no repository is around it.
my $land = File::Temp::tempdir('pitot-XXXXXX', DIR => '/tmp', CLEANUP => 1);

# lcov.info for a kernel whose code comes from these source files, and stderr. The kernel is in
# $land/tree/build, the current folder is $land/away.
sub sources_of
{
    my ($current, @files) = @_;
    my $code = join('', map { qq(#line 1 "$files[$_]"\nvoid f$_(void) {}\n) } 0 .. $#files);
    write_bytes("$land/tree/build/k.c", $code);
    system("cd $land/tree/build && gcc -c -g -ffreestanding k.c -o k.o && "
            . 'ld -e f0 -Ttext=0xffffffff80100000 k.o -o k.elf') == 0 or die("k.elf: $?\n");
    plugin_says(begin(1), block($text, $text + @files, 1), end(instructions => 1));
    my $before = Cwd::getcwd();
    chdir("$land/$current") or die("$current: $!\n");
    my (undef, $complaints) = pitot('cover', '-o', "$room/lcov.info", '--', "$room/qemu", '-kernel',
        "$land/tree/build/k.elf");
    chdir($before);
    return ([slurp("$room/lcov.info") =~ /^SF:(.*)$/mg], $complaints =~ s/^Summary.*//smr);
}

mkdir("$land/$_") for qw(tree tree/build tree/src away outer);
write_bytes("$land/$_", "x\n")
    for qw(tree/src/a.c tree/build/b.c away/c.c outer/d.c), "tree/build/new\nline.c";
my @sources = ('../src/a.c', 'b.c', 'c.c', '../../outer/d.c', "$land/outer/d.c",
    '../../../../../../../../etc/passwd', '/etc/passwd', '/none/e.c', '../none/f.c',
    'new\nline.c');
my $left_out = "source files left out: neither below $land/away nor below $land/tree%s; run pitot "
    . "in the folder of the sources\n";
my $lines;
($lines, $complaints) = sources_of('away', @sources);
is_deeply($lines, [sort('/none/e.c', "$land/tree/build/b.c", "$land/tree/build/c.c",
    "$land/tree/build/new\\x0aline.c")],
    'source files below the kernel\'s folder and the current one are taken');
is($complaints, sprintf("pitot: 4 $left_out", '/build'), '... others left out are reported');
mkdir("$land/tree/.git");
($lines, $complaints) = sources_of('away', @sources);
is_deeply([grep { /src/ } @$lines], ["$land/tree/src/a.c"], 'a folder with .git is one tree');
is($complaints, sprintf("pitot: 3 $left_out", ''), '... of which other files are left out');

# --- Paths with control characters ---------------------------------------------------------------

my $odd = "$room/red\e[31m";
mkdir($odd) or die("$odd: $!\n");
link_kernel("$room/kernel.elf", ['kmain']);
write_bytes("$odd/k\a.elf", slurp("$room/kernel.elf"));
my @odd = ('--kernel', "$odd/k\a.elf");
my @at = ($text + 0x1000, sample(ip => $text + 0x1110, time => 1));
plugin_says(begin(1), slide(0x1000), unknown($text), word(address => $at[0], ip => $at[0]),
    clock(0, 9), $at[1], patched(3), count(0, 1), where(ip => $text + 0x1110), end());
for my $command (['record', '-o', "$odd/out"], ['stat'], ['last'], ['graph', 'kmain'],
    ['blame', sprintf('0x%x', $at[0])]) {
    my ($told, $complaints) = pitot(@$command, @odd, @qemu, '-append', "a\nb\e");
    is(join(' ', "$told$complaints" =~ /[^\n\t -~]/g), '',
        "$$command[0]: paths are printed without control characters");
    like($complaints, qr/ differ from k\\x07\.elf: /, '... but readable');
}
is(scalar(in_perf("$odd/out", 'script', '-F', 'comm')) =~ s/\s//gr, 'k\x07.elf', '... as is comm');
like((pitot("sta\e[31m", @qemu))[1], qr/^pitot: unknown command "sta\\x1b\[31m"; there are/,
    'a word that is no command');
is_deeply([(pitot('blame', '-o', $out, @odd, @qemu))[1, 2], stand_in_words()],
    ["pitot blame: $room/red\\x1b[31m/k\\x07.elf: $out cannot keep a path with control characters "
        . "or without UTF-8; rename it\n", 1], 'blame of a file keeps no such path');

# --- Pipes and devices ---------------------------------------------------------------------------

my $pipe = "$room/pipe";
POSIX::mkfifo($pipe, 0600) or die("$pipe: $!\n");
is_deeply([(pitot('record', '-o', $out, '--kernel', $pipe, @qemu))[1, 2]],
    ["pitot record: $pipe is a pipe; --kernel ELF names a file\n", 1],
    'a pipe as the kernel is refused');
is_deeply([(pitot('record', '-o', $out, '--kernel', '/dev/zero', @qemu))[1, 2]],
    ["pitot record: /dev/zero is a device; --kernel ELF names a file\n", 1], '... and a device');
is_deeply(listed($pipe), ["pitot record: $pipe: nothing came in 10 seconds\n", 1],
    'a pipe of symbols without a writer');
write_bytes("$room/nm", "ffffffff80100000 T kmain\n");
my $writer = fork() // die("fork: $!\n");
exec('cp', "$room/nm", $pipe) if !$writer;
is_deeply(listed($pipe, '-e', 'call:kmain'), ["[ pitot record: 1 sample in $out ]\n", 0],
    '... with one, as the shell makes it for <(nm k)');
waitpid($writer, 0);
$writer = fork() // die("fork: $!\n");
exec('cp', "$room/nm", $pipe) if !$writer;
is_deeply([(pitot('cover', '-o', $out, '--symbols', $pipe, @qemu))[1, 2]],
    ["pitot cover: $pipe is a pipe; --kernel ELF names the file with line numbers (DWARF)\n", 1],
    '... which has no lines, and is not waited for again');
waitpid($writer, 0);
is_deeply([(pitot({STAND_IN_VERSION => 'never'}, 'record', '-o', $out, @qemu))[1, 2]],
    ["pitot record: $room/qemu does not answer --help: nothing in 10 seconds\n", 1],
    'a QEMU that never answers');

done_testing();
