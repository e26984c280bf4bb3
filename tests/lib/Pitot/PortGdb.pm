# SPDX-License-Identifier: BSD-2-Clause
#
# gdb on a serial line of a kernel of ports/ (Pitot::Port), which waits for gdb before its work.
#
#     use Pitot::PortGdb;
#
#     my $port = {kernel => "$build/ports/c-level5.elf", line => '-e ...', cpus => 1,
#         logs => $logs};
#     my ($status, $console, $said) = port_gdb_session($port, 'a title',
#         place => "break job_run\ncontinue\n", ...);    # as gdb_session takes them
#     my $pid = port_for_gdb($port);    # exits as the kernel does; gdb's line is $logs/line
#
# QEMU also gets the options in `more`. In a part `again`, `attach-again` connects by a line that
# sends ^C when gdb resumes after its first `monitor` (Pitot::BadLine).
package Pitot::PortGdb;

use strict;
use warnings;

use Exporter qw(import);
use POSIX ();
use Test::More ();

use Pitot::BadLine;
use Pitot::Files;
use Pitot::Gdb;
use Pitot::GdbInside;
use Pitot::Port;

our @EXPORT = qw(port_for_gdb port_gdb_session);

sub port_for_gdb
{
    my ($port) = @_;
    my $logs = $port->{logs};
    unlink(map { "$logs/$_" } qw(console line bad));
    my $pid = fork() // die("fork: $!\n");
    if (!$pid) {
        my ($status) = boot_port($port->{kernel}, $port->{line}, $port->{cpus}, $logs,
            '-serial', "unix:$logs/line,server=on,wait=off", @{$port->{more} // []});
        POSIX::_exit($status);
    }
    await_said("$logs/console", qr/^gdb may come$/m);
    return $pid;
}

# Returns the status, the console, and gdb's output of each part.
sub port_gdb_session
{
    my ($port, $name, @parts) = @_;
    my $logs = $port->{logs};
    my $pid = port_for_gdb($port);
    bad_line("$logs/line", "$logs/bad", break => qr/^qRcmd/) if {@parts}->{again};
    my $said = gdb_says_of($port->{kernel}, "$logs/line", "$logs/bad", @parts);
    waitpid($pid, 0);
    my $status = $? >> 8;
    Test::More::ok(exists $said->{end}, "$name: gdb comes to the end of its script");
    return ($status, slurp_if_there("$logs/console"), $said);
}

1;
