#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: core/gdb, arch/x86_64/stop, arch/x86_64/trap_entry.asm
#
# No ^C is lost, whenever it comes (docs/gdb-stub.md). The machine's only CPU spins with interrupts
# off, so that nothing asks a second time. While the stub lets it go on, ^C comes behind each number
# of bytes; and upon each instruction between the stub's last look and the loop, where QEMU's stub
# has stopped the machine for that. Run from the root of the tree:
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
my $times = 4;        # that ^C comes behind each number of bytes
my $crowd = 14;       # bytes of noise of which a 16550 tells at once; of fewer in a pause
my $fifo = 16;        # bytes that it holds

my %symbol = map { /^(\S+) \S (\S+)$/ ? ($2, hex($1)) : () } split(/\n/, `nm $build/pitot.elf`);

my $machine = Pitot::Machine->new(icount => '', smp => 1, flags => 'gdb=wait', run => 'crash hang',
    com3 => "unix:$logs/com3", gdb => "$logs/stub");
my $outside = Pitot::Stub->new("$logs/stub");
$outside->attach;
$outside->put('c');
my $gdb = Pitot::Stub->new("$logs/com3");
await_said($machine->console_path, qr/^gdb: waiting at COM3/m);
$gdb->attach_inside;

sub say_noise
{
    my ($length) = @_;
    syswrite($gdb->{socket}, '~' x $length . "\x03");
}

# By a breakpoint instruction, behind the loop's only call.
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

like(stop_in_loop(), qr/^T05/, 'the only CPU spins');
is($gdb->register('eflags') & 0x200, 0, '... with interrupts off');

# --- Behind so many bytes ------------------------------------------------------------------------

my @lost;
for my $length ((0 .. $fifo) x $times) {
    last if @lost;
    stop_in_loop();
    $gdb->put('vCont;c');
    say_noise($length);
    push(@lost, $length) if !stops_for_break();
}
is("@lost", '', '^C behind what lets the machine go on stops it, however far behind');

# --- Upon each instruction -----------------------------------------------------------------------

# Those of a tail that returns to the kernel; only a program's has `swapgs`.
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

# Where QEMU has the machine stand still it takes what comes to the port, and a word or two of its
# stub's are behind that.
sub break_upon
{
    my ($address) = @_;
    stop_in_loop();
    halt_outside();
    $outside->break_at($address);
    $outside->put('c');
    $gdb->put('vCont;c');
    $outside->note_stop($outside->get);
    say_noise($crowd);
    $outside->registers for 1 .. 4;
    $outside->unbreak($address);
    $outside->put('c');
    return stops_for_break();
}

halt_outside();
my $tails = $outside->memory($symbol{trap_tails}, $symbol{trap_tails_end} - $symbol{trap_tails});
$outside->put('c');
# The first is that of hits which do not stop.
my (undef, undef, @borders) = unpack('Q<*', $tails);
my @addresses;
push(@addresses, instructions(splice(@borders, 0, 2))) while @borders;
cmp_ok(scalar(@addresses), '>=', 20, 'there are instructions behind the last look');
for my $address (@lost ? () : @addresses) {
    next if break_upon($address);
    push(@lost, sprintf('%#x', $address));
    last;
}
is("@lost", '', '... and so does one that comes upon any of them');

$gdb->put('k');
$machine->wait_end;
is($machine->status, 0, 'and nothing has failed') or diag($machine->tail);

done_testing();
