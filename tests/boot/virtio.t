#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: drivers/virtio_serial, drivers/virtio_pci, drivers/pci, boot/ports
#
# The stream over a virtio port: on both of QEMU's machines, below a bridge, under UEFI, with four
# CPUs and out of a panic the real perf reads the same as from the serial port; if a device cannot
# be used or has no reader, the kernel reports the reason and uses the serial port; a reader that
# leaves is reported, with the amount that was lost. Run from the root of the tree:
#
#     prove tests/boot/virtio.t
use strict;
use warnings;
use lib 'tests/lib';
use Compress::Raw::Zlib qw(crc32);
use File::Path qw(make_path remove_tree);
use IO::Socket::UNIX;
use POSIX qw(mkfifo);
use Test::More;
use Time::HiRes qw(sleep time);
use Pitot;
use Pitot::Difference;
use Pitot::Files;

my $whole = 0x2144df1c;    # docs/stream.md: the CRC-32 of a stream that is whole
my $panic_status = 2 * 0x31 + 1;
my $taken = 'Pitot: the stream leaves by the virtio port';
my @fields = ('-F', 'comm,tid,cpu,event,ip,sym,symoff,addr');
my $record = 'perf record -m 4m -g -e mem:kernel_flag:rw -- fs-stress';
my $room = ($ENV{BUILD} // 'build') . '/logs/virtio.streams';
my $machines = 0;

remove_tree($room);
make_path($room);

sub path_of
{
    my ($name) = @_;
    return "$room/$name";
}

my $plain = boot(run => "$record; poweroff");
ended_ok($plain);
unlike($plain->console, qr/virtio/, 'without the device nothing is said of it');
my $expected = scalar(Pitot::Perf::script($plain->com2, @fields));
my $samples = () = $expected =~ /mem:kernel_flag:rw:/g;
cmp_ok($samples, '>', 500, 'there are samples');
is(crc32(slurp($plain->com2)), $whole, 'the port\'s stream is whole');

# --- Places of the device ------------------------------------------------------------------------

my @bridge = ('-device', 'pcie-root-port,id=bridge,chassis=1');
my $file = path_of('bridge');
my %place = (
    'the machine pc' => {qemu_machine => 'pc'},
    'the machine q35' => {qemu_machine => 'q35'},
    'below a bridge' => {
        qemu_machine => 'q35', firmware => 'bios', virtio => undef,
        extra => ['-chardev', "file,id=v,path=$file", @bridge, '-device',
            'virtio-serial-pci,bus=bridge', '-device', 'virtserialport,chardev=v']
    },
    'under UEFI' => {firmware => 'uefi', boot => 'grub'},
    'with four CPUs' => {smp => 4},
);
for my $where (sort keys %place) {
    my %options = %{$place{$where}};
    my $path = exists $options{virtio} ? $file : path_of($machines++);
    delete $options{virtio};
    my $machine = boot(%options, ($path eq $file ? () : (virtio => $path)),
        run => "$record; poweroff");
    ended_ok($machine);
    like($machine->console, qr/^\Q$taken\E$/m, "$where: it is found");
    is(crc32(slurp($path)), $whole, '... and its stream is whole');
    ok(!-s $machine->com2, '... and all of it') if -e $machine->com2;
    same_ok(scalar(Pitot::Perf::script($path, @fields)), $expected,
        '... perf prints what it prints of the port\'s');
}

# --- Unusable devices ----------------------------------------------------------------------------

my $refused = boot(firmware => 'bios', run => "$record; poweroff",
    extra => ['-chardev', 'null,id=v', '-device', 'virtio-serial-pci,disable-modern=on', '-device',
        'virtserialport,chardev=v']);
ended_ok($refused);
like($refused->console,
    qr/^Pitot: there is a virtio port, .* cannot use: it is older than version 1 of virtio$/m,
    'a device of before version 1 is refused');
is(crc32(slurp($refused->com2)), $whole, '... and the port has the stream');
my $console = boot(firmware => 'bios', icount => 64, run => "$record; poweroff",
    extra => ['-chardev', 'null,id=v', '-device', 'virtio-serial-pci', '-device',
        'virtconsole,chardev=v']);
ended_ok($console);
like($console->console, qr/ cannot use: it has no port 1: virtserialport makes one, virtconsole /,
    'a console, which QEMU drops bytes of, is refused');
is(crc32(slurp($console->com2)), $whole, '... and the port has the stream');

# A port whose other end is closed drops its data. The kernel waits for the device's answer for a
# fraction of a second, which is few instructions.
my %without = (
    'whose socket has no reader' => [qr/its other end is closed: /,
        ['-chardev', 'socket,id=v,server=on,wait=off,path=' . path_of('alone')],
        'virtio-serial-pci', 'virtserialport,chardev=v'],
    'without a file or socket' => [qr/its other end is closed: /, [], 'virtio-serial-pci',
        'virtserialport'],
    'with a console alone' => [qr/it has a console alone: /, ['-chardev', 'null,id=v'],
        'virtio-serial-pci,max_ports=1', 'virtconsole,chardev=v'],
);
for my $which (sort keys %without) {
    my ($reason, $chardev, $controller, $port) = @{$without{$which}};
    my $machine = boot(firmware => 'bios', icount => 64, run => "$record; poweroff",
        extra => [@$chardev, '-device', $controller, '-device', $port]);
    ended_ok($machine);
    like($machine->console, qr/ cannot use: $reason/, "a port $which is refused");
    is(crc32(slurp($machine->com2)), $whole, '... and COM2 has the stream');
}

# --- A reader that leaves ------------------------------------------------------------------------

# QEMU creates the socket after the console's, and starts the machine once a reader has connected.
sub reader
{
    my ($at) = @_;
    my $deadline = time + $patience;
    my $socket;
    sleep(0.02) until ($socket = IO::Socket::UNIX->new(Peer => $at)) || time > $deadline;
    return $socket // die("$at: $!");
}

sub read_all
{
    my ($socket) = @_;
    local $/;
    return <$socket> // '';
}

my $at = path_of('leaves');
my $small = 'perf record -c 50 -e mem:kernel_flag:rw -- fs-stress';
my $machine = Pitot::Machine->new(interactive => 1, firmware => 'bios', com2 => 'none',
    extra => ['-chardev', "socket,id=v,path=$at,server=on,wait=on", '-device',
        'virtio-serial-pci,ioeventfd=off', '-device', 'virtserialport,chardev=v']);
my $first = reader($at);
$machine->expect(qr/pitot> /);
$machine->send("$small\n");
$machine->expect(qr/records? kept \].*pitot> /s);
sysread($first, my $start, 8);
is($start, 'PERFILE2', 'a reader has the stream\'s beginning');
close($first);
my $second = reader($at);
$machine->send("$small\n");
$machine->expect(qr/^Pitot: the virtio port takes no more: from here on the stream is lost$/m,
    $patience, '... and leaves, which the machine reports at the next record');
$machine->expect(qr/records? kept \].*pitot> /s, $patience, '... without a wait');
$machine->send("$small; poweroff\n");
is(read_all($second), '', 'another reader is given nothing that has no beginning');
$machine->wait_end;
my ($lost) = $machine->console =~ /took no more: (\d+) bytes of the stream are lost/;
cmp_ok($lost // 0, '>', 2000, '... and at the end the machine reports how much was lost');

# --- A machine that dies -------------------------------------------------------------------------

my $path = path_of('dies');
my $dead = boot(virtio => $path, com2 => 'none', smp => 4,
    run => 'perf record -a -e sched:* -R -g -- fs-stress 1;'
        . ' perf record -a -e mem:kernel_flag:w -g -- crash jump-null; poweroff');
is($dead->status, $panic_status, 'a machine dies that streams');
is(crc32(slurp($path)), $whole, '... and its stream is whole');
unlike($dead->console, qr/^begin-base64/m, '... without a block on the console');
like(scalar(Pitot::Perf::script($path)),
    qr/\bsched:sched_\w+:/, '... and perf reads it');

# A pipe that is never read holds some 64 KB, and the device some more; then it returns no buffer,
# and the machine waits for a time that is few instructions.
my $pipe = path_of('pipe');
mkfifo("$pipe.$_", 0600) or die("$pipe: $!") for qw(in out);
open(my $held, '+<', "$pipe.out") or die("$pipe: $!");
my $stuck = boot(firmware => 'bios', icount => 64, com2 => 'none',
    extra => ['-chardev', "pipe,id=v,path=$pipe", '-device', 'virtio-serial-pci', '-device',
        'virtserialport,chardev=v'],
    flags => 'perf.rate=0',
    run => 'perf record -a -m 2M -g -e mem:crash_recurse_deeper:x -- crash recurse');
is($stuck->status, $panic_status, 'a machine that dies does not wait for ever for a reader');
like($stuck->console, qr/^Pitot: the virtio port took no more: \d+ bytes of the stream are lost$/m,
    '... and reports what was lost');

done_testing();
