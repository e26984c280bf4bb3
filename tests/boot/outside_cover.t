#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: outside
#
# `pitot cover` on a kernel that has no line for it, tests/port: each function has run as often as
# `pitot stat` counts calls of it in another run of the same boot, but for one with a breakpoint,
# and all sources are found, those in C and those in assembly. Then a kernel of four CPUs, whose
# counts are known. Run from the root of the tree:
#
#     prove tests/boot/outside_cover.t
use strict;
use warnings;
use lib 'tests/lib';
use File::Path qw(make_path);
use Test::More;
use Pitot::Files;
use Pitot::Outside;
use Pitot::Patience;
use Pitot::Perf;

plan skip_all => "a plugin is QEMU's" if ($ENV{MACHINE} // 'qemu') ne 'qemu';

my $build = $ENV{BUILD} // 'build';
my $logs = "$build/logs/outside_cover";
make_path($logs);

my @qemu = machine_of("file:$logs/console", '-kernel', "$build/port.elf");

# What pitot prints on stderr.
sub pitot
{
    my (@words) = @_;
    my $status = Pitot::Perf::run_between("$logs/said", "$logs/err", '/dev/null', 'timeout',
        $patience, "$build/outside/pitot", @words, '--', @qemu);
    is($status, $switched_off, "pitot $words[0]") or diag(slurp("$logs/err"));
    return slurp("$logs/err");
}

my $said = pitot('cover', '-o', "$logs/lcov.info");
like(slurp("$logs/console"), qr/^port: 40 writes, 40 hits, 80 records$/m,
    'the kernel runs as it does unwatched');
my $info = slurp("$logs/lcov.info");
my @files = $info =~ /^SF:(.*)$/mg;
is_deeply([grep { !m{^/} || !-f } @files], [], 'each source is a file that there is');
is(scalar(grep { m{/tests/port/(?:port\.c|entry\.asm)$} } @files), 2, '... in C and in assembly');
my ($lines) = $said =~ /^ +lines\.+: .*\((.*) lines\)$/m;
my ($of) = $said =~ /^ +functions\.+: .*\((.*) functions\)$/m;
my ($hit, $found, $ran, $functions) = (0) x 4;
($found, $hit) = ($found + 1, $hit + ($1 > 0)) while $info =~ /^DA:\d+,(\d+)$/mg;
($functions, $ran) = ($functions + 1, $ran + ($1 > 0)) while $info =~ /^FNDA:(\d+),/mg;
is("$hit of $found, $ran of $functions", "$lines, $of", 'the summary counts the same');

# The functions of the kernel's own file, and others as far as a command takes them.
my ($own) = $info =~ m{^SF:[^\n]*/tests/port/port\.c\n(.*?)^end_of_record}ms;
my %symbols;
$symbols{$_}++ for `nm $build/port.elf` =~ / [tT] (\w+)$/mg;
my (%covered, @names);
for ("$own$info" =~ /^FNDA:(\d+,\w+)$/mg) {
    my ($count, $name) = split(/,/);
    push(@names, $name) if ($symbols{$name} // 0) == 1 && @names < 96 && !defined $covered{$name};
    $covered{$name} //= $count;
}
my $counts = pitot('stat', map { ('-e', "call:$_") } @names);
my %counted = reverse($counts =~ /^ +(\d+) +call:(\w+)$/mg);
is($covered{port_middle}, 20, 'a function that is called 20 times');
is(scalar(@names), 96, 'many functions');
is($covered{port_leaf}, 2 * $counted{port_leaf}, 'one begins twice for a breakpoint in each call');
delete(@$_{'port_leaf'}) for \%covered, \%counted;
is_deeply({map { $_ => $covered{$_} } @names}, {map { $_ => $counted{$_} } @names},
    '... the others have run as often as they were called');

# --- Several CPUs --------------------------------------------------------------------------------

# Four CPUs run `work` at the same time, 10,000,000 times each.
my $guest = <<'END';
section .note.pvh note alloc noexec nowrite align=4
        dd 4, 4, 18
        db "Xen", 0
        dd start
section .text progbits alloc exec nowrite align=16
bits 32
global start
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
        mov eax, root
        mov cr3, eax
        mov eax, 1 << 5                         ; CR4.PAE
        mov cr4, eax
        mov ecx, 0xc0000080                     ; EFER.LME
        mov eax, 1 << 8
        xor edx, edx
        wrmsr
        mov eax, 1 << 31 | 1                    ; CR0: PG, PE
        mov cr0, eax
        jmp 8:long_mode
bits 64
long_mode:
        mov ebx, 1
        lock xadd [begun], ebx                  ; this CPU's number
        mov esp, ebx
        shl esp, 12
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
        cmp dword [begun], 4
        jb .all
        mov ecx, 10000000
        call work
        lock inc dword [ended]
        test ebx, ebx
        jnz .halt
.others:
        pause
        cmp dword [ended], 4
        jb .others
        mov al, 0
        out 0xf4, al                            ; isa-debug-exit
.halt:  hlt
        jmp .halt
work:   nop
        loop work
        ret
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
write_bytes("$logs/cpus.asm", $guest);
is(system('nasm', '-g', '-F', 'dwarf', '-f', 'elf64', "$logs/cpus.asm", '-o', "$logs/cpus.o"), 0,
    'a kernel of four CPUs is assembled');
is(system('ld', '-Ttext=0x200000', '-e', 'start', "$logs/cpus.o", '-o', "$logs/cpus.elf"), 0,
    '... and linked');
@qemu = ('qemu-system-x86_64', '-machine', 'pc', '-accel', 'tcg,thread=multi', '-cpu', 'max',
    '-smp', 4, '-m', '64M', '-kernel', "$logs/cpus.elf", '-nodefaults', '-display', 'none',
    '-no-reboot', '-device', 'isa-debug-exit,iobase=0xf4,iosize=1');
pitot('cover', '-o', "$logs/cpus.info");
my ($work) = grep { (split(/\n/, $guest))[$_ - 1] =~ /^work:/ } 1 .. $guest =~ tr/\n//;
my ($runs) = slurp("$logs/cpus.info") =~ /^DA:$work,(\d+)$/m;
is($runs, 40_000_000, 'what several CPUs run at the same time is counted for each');

done_testing();
