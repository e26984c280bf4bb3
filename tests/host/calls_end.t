#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: tools/pad-calls, arch/x86_64, boot, programs
#
# No call is the last instruction of its function, in anything that is built: tools look up a
# return address as it stands, and would take the next function for the caller (docs/symbols.md).
# Both kernels, their suites, the programs and the second kernel, by gcc; the kernels and programs
# by clang, too, which QUICK=1 leaves out. What `make check` has built by clang is used again. Needs
# binutils and clang. Run from the root of the tree: prove tests/host/calls_end.t
use strict;
use warnings;
use Test::More;

my $build = $ENV{BUILD} // 'build';
my $fp = $ENV{FP_BUILD} // "$build/fp";
my @programs = map { "programs/$_" } qw(attack calls fs-load poll-load spin);
my $least = 10;    # functions of the smallest of them
my $on_purpose = 'shape_never_returning_caller';    # the unwinder must stand it, too

my @images = map { "$build/$_" } qw(pitot.elf pitot-test.elf port.elf), @programs;
push(@images, map { "$fp/$_" } qw(pitot.elf pitot-test.elf));

# What pads a function's end up to the next one's beginning is no instruction of its own.
sub is_padding
{
    my ($instruction) = @_;
    return $instruction =~ /^(?:(?:data16 |cs )*nop[wl]?\b|xchg +%ax,%ax)/;
}

# "caller: call callee" for each function that ends so, and how many functions were looked at.
sub calls_at_ends
{
    my ($image) = @_;
    my ($function, $last, @found) = ('', '');
    my $functions = 0;
    open(my $listing, '-|', qw(objdump -d --no-show-raw-insn), $image) or die("objdump: $!\n");
    my $judge = sub {
        push(@found, "$function: $last") if $last =~ /^(?:\w+ )*call\b/ && $function ne $on_purpose;
    };
    while (<$listing>) {
        if (/^[0-9a-f]+ <(.*)>:$/) {
            $judge->();
            ($function, $last) = ($1, '');
            $functions++;
        } elsif (/^ *[0-9a-f]+:\s+(\S.*)$/) {
            $last = $1 unless is_padding($1);
        }
    }
    $judge->();
    close($listing) or die("objdump $image: status $?\n");
    return ($functions, @found);
}

sub no_call_at_an_end_ok
{
    my ($image) = @_;
    my ($functions, @found) = calls_at_ends($image);
    cmp_ok($functions, '>', $least, "$image: $functions functions are looked at");
    is(join("\n", @found), '', '... and none ends with a call');
}

no_call_at_an_end_ok($_) for @images;

for my $unwinder ($ENV{QUICK} ? () : qw(orc fp)) {
    my $to = "$build/clang/$unwinder";
    my @built = map { "$to/$_" } qw(pitot.elf pitot-test.elf), @programs;
    local $ENV{MAKEFLAGS} = '';
    my $said = `make -s CC=clang UNWINDER=$unwinder BUILD=$to @built 2>&1`;
    is($?, 0, "clang builds the kernel, UNWINDER=$unwinder") or diag($said);
    no_call_at_an_end_ok($_) for @built;
}

done_testing();
