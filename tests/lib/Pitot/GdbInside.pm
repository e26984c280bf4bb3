# SPDX-License-Identifier: BSD-2-Clause
#
# The kernel's own stub as a door for gdb (Pitot::Gdb): on COM3, or on COM1, which the console hands
# over. The machine waits for gdb before its script runs.
#
#     use Pitot::GdbInside;
#
#     my ($machine, $said) = gdb_session({door => gdb_at_com3(), run => '...'}, '', ...);
#     my ($machine, $said) = gdb_session({door => gdb_at_com1(), run => '...'}, '', ...);
#
# At COM1 gdb also gets the console's output, and the console's file stops where gdb attaches.
package Pitot::GdbInside;

use strict;
use warnings;

use Exporter qw(import);
use Time::HiRes qw(sleep time);

use Pitot::Files;
use Pitot::Patience;

our @EXPORT = qw(gdb_at_com3 gdb_at_com1 await_said);

# gdb would take a late answer for the answer to its next request.
my $slow = "set remotetimeout $patience\n";

# Waits for the console's output, which tools/machine writes to a file.
sub await_said
{
    my ($path, $pattern) = @_;
    my $deadline = time + $patience;
    until (slurp_if_there($path) =~ $pattern) {
        die("$path lacks $pattern\n") if time > $deadline;
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
        ready => sub { await_said($_[1]->console_path, qr/^gdb: waiting at COM3/m) },
        attach => sub { "${slow}target remote $_[0].com3\n" },
        again => sub { come("$_[0].com3") },
    };
}

# The test keeps the console's socket until the kernel waits for gdb.
sub gdb_at_com1
{
    my $path;
    return {
        machine => sub {
            my ($base, %options) = @_;
            my $flags = join(' ', 'gdb=wait', $options{flags} // ());
            return (%options, interactive => 1, flags => $flags);
        },
        ready => sub {
            my ($base, $machine) = @_;
            $machine->expect(qr/^gdb: waiting at COM1: .*\n/m, $patience);
            $path = $machine->lend;
        },
        attach => sub { "${slow}target remote $path\n" },
        again => sub { come($path) },
    };
}

# After a `detach` nothing reports that the kernel listens again, so gdb's first request may be too
# early, and is repeated.
sub come
{
    my ($path) = @_;
    return "set remotetimeout 30\ntarget remote $path\n$slow";
}

1;
