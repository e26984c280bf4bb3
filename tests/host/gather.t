#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: tools/gather, tools/machine
#
# Bytes that QEMU writes one at a time reach its files complete, in order and in time, with few
# system calls (tools/gather). First with build/host/gathered, which writes as QEMU does, then with
# a machine. Run from the root of the tree:
#
#     prove tests/host/gather.t
use strict;
use warnings;
use lib 'tests/lib';
use File::Temp qw(tempdir);
use IPC::Open2 qw(open2);
use Test::More;
use Time::HiRes qw(sleep time);
use Pitot;
use Pitot::Files;

my $build = $ENV{BUILD} // 'build';
my $library = "$build/host/gather.so";
my $writer = "$build/host/gathered";
my $room = tempdir(CLEANUP => 1);
my $hang = $patience;

# The writer is compiled with AddressSanitizer, which insists on being the first library.
sub loaded { return "LD_PRELOAD=$library ASAN_OPTIONS=verify_asan_link_order=0" }

# How many system calls the writer made. Tests that it succeeded.
sub calls
{
    my ($with, @orders) = @_;
    my $said = `env $with $writer $room/file @orders 2>&1`;
    is($?, 0, "@orders") or diag($said);
    return $said =~ /^syscw: (\d+)$/m ? $1 : -1;
}

# Polls until the machine or the writer has got there.
sub soon
{
    my ($what) = @_;
    my $deadline = time + $hang;
    sleep(0.005) until $what->() || time > $deadline;
    return $what->();
}

# --- Bytes --------------------------------------------------------------------------------------

my $many = 200_000;
my $expected = substr(join('', 'a' .. 'z') x ($many / 26 + 1), 0, $many);
my $without = calls('LD_PRELOAD=', "many=$many");
cmp_ok($without, '>=', $many, 'each byte is a system call of its own');
my $with = calls(loaded(), "many=$many");
ok(slurp("$room/file") eq $expected, 'all bytes are there, in order');
# The library writes 64 KiB at a time; on a slow host, also bytes that have waited too long.
cmp_ok($with, '<', $many / 20, 'in few calls');
ok($with > 0, 'which were counted');

my $full = "trap '' XFSZ; ulimit -f 8; exec env ${\loaded()} $writer $room/cut many=$many";
my $reported = qr/^QEMU: the file of a serial line is cut: File too large\n(?!QEMU)/;
like(scalar(`sh -c "$full" 2>&1`), $reported, 'bytes that do not fit are reported, once');

calls(loaded(), qw(bytes=abc word=defg bytes=h word=ij bytes=kl));
is(slurp("$room/file"), 'abcdefghijkl', 'words and bytes keep their order');

calls(loaded(), 'bytes=old', "next=$room/other", 'bytes=new');
is(slurp("$room/file") . ' ' . slurp("$room/other"), 'old new',
    'a file that is closed has its bytes, and none of the next');

# A debugger that learns of a stop by a socket may then read what the guest printed before it.
like(`env @{[loaded()]} $writer $room/file bytes=abcde send bytes=fg send 2>&1`,
    qr/^length: 5\nlength: 7$/m, 'what is sent to a socket comes after the bytes');

# Bytes to a pipe are not held back: its reader may wait for them.
is(`env @{[loaded()]} $writer /dev/stdout bytes=abc | head -c 3`, 'abc', 'a pipe has its bytes');

{
    my $pid = open2(my $out, my $in,
        "exec env @{[loaded()]} $writer $room/file bytes=ab wait bytes=c wait");
    ok(soon(sub { slurp_if_there("$room/file") eq 'ab' }), 'who follows the file sees bytes');
    print $in "\n";
    ok(soon(sub { slurp_if_there("$room/file") eq 'abc' }), 'and those that come later');
    close($in);
    waitpid($pid, 0);
    is($?, 0, 'the writer ends');
}

# --- A machine ----------------------------------------------------------------------------------

# Processes of a machine's group that have loaded the library.
sub users
{
    my ($group) = @_;
    return grep { slurp_if_there("/proc/$_/maps") =~ m{/gather\.so$}m }
        grep { slurp_if_there("/proc/$_/stat") =~ /^\d+ \(qemu.*\) \S \d+ $group / }
        map { m{(\d+)$} } glob('/proc/[0-9]*');
}

SKIP: {
    skip('Bochs gathers by itself', 3) if ($ENV{MACHINE} // 'qemu') ne 'qemu';
    my $machine = Pitot::Machine->new(icount => '', run => 'echo first; fs-stress 1000000');
    ok(soon(sub { $machine->console =~ /first/ }), 'a console can be read while it grows');
    is(scalar(users($machine->{pid})), 1, 'QEMU is started so');
    $machine->stop;
    my $whole = boot(run => 'perf record -e timer:tick -- fs-stress 20; poweroff');
    ended_ok($whole);
}

done_testing();
