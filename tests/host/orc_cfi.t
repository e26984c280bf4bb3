#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: tools/orcgen, core/unwind/table, tests/host/orc_cfi
#
# The unwind tables in the kernels agree with the call frame information that they were made from,
# at every byte (build/host/orc_cfi). Needs readelf (binutils). Run from the root of the tree: prove
# tests/host/orc_cfi.t
use strict;
use warnings;
use File::Temp qw(tempdir);
use Test::More tests => 11;

my $build   = $ENV{BUILD} // 'build';
my $scratch = tempdir(CLEANUP => 1);

sub compare
{
    my ($kernel) = @_;
    my @lines = `$build/host/orc_cfi $kernel 2>&1`;
    return ($? >> 8, @lines);
}

for my $kernel (qw(pitot pitot-test)) {
    my ($status, @lines) = compare("$build/$kernel.elf");
    my ($compared, $kinds) = ($lines[-1] // '') =~ /^compared (\d+): (.*); padding/;
    is($status, 0, "$kernel: the table agrees with the information")
        or diag(@lines > 20 ? @lines[ 0 .. 19, -1 ] : @lines);
    cmp_ok($compared // 0, '>', 50000, "$kernel: at every byte: $lines[-1]");
    unlike($kinds // ' 0', qr/ 0\b/, "$kernel: rules of each kind were met");
}

# Checks the comparison itself: changes one byte of a copy's .eh_frame, so that the table differs.
# 41 0e 10 means "one byte on, CFA = rsp + 16": the row after the `push` of a function's first
# register.
sub changed_copy
{
    my ($from, $to) = @_;
    my ($start, $size) =
        map { /\s\.eh_frame\s+\w+\s+[0-9a-f]+ ([0-9a-f]+) ([0-9a-f]+)/ ? (hex $1, hex $2) : () }
        `readelf -SW $from`;
    open my $in, '<:raw', $from or die "$from: $!\n";
    my $bytes = do { local $/; <$in> };
    my $at = index(substr($bytes, $start, $size), "\x41\x0e\x10");
    die "no such row in $from\n" if $at < 0;
    substr($bytes, $start + $at + 2, 1) = "\x18";
    open my $out, '>:raw', $to or die "$to: $!\n";
    print $out $bytes;
    close $out or die "$to: $!\n";
}

changed_copy("$build/pitot.elf", "$scratch/changed.elf");
my ($status, @lines) = compare("$scratch/changed.elf");
is($status, 1, 'different information is noticed');
like($lines[0], qr/^mismatch 0xffffffff8\w+: .* the table says call/, 'with the place');
like($lines[-1], qr/mismatches [1-9]/, 'and counted');

# A table of another build counts as missing. Without an output file objcopy would rewrite the
# kernel, which other tests boot meanwhile.
my $written = (stat("$build/pitot.elf"))[9];
system("objcopy --dump-section .unwind_table=$scratch/table $build/pitot.elf $scratch/copy.elf");
is((stat("$build/pitot.elf"))[9], $written, 'the kernel is left alone');
system("objcopy --update-section .unwind_table=$scratch/table $build/pitot-test.elf "
        . "$scratch/mixed.elf");
($status, @lines) = compare("$scratch/mixed.elf");
like("@lines", qr/the unwind table is another build's/, "another build's table is not compared");
