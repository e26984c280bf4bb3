# SPDX-License-Identifier: BSD-2-Clause
#
# An unreliable line between gdb and a stub: it damages, loses and adds bytes. And it sends ^C,
# because no user sits at gdb. A process of its own, which ends with the connection.
#
#     use Pitot::BadLine;
#
#     bad_line($to, $from, damage => [...], ...);    # gdb comes to $from, the stub listens at $to
#
# Its actions are bound to the packets that gdb sends, counted from 1, repeated ones included:
#
#     damage => [3, 7]    a character of these is another one
#     noise => [4]        something is said before these that is no packet
#     deaf => [5]         what the stub answers to these is damaged
#
#     lose => qr/^qRcmd/     the first packet that fits does not arrive; of those that gdb repeats
#                            until the stub says something, one does
#     break => qr/^qRcmd/    after a packet that fits, 0x03 follows when gdb has all CPUs resume, at
#                            once and after noise: the port tells of it before they have gone
package Pitot::BadLine;

use strict;
use warnings;

use Exporter qw(import);
use IO::Select;
use IO::Socket::UNIX;
use POSIX ();

use Pitot::Patience;

our @EXPORT = qw(bad_line);

# Where so many are there a 16550 tells of them at once, and of fewer in a pause.
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
                # Not a digit of the sum: gdb takes that for the end.
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
