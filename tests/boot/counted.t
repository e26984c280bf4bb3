#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: arch/x86_64/cpu/port_counted, drivers/uart16550, core/stream/drain, core/stream/base64
#
# The NMI button is pressed after a byte was sent and before it is counted: the kernel's count is
# too small by one. The stream that the dying machine continues must have each byte once. QEMU's
# stub stops the machine there; then the button or another CPU's panic ends it. Run from the root of
# the tree:
#
#     prove tests/boot/counted.t
use strict;
use warnings;
use lib 'tests/lib';
use Test::More;
use Pitot;
use Pitot::Files;
use Pitot::Stopped qw(debug_values);
use Pitot::Stub;

plan skip_all => "a stub for gdb is QEMU's" if ($ENV{MACHINE} // 'qemu') ne 'qemu';

my $build = $ENV{BUILD} // 'build';
my $kernel = "$build/pitot.elf";
my $logs = "$build/logs/counted";
my $crc_of_whole = '2144df1c';    # docs/stream.md
my $record = 'perf record -m 16k -e mem:kernel_flag:w -g -- fs-stress 100000';
my ($place, $sent_at, $piece_sent, $stress, $panic) = debug_values($kernel, '&port_counts',
    "&'boot/ports.c'::com2.sent", '&com2_write', '&stress_all', '&panic');

# Stops the machine after a byte of the stream has left. The byte is not in the header, because a
# machine that dies there starts the stream again. The machine stops only at each piece until it
# reaches the piece with that byte, as a stop at each byte is expensive.
sub stopped_at_a_byte
{
    my ($number, %options) = @_;
    my $socket = "$logs/stub.$number";
    my $machine = Pitot::Machine->new(gdb => $socket, flags => 'perf.rate=0',
        run => $record, %options);
    my $stub = Pitot::Stub->new($socket);
    $stub->attach;
    $stub->run_to($stress);
    my ($counts) = unpack('Q<', $stub->memory($place, 8));
    my $sent = sub { unpack('Q<', $stub->memory($sent_at, 8)) };
    do { $stub->run_to($piece_sent) } until $sent->() + $stub->register('rdx') >= $number;
    do { $stub->run_to($counts) } until $stub->register('rcx') == $sent_at && $sent->() >= $number;
    return ($machine, $stub);
}

sub crc32_of { return `gzip -c < $_[0] | tail -c8 | od -An -tx4 -N4` =~ s/\s//gr }

sub whole_ok
{
    my ($machine, $name) = @_;
    $machine->wait_end;
    my ($left) = $machine->console =~ /handed over, (\d+) bytes/;
    is($left, -s $machine->com2, "$name: its count is that of the bytes that have left");
    is(crc32_of($machine->com2), $crc_of_whole, '... and they are the stream, whole')
        or diag($machine->tail);
    my ($script, $complaints, $status) = perf_script($machine, '-F', 'comm,event,ip');
    is($status, 0, '... which perf reads') or diag($complaints);
}

for my $number (1500, 2222) {
    my ($machine, $stub) = stopped_at_a_byte($number);
    $stub->monitor('nmi');
    $stub->put('c');
    whole_ok($machine, "an NMI behind byte $number");
}

# Here the NMI is from the other CPU: the test makes that one call `panic`, which halts this one.
{
    my ($machine, $stub) = stopped_at_a_byte(1999, smp => 2);
    $stub->ask_ok(sprintf('Hg%x', 2 - $stub->cpu));
    my $registers = $stub->registers;
    my $text = $registers->{rsp} - 512;
    $stub->set_memory($text, "laid upon it\0");
    @$registers{qw(rip rsp rdi rax)} = ($panic, ($text - 512 & ~15) - 8, $text, 0);
    $stub->set_registers($registers);
    $stub->put('c');
    whole_ok($machine, "another CPU's panic");
    like($machine->console, qr/laid upon it/, '... which says why');
}

done_testing();
