#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: Makefile, tests/tests.mk, tools/tools.mk
#
# An edit leaves no stale test: after a header has changed, exactly the objects of host programs
# whose sources include it are recompiled; after a source has changed, exactly the programs that
# contain it are relinked. The test asks make what it would run if the file were new, without
# running it. Run from the root of the tree:
#
#     prove tests/host/rebuild.t
use strict;
use warnings;
use lib 'tests/lib';
use Cwd qw(getcwd);
use File::Path qw(make_path);
use Test::More;
use Pitot::Difference;
use Pitot::Files;

my $build = $ENV{BUILD} // 'build';

# What make would compile and link if the files were new.
sub made_anew
{
    my (@files) = @_;
    local @ENV{qw(MAKEFLAGS MFLAGS MAKELEVEL)} = ('') x 3;
    my $new = join(' ', map { "-W $_" } @files);
    my $commands = `make -n --no-print-directory BUILD=$build $new hosted 2>&1`;
    is($?, 0, "make tells what @files touches") or diag($commands);
    my @compiled = $commands =~ / -c (\S+\.c) -o \S+\.o$/mg;
    my @linked = $commands =~ m{^\S+ .*-Wl,-t.* -o \Q$build\E/(\S+) >}mg;
    return ([sort @compiled], [sort @linked]);
}

my %includes;    # a source or header => the files it includes itself

sub includes
{
    my ($file) = @_;
    $includes{$file} //= [slurp($file) =~ /^#include "([^"]+)"/mg];
    return map { -e "tests/unit/$_" ? "tests/unit/$_" : $_ } @{$includes{$file}};
}

# True if the source includes the header, directly or through others.
sub reaches
{
    my ($source, $header) = @_;
    my (%seen, @todo) = ();
    push(@todo, $source);
    while (defined(my $file = shift @todo)) {
        return 1 if $file eq $header;
        push(@todo, grep { !$seen{$_}++ && -e } includes($file));
    }
    return 0;
}

# All sources that make compiles for the host, found by their objects.
my @objects = split(/\n/, `find $build/hosted -name '*.c.o'`);
my @sources = grep { -e } map { m{^\Q$build\E/hosted/(.*)\.o$} } @objects;
cmp_ok(scalar(@sources), '>', 150, 'there are sources that run on the host');

my @headers = qw(core/ring/ring.h core/lib/refusal.h tests/unit/fake_arch.h arch/regs.h);
for my $header (@headers) {
    my ($compiled) = made_anew($header);
    my @expected = sort grep { reaches($_, $header) } @sources;
    cmp_ok(scalar(@expected), '>', 2, "$header is included by some");
    same_ok($compiled, \@expected, "... and they, and no others, are compiled again");
}

# Global functions: nm could not match a static one to its source.
my %functions = ('core/ring/ring.c' => 'ring_output', 'core/lib/glob.c' => 'glob_match');
my @programs = map { s/\.c$//r } glob('tests/unit/*_test.c'),
    grep { !/fake_symbols/ } glob('tests/host/*.c');
s{^tests/}{} for @programs;
my %names = map { $_ => scalar `nm --defined-only $build/$_` } @programs;
for my $source (sort keys %functions) {
    my (undef, $linked) = made_anew($source);
    my @linked = sort map { s{^stepped/}{unit/}r } @{$linked};    # compiled a second time there
    my @expected = sort grep { $names{$_} =~ / T \Q$functions{$source}\E$/m } @programs;
    cmp_ok(scalar(@expected), '>', 1, "$source is in some programs");
    cmp_ok(scalar(@expected), '<', scalar(@programs), '... and not in all');
    same_ok(\@linked, \@expected, '... and they, and no others, are linked again');
}

# The linker gets the objects named in the program's head, and looks up the rest itself each time.
sub named_in
{
    my ($source) = @_;
    return sort($source, map { split(' ') } slurp($source) =~ /^ \* links: (.*)$/mg);
}

my $commands = `make -n --no-print-directory BUILD=$build -W tests/unit/command_test.c hosted 2>&1`;
my ($given) = $commands =~ m{^\S+ .*-Wl,-t,-t (.*?) \S+/hosted\.a .*/unit/command_test >}m;
is(join(' ', sort(map { m{/hosted/(.*)\.o$} } split(' ', $given // ''))),
    join(' ', named_in('tests/unit/command_test.c')),
    'a program that is linked again is given what its head names');

my ($compiled, $linked) = made_anew('README.md');
is("@$compiled @$linked", ' ', 'what no program is made from touches none');

my ($root, $spaced) = (getcwd(), "$build/logs/rebuild/a b");
make_path($spaced);
my $refused = `make -C '$spaced' -f $root/Makefile help 2>&1`;
isnt($?, 0, 'a path with a space is refused');
like($refused, qr/a b: make reads that as several names; use a path without spaces/,
    '... and what would be right is said');

done_testing();
