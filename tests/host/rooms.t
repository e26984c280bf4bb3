#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: tools/layers, docs/index.md
#
# docs/index.md lists what tools/layers enforces: the arrows between the folders, and the order of
# core's rooms. Run from the root of the tree:
#
#     prove tests/host/rooms.t
use strict;
use warnings;
use lib 'tests/lib';
use Test::More;
use Pitot::Files;

my $layers = slurp('tools/layers');
my ($picture) = slurp('docs/index.md') =~ /^## What may include what\n(.*?)^## /ms;

# The top folders that a rule's pattern names; $products stands for arch, $public for core.
my @houses = qw(boot kernel core drivers arch programs outside);
my (%held, %drawn);
for my $house (@houses) {
    my @patterns = $layers =~ /^ +\[ qr\{$house\/\S*?\}, +(qr\{.*?\}), +\$(?:kernel|any) \]/mg;
    ok(@patterns, "tools/layers has a rule for $house") or next;
    my $words = "@patterns" =~ s/\$products/arch/r =~ s/\$public/core/r;
    $held{$house} = [sort grep { $_ ne $house && $words =~ /\b$_\b/ } @houses];
}
$drawn{$1} = [sort split(/ /, $2)] while $picture =~ /^ {4}(\w+) +-> ([\w ]+)$/mg;
is_deeply(\%drawn, \%held, 'the arrows between the houses are those of tools/layers');

my ($rooms) = $layers =~ /^my \@core = qw\((.*?)\);/ms;
my @drawn = map { split } $picture =~ /^ {4}((?:\w+ ?)+)$/mg;
is_deeply(\@drawn, [split(' ', $rooms)], 'the rooms of core stand in the order of tools/layers');
is_deeply([sort grep { $_ ne 'host' } @drawn], [map { m{core/(\w+)/} } sort glob('core/*/')],
    '... and each is a folder');

done_testing();
