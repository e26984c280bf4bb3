# SPDX-License-Identifier: BSD-2-Clause
#
# An unreliable line between gdb and a stub, which damages, loses and adds bytes. It also sends ^C,
# as no user sits at gdb. It is a separate process, which ends with the connection.
#
#     use Pitot::BadLine;
#
#     bad_line($to, $from, damage => [...], ...);    # gdb uses $from, the stub listens at $to
#
# Its actions are tied to the packets that gdb sends, counted from 1, including repeated ones:
#
#     damage => [3, 7]    one character of each is changed
#     noise => [4]        bytes that are no packet precede these
#     deaf => [5]         the stub's answers to these are damaged
#
#     lose => qr/^qRcmd/     the first match does not arrive; of the packets that gdb repeats
#                            until the stub answers, one does
#     break => qr/^qRcmd/    after a match, 0x03 follows when gdb resumes all CPUs, at once
#                            and after noise: the port interrupts before they have resumed
package Pitot::BadLine;

use strict;
use warnings;

use Exporter qw(import);
use IO::Select;
use IO::Socket::UNIX;
use POSIX ();

use Pitot::Patience;

our @EXPORT = qw(bad_line);

# A 16550 interrupts at once for this many bytes; for fewer, only in a pause.
my $crowd = '~' x 14;

sub bad_line
{
    my ($to, $from, %faults) = @_;
    my $listener = IO::Socket::UNIX->new(Local => $from, Listen => 1) or die("$from: $!\n");
    my $pid = fork() // die("fork: $!\n");
    return if $pid;
    my $status = eval { serve($listener, $to, %faults); 1 };
    warn($@) if !$status;
    POSIX::_exit(0);
}

sub is_one
{
    my ($numbers, $number) = @_;
    return scalar grep { $_ == $number } @{$numbers // []};
}

sub serve
{
    my ($listener, $to, %faults) = @_;
    $listener->timeout($patience);
    my $gdb = $listener->accept or return;
    my $stub = IO::Socket::UNIX->new(Peer => $to) or die("$to: $!\n");
    my ($select, $said, $number) = (IO::Select->new($gdb, $stub), '', 0);
    my ($deaf, $breaks, $lost, $arrived) = (0, 0);
    while (my @ready = $select->can_read($patience)) {
        for my $end (@ready) {
            sysread($end, my $bytes, 4096) or return;
            if ($end == $stub) {
                # Not a digit of the checksum: gdb takes that for the end of the packet.
                $lost = undef if $arrived;
                $deaf-- if $deaf && $bytes =~ s/^([+]?\$)[^#]/$1~/s;
                say_all($gdb, $bytes);
                next;
            }
            $said .= $bytes;
            while ($said =~ s/^(.*?\$(.*?)#(?:..))//s) {
                my ($frame, $packet) = ($1, $2);
                $number++;
                $deaf++ if is_one($faults{deaf}, $number);
                if ($faults{lose} && $packet =~ $faults{lose}) {
                    delete $faults{lose};
                    $lost = $packet;
                    next;
                }
                next if defined $lost && $packet eq $lost && $arrived++;
                $frame =~ s/\$./\$~/s if is_one($faults{damage}, $number);
                say_all($stub, "~}\x80+-~") if is_one($faults{noise}, $number);
                my $stops = $breaks && $packet =~ /^vCont;c/;
                $breaks = 0 if $stops;
                say_all($stub, $stops ? "$frame$crowd\x03" : $frame);
                $breaks = 1 if $faults{break} && $packet =~ $faults{break};
            }
            say_all($stub, $said), $said = '' if $said !~ /\$/;
        }
    }
}

sub say_all
{
    my ($end, $bytes) = @_;
    while (length($bytes)) {
        my $length = syswrite($end, $bytes) // return;
        substr($bytes, 0, $length) = '';
    }
}

1;
