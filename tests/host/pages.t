#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: tools/rules, docs/glossary.md
#
# tools/rules finds broken links, anchors that match no title, and overlong lines in a page
# (examples, tables and pictures may be longer). It finds phrases that are forbidden in comments.
# Run from the root of the tree:
#
#     prove tests/host/pages.t
use strict;
use warnings;
use lib 'tests/lib';
use File::Path qw(make_path);
use File::Spec;
use Test::More;
use Pitot::Files;

my $build = $ENV{BUILD} // 'build';
my $rules = File::Spec->rel2abs('tools/rules');
my $tree = "$build/pages";
make_path("$tree/docs");

# The output of tools/rules for a tree whose only page has this text.
sub said
{
    my ($page, $text) = @_;
    open(my $file, '>', "$tree/$page") or die("$page: $!");
    print {$file} $text;
    close($file);
    return scalar `cd $tree && $rules $page 2>&1`;
}

my $long = 'a' x 101;
my $links = "# Where `it` is: here\n[index](index.md#where-it-is-here), [root](../docs/index.md), "
    . "[far](http://x.y/#z)\n";
is(said('docs/index.md', $links), '', 'links that lead somewhere are right');
is(said('docs/index.md', "# Here\n## Here\n[one](#here), [two](#here-1), [three](#here-2)\n"),
    "docs/index.md:3: links to #here-2, which is no title of docs/index.md\n",
    'an anchor that is no title is found');
is(said('docs/index.md', "# A\n[none](none.md#here)\n"),
    "docs/index.md:2: links to none.md, which is not there\n",
    'a link that leads nowhere is found');
is(said('README.md', "$long\n"), "README.md:1: is longer than 100 columns\n",
    'a long line is found');
is(said('README.md', "| $long |\n    \$ $long\n![$long](docs/index.md)\n"), '',
    '... unless it cannot be folded');

make_path("$tree/tools");
my $complaints = said('tools/tool', "#!/bin/sh\n# Nobody knows why.\necho nobody\n");
like($complaints, qr{^tools/tool:2: is not in plain words$}m, 'a comment lacks a subject');
unlike($complaints, qr{^tools/tool:3:}m, '... and code is none');

# --- Files that pages name ------------------------------------------------------------------------

# Whole paths, and names of files in the page's folder; words in capitals are placeholders.
my @files = map { chomp; s{^\./}{}r } `find . -path ./build -prune -o -type f -print`;
my %named;
for my $page (glob('*.md docs/*.md')) {
    $named{$_} = $page for slurp($page) =~ m{`([\w./-]+\.(?:c|h|t|pl|pm|py|asm|inc|mk|md))`}g;
}
my $tree_has = join("\n", map { "/$_" } @files, '');
my @lost = grep { !/\.\.\.|NAME/ && $tree_has !~ m{/\Q$_\E\n} } sort keys %named;
is(join(', ', map { "$named{$_}: $_" } @lost),
    '', 'each file that a page names is there');

# --- Names of the documents and of Linux ----------------------------------------------------------

my ($table) = slurp('docs/glossary.md') =~ /^\| name in the documents .*\n\|---.*\n((?:\|.*\n)+)/m;
my @rows = split(/\n/, $table // '');
cmp_ok(scalar(@rows), '>', 10, 'docs/glossary.md has their names here');
for my $row (@rows) {
    my ($there, $here) = $row =~ /^\| (.*) \| (.*) \|$/;
    my @missing = grep { !is_there($_) } map { s/^struct //r } $here =~ /`([^`]+)`/g;
    is("@missing", '', "what $there is called here is there");
}

# True if a file has that path, or the code contains that word.
sub is_there
{
    my ($name) = @_;
    return -e $name if $name =~ m{/};
    return system('grep', '-rqwF', '--include=*.[ch]', $name, 'core', 'arch') == 0;
}

done_testing();
