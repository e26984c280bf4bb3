# SPDX-License-Identifier: BSD-2-Clause
#
# A 64-bit ELF file with whatever headers a test wants, even those that no linker writes.
#
#     use Pitot::StrangeElf;
#
#     # Segments: flags, offset, address, bytes in the file, bytes in memory. Symbols: name,
#     # address, size, type (1: variable, 2: function).
#     my $bytes = strange_elf(segments => [[5, 0x1000, $text, 0x1000, 0x1000]],
#         symbols => [['kmain', $text, 16, 2]]);
package Pitot::StrangeElf;

use strict;
use warnings;
no warnings 'portable';

use Exporter qw(import);

our @EXPORT = qw(strange_elf);

my ($code_at, $code_size) = (0x1000, 0x1000);

sub section
{
    my ($name, $type, $flags, $address, $offset, $size, $link, $entry) = @_;
    return pack('L<2Q<4L<2Q<2', $name, $type, $flags, $address, $offset, $size, $link, 1, 1,
        $entry);
}

# The program headers follow the code, so there may be any number. `sections`: offset and size that
# the symbol table claims. `code`: the type of the code section; 8 (SHT_NOBITS) as in a file of
# debug information.
sub strange_elf
{
    my %of = (segments => [], symbols => [], code => 1, @_);
    my ($strings, $table) = ("\0", "\0" x 24);
    for my $symbol (@{$of{symbols}}) {
        my ($name, $address, $size, $type) = @$symbol;
        $table .= pack('L<CCS<Q<2', length($strings), 0x10 | $type, 0, $type == 2 ? 1 : 0xfff1,
            $address, $size);
        $strings .= "$name\0";
    }
    my $bytes = "\0" x $code_at . "\x90" x $code_size;
    my $programs_at = length($bytes);
    $bytes .= pack('L<2Q<6', 1, @{$_}[0, 1, 2, 2, 3, 4], 1) for @{$of{segments}};
    my ($table_at, $table_size) = (length($bytes), length($table));
    $bytes .= $table;
    my $strings_at = length($bytes);
    $bytes .= $strings;
    my $sections_at = length($bytes);
    $bytes .= "\0" x 64 . section(0, $of{code}, 6, 0xffffffff80100000, $code_at, $code_size, 0, 0)
        . section(0, 2, 0, 0, @{$of{sections} // [$table_at, $table_size]}, 3, 24)
        . section(0, 3, 0, 0, $strings_at, length($strings), 0, 0);
    substr($bytes, 0, 64) = pack('a4C4x8S<2L<Q<3L<S<6', "\x7fELF", 2, 1, 1, 0, 2, 62, 1, 0,
        $programs_at, $sections_at, 0, 64, 56, scalar(@{$of{segments}}), 64, 4, 3);
    return $bytes;
}

1;
