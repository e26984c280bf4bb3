#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: boot, drivers/uart16550, tools/machine
#
# Under UEFI the firmware has talked on the stream's port before the kernel does: perf reads the
# recording all the same, as tools/machine left it.
use strict;
use warnings;

use lib 'tests/lib';
use Test::More;
use Pitot;

my $machine = boot(
    machine => 'qemu',
    firmware => 'uefi',
    run => 'perf record -e mem:kernel_flag:rw -g -- fs-stress 1; poweroff',
);
ended_ok($machine);

open(my $stream, '<:raw', $machine->com2) or die($machine->com2 . ": $!\n");
read($stream, my $magic, 8);
is($magic, 'PERFILE2', 'the stream begins with its header');

my ($kept) = $machine->console =~ /^\[ perf record: (\d+) records kept \]$/m;
my $samples = () = perf_script($machine, '-F', 'event') =~ /^\s*mem:kernel_flag:rw:/mg;
cmp_ok($samples, '>', 100, 'perf prints samples');
is($samples, $kept, '... as many as the kernel kept');

done_testing();
