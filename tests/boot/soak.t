#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: core/ring, tests/kernel/soak
#
# All CPUs write into their rings at full rate, NMIs and interrupts among the writers, and readers
# on other CPUs check every byte (docs/ring.md, "Under load"): none is wrong, and each missing one
# is counted. CPUs that take turns in one thread of the host interrupt each other where they pause,
# and get much done; CPUs with a thread each really run at once. Takes ten seconds; QUICK=1 skips
# it, SOAK=1 checks billions of bytes, also on Bochs. Run from the root of the tree:
#
#     prove tests/boot/soak.t
use strict;
use warnings;
use lib 'tests/lib';
use Test::More;
use Pitot;

plan skip_all => 'QUICK=1: the ring is written and read at full rate for ten seconds'
    if $ENV{QUICK};

my $cpus = 4;
my $soak = $ENV{SOAK};
my $hang = $patience * ($soak ? 10 : 1);

sub soak
{
    my ($megabytes, %options) = @_;
    my $guest = boot(smp => $cpus, icount => '', kernel => 'pitot-test', timeout => $hang,
        run => "ktap-soak $megabytes; poweroff", %options);
    ktap_ok($guest);
    my ($bytes) = $guest->console =~ /^# (\d+) bytes checked in all$/m;
    cmp_ok($bytes // 0, '>=', 2 * $megabytes << 20, 'as many bytes as promised');
    note(join("\n", $guest->console =~ /^#.*$/mg));
}

subtest 'in turns' => sub { soak($soak ? 1500 : 160, machine => 'qemu') };
subtest 'at once' => sub {
    soak($soak ? 150 : 30, machine => 'qemu', accel => 'tcg,thread=multi');
};
subtest 'on Bochs' => sub { soak(20, machine => 'bochs') } if $soak;

done_testing();
