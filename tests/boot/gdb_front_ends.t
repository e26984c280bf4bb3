#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: core/gdb, kernel/console/console, arch/x86_64/debug/stop
#
# What front ends such as pwndbg add to gdb at each stop, on the kernel's own stub (docs/gdb.md):
# packets and `monitor` commands of other stubs, reads of each page from the stack pointer up, and
# of the memory at each register. All are answered, and nothing else changes. Run from the root of
# the tree:
#
#     prove tests/boot/gdb_front_ends.t
#
# The output of gdb stays in build/logs/gdb_front_ends/1.gdb.
use strict;
use warnings;
use lib 'tests/lib';
use Test::More;
use Pitot;
use Pitot::BadLine;
use Pitot::Gdb;
use Pitot::GdbInside;

plan skip_all => "COM3 is QEMU's" if ($ENV{MACHINE} // 'qemu') ne 'qemu';

# `look` prints one line of the stop.
my $front_end = <<'GDB';
python
NAMES = "rax rbx rcx rdx rsi rdi rbp rsp r8 r9 r10 r11 r12 r13 r14 r15 rip".split()
PACKETS = ("Qqemu.sstepbits", "qOffsets", "vFile:setfs:0", "vFile:open:2f,0,0",
    "qXfer:auxv:read::0,1000")
NOWHERE = (0, 0x10, 1 << 47, (1 << 63) + 8, 0xffff7fffffffffff, 0xffffc20000000000)
PAGES = 1 << 16

def number(what):
    return int(gdb.parse_and_eval("(unsigned long)" + what))

def is_there(address, length):
    try:
        gdb.selected_inferior().read_memory(address, length)
        return True
    except gdb.MemoryError:
        return False

def reply(packet):
    return gdb.execute("maint packet " + packet, to_string=True).split('"')[-2]

def end_of_stack():
    pages = 0
    address = number("$sp")
    while pages < PAGES and is_there(address, 1):
        address = (address | 4095) + 1
        pages += 1
    return 0 < pages < PAGES

def look():
    ticks = number("ticks")
    stopped = gdb.selected_thread()
    base = number("$fs_base")
    replies = " ".join("<%s>" % reply(packet) for packet in PACKETS)
    ends = []
    for thread in gdb.selected_inferior().threads():
        thread.switch()
        ends.append(end_of_stack())
        for name in NAMES:
            for length in (8, 1):
                is_there(number("$" + name), length)
    stopped.switch()
    nowhere = [is_there(address, length) for address in NOWHERE for length in (8, 1)]
    missing = gdb.execute("monitor gpa2hva 0x1000", to_string=True).strip()
    print("look: %s; fs_base %d; stacks %s; nowhere %s; %s; ticks +%d" % (replies, base, all(ends),
        any(nowhere), missing, number("ticks") - ticks))
end
GDB

my $looks = 'look: <ENABLE=1,NOIRQ=2,NOTIMER=4> <> <> <> <>; fs_base 0; stacks True; '
    . 'nowhere False; gpa2hva: no such command; `help` lists them; ticks +0';

# ^C is sent after `monitor gdb`.
my $door = gdb_at_com3();
my $ready = $door->{ready};
$door->{ready} = sub {
    my ($base) = @_;
    $ready->(@_);
    bad_line("$base.com3", "$base.line", break => qr/^qRcmd,676462$/);
};
$door->{attach} = sub { "set remotetimeout $patience\ntarget remote $_[0].line\n" };

my @stops = (
    'target remote' => ['', qr//],
    break => ["break fs_open\ncontinue\n", qr/Breakpoint 1, fs_open /],
    hbreak => ["hbreak fs_write\ncontinue\n", qr/Breakpoint 2, fs_write /],
    stepi => ["stepi\n", qr/^(?:0x\S+\t)?\d+\t/m],
    nexti => ["nexti\n", qr/^(?:0x\S+\t)?\d+\t/m],
    finish => ["finish\n", qr/^Value returned is /m],
    watch => ["delete\nwatch kernel_flag\ncontinue\n", qr/^Old value = .*\nNew value = /m],
    'an interrupt' => ["delete\ntbreak ticks_count\ncontinue\n", qr/breakpoint 4, ticks_count /],
    '^C' => ["monitor gdb\ncontinue\n", qr/received signal SIGINT/],
);
my @parts = @stops;
$_ = ref($_) ? "$_->[0]python look()\n" : $_ for @parts;

my ($machine, $said) = gdb_session({door => $door, smp => 2, run => 'fs-stress 1000000; poweroff'},
    $front_end, @parts,
    detach => "set var stresses[0].rounds = stresses[0].round + 1\ndetach\n");
exists $said->{end} ? $machine->wait_end : $machine->stop;
ok(exists $said->{end}, 'gdb comes to the end of its script');
while (my ($title, $stop) = splice(@stops, 0, 2)) {
    like($said->{$title}, $stop->[1], "$title: gdb stops");
    is(join("\n", $said->{$title} =~ /^(look: .*)$/mg), $looks,
        '... and what a front end asks has its answer, while nothing moves');
}
ended_ok($machine, 'after detach the machine runs on to its end');
like($machine->console, qr/^fs-stress: \d+ operations, all verified$/m, '... and has lost nothing');

done_testing();
