#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
#
# The suites inside the test kernel hold on QEMU. Which there are the test kernel itself says, so
# that a new one is run without being mentioned here; each has a boot of its own. Run from the root
# of the tree:
#
#     prove tests/boot/suites.t
use strict;
use warnings;
use lib 'tests/lib';
use File::Basename qw(basename);
use Test::More;
use Pitot;

# QEMU reports one of two debug events that come together: docs/breakpoints.md. suites_bochs.t runs
# these.
my %for_bochs = map { $_ => 1 } qw(ktap-debugreg_both);

my %smp = ('ktap-smp' => 4);    # CPUs; the others are about one

# These step through, sample in, or watch the timer's interrupt of a machine whose clock is that: by
# NMI watches are off, and the 8254 is.
my %machine = map { $_ => 'pc,hpet=off' } qw(ktap-branches ktap-everything ktap-unwind);

# Have tests of their own: proof.t, as it looks at both kernels, soak.t and sweep.t.
my %elsewhere = map { $_ => 1 } qw(ktap-proof ktap-soak ktap-sweep);

my $machine = boot(machine => 'qemu', kernel => 'pitot-test', run => 'help; poweroff');
ended_ok($machine);
my @suites = $machine->console =~ /^  (ktap-\S+) +\S/mg;
my @files = map { 'ktap-' . basename($_, '_suite.c') } glob('tests/kernel/*_suite.c');
is("@suites", join(' ', sort(@files)), 'the test kernel has a suite for each file of them');

for my $suite (grep { !$for_bochs{$_} && !$elsewhere{$_} } @suites) {
    subtest $suite => sub {
        ktap_ok(boot(machine => 'qemu', kernel => 'pitot-test', smp => $smp{$suite} // 1,
            qemu_machine => $machine{$suite} // 'pc', run => "$suite; poweroff"));
    };
}

# What unwinds differs in the kernel with frame pointers; and the ring's instructions do.
my $fp_iso = ($ENV{FP_BUILD} // ($ENV{BUILD} // 'build') . '/fp') . '/pitot.iso';

for my $suite (qw(ktap-ring ktap-snapshot ktap-unwind ktap-user ktap-calls)) {
    subtest "$suite with frame pointers" => sub {
        ktap_ok(boot(machine => 'qemu', iso => $fp_iso, kernel => 'pitot-test',
            smp => $smp{$suite} // 1, qemu_machine => $machine{$suite} // 'pc',
            run => "$suite; poweroff"));
    };
}

done_testing();
