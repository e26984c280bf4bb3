# SPDX-License-Identifier: BSD-2-Clause
#
# gdb's listing of a trap entry, for tests that count which of its instructions were executed.
#
#     use Pitot::Listing;
#     my @addresses = without_guarded(`gdb -batch -ex 'disassemble trap_entry' ...`) =~ /.../mg;
package Pitot::Listing;

use strict;
use warnings;

use Exporter qw(import);

our @EXPORT = qw(without_guarded);

# How an entry tests the frame's flags VM and TF (kernel/x86_64/entry/trap_entry.asm), for a program
# in virtual-8086 mode and a stepped context, and by the sign of its base whether GS is a program's.
my $asks = qr/:\ttestb +\$0x(?:2,0x9a|1,0x99)\(%rsp\)$/;
my $jumps = qr/:\tje +0x0*([0-9a-f]+) /;
my $jumps_by_sign = qr/:\tjs +0x0*([0-9a-f]+) /;

# The lines, without those between the jump of such a test and its target.
sub without_guarded
{
    my ($asked, $until, @kept);
    for my $line (split(/\n/, $_[0])) {
        my ($address) = $line =~ /^ +0x0*([0-9a-f]+) </;
        undef $until if defined $until && defined $address && $address eq $until;
        push(@kept, "$line\n") if !defined $until;
        ($until) = $line =~ ($asked ? $jumps : $jumps_by_sign) if !defined $until;
        $asked = $line =~ $asks;
    }
    return join('', @kept);
}

1;
