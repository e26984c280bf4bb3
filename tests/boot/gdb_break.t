#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: core/gdb, arch/x86_64/debug/stop, kernel/x86_64/entry/trap_entry.asm
#
# No ^C is lost, whenever it arrives (docs/gdb.md). The machine's only CPU spins with interrupts
# off, so nothing polls the line again. ^C arrives after each number of bytes while the stub resumes
# the CPU; at each instruction between the stub's last poll and the loop, with the machine stopped
# there by QEMU's stub; and at each instruction of a debug trap that does not stop, for a hit of
# perf's or a step. Run from the root of the tree:
#
#     prove tests/boot/gdb_break.t
use strict;
use warnings;
no warnings qw(portable);    # numbers have 64 bits here
use lib 'tests/lib';
use Test::More;
use Pitot;
use Pitot::GdbInside;
use Pitot::Stub;

plan skip_all => "COM3 is QEMU's" if ($ENV{MACHINE} // 'qemu') ne 'qemu';

my $build = $ENV{BUILD} // 'build';
my $logs = "$build/logs/gdb_break";
my $times = 4;        # how often ^C is tried after each number of bytes
my $crowd = 14;       # bytes at which a 16550 interrupts at once, fewer only in a pause
my $fifo = 16;        # its size in bytes

my $stub_size = 16;    # arch/x86_64/entry/trap.h
my $vector_debug = 1;

my (%symbol, %size);
for (split(/\n/, `nm -S $build/pitot.elf`)) {
    my ($address, $size, $name) = /^(\S+) (?:(\S+) )?\S (\S+)$/ or next;
    ($symbol{$name}, $size{$name}) = (hex($address), hex($size // 0));
}

my ($machine, $outside, $gdb);    # QEMU's stub, and the kernel's

# Starts a machine that waits for gdb, and connects.
sub begin
{
    my ($name, $run) = @_;
    my ($com3, $stub) = ("$logs/com3.$name", "$logs/stub.$name");
    $machine = Pitot::Machine->new(icount => '', smp => 1, flags => 'gdb=wait', run => $run,
        com3 => "unix:$com3", gdb => $stub);
    $outside = Pitot::Stub->new($stub);
    $outside->attach;
    $outside->put('c');
    $gdb = Pitot::Stub->new($com3);
    await_said($machine->console_path, qr/^gdb: waiting at COM3/m);
    $gdb->attach_inside;
}

sub end
{
    $gdb->put('k');
    $machine->wait_end;
    is($machine->status, 0, 'and nothing has failed') or diag($machine->tail);
}

sub say_noise
{
    my ($length) = @_;
    syswrite($gdb->{socket}, '~' x $length . "\x03");
}

# Stops the machine with a breakpoint instruction after the loop's only call.
sub stop_in_loop
{
    my ($loop) = `objdump -d --no-show-raw-insn --disassemble=crash_spin $build/pitot.elf`
        =~ /\tcall .*\n([0-9a-f]{16}):/;
    $loop = "0,$loop,1";
    $gdb->ask_ok("Z$loop");
    my $stop = $gdb->ask('vCont;c');
    $gdb->ask_ok("z$loop");
    return $stop;
}

sub stops_for_break { return ($gdb->get($patience) // 'nothing') =~ /^T02/ }

begin('loop', 'crash hang');
like(stop_in_loop(), qr/^T05/, 'the only CPU spins');
is($gdb->register('eflags') & 0x200, 0, '... with interrupts off');

# --- After so many bytes -------------------------------------------------------------------------

my @lost;
for my $length ((0 .. $fifo) x $times) {
    last if @lost;
    stop_in_loop();
    $gdb->put('vCont;c');
    say_noise($length);
    push(@lost, $length) if !stops_for_break();
}
is("@lost", '', '^C behind what lets the machine go on stops it, however far behind');

# --- At each instruction -------------------------------------------------------------------------

# The instructions of a tail that returns to the kernel; `swapgs` marks the one to a program.
sub instructions
{
    my ($from, $to) = @_;
    my $range = sprintf('--start-address=%#x --stop-address=%#x', $from, $to);
    return map { /^([0-9a-f]{16}):\t(?!swapgs)/ ? hex($1) : () }
        `objdump -d --no-show-raw-insn -j .text $range $build/pitot.elf`;
}

sub halt_outside
{
    $outside->interrupt;
    $outside->note_stop($outside->get);
}

# Stops QEMU's machine at the address; `from` resumes it. The stopped machine receives what is sent
# to the port, and QEMU's stub answers a packet or two to let that happen.
sub break_upon
{
    my ($address, $from) = @_;
    halt_outside();
    $outside->break_at($address);
    $outside->put('c');
    $from->();
    $outside->note_stop($outside->get);
    say_noise($crowd);
    $outside->registers for 1 .. 4;
    $outside->unbreak($address);
    $outside->put('c');
    return stops_for_break();
}

sub goes_on { $gdb->put('vCont;c') }

# Tests that no ^C is lost at any of these instructions.
sub breaks_upon_all_ok
{
    my ($name, $before, $from, @addresses) = @_;
    my ($lost) = grep { $before->(); !break_upon($_, $from) } @addresses;
    is($lost ? sprintf('%#x', $lost) : '', '', $name);
    return !$lost;
}

halt_outside();
my $tails = $outside->memory($symbol{trap_tails}, $symbol{trap_tails_end} - $symbol{trap_tails});
$outside->put('c');
# The first tail is that of hits which do not stop.
my (undef, undef, @borders) = unpack('Q<*', $tails);
my @addresses;
push(@addresses, instructions(splice(@borders, 0, 2))) while @borders;
cmp_ok(scalar(@addresses), '>=', 20, 'there are instructions behind the last look');
breaks_upon_all_ok('... and so does one that comes upon any of them', \&stop_in_loop, \&goes_on,
    @addresses);
end();

# --- In a debug trap that stops nothing ----------------------------------------------------------

# The next debug trap's entry, its end, and where it passes these functions; QEMU steps it up to its
# `iretq`.
sub next_trap
{
    my ($from, @functions) = @_;
    my $first = $symbol{trap_stubs} + $stub_size * $vector_debug;
    my ($last) = map { /^([0-9a-f]{16}):\tiretq/ ? hex($1) : () }
        `objdump -d --no-show-raw-insn --disassemble=watch_entry $build/pitot.elf`;
    my @ranges = map { [$symbol{$_}, $symbol{$_} + $size{$_}] }
        qw(trap_stubs watch_entry watch_return), @functions;
    halt_outside();
    $outside->break_at($first);
    $outside->put('c');
    $from->();
    $outside->note_stop($outside->get);
    $outside->unbreak($first);
    my (%passed, $ip);
    do {
        $ip = $outside->register('rip');
        $passed{$ip} = 1 if grep { $ip >= $_->[0] && $ip < $_->[1] } @ranges;
        $outside->step if $ip != $last;
    } until $ip == $last;
    $outside->put('c');
    return sort { $a <=> $b } keys %passed;
}

# Hits of perf only where gdb sends the CPU: back to the call of the watched function.
begin('hit', 'perf record -a -e mem:crash_spin:x -- crash hang');
my ($call) = map { /^([0-9a-f]{16}):\tcall .* <crash_spin>$/ ? hex($1) : () }
    `objdump -d --no-show-raw-insn -j .text $build/pitot.elf`;
my $again = sub { $gdb->ask_ok('P10=' . unpack('H*', pack('Q<', $call))) };    # rip
stop_in_loop();
$again->();
@addresses = next_trap(\&goes_on, qw(debug_trap stop_fired));
say_noise(0);
ok(stops_for_break(), 'a CPU that was hit is stopped');
cmp_ok(scalar(@addresses), '>=', 60, '... there are instructions of the hit');
breaks_upon_all_ok('... and ^C upon any of them stops it', $again, \&goes_on, @addresses);
end();

# Steps of a window: nearly each ^C arrives during one.
begin('steps', 'perf record -a --overwrite -e branches -- crash hang');
stop_in_loop();
@addresses = next_trap(\&goes_on, qw(debug_trap debug_stepped));
say_noise(0);
ok(stops_for_break(), 'a CPU that is stepped for perf is stopped');
cmp_ok(scalar(@addresses), '>=', 60, '... there are instructions of the step');
breaks_upon_all_ok('... and ^C upon any of them stops it', sub { }, \&goes_on, @addresses);
end();

done_testing();
