# SPDX-License-Identifier: BSD-2-Clause
#
# The small kernels of tests/guests: one file of C each, whose head states what is true of it.
#
#     use Pitot::Guest;
#
#     link_guest('nested', "$logs/nested.elf");
#     link_guest('heap', "$logs/mended.elf", '-DMENDED');
#     my @qemu = ('qemu-system-x86_64', guest_machine(), '-kernel', "$logs/nested.elf");
package Pitot::Guest;

use strict;
use warnings;

use Exporter qw(import);

our @EXPORT = qw(link_guest guest_machine $guest_ended);

our $guest_ended = 1;    # isa-debug-exit's status for 0

my @flags = (qw(-g -O2 -ffreestanding -fno-pic -no-pie -mno-red-zone -mgeneral-regs-only
    -fcf-protection=none -fno-stack-protector -fno-asynchronous-unwind-tables
    -fno-optimize-sibling-calls -nostdlib -static -I.), '-Wl,--build-id',
    '-Wl,-T,tests/guests/linker.ld', '-Wl,--no-warn-rwx-segments', '-Wl,-z,noexecstack');

sub link_guest
{
    my ($name, $elf, @options) = @_;
    system('nasm', '-f', 'elf64', '-o', "$elf.boot.o", 'tests/guests/boot.asm') == 0
        or die("no $elf.boot.o\n");
    system('gcc', @flags, @options, '-o', $elf, "$elf.boot.o", "tests/guests/$name.c") == 0
        or die("no $elf\n");
}

sub guest_machine
{
    return (qw(-machine pc -cpu max -m 256M -display none -monitor none -serial null -no-reboot),
        '-device', 'isa-debug-exit,iobase=0xf4,iosize=1');
}

1;
