#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: tools/rules
#
# tools/rules finds a link that leads nowhere, and a line that is too long in a page that a beginner
# reads first; examples, tables and pictures may be long. Run from the root of the tree:
#
#     prove tests/host/pages.t
use strict;
use warnings;
use File::Path qw(make_path);
use File::Spec;
use Test::More;

my $build = $ENV{BUILD} // 'build';
my $rules = File::Spec->rel2abs('tools/rules');
my $tree = "$build/pages";
make_path("$tree/docs");

# What tools/rules says of a page with this text, in a tree of its own.
sub said
{
    my ($page, $text) = @_;
    open(my $file, '>', "$tree/$page") or die("$page: $!");
    print {$file} $text;
    close($file);
    return scalar `cd $tree && $rules $page 2>&1`;
}

my $long = 'a' x 101;
my $links = "[index](index.md#here), [root](../docs/index.md), [far](http://x.y/)\n";
is(said('docs/index.md', $links), '', 'links that lead somewhere are right');
is(said('docs/index.md', "# A\n[none](none.md#here)\n"),
    "docs/index.md:2: links to none.md, which is not there\n",
    'a link that leads nowhere is found');
is(said('README.md', "$long\n"), "README.md:1: is longer than 100 columns\n",
    'a long line is found');
is(said('README.md', "| $long |\n    \$ $long\n![$long](docs/index.md)\n"), '',
    '... unless it cannot be folded');

done_testing();
