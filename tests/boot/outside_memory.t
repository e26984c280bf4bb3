#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: outside, docs/outside.md
#
# `pitot blame` on a guest that writes the same memory through several addresses, and different
# memory at the same address: in another address space, and after a new mapping. The guest also
# fills memory and is interrupted. Then a guest whose memory a device writes. Each answer follows
# from the source. Run from the root of the tree:
#
#     prove tests/boot/outside_memory.t
use strict;
use warnings;
use lib 'tests/lib';
use File::Path qw(make_path);
use Test::More;
use Pitot::Files;
use Pitot::Guest;
use Pitot::Outside;
use Pitot::Patience;
use Pitot::Perf;

plan skip_all => "a plugin is QEMU's" if ($ENV{MACHINE} // 'qemu') ne 'qemu';

my $build = $ENV{BUILD} // 'build';
my $logs = "$build/logs/outside_memory";
make_path($logs);

# --- The guest -----------------------------------------------------------------------------------

my ($window, $poisoned, $poisoned_end) = (0x4000_0000, 0x100_0000, 0x200_0000);

my $guest = sprintf(<<'END', $window, $poisoned, $poisoned_end);
window  equ 0x%x                                ; three pages, mapped here and there
poison_begin equ 0x%x
poison_end   equ 0x%x
%%include "tests/guests/long_mode.inc"
pvh_note
section .text progbits alloc exec nowrite align=16
bits 32
global start
start:  mov eax, 0x83
        xor ecx, ecx
.map:   mov [large + ecx * 8], eax              ; all memory, as it is
        add eax, 0x200000
        inc ecx
        cmp ecx, 32
        jb .map
        mov dword [upper_a], large + 3
        mov dword [upper_a + 8], middle_a + 3
        mov dword [upper_b], large + 3
        mov dword [upper_b + 8], middle_b + 3
        mov dword [root_a], upper_a + 3
        mov dword [root_b], upper_b + 3
        mov dword [middle_a], small_a + 3
        mov dword [middle_b], small_b + 3
        mov dword [small_a], shared + 3
        mov dword [small_b], theirs + 3
        mov dword [small_a + 8], first + 3
        mov dword [small_a + 16], third + 3
        long_mode_paging root_a
        lgdt [gdt_place]
        jmp 8:long_mode
bits 64
long_mode:
        xor eax, eax
        mov ss, eax
        mov esp, stack_end
        mov eax, handler
        mov [idt + 16 * 48], ax
        shr eax, 16
        mov [idt + 16 * 48 + 6], ax
        mov dword [idt + 16 * 48 + 2], 0x8e000008
        lidt [idt_place]
        call main
        mov al, 0
        out 0xf4, al                            ; isa-debug-exit
        hlt

global main, mark, own, other, alias, touch, before, after, earlier, later, poison, bytes, paint
global handler, ticking, leaf, tick
main:   call mark
        mov ebp, window
        call own
        mov eax, root_b
        mov cr3, rax
        call other
        mov eax, root_a
        mov cr3, rax
        mov ebx, shared
        call alias
        call touch
        call before
        mov dword [small_a + 8], second + 3
        invlpg [rbp + 4096]
        call after
        call earlier
        mov dword [small_a + 16], fourth + 3
        mov rax, cr4
        xor eax, 1 << 7                         ; CR4.PGE
        mov cr4, rax
        call later
        mov edi, poison_begin
        call poison
        mov edi, poison_begin
        call poison
        mov edi, filled
        call bytes
        sub rsp, 128
        call paint
        add rsp, 128
        int 48
        call ticking
        ret
mark:   mov qword [shared + 128], 1             ; so that these are known as they are
        mov qword [theirs + 128], 1
        mov qword [first + 128], 1
        mov qword [second + 128], 1
        mov qword [third + 128], 1
        mov qword [fourth + 128], 1
        mov qword [rsp - 8], 1
        ret
own:    mov qword [rbp], 2
        ret
other:  mov qword [rbp], 3
        ret
alias:  mov qword [rbx], 4
        ret
touch:  mov qword [rbp + 64], 5
        ret
before: mov qword [rbp + 4096], 6
        ret
after:  mov qword [rbp + 4096], 7
        ret
earlier:
        mov qword [rbp + 8192], 8
        ret
later:  mov qword [rbp + 8192], 9
        ret
poison: mov [rdi], rax
        add rdi, 8
        cmp rdi, poison_end
        jb poison
        ret
bytes:  mov byte [rdi], 0x5a
        inc rdi
        cmp rdi, filled + 64
        jb bytes
        ret
paint:  mov qword [stack_end - 16], 10
        mov qword [stack_end - 24], 10
        mov qword [stack_end - 32], 10
        mov qword [stack_end - 40], 10
        mov qword [stack_end - 48], 10
        mov qword [stack_end - 56], 10
        ret
handler:
        iretq
ticking:
        mov eax, tick
        mov [idt + 16 * 32], ax
        shr eax, 16
        mov [idt + 16 * 32 + 6], ax
        mov dword [idt + 16 * 32 + 2], 0x8e000008
        mov al, 0x11                            ; the PIC: vectors from 32, only the PIT's
        out 0x20, al
        mov al, 32
        out 0x21, al
        mov al, 4
        out 0x21, al
        mov al, 1
        out 0x21, al
        mov al, 0xfe
        out 0x21, al
        mov al, 0x34                            ; the PIT: a tick each 430 us
        out 0x43, al
        mov al, 0
        out 0x40, al
        mov al, 2
        out 0x40, al
        mov rbx, rsp
        mov esp, tick_stack_end
        sti
.wait:  mov eax, leaf
        call rax
        cmp dword [ticks], 200
        jb .wait
        cli
        mov rsp, rbx
        ret
leaf:   ret
tick:   push rax
        inc dword [ticks]
        mov al, 0x20
        out 0x20, al
        pop rax
        iretq

section .data progbits alloc noexec write align=4096
gdt:    dq 0, 0x00af9a000000ffff
gdt_place:
        dw $ - gdt - 1
        dq gdt
idt_place:
        dw 64 * 16 - 1
        dq idt
section .bss nobits alloc noexec write align=4096
root_a: resb 4096
root_b: resb 4096
upper_a: resb 4096
upper_b: resb 4096
middle_a: resb 4096
middle_b: resb 4096
small_a: resb 4096
small_b: resb 4096
large:  resb 4096
idt:    resb 4096
global shared, theirs, first, second, third, fourth, filled, frame, ticked
shared: resb 4096
theirs: resb 4096
first:  resb 4096
second: resb 4096
third:  resb 4096
fourth: resb 4096
filled: resb 4096
        resb 8192 - 56
frame:  resb 40
        resb 16
stack_end:
ticks:  resb 16
        resb 4096 - 56
ticked: resb 56
tick_stack_end:
END

write_bytes("$logs/guest.asm", $guest);
system('nasm', '-f', 'elf64', "$logs/guest.asm", '-o', "$logs/guest.o") == 0
    && system('ld', '--no-warn-rwx-segments', '-z', 'max-page-size=4096', '-Ttext=0x200000', '-e',
        'start', "$logs/guest.o", '-o', "$logs/guest.elf") == 0
    or die("no guest\n");
my %address = map { /^(\w+) . (\w+)$/ ? ($2 => hex($1)) : () } split(/\n/, `nm $logs/guest.elf`);

my @qemu = ('qemu-system-x86_64', '-m', '64M', '-kernel', "$logs/guest.elf", '-nodefaults',
    '-display', 'none', '-no-reboot', '-device', 'isa-debug-exit,iobase=0xf4', '-accel', 'tcg');

# The output of pitot.
sub pitot
{
    my ($wanted, @words) = @_;
    my $status = Pitot::Perf::run_between("$logs/out", "$logs/said", '/dev/null', 'timeout',
        $patience, "$build/outside/pitot", @words);
    is($status, $wanted, "pitot @words[0 .. 3]") or diag(slurp("$logs/said"));
    return slurp("$logs/out");
}

# The answers: each place with the function that last wrote it, and how.
sub answers
{
    my @answers;
    for (split(/\n/, $_[0])) {
        push(@answers, "$1:") if /^(\S+, .*):$/;
        $answers[-1] .= ' ' . $1 =~ s/value \w+, |\d+ times in a row, //gr
            if /^\s+\w+\s+\d+ \[000\]\s+[\d.]+: (.*?)\d+ instructions ago$/;
        $answers[-1] .= $1 if /^\s+[0-9a-f]{6} (\w+)\+/ && $answers[-1] !~ /[a-z]$/;
        $answers[-1] .= " $1" if /^    (not .*)/;
    }
    return \@answers;
}

# The heading of a place's answer.
sub heading
{
    my ($name, $address, $physical, $layer) = @_;
    my $where = $physical ? sprintf(', physical 0x%x', $physical) : '';
    return sprintf('%s, 8 bytes (0x%x%s%s):', $name, $address, $where,
        $layer ? ', of another address space or before' : '');
}

my @windows = map { sprintf('0x%x', $window + $_ * 4096) } 0 .. 2;
my @places = (@windows, qw(shared theirs first second third fourth));
my @expected = (
    heading($windows[0], $window, $address{shared})
        . sprintf(' through 0x%x, alias', $address{shared}),
    heading($windows[0], $window, $address{theirs}, 1) . ' other',
    heading($windows[1], $window + 4096, $address{second}) . ' after',
    heading($windows[1], $window + 4096, $address{first}, 1) . ' before',
    heading($windows[2], $window + 8192, $address{fourth}) . ' later',
    heading($windows[2], $window + 8192, $address{third}, 1) . ' earlier',
    heading('shared', $address{shared}) . ' alias',
    map { heading($$_[0], $address{$$_[0]}) . sprintf(' through 0x%x, %s', $$_[1], $$_[2]) }
        ['theirs', $window, 'other'], ['first', $window + 4096, 'before'],
        ['second', $window + 4096, 'after'], ['third', $window + 8192, 'earlier'],
        ['fourth', $window + 8192, 'later']);
my @asked = map { "$_/8" } @places;

is_deeply(answers(pitot(1, 'blame', '-n', 1, @asked, '--', @qemu)), \@expected,
    'places are in memory: the last write through any address, and each memory apart');
pitot(1, 'blame', '-m', '4M', '-o', "$logs/blame.data", '--', @qemu);
unlike(slurp("$logs/said"), qr/without room/, 'a loop fills 16 MiB, with 4 MiB for its writers');
is_deeply(answers(pitot(0, 'blame', '-i', "$logs/blame.data", @asked)), \@expected,
    '... which know where the places are, too');

# --- Loops ---------------------------------------------------------------------------------------

my $loops = pitot(0, 'blame', '-i', "$logs/blame.data", $poisoned . '/8', $poisoned + 8 . '/8',
    $poisoned_end - 8 . '/8', 'filled/64', 'filled+64/4');
my @ago = $loops =~ /(\d+) instructions ago/g;
my @by = $loops =~ /^\s+[0-9a-f]{6} (\w+)\+0x0$/mg;
is_deeply(\@by, ['poison', 'poison', 'poison', 'bytes'], 'loops filled them')
    or diag($loops);
is_deeply([$ago[0] - $ago[1], $ago[0] - $ago[2]],
    [4, ($poisoned_end - $poisoned - 8) / 8 * 4], '... one after the other, the second time');
like($loops, qr/^filled, 64 bytes.*^filled\+64, 4 bytes.*?not written since the kernel began/ms,
    '... a byte at a time, and no further');

# --- The CPU's own writes ------------------------------------------------------------------------

# Before QEMU 9.2 the CPU's stores of its frame are not reported, so the answer is the write before.
my $frame = pitot(0, 'blame', '-i', "$logs/blame.data", 'frame/40');
like($frame, tells_registers()
    ? qr/\Aframe, 40 bytes .*?: the CPU's frame of interrupt 48, [^:]* handler\+0x0\n[^:]* main\+/s
    : qr/\Aframe, bytes 0-7 .* paint\+/s, 'an interrupt writes its frame');
my $history = pitot(1, 'blame', '-n', 2, 'frame/8', '--', @qemu);
like($history, tells_registers() ? qr/: the CPU's .* paint\+/s : qr/ paint\+/,
    '... which is in the history of a place, too');

# An interrupt arrives in a function that only returns, and in its caller; the call writes none of
# these words.
my $ticked = pitot(1, 'blame', '-n', 1000, 'ticked/48', '--', @qemu);
my %writers = map { $_ => 1 } $ticked =~ /instructions ago\n\s+[0-9a-f]+ (\w+)\+/g;
is_deeply(\%writers, {tick => 1}, 'an interrupt after a return is not a write by that');

# --- Contents of memory at the end ---------------------------------------------------------------

# tests/guests/held.c: a device writes last.
link_guest('held', "$logs/held.elf");

# The answers, each with the contents of memory.
sub held
{
    my ($places, @cpus) = @_;
    my $said = pitot($guest_ended, 'blame', '-n', 1, @$places, '--', 'qemu-system-x86_64',
        guest_machine(), @cpus, '-kernel', "$logs/held.elf");
    return {map { /^(\w+, [^(]*) .*?(?:memory holds (\w+): .*)?$/s ? ($1 => $2) : () }
            split(/\n\n/, $said)};
}

my @held = qw(received prepared sent table);
my %device = ('received, 8 bytes' => '0x554d4551', 'prepared, 8 bytes' => '0x1234',
    'sent, 8 bytes' => undef, 'table, bytes 0-7' => undef, 'table, bytes 8-15' => '0x554d4551',
    'table, bytes 16-23' => '0x554d4551', 'table, bytes 24-31' => undef);
my $apart = qr/^pitot: the memory at the end was not compared with the last writes$/m;
if (tells_registers()) {
    is_deeply(held(\@held), \%device, 'what a device has written is told, by what memory holds');
    unlike(slurp("$logs/said"), $apart, '... compared');
}
is_deeply(held(\@held, '-icount', 'shift=3,sleep=off'), {map { $_ => undef } keys(%device)},
    'with all CPUs in one thread memory is not read');
like(slurp("$logs/said"), $apart, '... which is reported');

done_testing();
