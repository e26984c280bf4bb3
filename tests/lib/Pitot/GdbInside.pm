# SPDX-License-Identifier: BSD-2-Clause
#
# The kernel's own stub as a door for gdb (Pitot::Gdb): on COM3, or on COM1, which the console
# lends. The machine waits for gdb before its script runs.
#
#     use Pitot::GdbInside;
#
#     my ($machine, $said) = gdb_session({door => gdb_at_com3(), run => '...'}, '', ...);
#     my ($machine, $said) = gdb_session({door => gdb_at_com1(), run => '...'}, '', ...);
#
# At COM1 gdb gets what the console says, too, and the console's file ends where gdb comes.
package Pitot::GdbInside;

use strict;
use warnings;

use Exporter qw(import);
use Time::HiRes qw(sleep time);

use Pitot::Files;

our @EXPORT = qw(gdb_at_com3 gdb_at_com1 await_said);

my $hang = 60;    # seconds, for a boot

# What the console has said is in the file that tools/machine writes; that a socket is listened at,
# in the list of sockets, by its flags.
sub await_said
{
    my ($path, $pattern) = @_;
    my $deadline = time + $hang;
    until (slurp_if_there($path) =~ $pattern) {
        die("$path does not say $pattern\n") if time > $deadline;
        sleep(0.02);
    }
}

sub gdb_at_com3
{
    return {
        machine => sub {
            my ($base, %options) = @_;
            my $flags = join(' ', 'gdb=wait', $options{flags} // ());
            return (%options, com3 => "unix:$base.com3", flags => $flags);
        },
        ready => sub { await_said("$_[0].console", qr/^gdb: waiting at COM3/m) },
        attach => sub { "target remote $_[0].com3\n" },
        again => sub { "target remote $_[0].com3\n" },
    };
}

# QEMU starts the machine when somebody is at the other end of the console: gdb is, and asks before
# there is a kernel to answer. It asks again.
sub gdb_at_com1
{
    return {
        machine => sub {
            my ($base, %options) = @_;
            my $flags = join(' ', 'gdb=wait', $options{flags} // ());
            return (%options, console => "unix:$base.com1", flags => $flags);
        },
        ready => sub { await_said('/proc/net/unix', qr/ 00010000 .* \Q$_[0].com1\E$/m) },
        attach => sub { "target remote $_[0].com1\n" },
        again => sub { "target remote $_[0].com1\n" },
    };
}

1;
