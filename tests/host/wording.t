#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: tools/wording
#
# tools/wording finds each turn of phrase that it says it looks for, in each kind of file, at its
# line, and nothing in plain words. The faults are planted in a folder made here: this file has
# them in strings, which are not looked at. Run from the root of the tree:
#
#     prove tests/host/wording.t
use strict;
use warnings;
use lib 'tests/lib';
use File::Temp qw(tempdir);
use Test::More;

my $folder = tempdir(CLEANUP => 1);

sub plant
{
    my ($name, $text) = @_;
    open(my $file, '>', "$folder/$name") or die("$name: $!\n");
    print $file $text;
    close($file) or die("$name: $!\n");
}

# What it says of a file, each find as "line: kind", and its status.
sub found
{
    my ($name, $text) = @_;
    plant($name, $text);
    my @found = map { /^\Q$folder\/$name\E:(\d+): (.*?): "/ ? "$1: $2" : $_ }
        split(/\n/, `tools/wording $folder/$name`);
    return join(', ', @found) . '; ' . ($? >> 8);
}

# Each kind, in a C comment that begins on the second line; then what it must leave alone.
my %faults = (
    'who' => ['Then who waits is woken.', 'Up to whoever let go of it.', 'For a thread who runs.'],
    'whose' => ['The CPU tells whose turn it is.', 'Whose bits are set.'],
    'behind' => ['Counted behind taking the lock.', "It is read behind\n * them."],
    'verbless' => ['Of a thread that sleeps nothing.', 'All is well. Of the rest nothing.'],
    'goes on' => ['The thread goes on.', "The thread may go\n * on."],
    '-eth' => ['The so manieth hit.', 'The n-eth.'],
    'as ever' => ['The hit is served as ever.'],
    'nobody' => ['Nobody reads it.', 'Until somebody asks.'],
);
for my $kind (sort(keys(%faults))) {
    for my $fault (@{$faults{$kind}}) {
        like(found('x.c', "int x;\n/* $fault */\n"), qr/^[23]: \Q$kind\E; 1$/, "$kind: $fault");
    }
}
my @kinds = map { /^(\S+(?: \S+)?) / ? $1 : $_ } split(/\n/, `tools/wording --list`);
is_deeply([sort(@kinds)], [sort(keys(%faults))], 'these are all kinds that it looks for');

my @plain = (
    'A person who reads it, and a thread whose stack is full.',
    'The byte behind the last byte, and those behind its end.',
    'A hit of the event. The CPU that waits is woken after the call.',
    'It calls `nobody`, which is a name of the code.',
);
is(found('x.c', "/* $_ */\n"), '; 0', "plain: $_") for @plain;
is(found('x.c', qq(char *x = "who goes on"; /* says "so" */\n)), '; 0', 'a string is no comment');

# Where comments are, in each language.
is(found('x.h', "/*\n * One.\n * Nobody.\n */\nint x; /* as ever */\n"),
    '3: nobody, 5: as ever; 1', 'C');
is(found('x.asm', "; One.\n; Of a CPU.\n    nop ; it goes on\n    db 'who' \n"),
    '2: verbless, 3: goes on; 1', 'NASM');
is(found('x.pl', "#!/usr/bin/perl\n# One,\n# as\n# ever.\nprint 'who'; # nobody\n"),
    '3: as ever, 5: nobody; 1', 'Perl: a sentence over two lines is one');
is(found('x.py', "x = 'who'\n# Nobody.\n"), '2: nobody; 1', 'Python');
is(found('x.mk', "x := who\n# Nobody.\n"), '2: nobody; 1', 'make');
is(found('x', "#!/bin/sh\nwho # nobody\n"), '2: nobody; 1', 'a script without an ending');
is(found('x.md', "# Who\n\n```\nwho\n```\nNobody runs `who`.\n"), '1: who, 6: nobody; 1', 'a page');
is(found('x.txt', "who\n"), '; 0', 'other text is not looked at');

mkdir("$folder/in") or die("in: $!\n");
plant('in/a.c', "/* Nobody. */\n");
plant('in/b.c', "/* It goes on. */\n");
my $said = `tools/wording --count $folder/in`;
is($? >> 8, 1, 'counts fail, too, when they are not zero');
like($said, qr{^\Q$folder\E/in +2 +0 +0 +0 +0 +1 +0 +0 +1 +2$}m,
    'a folder is counted with all in it');
for my $usage ('', '--count', "$folder/absent") {
    my $refusal = `tools/wording $usage 2>&1 >/dev/null`;
    is($? >> 8, 2, "wrong usage: tools/wording $usage");
    like($refusal, qr/^tools\/wording: (?:say which|there is no)/, '... which it says');
}
done_testing();
