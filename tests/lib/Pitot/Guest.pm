# SPDX-License-Identifier: BSD-2-Clause
#
# The small kernels of tests/guests: one file each, whose head lists what is true of it. Those in
# C++ and Rust are objects for Pitot::FourCpus.
#
#     use Pitot::Guest;
#
#     link_guest('nested', "$logs/nested.elf");
#     link_guest('heap', "$logs/mended.elf", '-DMENDED');
#     my @qemu = ('qemu-system-x86_64', guest_machine(), '-kernel', "$logs/nested.elf");
#
#     my @objects = compile_guest('heap_rust.rs', "$logs/mended", qw(--cfg mended));
#     @qemu = four_cpus("$logs/cpus", 100, '', objects => [@objects]);
package Pitot::Guest;

use strict;
use warnings;

use Exporter qw(import);

use Pitot::Files;

our @EXPORT = qw(link_guest compile_guest guest_machine $guest_ended);

our $guest_ended = 1;    # isa-debug-exit's status for 0

my @code = qw(-g -O2 -ffreestanding -fno-pic -mno-red-zone -mgeneral-regs-only -fcf-protection=none
    -fno-stack-protector -fno-asynchronous-unwind-tables -fno-optimize-sibling-calls -I.);
my @flags = (@code, qw(-no-pie -nostdlib -static), '-Wl,--build-id',
    '-Wl,-T,tests/guests/linker.ld', '-Wl,--no-warn-rwx-segments', '-Wl,-z,noexecstack');

# As the Makefile compiles ports/rust. The parts of std that need a system are missing, and never
# run.
my $rustc = -x '/usr/bin/rustc' ? '/usr/bin/rustc' : 'rustc';
my @rust = (qw(--edition 2021 --crate-type staticlib --crate-name work -O -g -C panic=abort
    -C relocation-model=static -C no-redzone=yes -C force-frame-pointers=yes -A warnings),
    '-C', 'target-feature=-sse,-sse2,-sse3,-ssse3,-sse4.1,-sse4.2,-avx,-avx2');

sub link_guest
{
    my ($name, $elf, @options) = @_;
    my $source = "tests/guests/$name.c";
    my @objects;
    for my $part ('boot', slurp($source) =~ m{^#include "tests/guests/cpus\.h"$}m ? 'cpus' : ()) {
        system('nasm', '-f', 'elf64', '-o', "$elf.$part.o", "tests/guests/$part.asm") == 0
            or die("no $elf.$part.o\n");
        push(@objects, "$elf.$part.o");
    }
    system('gcc', @flags, @options, '-o', $elf, @objects, $source) == 0
        or die("no $elf\n");
}

# Returns the objects to link.
sub compile_guest
{
    my ($source, $name, @options) = @_;
    if ($source =~ /\.rs$/) {
        system($ENV{RUSTC} // $rustc, @rust, @options, '-o', "$name.a", "tests/guests/$source") == 0
            or die("no $name.a\n");
        return ('--gc-sections', '--unresolved-symbols=ignore-all', "$name.a");
    }
    system('g++', '-std=c++17', @code, qw(-fno-exceptions -fno-rtti -fno-threadsafe-statics -c -o),
        "$name.o", @options, "tests/guests/$source") == 0
        or die("no $name.o\n");
    return ("$name.o");
}

sub guest_machine
{
    return (qw(-machine pc -cpu max -m 256M -display none -monitor none -serial null -no-reboot),
        '-device', 'isa-debug-exit,iobase=0xf4,iosize=1');
}

1;
