#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: boot, drivers/uart16550, tools/machine, tools/stream
#
# Under UEFI the firmware has printed on the stream's port before the kernel does. perf reads the
# recording that tools/machine left, and tools/stream finds it behind the firmware's text.
use strict;
use warnings;

use lib 'tests/lib';
use Test::More;
use Pitot;
use Pitot::Files;

my $machine = boot(
    machine => 'qemu',
    firmware => 'uefi',
    run => 'perf record -e mem:kernel_flag:rw -g -- fs-stress 1; poweroff',
);
ended_ok($machine);

open(my $stream, '<:raw', $machine->com2) or die($machine->com2 . ": $!\n");
read($stream, my $magic, 8);
is($magic, 'PERFILE2', 'the stream begins with its header');

my ($kept) = $machine->console =~ /^\[ perf record: (\d+) records? kept \]$/m;
my $samples = () = perf_script($machine, '-F', 'event') =~ /^\s*mem:kernel_flag:rw:/mg;
cmp_ok($samples, '>', 100, 'perf prints samples');
is($samples, $kept, '... as many as the kernel kept');

# The firmware writes the same text to all serial ports.
my ($said) = slurp($machine->console_path) =~ /\A(.*?)Pitot: /s;
like($said, qr/BdsDxe/, 'the firmware has talked');
my $capture = $machine->com2 . '.capture';
open(my $file, '>:raw', $capture) or die("$capture: $!\n");
print {$file} $said, slurp($machine->com2);
close($file) or die("$capture: $!\n");
my ($found, $told) = (scalar(`tools/stream $capture 2> $capture.told`), slurp("$capture.told"));
ok($found eq slurp($machine->com2), 'tools/stream finds the stream behind it');
is($told, "$capture: skips " . length($said) . " bytes before the stream\n", '... and reports it');

done_testing();
