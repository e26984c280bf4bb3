#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: tools/machine, kernel/panic/panic
#
# tools/machine reports how a machine ended: only a power-off is a success. Each guest is a few
# instructions, booted by GRUB. Run from the root of the tree:
#
#     prove tests/boot/ends.t
use strict;
use warnings;
use lib 'tests/lib';
use File::Path qw(make_path remove_tree);
use IO::Socket::UNIX;
use Test::More;
use Pitot;
use Pitot::Files;
use Pitot::Stub;
use Pitot::Versions;

my $build = $ENV{BUILD} // 'build';
my $made = "$build/ends";
my %qemu = (machine => 'qemu', firmware => 'bios', boot => 'grub', iso => "$made/ends.iso");
my ($powered_off, $triple_fault, $reset, $cut_short, $timed_out) = (0, 4, 6, 8, 124);

# --- The guests ----------------------------------------------------------------------------------

# In protected mode, as GRUB starts a kernel. An empty interrupt table is enough for a triple fault.
my $triple = "lidt [abs nothing]\nud2";
my %out8 = map { $_->[0] => "mov dx, $_->[1]\nmov al, $_->[2]\nout dx, al" }
    ['keyboard', '0x64', '0xfe'], ['chipset', '0xcf9', '6'];
my $off = join("\n", map { "mov dx, $_\nmov ax, 0x2000\nout dx, ax" } '0x604', '0xb004');

my $long_mode = <<'END';
    mov eax, root
    mov cr3, eax
    mov eax, cr4
    or al, 1 << 5               ; PAE
    mov cr4, eax
    mov ecx, 0xc0000080         ; EFER
    rdmsr
    or ah, 1                    ; LME
    wrmsr
    mov eax, cr0
    or eax, 1 << 31             ; PG
    mov cr0, eax
    jmp 8:in_long_mode
bits 64
in_long_mode:
END

# The machine's clock keeps its memory over a reset; this byte changes with each start.
my $if_first = <<'END';
    mov al, 0x7f
    out 0x70, al
    in al, 0x71
    xor al, 0x5a
    out 0x71, al
    cmp al, [marked]
    je first
END

my %guest = (
    off => $off,
    keyboard => $out8{keyboard},
    chipset => $out8{chipset},
    triple => $triple,
    long => "lgdt [gdt_place]\n$long_mode\n$triple",
    code => "mov al, 5\nout 0xf4, al",
    hangs => "mov al, '!'\nout 0xe9, al",
    again => "$if_first\n$off\njmp halt\nfirst:\nlgdt [gdt_place]\n$long_mode\n$triple",
    anew => "$if_first\n$off\njmp halt\nfirst:\n$out8{keyboard}",
);

sub source
{
    my ($body) = @_;
    return <<"END";
bits 32
section .multiboot2 progbits alloc noexec nowrite align=8
header: dd 0xe85250d6, 0, header_end - header, -(0xe85250d6 + (header_end - header))
        dw 0, 0
        dd 8
header_end:
section .text progbits alloc exec nowrite align=16
global start
start:
        cli
$body
halt:   hlt
        jmp halt
section .data progbits alloc noexec write align=4096
root:   dd directories + 3, 0
        times 511 dq 0
directories: dd pages + 3, 0
        times 511 dq 0
pages:  dq 0x83, 0x200083           ; where the guest lies, as it is
        times 510 dq 0
nothing: dq 0
gdt:    dq 0, 0x00af9a000000ffff
gdt_place: dw \$ - gdt - 1
        dd gdt
marked: db 0x5a
END
}

sub make_guest
{
    my ($name) = @_;
    write_bytes("$made/$name.asm", source($guest{$name}));
    system('nasm', '-f', 'elf32', "$made/$name.asm", '-o', "$made/$name.o") == 0
        && system('ld', '-m', 'elf_i386', '--no-warn-rwx-segments', '-Ttext=0x200000',
            '-e', 'start', "$made/$name.o", '-o', "$made/$name.elf") == 0
        or die("$name: no such guest\n");
    return "$made/$name.elf";
}

remove_tree($made);
make_path($made);
my @guests = map { make_guest($_) } sort(keys %guest);
system('tools/mkiso', "$made/ends.iso", @guests) == 0 or die("no image\n");

sub said { return slurp_if_there($_[0]->com2 =~ s/com2\z/machine/r) }

# --- QEMU ----------------------------------------------------------------------------------------

sub ends_ok
{
    my ($kernel, $status, $name, %options) = @_;
    my $machine = boot(%qemu, kernel => $kernel, com2 => 'none', debugcon => 'none', %options);
    is($machine->status, $status, $name) or diag($machine->tail);
    return $machine;
}

my $machine = ends_ok('off', $powered_off, 'a power-off is a success');
is(said($machine), '', '... and needs no words');
like(said(ends_ok('keyboard', $reset, 'a reset by the keyboard controller is none')),
    qr/the guest reset the machine/, '... and tools/machine says what happened');
ends_ok('chipset', $reset, '... nor one by the chipset');
like(said(ends_ok('triple', $triple_fault, 'a triple fault in protected mode is none')),
    qr/triple fault/, '... and tools/machine reports it');
ends_ok('long', $triple_fault, '... nor one in long mode');
ends_ok('long', $triple_fault, '... on another machine', qemu_machine => 'q35', smp => 4);
ends_ok('code', 2 * 5 + 1, 'a code is handed on');
ends_ok('hangs', $timed_out, 'no end is one, too', timeout => 1);

ends_ok('anew', $powered_off, 'with REBOOT=1 a reset is not the end', reboot => 1);
ends_ok('again', $triple_fault, '... but a triple fault stays one', reboot => 1);

# --- Ends from outside ---------------------------------------------------------------------------

$machine = Pitot::Machine->new(%qemu, kernel => 'hangs', gdb => "$made/gdb");
my $stub = Pitot::Stub->new("$made/gdb");
$stub->attach;
$stub->put('k');
is($machine->wait_end, differs("gdb's `kill` is a power-off to QEMU") ? $powered_off : $cut_short,
    "gdb's `kill` is no success, if QEMU reports that it was none");

$machine = Pitot::Machine->new(%qemu, kernel => 'hangs', extra => ['-pidfile', "$made/pid"]);
my $deadline = time + $patience;
select(undef, undef, undef, 0.02) until $machine->debugcon || time > $deadline;
kill('TERM', slurp("$made/pid"));
is($machine->wait_end, $cut_short, '... nor is SIGTERM');
like(said($machine), qr/did not switch the machine off: .*\(host-signal\)/,
    '... and tools/machine reports it');

# True if this process exists and is not a zombie.
sub runs { return slurp_if_there("/proc/$_[0]/cmdline") ne '' }

# Also without its hang detector, in which case the machine's process is tools/machine's.
for my $how ([], ['timeout' => 600]) {
    for my $signal (qw(TERM KILL)) {
        unlink("$made/pid");
        $machine = Pitot::Machine->new(%qemu, kernel => 'hangs', timeout => '', @$how,
            extra => ['-pidfile', "$made/pid"]);
        $deadline = time + $patience;
        select(undef, undef, undef, 0.02) until $machine->debugcon || time > $deadline;
        chomp(my $qemu = slurp("$made/pid"));
        kill($signal, $machine->{pid});
        $deadline = time + $patience;
        select(undef, undef, undef, 0.02) while runs($qemu) && time < $deadline;
        ok(!runs($qemu), "QEMU ends with tools/machine that gets SIG$signal @$how");
        kill('KILL', $qemu);
        $machine->stop;
    }
}

# --- A monitor that is late ----------------------------------------------------------------------

# A separate thread of QEMU reads its requests, and a host may delay it; here they are withheld.
mkdir("$made/late");
write_bytes("$made/late/qemu-system-x86_64", <<'END');
#!/bin/sh
for word; do
    case $word in pipe,id=qmp,path=*) qmp=${word#*path=} ;; esac
done
mv "$qmp.in" "$qmp.held"
mkfifo "$qmp.in"
late=${PATH%%:*}
echo "$qmp" >"$late/new"
mv "$late/new" "$late/qmp"
PATH=${PATH#*:} exec qemu-system-x86_64 "$@"
END
chmod(0755, "$made/late/qemu-system-x86_64");
{
    local $ENV{PATH} = "$made/late:$ENV{PATH}";
    $machine = Pitot::Machine->new(%qemu, kernel => 'off',
        extra => ['-monitor', "unix:$made/monitor,server=on,wait=off"]);
}
$deadline = time + $patience;
my ($monitor, $told);
until ($monitor && -e "$made/late/qmp") {
    die("no QEMU\n") if time > $deadline;
    select(undef, undef, undef, 0.02);
    $monitor //= IO::Socket::UNIX->new(Peer => "$made/monitor");
}
syswrite($monitor, "info status\n");
1 while ($told // '') !~ /^VM status: .*\n/m && sysread($monitor, $told, 4096, length($told // ''));
like($told, qr/^VM status: paused/m, 'no guest starts before QEMU can report how it ends');
chomp(my $qmp = slurp("$made/late/qmp"));
open(my $held, '+<', "$qmp.held") or die("$qmp.held: $!\n");
sysread($held, my $requests, 65536);
write_bytes("$qmp.in", $requests);
is($machine->wait_end, $powered_off, '... and that is reported');

# --- Bochs ---------------------------------------------------------------------------------------

my @bochs = (machine => 'bochs', smp => 1);
ends_ok('off', $powered_off, 'a power-off of Bochs is a success', @bochs);
ends_ok('keyboard', $reset, '... a reset is none', @bochs);
ends_ok('long', $triple_fault, '... nor is a triple fault', @bochs);

done_testing();
