#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: kernel/fs, kernel/user
#
# The load fs-stress beside programs: memory that programs take and free while it runs is no leak of
# the file system, and fs-stress must not report one. Run from the root of the tree:
#
#     prove tests/boot/beside.t
use strict;
use warnings;
use lib 'tests/lib';
use Test::More;
use Pitot;
use Pitot::Transcript;

# The console from the command to its last line.
sub meanwhile
{
    my ($machine) = @_;
    my $last = qr/^fs-stress: \d+ operations.*?\n/m;
    return $machine->console =~ /^pitot> fs-stress 60\n(.*?$last)/ms ? $1 : '';
}

# The first program's number: the kernel's threads have the lower ones, two more for each further
# CPU.
my %first = (1 => 4, 4 => 10);

for my $smp (sort keys %first) {
    my $machine = boot(
        smp => $smp,
        run => join('; ', 'run poll-load 400000 &', 'run fs-load 20 &', 'run calls &',
            'fs-stress 60', "kill $first{$smp}", 'wait', 'fs-stress 2', 'poweroff'));
    ended_ok($machine, "fs-stress beside three programs, $smp CPUs");
    like(meanwhile($machine), qr/^fs-stress: \d+ operations, all verified$/m,
        '... has all its pages back, and counts none of theirs');
    like(said($machine, 'fs-stress 2'), qr/^fs-stress: \d+ operations, all verified$/m,
        '... and alone');
    like($machine->console, qr/^poll-load \(pid $first{$smp}\): killed by signal 15$/m,
        '... of which poll-load did not end by itself');
    next if $smp > 1;    # which of the others ends first is certain only on one CPU

    like(meanwhile($machine), qr/^$_ \(pid \d+\): exit status 0$/m, "... $_ ended meanwhile")
        for qw(fs-load calls);
}

done_testing();
