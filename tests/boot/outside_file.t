#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: outside
#
# The kernel's file against the kernel that runs (docs/outside.md, "The file is checked"):
# tests/port boots, and pitot gets files of the same objects: linked for other addresses, as for a
# kernel that relocates itself; of another build; and with a different instruction. The kernel
# itself patches one place, a tracepoint that it enables. Run from the root of the tree:
#
#     prove tests/boot/outside_file.t
use strict;
use warnings;
use lib 'tests/lib';
use File::Path qw(make_path);
use File::Spec;
use Test::More;
use Pitot::Files;
use Pitot::Outside;
use Pitot::Patience;
use Pitot::Perf;

plan skip_all => "a plugin is QEMU's" if ($ENV{MACHINE} // 'qemu') ne 'qemu';

my $build = $ENV{BUILD} // 'build';
my $logs = "$build/logs/outside_file";
my $out = File::Spec->rel2abs("$logs/perf.data");
make_path($logs);

# Links the same objects with an edited linker script.
sub link_anew
{
    my ($name, $from, $to) = @_;
    my $script = slurp('tests/port/linker.ld');
    $script =~ s/\Q$from\E/$to/ or die("$from is not in the linker script\n");
    write_bytes("$logs/$name.ld", $script);
    my $status = system('ld', '-nostdlib', '-static', '-z', 'max-page-size=4096', '-z',
        'noexecstack', '--no-warn-rwx-segments', '--build-id=0x' . '1' x 40, '-T',
        "$logs/$name.ld", glob("$build/obj/tests/port/*.o"), "$build/port.a", '-o',
        "$logs/$name.elf");
    is($status, 0, "$name.elf is linked");
    return "$logs/$name.elf";
}

sub address_of
{
    my ($name, $elf) = @_;
    my ($address) = `nm $elf` =~ /^(\w{16}) \w $name$/m;
    return unpack('Q>', pack('H16', $address));
}

my @boot = ('-kernel', "$build/port.elf");

# The messages of pitot, and its status.
sub pitot
{
    my ($command, $elf, @words) = @_;
    my $status = Pitot::Perf::run_between("$logs/console", "$logs/said", '/dev/null', 'timeout',
        $patience, "$build/outside/pitot", $command, '--kernel', $elf, @words, '--',
        machine_of('stdio', @boot));
    return (slurp("$logs/said"), $status);
}

my @watches = qw(-e mem:port_writes:w -e call:port_middle);
my $way = 'port_middle port_load port_main port_enter';
my %chains = ("port_enter mem:port_writes:w: port_leaf $way" => 40,
    "port_enter call:port_middle: $way" => 20);
my $where = address_of('port_writes', "$build/port.elf");
my $base = 'KERNEL_BASE = 0xffffffff80000000';

# --- A kernel that runs at other addresses than its file's ----------------------------------------

for my $case (['near', '0xffffffff80010000', '-0x10000'],
    ['higher', '0xffffffff80400000', '-0x400000'], ['far', '0xffffffffa0000000',
    '-0x20000000']) {
    my ($name, $address, $slide) = @$case;
    my $elf = link_anew($name, $base, "KERNEL_BASE = $address");
    cmp_ok(address_of('port_writes', $elf), '!=', $where, '... for other addresses');
    my ($said, $status) = pitot('record', $elf, '-g', '-o', $out, @watches, '-e',
        sprintf('mem:0x%x:w', $where));
    is($status, $switched_off, "$name: the slide is found") or diag($said);
    like($said, qr/^pitot: the kernel was relocated by $slide from $name.elf$/m, '... and shown');
    like($said, qr/^pitot: 1 place differs from $name.elf: patched, or overwritten$/m,
        '... its relocated fields are not patched code');
    is_deeply(chains_of($out, $logs),
        {%chains, sprintf('port_enter mem:0x%x:w: port_leaf %s', $where, $way) => 40},
        '... so symbols are at their run-time addresses, and numbers as typed');
    ($said) = pitot('stat', $elf, @watches, '--start', 'port_middle', '--until', 'port_leaf');
    like($said, qr/^ +0 +mem:port_writes:w\n +20 +call:port_middle$/m,
        '... so do --start and --until');
    pitot('blame', $elf, '-n', 1, 'port_writes', sprintf('0x%x', $where));
    my @blamed = split(/\n\n/, slurp("$logs/console") =~ s/^port: .*\n//mgr);
    my @functions = map { my @lines = /^\s+[0-9a-f]{16} (\w+)\+/mg; "@lines" } @blamed;
    is_deeply(\@functions, [("port_leaf $way") x 2], '... and blame');
    pitot('graph', $elf, 'port_middle');
    like(slurp("$logs/said"), qr/^ +20 +\d.*\bport_middle\(\) \{$/m, '... and graph');
    pitot('blame', $elf, '-o', "$logs/blame.data");
    my $of_file = `$build/outside/pitot blame -i $logs/blame.data --kernel $elf port_writes`;
    is(join(' ', $of_file =~ /^\s+[0-9a-f]{16} (\w+)\+/mg), "port_leaf $way",
        '... and blame of a file');
    pitot('cover', $elf, '-o', "$logs/lcov.info");
    like(slurp("$logs/lcov.info"), qr/^FNDA:20,port_middle$/m, '... and cover');
}

# --- A kernel that moves itself as it begins -----------------------------------------------------

# A guest with position-independent text. Before its fourth block it writes `early` and calls `leaf`
# 2,000 times at the address to which it moves. HIGH also maps it in the upper half; COPY copies its
# text; PAGE runs a page of it elsewhere, as a kernel starts its other CPUs, and stays there; TWICE
# is the file of HIGH before a loader moves it.
my $guest = <<'END';
%include "tests/guests/long_mode.inc"
pvh_note
section .text progbits alloc exec nowrite align=4096
bits 32
global start, long_mode, moved, run, leaf, early, counter, page
start:  mov ecx, 32                             ; 64 MiB
.map:   lea eax, [ecx - 1]
        shl eax, 21
        or eax, 0x83
        mov [pages + ecx * 8 - 8], eax
        loop .map
        mov dword [directories], pages + 3
        mov dword [directories + 510 * 8], pages + 3
        mov dword [root], directories + 3
        mov dword [root + 511 * 8], directories + 3
        long_mode_paging root
        lgdt [gdt_place]
        jmp 8:long_mode
bits 64
long_mode:
        xor eax, eax
        mov ss, eax
        mov r12, BY
        lea rsp, [rel stack_end]
        lea rsi, [rel start]
        lea rdi, [rsi + r12]
        lea rcx, [rel text_end]
        sub rcx, rsi
%ifdef COPY
        rep movsb
%endif
%ifdef PAGE
        lea rsi, [rel page]
        mov edi, 0x8000
        mov ecx, 4096
        rep movsb
        mov eax, 0x8000
        call rax
%endif
        lea rax, [rel moved]
        add rax, r12
        jmp rax
moved:  lea rsp, [rel stack_end]
        mov dword [rel early], 1
        call run
        mov al, 0
        out 0xf4, al                            ; isa-debug-exit
        hlt
run:    mov ebx, 2000
.again: call leaf
        dec ebx
        jnz .again
        ret
leaf:   inc dword [rel counter]
        ret
align 4096, db 0
page:
%rep 6
        mov rax, 0x123456789abcdef0
        mov rdx, 0x0fedcba987654321
        jmp $ + 2
%endrep
        ret
align 4096, db 0
text_end:
section .data progbits alloc noexec write align=4096
gdt:    dq 0, 0x00af9a000000ffff
gdt_place:
        dw $ - gdt - 1
        dq gdt
section .bss nobits alloc noexec write align=4096
root:   resb 4096
directories:
        resb 4096
pages:  resb 4096
        resb 4096
stack_end:
early:  resb 4
counter:
        resb 4
END
write_bytes("$logs/guest.asm", $guest);
for my $case (['HIGH', '0xffffffff80000000', '-0x80000000'], ['COPY', '0x1000000'], ['PAGE', 0],
    ['TWICE', '0xffffffff80000000', '-0x7ff00000']) {
    my ($how, $by, $told) = @$case;
    my $elf = "$logs/$how.elf";
    my $linked = $how eq 'TWICE' ? '0x100000' : '0x200000';
    is(system('nasm', '-g', '-F', 'dwarf', '-f', 'elf64', "-D$how", "-DBY=$by",
        "$logs/guest.asm", '-o', "$logs/guest.o"), 0, "$how is assembled");
    is(system('ld', '-z', 'max-page-size=4096', "-Ttext=$linked", '-e', 'start',
        "$logs/guest.o", '-o', $elf), 0, '... and linked');
    @boot = ('-kernel', $how eq 'TWICE' ? "$logs/HIGH.elf" : $elf);
    my @events = map { ('-e', $_) } qw(call:leaf mem:early:w mem:counter:w);
    my ($said, $status) = pitot('stat', $elf, @events);
    is($status, $switched_off, "$how: it runs to its end");
    like($said, qr/^ +2000 +call:leaf\n +1 +mem:early:w\n +2000 +mem:counter:w$/m,
        '... nothing is lost before its fourth block') or diag($said);
    my @slides = $said =~ /^pitot: the kernel was relocated by (\S+) from $how.elf$/mg;
    is("@slides", $by ? $told // $by : '', '... and its slide is reported');
    pitot('record', $elf, '-g', '-o', $out, '-e', 'call:leaf');
    my ($chain, @more) = sort(values(%{chains_of($out, $logs)}));
    is("$chain @more", '2000 ', '... there is one chain') or diag(explain(chains_of($out, $logs)));
    pitot('blame', $elf, 'early');
    like(slurp("$logs/console"), qr/^\s+[0-9a-f]+ moved\+/m, '... blame knows who wrote first');
    pitot('graph', $elf, 'run');
    like(slurp("$logs/said"), qr/^ +2000 +4000 .*\bleaf\(\);$/m, '... so does graph')
        or diag(slurp("$logs/said"));
    pitot('cover', $elf, '-o', "$logs/lcov.info");
    my %line = slurp("$logs/lcov.info") =~ /^DA:(\d+),(\d+)$/mg;
    my @lines = split(/\n/, $guest);
    my @of = map { my $what = $_; $line{1 + (grep { $lines[$_] =~ $what } 0 .. $#lines)[0]} }
        (qr/^start:/, qr/^long_mode:/, qr/^moved:/, qr/^leaf:/);
    is("@of[0, 2, 3]", '1 1 2000', '... and cover, before and after');
}

# --- A file of another kernel --------------------------------------------------------------------

@boot = ('-kernel', "$build/port.elf");
my $unknown = 'pitot: the code at 0xffffffff[89]\w{7} is not in HIGH.elf, nor is any that has '
    . 'run in the upper half since the last reset; --kernel ELF names another';
for my $command (['stat'], ['record', '-o', $out], ['graph', 'run'], ['last'], ['blame', 'early'],
    ['cover', '-o', "$logs/lcov.info"]) {
    my ($said) = pitot($command->[0], "$logs/HIGH.elf", @$command[1 .. $#$command]);
    like($said, qr/\A$unknown\n(?!.*$unknown)/s,
        "$command->[0] tells at once that none of the file's code runs");
    like($said, qr/^pitot: no code of the kernel's file ran; --kernel ELF names another$/m,
        '... and at the end');
}

# --- A file of another build ---------------------------------------------------------------------

my $other = link_anew('other', '_text = .;', '_text = .; . += 4624;');
my $another = 'is another build than the kernel that runs: (\d+) of (\d+) blocks of its code '
    . 'differ; --kernel ELF names the right one';
for my $command (['record', '-o', $out], ['stat']) {
    my ($said, $status) = pitot(@$command[0], $other, @$command[1 .. $#$command]);
    my ($different, $blocks) = $said =~ m{^pitot $command->[0]: \S+/other.elf $another$}m
        or diag($said);
    is($status, 1, "$command->[0] refuses another build");
    cmp_ok($different // 0, '>', ($blocks // 0) / 2, '... by what ran');
    is($blocks, 64, '... as soon as it is seen');
}

# --- An instruction that is not the file's -------------------------------------------------------

my $patched = link_anew('patched', 'port', 'port');
my ($offset) = `objdump -h $patched` =~ /^ +\d+ \.text +\w+ +\w{16} +\w{16} +(\w{8}) /m;
my ($text) = `objdump -h $patched` =~ /^ +\d+ \.text +\w+ +(\w{16}) /m;
my $leaf = hex($offset) + address_of('port_leaf', $patched) - unpack('Q>', pack('H16', $text));
my $bytes = slurp($patched);
substr($bytes, $leaf, 1) = "\xcc";
write_bytes($patched, $bytes);
my ($said, $status) = pitot('stat', $patched, @watches);
is($status, $switched_off, 'a place that differs') or diag($said);
like($said, qr/^pitot: 2 places differ from patched.elf: patched, or overwritten$/m,
    '... is counted');
like($said, qr/^ +$$_[0] +\Q$$_[1]\E$/m, '... and nothing else is new')
    for [40, 'mem:port_writes:w'], [20, 'call:port_middle'];

# --- A boot loader where the kernel will lie -----------------------------------------------------

# GRUB unpacks itself at 1 MiB, the address ports/c is linked for.
my $low = "$build/ports/c-low-tables.elf";
make_path("$logs/image/boot/grub");
write_bytes("$logs/image/boot/kernel.elf", slurp($low));
write_bytes("$logs/image/boot/grub/grub.cfg", "multiboot /boot/kernel.elf\nboot\n");
$status = Pitot::Perf::run_between("$logs/grub.out", "$logs/grub.err", '/dev/null',
    'grub-mkrescue', '-d', '/usr/lib/grub/i386-pc', '--install-modules=multiboot iso9660 normal',
    '-o', "$logs/low.iso", "$logs/image");
is($status, 0, 'an image with GRUB') or diag(slurp("$logs/grub.err"));
my %counts;
for my $how (['-kernel', $low], ['-cdrom', "$logs/low.iso"]) {
    @boot = @$how;
    ($said, $status) = pitot('stat', $low, '-e', 'call:*');
    my %of = reverse($said =~ /^ +(\d+) +(call:\*|instructions)$/mg);
    push(@{$counts{$_}}, $of{$_}) for keys %of;
}
cmp_ok($counts{'call:*'}[0], '>', 10, 'a kernel in the low half') or diag($said);
is($counts{'call:*'}[1], $counts{'call:*'}[0], '... is seen alike');
cmp_ok(abs($counts{instructions}[1] - $counts{instructions}[0]), '<', 10_000,
    '... without the boot loader that ran in its place before');

done_testing();
