# SPDX-License-Identifier: BSD-2-Clause
#
# A kernel of four CPUs, each of which calls `work` with its number in ecx and edi, all at the same
# time; when the last one has returned, the machine ends. `work` is assembly, or in an object.
#
#     use Pitot::FourCpus;
#
#     my @qemu = four_cpus("$logs/cpus", 10_000_000, "work: nop\n loop work\n ret\n");
#     @qemu = four_cpus("$logs/one", 1_000, '', cpus => 1, objects => ["$logs/work.o"]);
package Pitot::FourCpus;

use strict;
use warnings;

use Exporter qw(import);
use Test::More ();

use Pitot::Files;

our @EXPORT = qw(four_cpus);

my $kernel = <<'END';
%include "tests/guests/long_mode.inc"
pvh_note
section .text progbits alloc exec nowrite align=16
bits 32
global start
%ifdef LINKED
extern work
%else
global work:function
%endif
start:  mov dword [directories], 0x83           ; 4 GiB, as they are
        mov dword [directories + 8], 0x40000083
        mov dword [directories + 16], 0x80000083
        mov dword [directories + 24], 0xc0000083
        mov dword [root], directories + 3
        mov esi, awake
        mov edi, 0x8000
        mov ecx, awake_end - awake
        rep movsb
        lgdt [gdt_place]
protected:
        long_mode_paging root
        jmp 8:long_mode
bits 64
long_mode:
        mov ebx, 1
        lock xadd [begun], ebx                  ; this CPU's number
        imul esp, ebx, APART
        add esp, stacks + 4096
        test ebx, ebx
        jnz .all
        mov edx, 0xfee00000                     ; the local APIC: INIT and start-up to all others
        mov dword [rdx + 0xf0], 0x1ff
        mov dword [rdx + 0x300], 0xc4500
        mov ecx, 200000
.later: loop .later
        mov dword [rdx + 0x300], 0xc4608
.all:   pause
        cmp dword [begun], CPUS
        jb .all
        mov ecx, TURNS
        mov edi, ecx
        call work
        lock inc dword [ended]
        test ebx, ebx
        jnz .halt
.others:
        pause
        cmp dword [ended], CPUS
        jb .others
        mov al, 0
        out 0xf4, al                            ; isa-debug-exit
.halt:  hlt
        jmp .halt
%include FUNCTIONS
bits 16
awake:  cli
        xor ax, ax
        mov ds, ax
        lgdt [0x8000 + gdt_place - awake]
        mov eax, 1
        mov cr0, eax
        jmp dword 16:protected
gdt_place:
        dw gdt_end - gdt - 1
        dd gdt
awake_end:
section .data progbits alloc noexec write align=16
gdt:    dq 0, 0x00af9a000000ffff, 0x00cf9a000000ffff
gdt_end:
section .bss nobits alloc noexec write align=4096
root:   resb 4096
directories:
        resb 4096
stacks: resb 4 * 4096
begun:  resb 4
ended:  resb 4
END

# QEMU's command. `apart`: the distance in bytes between the CPUs' stacks; 0: all use one. `cpus`:
# fewer CPUs; `objects`: files with `work`.
sub four_cpus
{
    my ($name, $turns, $functions, %of) = @_;
    my $apart = $of{apart} // 4096;
    my $cpus = $of{cpus} // 4;
    my @objects = @{$of{objects} // []};
    write_bytes("$name.inc", $functions);
    write_bytes("$name.asm", $kernel);
    Test::More::is(system('nasm', "-DTURNS=$turns", "-DAPART=$apart", "-DCPUS=$cpus",
            "-DFUNCTIONS='$name.inc'", @objects ? '-DLINKED' : (), '-g', '-F', 'dwarf', '-f',
            'elf64', "$name.asm", '-o', "$name.o"), 0, "a kernel of $cpus CPUs is assembled");
    Test::More::is(system('ld', '-Ttext=0x200000', '-e', 'start', '-z', 'noexecstack', "$name.o",
            @objects, '-o', "$name.elf"), 0, '... and linked');
    return ('qemu-system-x86_64', '-machine', 'pc', '-accel', 'tcg,thread=multi', '-cpu', 'max',
        '-smp', $cpus, '-m', '64M', '-kernel', "$name.elf", '-nodefaults', '-display', 'none',
        '-no-reboot', '-device', 'isa-debug-exit,iobase=0xf4,iosize=1');
}

1;
