# SPDX-License-Identifier: BSD-2-Clause
#
# A kernel of ports/, booted to its end by QEMU's -kernel, with an instruction clock and only the
# two serial lines: the BIOS would first search for disks and a display. With -accel among the
# options, it uses the host's clock.
#
#     use Pitot::Port;
#
#     my ($status, $console) = boot_port("$build/ports/c-level2.elf", 'command line', $cpus, $logs);
#     my ($status, $console) = boot_port($kernel, $line, $cpus, $logs, '-serial', ...);
#     my $text = perf_of_port("$build/ports/c-level2.elf", $logs, 'script', '-F', 'comm,ip');
#
# The last one runs perf on the stream that the boot left in $logs/stream.
package Pitot::Port;

use strict;
use warnings;

use Exporter qw(import);
use Test::More ();

use Pitot;
use Pitot::Files;

our @EXPORT = qw(boot_port perf_of_port);

sub boot_port
{
    my ($kernel, $line, $cpus, $logs, @more) = @_;
    my @clock = ('-accel', 'tcg', '-icount', 'shift=0,sleep=off');
    @clock = () if grep { $_ eq '-accel' } @more;
    unlink("$logs/console", "$logs/stream");
    system('timeout', $patience, 'qemu-system-x86_64', '-machine', 'pc', @clock, '-cpu', 'max',
        '-m', '64M', '-kernel', $kernel, '-smp', $cpus, '-append', $line, '-nodefaults',
        '-display', 'none', '-no-reboot',
        '-serial', "file:$logs/console", '-serial', "file:$logs/stream",
        '-device', 'isa-debug-exit,iobase=0xf4,iosize=1', @more);
    return ($? >> 8, slurp_if_there("$logs/console"));
}

sub perf_of_port
{
    my ($kernel, $logs, $part, @line) = @_;
    my $status = Pitot::Perf::run_between("$logs/out", "$logs/err", "$logs/stream", 'perf',
        '--no-pager', $part, '-i', '-', "--vmlinux=$kernel",
        ($part eq 'script' ? '--no-inline' : ()), @line);
    Test::More::diag(slurp_if_there("$logs/err")) if $status != 0;
    return slurp_if_there("$logs/out");
}

1;
