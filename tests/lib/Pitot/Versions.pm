# SPDX-License-Identifier: BSD-2-Clause
#
# The versions of emulator, perf, gdb and compiler, determined once in a test file; and what only
# some of them do, by docs/machines.md, "What differs by version". A claim that does not hold for
# all versions names the row's first cell, so no claim is dropped without a row.
#
#     use Pitot::Versions;
#
#     diag('perf ' . version_of('perf'));
#     is($status, differs('`perf trace -i FILE` ends by a segmentation fault') ? 139 : 0);
package Pitot::Versions;

use strict;
use warnings;

use Carp qw(croak);
use Exporter qw(import);

use Pitot::Files;

our @EXPORT = qw(version_of is_from differs);

my $page = 'docs/machines.md';
my %asks = (
    QEMU => 'qemu-system-x86_64 --version',
    perf => 'perf --version',
    gdb => 'gdb --version',
    gcc => ($ENV{CC} // 'gcc') . ' -dumpfullversion',
    Bochs => 'bochs --help 2>&1',
);
my (%versions, %rows);

# The first number with a point in the program's output, such as 10.0.13.
sub version_of
{
    my ($tool) = @_;
    my $command = $asks{$tool} // croak("no tool $tool; there are @{[sort keys %asks]}");
    return $versions{$tool} //= do {
        my ($version) = `$command` =~ /(\d+(?:\.\d+)+)/;
        $version // croak("`$command` prints no version");
    };
}

# True if the tool's version is this one or later.
sub is_from
{
    my ($tool, $version) = @_;
    my @is = split(/\./, version_of($tool));
    for my $wanted (split(/\./, $version)) {
        my $part = shift(@is) // 0;
        return $part > $wanted if $part != $wanted;
    }
    return 1;
}

# True if the row of docs/machines.md that begins with `what` applies to the tool's version, by its
# second cell: `perf from 6.12`.
sub differs
{
    my ($what) = @_;
    %rows = slurp($page) =~ /^\| (.*?) \| ((?:QEMU|perf|gdb|gcc|Bochs) from [\d.]+) \|/mg if !%rows;
    my ($tool, $version) = split(/ from /, $rows{$what} // croak("$page has no row: $what"));
    return is_from($tool, $version);
}

1;
