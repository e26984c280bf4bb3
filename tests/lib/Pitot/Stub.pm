# SPDX-License-Identifier: BSD-2-Clause
#
# Talks to QEMU's or the kernel's own stub for gdb without gdb: for tests that stop a machine
# thousands of times, or send what gdb does not.
#
#     use Pitot::Stub;
#
#     my $machine = Pitot::Machine->new(gdb => $path, run => '...');
#     my $stub = Pitot::Stub->new($path);
#     $stub->attach;                                     # stops it, if it runs
#     $stub->run_to($address);
#     $stub->go(0.02);                                   # runs this many seconds
#     $stub->step(12);
#     my $rip = $stub->register('rip');
#     my ($head) = unpack('Q<', $stub->memory($address, 8));
#     $stub->monitor('nmi');
#     $stub->interrupt;                                  # ^C
#     $stub->leave;                                      # the machine stays as it is
#
# Run from the root of the tree. A refusal of the stub ends the test.
package Pitot::Stub;

use strict;
use warnings;

use Carp qw(croak);
use IO::Select;
use IO::Socket::UNIX;
use Time::HiRes qw(time);

use Pitot::Patience;

my $piece = 2000; # bytes of memory in one packet

# The order of the `g` packet for x86-64: general registers, rip, eflags.
my @registers = qw(rax rbx rcx rdx rsi rdi rbp rsp r8 r9 r10 r11 r12 r13 r14 r15 rip eflags);

sub new
{
    my ($class, $path) = @_;
    return bless({path => $path, cpu => 0}, $class);
}

sub come
{
    my ($self) = @_;
    my $deadline = time + $patience;
    until ($self->{socket} = IO::Socket::UNIX->new(Peer => $self->{path})) {
        croak("$self->{path}: nobody listens") if time > $deadline;
        select(undef, undef, undef, 0.02);
    }
    $self->{input} = '';
}

# Attaches to the kernel's own stub, which may miss early packets: requests are repeated until it
# answers. `again` is for a stub that was left by `D`.
sub attach_inside
{
    my ($self, $again) = @_;
    my $deadline = time + $patience;
    $self->come if !$again;
    do {
        croak("$self->{path}: nobody answers") if time > $deadline;
        $self->put('qC');
    } until defined $self->get(2);
    $self->put('?');
    1 until $self->get =~ /^T/;
}

# Attaches to QEMU's stub, which stops the machine if it runs. Requests about a CPU are about the
# one that stopped last.
sub attach
{
    my ($self) = @_;
    $self->come;
    # The stub also reports the stop unasked; only this answer begins with QC.
    $self->put('?');
    $self->put('qC');
    1 until $self->get =~ /^QC/;
    $self->ask_ok(sprintf('H%s%x', $_, $self->{cpu} + 1)) for qw(g c);
}

# Notes the CPU that stopped at a breakpoint, or after a step: the stub calls CPUs threads, numbered
# from 1.
sub note_stop
{
    my ($self, $answer) = @_;
    croak("$self->{path}: no stop: $answer") if $answer !~ /^[TS]/;
    $self->{cpu} = hex($1) - 1 if $answer =~ /thread:(?:p[0-9a-f]+\.)?([0-9a-f]+);/;
}

sub cpu { return $_[0]{cpu} }

# From now on only the CPU that stopped last runs, until this is reverted.
sub run_alone { my ($self, $alone) = @_; $self->{alone} = $alone }

sub leave
{
    my ($self) = @_;
    close(delete $self->{socket});
}

# --- Packets. ---

sub put
{
    my ($self, $body) = @_;
    local $SIG{PIPE} = 'IGNORE';
    my $packet = sprintf('$%s#%02x', $body, unpack('%8C*', $body));
    while (length($packet)) {
        my $sent = syswrite($self->{socket}, $packet) // croak("$self->{path}: $!");
        substr($packet, 0, $sent) = '';
    }
}

# The next packet's body; undef if none arrives in time.
sub get
{
    my ($self, $seconds) = @_;
    my $deadline = time + ($seconds // $patience);
    while ($self->{input} !~ /\$[^#]*#../s) {
        my $left = $deadline - time;
        if ($left <= 0 || !IO::Select->new($self->{socket})->can_read($left)) {
            return undef if defined $seconds;
            croak("$self->{path}: no answer");
        }
        my $length = sysread($self->{socket}, $self->{input}, 65536, length($self->{input}));
        croak("$self->{path}: the machine has gone") if !$length;
    }
    local $SIG{PIPE} = 'IGNORE';    # a resumed machine may have ended since it answered
    syswrite($self->{socket}, '+');
    return $self->{input} =~ s/^[^\$]*\$([^#]*)#..//s ? $1 : '';
}

sub ask
{
    my ($self, $body) = @_;
    $self->put($body);
    return $self->get;
}

sub ask_ok
{
    my ($self, $body) = @_;
    my $answer = $self->ask($body);
    croak("$self->{path}: $body: $answer") if $answer ne 'OK';
}

# --- Running. ---

# `c` or `s`, for all CPUs or the chosen one.
sub command
{
    my ($self, $letter) = @_;
    return $self->{alone} ? sprintf('vCont;%s:%x', $letter, $self->{cpu} + 1) : $letter;
}

# Resumes the machine until it stops, or for so many seconds. True if it stopped by itself.
sub go
{
    my ($self, $seconds) = @_;
    $self->put($self->command('c'));
    my $answer = $self->get($seconds);
    $self->interrupt if !defined $answer;
    $self->note_stop($answer // $self->get);
    return defined $answer;
}

sub interrupt { $_[0]->say("\x03") }

# Sends these bytes, which need not be a packet.
sub say { my ($self, $bytes) = @_; syswrite($self->{socket}, $bytes) // croak("$self->{path}: $!") }

sub step
{
    my ($self, $count) = @_;
    for (1 .. $count // 1) {
        $self->note_stop($self->ask($self->command('s')));
    }
}

# Steps, but not past that address.
sub step_before
{
    my ($self, $end, $count) = @_;
    $self->step while $count-- > 0 && $self->register('rip') != $end;
}

# Runs to that address, for so many seconds at most; if it is already there, until it arrives again:
# `c` at a breakpoint would stay at it.
sub run_to
{
    my ($self, $address, $seconds) = @_;
    $self->step if $self->register('rip') == $address;
    $self->break_at($address);
    my $there = $self->go($seconds // $patience);
    $self->unbreak($address);
    return $there;
}

# The emulator's breakpoints, which use neither the kernel's debug registers nor its memory.
sub break_at { my ($self, $address) = @_; $self->ask_ok(sprintf('Z1,%x,1', $address)) }
sub unbreak { my ($self, $address) = @_; $self->ask_ok(sprintf('z1,%x,1', $address)) }

# --- State. ---

sub registers
{
    my ($self) = @_;
    my $all = pack('H*', $self->ask('g'));
    my %value;
    @value{@registers} = (unpack('Q<17', $all), unpack('L<', substr($all, 17 * 8, 4)));
    return \%value;
}

sub register { return $_[0]->registers->{$_[1]} }

# Sets all of them; the rest of the packet is unchanged.
sub set_registers
{
    my ($self, $value) = @_;
    my $all = pack('H*', $self->ask('g'));
    substr($all, 0, 17 * 8 + 4) = pack('Q<17 L<', map { $value->{$_} } @registers);
    $self->ask_ok('G' . unpack('H*', $all));
}

sub memory
{
    my ($self, $address, $size) = @_;
    my $bytes = '';
    while (length($bytes) < $size) {
        my $part = $size - length($bytes);
        $part = $piece if $part > $piece;
        my $answer = $self->ask(sprintf('m%x,%x', $address + length($bytes), $part));
        croak(sprintf('%s: memory at %#x: %s', $self->{path}, $address, $answer))
            if length($answer) != 2 * $part;
        $bytes .= pack('H*', $answer);
    }
    return $bytes;
}

sub set_memory
{
    my ($self, $address, $bytes) = @_;
    $self->ask_ok(sprintf('M%x,%x:%s', $address, length($bytes), unpack('H*', $bytes)));
}

# The answer of QEMU's monitor to a command.
sub monitor
{
    my ($self, $command) = @_;
    my $said = '';
    $self->put('qRcmd,' . unpack('H*', $command));
    while ((my $answer = $self->get) ne 'OK') {
        croak("$self->{path}: monitor $command: $answer") if $answer !~ s/^O(?=[0-9a-f])//;
        $said .= pack('H*', $answer);
    }
    return $said;
}

1;
