#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: tools/show, tools/demo, docs/demo.perf, docs/picture.svg
#
# The demonstration recording is readable by the real perf, with the symbols beside it and nothing
# else of this tree; its picture shows what it holds; and `make flamegraph` and `make view` hand a
# recording to the programs that they name, or refuse. Run from the root of the tree:
#
#     prove tests/host/show.t
use strict;
use warnings;
use lib 'tests/lib';
use File::Path qw(make_path remove_tree);
use File::Spec;
use Test::More;
use Pitot::Files;

my $build = ($ENV{BUILD} // 'build') . '/show';

remove_tree($build);
make_path("$build/bin");

# What a shell's line says, on both outputs, and its status.
sub shell
{
    my ($line) = @_;
    my $said = `{ $line; } 2>&1`;
    return ($said, $? >> 8);
}

# --- The recording -------------------------------------------------------------------------------

cmp_ok(-s 'docs/demo.perf', '<', 100_000, 'docs/demo.perf is under 100 KB');
my ($text, $status) = shell("BUILD=$build tools/show text docs/demo.perf");
is($status, 0, '... and perf reads it');
my @samples = split(/\n\n/, $text);
is(scalar(@samples), 364, '... with all of its samples');
unlike($text, qr/\[unknown\]/, '... and a name for each function');
my $whole = qr/^\t\w+ (?:un)?lock_kernel .*\bboot_entry_high \(\S+\)\n?\z/ms;
is(scalar(grep { !/$whole/ } @samples), 0, '... from the hit to the outermost caller');

# --- Its picture ---------------------------------------------------------------------------------

my (%recorded, %drawn);
$recorded{$_}++ for $text =~ /^\t\w+ (\S+)/mg;
my $picture = slurp('docs/picture.svg');
$drawn{$1} += $2 while $picture =~ /<title>(\w+) \((\d+) samples?\)/g;
delete $drawn{fs};    # the thread's name, below all
is_deeply(\%drawn, \%recorded, 'docs/picture.svg has these samples; `make picture` draws it anew');
unlike($picture, qr/<script| on\w+=/, '... and nothing that a browser would run');

# --- The programs that others wrote --------------------------------------------------------------

# Only these are in PATH, and what a test puts beside them.
for my $name (qw(perf sh sed mkdir cat env)) {
    my ($path) = grep { -x } map { "$_/$name" } split(/:/, $ENV{PATH});
    symlink(File::Spec->rel2abs($path), "$build/bin/$name") or die("$name: $!");
}

sub show
{
    my ($what, $recording) = @_;
    $recording //= 'docs/demo.perf';
    return shell("BUILD=$build PATH=$build/bin tools/show $what $recording");
}

sub program
{
    my ($name, $text) = @_;
    open(my $file, '>', "$build/bin/$name") or die("$name: $!");
    print {$file} "#!/bin/sh\n$text\n";
    close($file);
    chmod(0755, "$build/bin/$name");
}

my $said;
($said, $status) = show('flamegraph');
is($status, 1, 'without a program that draws flame graphs none is drawn');
like($said, qr/npm install --prefix $build\/npm flamegraph$/m, '... and the package is named');
($said, $status) = show('view');
is($status, 1, 'without speedscope nothing is opened');
like($said, qr/npm install --prefix $build\/npm speedscope$/m, '... and the package is named');
($said, $status) = show('view', "$build/none");
is($status, 1, 'a recording that is not there is refused');
like($said, qr/: $build\/none: no recording is there; `make run` leaves one/, '... and said');
($said, $status) = show('paint');
like($said, qr/: paint: text, live, flamegraph and view are possible$/m, 'as is another word');

program('flamegraph', 'echo "$@"; cat "$4"; echo "a && b"');
($said, $status) = show('flamegraph');
is($status, 0, 'npm\'s flamegraph is started');
is($said, "-t perf -f $build/show.txt --minwidth 1\n$text" . "a &amp;&amp; b\n",
    '... with the samples, and what it writes becomes XML');
program('stackcollapse-perf.pl', 'echo folded; cat "$1"');
program('flamegraph.pl', 'echo drawn; cat "$1"');
($said, $status) = show('flamegraph');
is($said, "drawn\nfolded\n$text", 'Brendan Gregg\'s scripts come first, where they are installed');
program('speedscope', 'echo "opens $1"; cat "$1"');
($said, $status) = show('view');
is($said, "opens $build/show.txt\n$text", 'speedscope opens the samples');

done_testing();
