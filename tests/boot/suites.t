#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: tests/kernel, arch/x86_64, kernel/x86_64, core/breakpoint, kernel/sched, kernel/user
# of: core/unwind
# of: core/ring, core/tracepoint
#
# The suites inside the test kernel pass on QEMU. The test kernel lists them, so a new one runs
# without being mentioned here. Suites that need the same machine share a boot. Run from the root of
# the tree:
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

# These are about several CPUs; the others about one.
my %smp = map { $_ => 1 } qw(ktap-smp ktap-rendezvous);

# These step through, sample in, or watch the timer's interrupt of a machine whose clock is that: by
# NMI watches are off, and the 8254 is.
my %no_hpet = map { $_ => 1 } qw(ktap-branches ktap-everything ktap-unwind);

# Have tests of their own: proof.t, as it looks at both kernels, soak.t and sweep.t.
my %elsewhere = map { $_ => 1 } qw(ktap-proof ktap-soak ktap-sweep);

# One boot for all of them; a subtest for each.
sub suites_ok
{
    my ($options, $where, @suites) = @_;
    # By the host's clock: with one of instructions QEMU executes a repeated string instruction once
    # more, with rcx at 0, and breakpoints hit there (docs/testing.md).
    my $machine = boot(machine => 'qemu', kernel => 'pitot-test', smp => 1, icount => '',
        timeout => $patience, %$options, run => join('; ', @suites, 'poweroff'));
    for my $suite (@suites) {
        subtest "$suite$where" => sub {
            my $said = Pitot::Ktap::said_by($machine->console, $suite);
            Pitot::Ktap::report($said) or diag($machine->tail);
        };
    }
    ended_ok($machine, "the machine is switched off behind @suites$where");
    return $machine;
}

my @files = map { 'ktap-' . basename($_, '_suite.c') } glob('tests/kernel/*_suite.c');
my @here = grep { !$for_bochs{$_} && !$elsewhere{$_} } sort(@files);

my $machine = boot(machine => 'qemu', kernel => 'pitot-test', run => 'help; poweroff');
my @suites = $machine->console =~ /^  (ktap-\S+) +\S/mg;
is("@suites", join(' ', sort(@files)), 'the test kernel has a suite for each file of them');

suites_ok({}, '', grep { !$smp{$_} && !$no_hpet{$_} } @here);
suites_ok({qemu_machine => 'pc,hpet=off'}, '', grep { $no_hpet{$_} } @here);
suites_ok({smp => 4}, '', grep { $smp{$_} } @here);

# What unwinds differs in the kernel with frame pointers; and the ring's instructions do.
my $fp_iso = ($ENV{FP_BUILD} // ($ENV{BUILD} // 'build') . '/fp') . '/test/pitot.iso';
suites_ok({iso => $fp_iso, qemu_machine => 'pc,hpet=off'}, ' with frame pointers',
    qw(ktap-ring ktap-snapshot ktap-unwind ktap-user ktap-calls));

# The random watches of known accesses, for some minutes.
my @random = qw(ktap-debugreg_string ktap-debugreg_program);
if ($ENV{SOAK}) {
    my $seed = $ENV{SEED} || 1 + int(rand(1 << 30));
    for my $suite (@random) {
        my $guest = boot(machine => 'qemu', kernel => 'pitot-test', smp => 1, icount => '',
            timeout => 6000, run => "$suite 5000 $seed; poweroff");
        note("$suite 5000 $seed");
        ktap_ok($guest);
    }
}

done_testing();
