#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: drivers/uart16550, kernel/panic, core/stream/base64
#
# The reader of a dying machine's console may pause: the recording arrives complete. Run from the
# root of the tree:
#
#     prove tests/boot/slow_reader.t
use strict;
use warnings;
use lib 'tests/lib';
use Compress::Raw::Zlib qw(crc32);
use MIME::Base64 qw(decode_base64);
use Test::More;
use Pitot;

my $whole = 0x2144df1c;        # docs/stream.md: the CRC-32 of a stream that is whole
my $pause = 2;    # seconds: longer than a million reads of a port take
my $panic_status = 2 * 0x31 + 1;

# The recording has some hundred chains when the stack is full. A dying machine waits ten seconds
# for a reader: here, ten billion instructions, for which a host needs a minute or more.
my $machine = start(machine => 'qemu', smp => 1, icount => 1, com2 => 'none',
    flags => 'perf.rate=0',
    run => 'perf record -a -m 2M -g -e mem:crash_recurse_deeper:x -- crash recurse');
$machine->expect(qr/^begin-base64 644 \S+$/m, $patience, 'a machine dies and prints its recording');
sleep($pause);    # under test: a reader that pauses
is($machine->wait_end, $panic_status, '... to the end, while nobody has read for some seconds');
my ($lines) = $machine->console =~ /^begin-base64 644 \S+\n(.*?)^====$/ms;
cmp_ok(length($lines // ''), '>', 100_000, '... more than the buffers on the way hold');
unlike($lines // '', qr/[^A-Za-z0-9+\/=\n]/, '... nothing of it was lost');
is(crc32(decode_base64($lines // '')), $whole, '... also by its checksum');

done_testing();
