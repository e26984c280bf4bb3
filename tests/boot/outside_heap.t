#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: outside, docs/outside.md, tests/guests
#
# `pitot heap` on a kernel with one bug of each kind, and on the same one mended
# (tests/guests/heap.c); on four CPUs that allocate and free at the same time; and on Pitot's own
# kernel, whose pages are in order. QEMU before 9.2 is refused.
use strict;
use warnings;
use lib 'tests/lib';
use File::Path qw(make_path);
use Test::More;
use Pitot::Files;
use Pitot::FourCpus;
use Pitot::Guest;
use Pitot::Outside qw(tells_registers);
use Pitot::Patience;
use Pitot::Perf;

plan skip_all => "a plugin is QEMU's" if ($ENV{MACHINE} // 'qemu') ne 'qemu';

my $build = $ENV{BUILD} // 'build';
my $logs = "$build/logs/outside_heap";
make_path($logs);
my @machine = guest_machine();

# Its lines on stderr, and QEMU's status.
sub heap
{
    my ($words, @qemu) = @_;
    my ($status) = Pitot::Perf::run_between("$logs/out", "$logs/said", '/dev/null', 'timeout',
        $patience, "$build/outside/pitot", 'heap', '-o', "$logs/heap.data", @$words, '--', @qemu);
    return (slurp("$logs/said"), $status);
}

# --- One bug of each kind ------------------------------------------------------------------------

link_guest('heap', "$logs/wrong.elf");
link_guest('heap', "$logs/mended.elf", '-DMENDED');
my @small = ('qemu-system-x86_64', @machine, '-icount', 'shift=3,sleep=off', '-kernel');

if (!tells_registers()) {
    my ($said, $status) = heap([], @small, "$logs/wrong.elf");
    is($status, 1, 'a QEMU without registers for plugins is refused');
    like($said, qr/\Apitot heap: the heap: QEMU \S+ gives plugins no registers; 9\.2 and later do$/,
        '... and told so');
    done_testing();
    exit;
}

# The reports, without addresses and numbers of instructions, that do not matter.
sub reports_of
{
    my ($said) = @_;
    my @reports = $said =~ /^(== .*\n(?:[ ].*\n)+)/mg;
    s/ \([0-9a-f]+\)//g, s/, by CPU 0 after \d+ instructions//, s/, \d+ instructions? ago//g,
        s/ of [0-9a-f]{6},/,/g, s/\+0x[0-9a-f]+//g
        for @reports;
    return join('', @reports);
}

my ($said, $status) = heap(['--leaks', 1], @small, "$logs/wrong.elf");
is($status, $guest_ended, 'a kernel with a bug of each kind') or diag($said);
is(reports_of($said), <<'END', '... each is told, with who allocated and who freed');
== use after free: read of 4 bytes, 8 into an object of 40
   reads_freed < main < start
 freed by       release < reads_freed < main < start
 allocated by   reads_freed < main < start
== out of bounds: write of 1 byte, 1 byte beyond an object of 24
   writes_behind < main < start
 allocated by   writes_behind < main < start
== out of bounds: read of 8 bytes, 8 bytes before an object of 48
   reads_before < main < start
 allocated by   reads_before < main < start
== double free: kfree, an object of 32
   frees_twice < main < start
 freed by       frees_twice < main < start
 allocated by   frees_twice < main < start
== free of an object's middle: kfree, 16 into an object of 64
   frees_middle < main < start
 allocated by   frees_middle < main < start
== free of no object: kfree, which none of these allocators has returned
   frees_static < main < start
== free by another allocator: operator delete, an object of 10
   mixes < main < start
 allocated by   mixes < main < start
== use after free: read of 8 bytes, 32 into an object of 48
   calls_freed < main < start
 freed by       calls_freed < main < start
 allocated by   calls_freed < main < start
== out of bounds: write of 1 byte, 5 bytes beyond an object of 16
   shrinks < main < start
 allocated by   shrinks < main < start
END
like($said, qr/^== report 1, use after free, came 5 times$/m,
    '... the same one once, with a count');
my ($live) = $said =~ /^(pitot: live at the end: .*\n.*)$/m;
is($live =~ s/\+0x\w+//gr, "pitot: live at the end: 300 bytes in 3 objects, of 1 place\n"
    . '         300 bytes in 3 objects:  leaks < main < start', '... and what leaks');

($said, $status) = heap([], @small, "$logs/mended.elf");
is($status, $guest_ended, 'the same kernel, mended') or diag($said);
is(reports_of($said), '', '... has no report');
like($said, qr/^\[ pitot heap: 0 reports, 0 hits; 18 objects allocated, 18 freed, /m,
    '... though it allocates as often');
($said) = heap(['--until', 'frees_twice'], @small, "$logs/wrong.elf");
is(() = $said =~ /^== .*:/mg, 3, '--until: reports of the time before');
($said) = heap(['--max', 2], @small, "$logs/wrong.elf");
is(() = $said =~ /^== .*:/mg, 2, '--max: so many reports');
like($said, qr/^pitot: 7 samples left out: --max was reached$/m, '... the others are counted');

# --- Four CPUs -----------------------------------------------------------------------------------

# kmalloc gives each CPU the next 64 bytes; each turn uses its own and frees it. CPU 0 uses its last
# one once more.
my $turns = 20_000;
my $work = <<'END';
global kmalloc:function (kmalloc.end - kmalloc), kfree:function (kfree.end - kfree)
kmalloc:
        mov eax, 64
        lock xadd [next_free], rax
        ret
.end:
kfree:  mov qword [rdi], 0
        ret
.end:
work:   mov edi, 48
        call kmalloc
        mov [rax], rcx
        mov [rax + 40], rcx
        mov rdi, rax
        call kfree
        loop work
        test ebx, ebx
        jnz .done
        mov rcx, [rdi + 8]
.done:  ret
section .data
next_free: dq 0x1000000
section .text
END
my @four = four_cpus("$logs/four", $turns, $work);
for my $run (1 .. ($ENV{SOAK} ? 20 : 3)) {
    ($said, $status) = heap([], @four);
    my $objects = 4 * $turns;
    is(scalar(() = $said =~ /^== /mg), 1,
        "one report, run $run");
    like($said, qr/^== use after free: read of 8 bytes, 8 into an object of 48 \(\w+\), by CPU 0 /m,
        '... the use after free on four CPUs');
    like($said, qr/^\[ pitot heap: 1 report, 1 hit; $objects objects allocated, $objects freed, /m,
        '... and nothing else, of all objects');
}

# --- Pitot's own kernel --------------------------------------------------------------------------

for my $smp (1, 4) {
    ($said, $status) = heap(['--alloc', 'pages_alloc:4096<<1', '--free', 'pages_free', '--kernel',
            "$build/pitot.elf"], 'qemu-system-x86_64', '-accel', 'tcg,thread=multi', '-smp', $smp,
        @machine, '-nic', 'none', '-cdrom', "$build/pitot.iso", '-boot', 'order=d', '-smbios',
        "type=1,manufacturer=pitot,product=/boot/pitot.elf run='fs-stress 3; poweroff'");
    my ($reports, $allocated, $freed) =
        $said =~ /^\[ pitot heap: (\d+) reports, .*?; (\d+) objects allocated, (\d+) freed/m;
    is($reports, 0, "Pitot's own pages, $smp CPUs") or diag($said);
    cmp_ok($freed, '>', 100, '... which are freed');
    cmp_ok($allocated, '>', $freed, '... and kept');
}

done_testing();
