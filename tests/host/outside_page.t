#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: outside/pitot/question, outside/pitot/source_places, outside/pitot/show_page, outside/show
# of: outside/pitot/blame, outside/pitot/graph, outside/pitot/profile
#
# `pitot blame --html` and `pitot graph --html` write the lines of their text as a page. Each line
# about code has its source, or the reason why it has none. The plugin is a script
# (tests/lib/Pitot/StandIn.pm); tests/viewers/viewers.t opens such pages. Run from the root of the
# tree:
#
#     prove tests/host/outside_page.t
use strict;
use warnings;
no warnings 'portable';    # addresses have 64 bits
use lib 'tests/lib';
use Cwd qw(realpath);
use File::Temp qw(tempdir);
use JSON::PP qw(decode_json);
use Test::More;
use Pitot::Files;
use Pitot::StandIn;

my $room = stand_in_room();
my $folder = realpath($room);
my $elsewhere = realpath(tempdir(CLEANUP => 1));
my $current = realpath(tempdir(CLEANUP => 1));    # paths below it are relative in a page
my $elf = "$room/compiled.elf";
my $page = "$room/page.html";
my @qemu = ('--', "$room/qemu", '-kernel', $elf);

sub quietly
{
    system(@_) == 0 or die("@_: status $?\n");
}

# Two calls of one function on separate lines, and a line that would end the page's data.
my $source = "long value; /* </script> */\n" . "\n" x 20
    . "void set(long to)\n{\n\tvalue = to;\n}\n\n"
    . "void twice(void)\n{\n\tset(1);\n\tset(2);\n}\n" . "\n" x 30 . "/* far away */\n";

sub compile
{
    my ($file, @options) = @_;
    write_bytes($file, $source);
    quietly('gcc', '-c', '-O0', '-ffreestanding', '-fno-pie', @options, $file, '-o', "$room/c.o");
    quietly('ld', '--build-id=sha1', '-e', 'twice', '-Ttext=0xffffffff80100000', "$room/c.o", '-o',
        $elf);
    return;
}

mkdir("$_/.git") or die("$_/.git: $!\n") for $folder, $current;    # each is a separate tree
chdir($current) or die("$current: $!\n");
compile("$folder/compiled.c", '-g');
my %at = map { reverse(/^(\w+) \w (\w+)$/) } split(/\n/, `nm $elf`);
$_ = hex for values(%at);
my @calls = map { hex } `objdump -d $elf` =~ /^(\w+):.*call .*<set>/mg;
my ($store) = map { hex } `objdump -d $elf` =~ /^(\w+):.*mov .*\(%rip\)/m;
is(scalar(@calls), 2, 'a kernel with two calls');

# The page's answer and profile, each undef if the page has none.
sub in_page
{
    my ($answer) = slurp($page) =~ m{id="answer-data">\n(.*?)</script>}s;
    my ($profile) = slurp($page) =~ m{id="profile">\n(.*?)</script>}s;
    return (decode_json($answer), $profile && decode_json($profile));
}

# FILE:LINE of each line about code, and its source text.
sub sources
{
    my ($answer) = @_;
    my @found;
    for (grep { $_->[1] >= 0 } @{$answer->{lines}}) {
        my (undef, $file, $number) = @$_;
        my ($name, $parts) = @{$answer->{files}[$file]}{qw(name parts)};
        my ($part) = grep { $number >= $_->[0] && $number < $_->[0] + $#$_ } @$parts;
        push(@found, "$name:$number" . ($part ? " $part->[1 + $number - $part->[0]]" : ''));
    }
    return \@found;
}

# --- blame ---------------------------------------------------------------------------------------

my $memory = $at{value} & ~0xfff;
my @writes = (begin(1), mapping($memory, 0x5000), thread(1, $at{twice}), clock(0, 100),
    context(1, 0, $calls[1], 5), context(2, 1, $at{set}),     # an interrupt in set
    word(thread => 1, context => 1, address => $at{value}, physical => 0x5000 + $at{value} % 4096,
        ip => $store, time => 50),
    word(thread => 1, context => 2, address => $at{value}, physical => 0x5000 + $at{value} % 4096,
        ip => $store, time => 40), end(instructions => 100));

sub blamed_page
{
    my (@words) = @_;
    my ($said, $complaints, $status) = pitot('blame', '--html', '-o', $page, 'value', @words);
    like($said . $complaints, qr/^\Q[ pitot blame: $page ]\E\n\z/m, 'pitot blame --html');
    return in_page();
}

plugin_says(@writes);
my ($text) = pitot('blame', 'value', @qemu);
my ($answer, $profile) = blamed_page(@qemu);
sub lines_of { return split(/\n/, $_[0] =~ s/\n\z//r, -1) }
sub wide { my ($line) = @_; return $line =~ s/^\t/ ' ' x 8 /er }
is_deeply([map { $_->[0] } @{$answer->{lines}}], [map { wide($_) } lines_of($text)],
    'a page has the lines of the text');
is($answer->{title}, 'pitot blame value, in compiled.elf', '... a title');
is($profile, undef, '... and no profile');
my @expected = map { "$folder/compiled.c:$_" } '24         value = to;', '30         set(2);',
    '24         value = to;', '23 {', '30         set(2);';
# gcc gives a function's first instruction the line of either its name or its brace.
my ($entry) = `addr2line -e $elf @{[sprintf('%x', $at{set})]}` =~ /:(\d+)/;
$expected[3] = "$folder/compiled.c:$entry " . (split(/\n/, $source))[$entry - 1];
is_deeply(sources($answer), \@expected, '... each place with its line: of a call, not of what is '
    . 'after it; of an interrupted place itself');
is($answer->{note} . $answer->{files}[0]{note}, '', '... and no note');
my @shown = map { [$_->[0], $_->[0] + $#$_ - 1] } @{$answer->{files}[0]{parts}};
is_deeply(\@shown, [[$entry - 12, 42]], '... with the lines around');
unlike(slurp($page), qr{(?:src|href)=|https?://|\@import|fetch\(},
    '... and nothing of the page is elsewhere');
is(scalar(() = slurp($page) =~ m{</script>}g), 2, '... and no line of the source ends its data');

plugin_says(begin(1), slide(0x200000),
    mapping($memory + 0x200000, 0x5000), thread(1, $at{twice} + 0x200000), clock(0, 100),
    context(1, 0, $calls[0] + 0x200000, 5),
    word(thread => 1, context => 1, address => $at{value} + 0x200000,
        physical => 0x5000 + $at{value} % 4096, ip => $store + 0x200000, time => 50),
    end(instructions => 100));
($answer) = blamed_page(@qemu);
is_deeply(sources($answer), [$expected[0], "$folder/compiled.c:29         set(1);"],
    'a kernel that relocates itself has the same lines');

# --- Where there is no source --------------------------------------------------------------------

plugin_says(@writes);
utime(time, time + 100, "$folder/compiled.c") or die("compiled.c: $!\n");
($answer) = blamed_page(@qemu);
is($answer->{files}[0]{note}, 'changed after compiled.elf was built',
    'a source that is newer than the kernel is reported');
unlink("$folder/compiled.c");
($answer) = blamed_page(@qemu);
is($answer->{files}[0]{note}, "$folder/compiled.c: No such file or directory",
    '... as is one that is missing');
is(sources($answer)->[0], "$folder/compiled.c:24", '... whose line is known');

compile("$elsewhere/compiled.c", '-g');
plugin_says(@writes);
($answer) = blamed_page(@qemu);
like($answer->{note}, qr{^all \d source files of \Q$elf\E lie outside its folder and the current},
    'a source that lies elsewhere is not read');
is_deeply(sources($answer), [], '... and no line has one');
compile("$folder/compiled.c");
plugin_says(@writes);
($answer) = blamed_page(@qemu);
is($answer->{note}, "$elf has no line numbers (DWARF); compile it with -g, or --kernel ELF names "
    . 'the file that has them', 'a kernel without debug information: the page says so');
is(scalar(@{$answer->{lines}}), 9, '... and has the answer');

# --- From a file ---------------------------------------------------------------------------------

compile("$folder/compiled.c", '-g');
my $file = "$room/blame.data";
plugin_says(@writes[0 .. 4], $writes[6], lost(0), end(instructions => 100));
pitot('blame', '-o', $file, @qemu);
($answer) = blamed_page('-i', $file);
is_deeply(sources($answer), [@expected[0, 1]], 'a file\'s answer can be a page');
my $complaints;
for my $name ('blame.data', 'compiled.elf') {
    (undef, $complaints) =
        pitot('blame', '--html', '-i', $file, '-o', "$room/./$name", 'value');
    is($complaints, "pitot blame: -o $room/./$name: is the file that is read; give another\n",
        "... which does not replace $name");
}

# --- graph ---------------------------------------------------------------------------------------

my @costs = (begin(1), function(1, 0, $at{twice}), function(2, 1, $at{set}),
    handler(3, 2, $at{set}), function(4, 2, $at{twice}), cost(1, 3, 60), cost(2, 6, 30),
    cost(3, 1, 5), cost(4, 1, 7), count(0, 4), end(instructions => 200));
plugin_says(@costs);
my (undef, $graph) = pitot('graph', 'twice', @qemu);
plugin_says(@costs);
(undef, $complaints) = pitot('graph', 'twice', '--html', '-o', $page, @qemu);
is($complaints, "[ pitot graph: $page ]\n", 'pitot graph --html');
($answer, $profile) = in_page();
is_deeply([map { $_->[0] } @{$answer->{lines}}], [lines_of($graph)],
    'the page has the lines of the text');
is_deeply(sources($answer), [map { "$folder/compiled.c:$_" } '27 void twice(void)',
    '22 void set(long to)', '27 void twice(void)', '22 void set(long to)'],
    '... each function with its declaration');
is_deeply([map { [$_->[0], $_->[0] + $#$_ - 1] } @{$answer->{files}[0]{parts}}], [[10, 43]],
    '... and its text to the last line');

my @rows;
while (my ($event, $thread, $node, undef, $weight, $count) = splice(@{$profile->{rows}}, 0, 6)) {
    my @chain;
    for (; $node; $node = $profile->{nodes}[2 * $node]) {
        unshift(@chain, $profile->{names}[$profile->{nodes}[2 * $node + 1]]);
    }
    push(@rows, join(' ', $event, join(';', @chain), $weight, $count));
}
is_deeply([sort @rows], ['0 twice 60 3', '0 twice;set 30 6', '0 twice;set;twice 7 1', '1 set 5 1'],
    '... and a flame graph has its costs, interrupts apart');
is_deeply([@$profile{qw(counted events units)}], ['calls',
    ['instructions', 'instructions in interrupts meanwhile'], ['instructions', 'instructions']],
    '... and says what they are');

# --- No answer -----------------------------------------------------------------------------------

my $before = slurp($page);
plugin_says(begin(1), count(0, 0), end(instructions => 200));
pitot('graph', 'twice', '--html', '-o', $page, @qemu);
is(slurp($page), $before, 'without an answer an older page stays');
ok(!-e "$page.part", '... and no other file');

chdir('/');
done_testing();
