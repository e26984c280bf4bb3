#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: outside, docs/outside.md
#
# `pitot` on a guest of one page whose every instruction is known: interrupts by `int`, an indirect
# call, retpolines, a function that ends in a jump, one that is left by a jump, recursion, and a
# triple fault. Each number follows from the source. Run from the root of the tree:
#
#     prove tests/boot/outside_shapes.t
use strict;
use warnings;
use lib 'tests/lib';
use File::Path qw(make_path);
use Test::More;
use Pitot::Files;
use Pitot::Patience;
use Pitot::Perf;

plan skip_all => "a plugin is QEMU's" if ($ENV{MACHINE} // 'qemu') ne 'qemu';

my $build = $ENV{BUILD} // 'build';
my $logs = "$build/logs/outside_shapes";
make_path($logs);

# --- The guest -----------------------------------------------------------------------------------

my $guest = <<'END';
%include "tests/guests/long_mode.inc"
pvh_note
section .text progbits alloc exec nowrite align=16
bits 32
global start
start:  mov dword [directories], pages + 3
        mov dword [pages], 0x83
        mov dword [pages + 8], 0x200083         ; where the guest lies, as it is
        mov dword [root], directories + 3
        long_mode_paging root
        lgdt [gdt_place]
        jmp 8:long_mode
boots   equ 0x90000                             ; nothing loads anything there
bits 64
long_mode:
        xor eax, eax
        mov ss, eax
        mov esp, stack_end
        mov eax, handler
        mov [idt + 16 * 48], ax
        shr eax, 16
        mov [idt + 16 * 48 + 6], ax
        mov dword [idt + 16 * 48 + 2], 0x8e000008 ; an interrupt gate, for this code segment
        mov eax, skip
        mov [idt + 16 * 14], ax                 ; page faults
        shr eax, 16
        mov [idt + 16 * 14 + 6], ax
        mov dword [idt + 16 * 14 + 2], 0x8e000008
        lidt [idt_place]
        inc dword [boots]
        cmp dword [boots], 3
        jb .go
        mov al, 0
        out 0xf4, al                            ; isa-debug-exit
        hlt                                     ; QEMU 10 ends a little later
.go:    call faults
        call main
        hlt

global faults, faulty, chooser, skip, atomics, counter, thunk, far_thunk, thunked, thunks
faults: mov ebx, 6
        mov edi, 1 << 30                        ; nothing is mapped there
        call chooser
.next:  call faulty
        dec ebx
        jnz .next
        mov ebx, 7
.update:
        call atomics
        dec ebx
        jnz .update
        mov eax, thunked
        call thunk
        mov eax, thunked
        call far_thunk
        ret
thunk:  call .out                               ; a retpoline
.spin:  pause
        jmp .spin
.out:   mov [rsp], rax
        ret
far_thunk:
        call .out
.spin:  pause
        jmp .spin
.out:   mov [rsp], rax
        jmp return_thunk
return_thunk:
        ret
thunked:
        inc dword [thunks]
        ret
chooser:
        mov eax, [rdi]
        mov ecx, .end
        jmp rcx
.end:   ret
atomics:
        lock inc dword [counter]
        xchg [counter], eax
        inc dword [counter]
        mov [counter], eax
        mov eax, [counter]
        ret
faulty: mov eax, [rdi]
        nop
        ret
skip:   add qword [rsp + 8], 2                  ; that instruction
        add rsp, 8
        iretq

global main, dispatch, even, odd, tail, leaf, jumper, deep, recurse, handler, served, finish
main:   mov ebx, 3
.ints:  int 48
        dec ebx
        jnz .ints
        mov ebx, 10
.calls: mov eax, even
        test bl, 1
        jz .go
        mov eax, odd
.go:    call dispatch
        dec ebx
        jnz .calls
        mov ebx, 5
.tails: call tail
        dec ebx
        jnz .tails
        mov ebx, 4
.jumps: call jumper
        dec ebx
        jnz .jumps
        mov ebx, 100
        call recurse
        call finish

dispatch:
        call rax
        ret
even:   nop
        nop
        ret
odd:    nop
        ret
tail:   jmp leaf
leaf:   nop
        ret
jumper: mov [saved], rsp
        call deep
        ud2
.back:  call leaf
        ret
deep:   mov rsp, [saved]
        jmp jumper.back
recurse:
        dec ebx
        jz .done
        call recurse
.done:  ret
handler:
        call served
        iretq
served: nop
        ret
finish: lidt [nothing]
        ud2

section .data progbits alloc noexec write align=4096
gdt:    dq 0, 0x00af9a000000ffff
gdt_place:
        dw $ - gdt - 1
        dq gdt
idt_place:
        dw 64 * 16 - 1
        dq idt
nothing: dq 0, 0
section .bss nobits alloc noexec write align=4096
root:   resb 4096
directories:
        resb 4096
pages:  resb 4096
idt:    resb 4096
        resb 8192
stack_end:
saved:  resb 8
counter:
        resb 4
thunks: resb 4
END

write_bytes("$logs/guest.asm", $guest);
system('nasm', '-f', 'elf64', "$logs/guest.asm", '-o', "$logs/guest.o") == 0
    && system('ld', '--no-warn-rwx-segments', '-z', 'max-page-size=4096', '-Ttext=0x200000', '-e',
        'start', "$logs/guest.o", '-o', "$logs/guest.elf") == 0
    or die("no guest\n");

our @qemu = ('qemu-system-x86_64', '-m', '64M', '-kernel', "$logs/guest.elf", '-nodefaults',
    '-display', 'none', '-no-reboot');
our $ends = 0;    # QEMU's status
our @cpus = ('-accel', 'tcg', '-icount', 'shift=0,sleep=off');

# The stderr of pitot for the guest.
sub pitot
{
    my (@words) = @_;
    my $status = Pitot::Perf::run_between("$logs/out", "$logs/said", '/dev/null', 'timeout',
        $patience, "$build/outside/pitot", @words, '--', @qemu, @cpus);
    is($status, $ends, "pitot @words") or diag(slurp("$logs/said"));
    return slurp("$logs/said");
}

# --- Counts --------------------------------------------------------------------------------------

my %counts = ('irq' => 10, 'call:faulty' => 6, 'return:faulty' => 6,
    'call:even' => 5, 'call:leaf' => 9, 'call:recurse' => 100,
    'return:even' => 5, 'return:odd' => 5, 'return:dispatch' => 10, 'return:tail' => 5,
    'return:leaf' => 4, 'return:jumper' => 4, 'return:deep' => 0, 'return:recurse' => 100,
    'call:thunked' => 2, 'return:thunk' => 1, 'return:far_thunk' => 1, 'return:thunked' => 0,
    'return:served' => 3, 'return:finish' => 0, 'return:main' => 0);

# The counts of these events.
sub counts
{
    my @names = sort(@_);
    my $said = pitot('stat', map { ('-e', $_) } @names);
    my %counted = reverse($said =~ /^ +(\d+) {6}(irq|instructions|\w+:[\w:]+)$/mg);
    return {map { $_ => $counted{$_} } @names};
}

is_deeply(counts(keys(%counts)), \%counts,
    'what ends in a jump returns by it, what is left by one does not');

# --- A machine that resets -----------------------------------------------------------------------

my @names = (keys(%counts), 'instructions');
my $once = counts(@names);
{
    local @qemu = (grep({ $_ ne '-no-reboot' } @qemu), '-device', 'isa-debug-exit,iobase=0xf4');
    local $ends = 1;
    my $twice = counts(@names);
    is_deeply([@$twice{keys(%counts)}], [map { 2 * $_ } values(%counts)],
        'after a reset all is counted again');
    my $more = $twice->{instructions} - 2 * $once->{instructions};
    ok($more > 0 && $more < 100, '... and no firmware') or diag("$more instructions more");
}

# --- Accesses that read and write ----------------------------------------------------------------

my %accesses = ('mem:counter:r' => 28, 'mem:counter:w' => 28, 'mem:counter:rw' => 35);
is_deeply(counts(keys(%accesses)), \%accesses, 'what reads and writes at once is a hit of both');
{
    local @cpus = ('-accel', 'tcg,thread=multi', '-smp', 2);
    is_deeply(counts(keys(%accesses)), \%accesses, '... where it is atomic, too');
}

# --- Faults --------------------------------------------------------------------------------------

# The chains of an event's samples, each with its count.
sub chains
{
    my ($event) = @_;
    my %chains;
    pitot('record', '-g', '-o', "$logs/perf.data", '-e', $event);
    Pitot::Perf::run_between("$logs/script", "$logs/err", '/dev/null', 'perf', '--no-pager',
        'script', '-i', "$logs/perf.data", '-F', 'event,ip,sym');
    for my $sample (split(/\n\n+/, slurp("$logs/script"))) {
        my @functions = $sample =~ /^\s+[0-9a-f]+ (\w+)/mg;
        $chains{"@functions"}++ if @functions;
    }
    return \%chains;
}

is_deeply(chains('irq'), {'skip chooser faults long_mode' => 1,
    'skip faulty faults long_mode' => 6, 'handler main long_mode' => 3},
    'a fault in a block that ends in a jump or return came upon the function that faulted');

# --- Stores by calls -----------------------------------------------------------------------------

my ($end) = `nm $logs/guest.elf` =~ /^(\w{16}) . stack_end$/m;
is_deeply(chains(sprintf('mem:0x%x/8:w', hex($end) - 16)),
    {'main long_mode' => 21, 'faults long_mode' => 16},
    'the return address that a call stores is the caller\'s');

is_deeply(chains('mem:thunks:w'), {'thunked faults long_mode' => 2},
    'a retpoline jumps: the call in it calls nothing');
unlike(slurp("$logs/said"), qr/returns/, '... and its return is one that was seen');

# --- Costs ---------------------------------------------------------------------------------------

my $numbers = join(' +', ('(\d+)') x 4);
my $said = pitot('graph', 'main', '--depth', 3);
my @graph = map { /^ *$numbers  \|  ( *)(\w+)\(\)/ ? "$5$6 $1 $2 $4" : () } split(/\n/, $said);
is_deeply(\@graph, [
    'main 1 601 108',
    '  recurse 1 399 4', '    recurse 1 395 4',
    '  dispatch 10 45 20', '    even 5 15 15', '    odd 5 10 10',
    '  jumper 4 32 16', '    leaf 4 8 8', '    deep 4 8 8',
    '  tail 5 15 15',
    '  finish 1 2 2',
    'handler 3 12 6', '  served 3 6 6',
], 'each instruction is counted, by the function that was called') or diag($said);

# --- The end -------------------------------------------------------------------------------------

$said = pitot('last', '-n', 2);
my @calls = $said =~ /^ +(\d+) \|  +(?:\[\d+\] )?(\w+)\(\)$/mg;
is_deeply(\@calls, [402, 'recurse', 2, 'finish'],
    'a triple fault: the last calls before it, recursion as one');
my @where = $said =~ /^ +[0-9a-f]+ (\w+)\+0x[0-9a-f]+$/mg;
is_deeply(\@where, [qw(finish main start)], '... and where it was');

done_testing();
