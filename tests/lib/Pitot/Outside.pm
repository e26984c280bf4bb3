# SPDX-License-Identifier: BSD-2-Clause
#
# A kernel of this tree watched from outside: its machine, with an instruction clock and only the
# two serial lines; and the contents of its recording.
#
#     use Pitot::Outside;
#
#     my @qemu = machine_of('stdio', '-kernel', "$build/port.elf");
#     is($status, $switched_off, 'the kernel has run to its end');
#     my $chains = chains_of("$logs/perf.data", $logs);    # {'comm event: function caller' => 40}
package Pitot::Outside;

use strict;
use warnings;

use Exporter qw(import);
use Test::More ();

use Pitot::Files;
use Pitot::Perf;

our @EXPORT = qw(machine_of chains_of no_registers_ok tells_registers qemu_is_from $switched_off);

our $switched_off = 1;    # isa-debug-exit's status for 0

# The kernel prints on COM1, which is this character device of QEMU.
sub machine_of
{
    my ($console, @boot) = @_;
    return ('qemu-system-x86_64', '-machine', 'pc', '-accel', 'tcg', '-icount',
        'shift=0,sleep=off', '-cpu', 'max', '-m', '64M', @boot, '-nodefaults', '-display', 'none',
        '-no-reboot', '-serial', $console, '-serial', 'null', '-device',
        'isa-debug-exit,iobase=0xf4,iosize=1');
}

# True if QEMU's version is this one or later.
sub qemu_is_from
{
    my ($first, $second) = @_;
    my ($major, $minor) = `qemu-system-x86_64 --version` =~ /version (\d+)\.(\d+)/
        or die("no QEMU\n");
    return $major > $first || $major == $first && $minor >= $second;
}

# True if this QEMU gives plugins registers and the values of accesses.
sub tells_registers
{
    return qemu_is_from(9, 2);
}

# One test: `pitot NAME`, which watches $what, was refused because QEMU is older than 9.2.
sub no_registers_ok
{
    my ($name, $what, $said, $status) = @_;
    Test::More::is($status, 1, 'a QEMU without registers for plugins is refused');
    Test::More::like($said,
        qr/\Apitot $name: $what: QEMU \S+ gives plugins no registers; 9\.2 and later do$/,
        '... and told so');
    return;
}

# Each chain in the file, and how often it occurs.
sub chains_of
{
    my ($data, $logs) = @_;
    my $status = Pitot::Perf::run_between("$logs/script", "$logs/err", '/dev/null', 'perf',
        '--no-pager', 'script', '-i', $data, '--no-inline', '-F', 'comm,event,ip,sym');
    Test::More::is($status, 0, '... and perf reads it') or Test::More::diag(slurp("$logs/err"));
    my %chains;
    for my $sample (split(/\n\n+/, slurp("$logs/script"))) {
        my ($head, @frames) = split(/\n/, $sample);
        my ($comm, $event) = $head =~ /^\s*(\S.*?)\s+(\S+):\s*$/ or next;
        $chains{join(' ', "$comm $event:", map { /^\s*[0-9a-f]+ (\S+)/ } @frames)}++;
    }
    return \%chains;
}

1;
