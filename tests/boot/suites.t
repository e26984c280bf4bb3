#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: tests/kernel, arch/x86_64, kernel/x86_64, core/breakpoint, kernel/sched, kernel/user
# of: core/unwind
# of: core/ring, core/tracepoint
#
# The suites inside the test kernel pass on QEMU. The test kernel lists them, so new ones need no
# mention here. Suites that need the same machine share a boot. Run from the root of the tree:
#
#     prove tests/boot/suites.t
use strict;
use warnings;
use lib 'tests/lib';
use File::Basename qw(basename);
use Test::More;
use Pitot;


# QEMU reports only one of two simultaneous debug events (docs/breakpoints.md). suites_bochs.t runs
# these suites.
my %for_bochs = map { $_ => 1 } qw(ktap-debugreg_both);

# Suites that need several CPUs; the others need one.
my %smp = map { $_ => 1 } qw(ktap-smp ktap-rendezvous);

# Suites that step through, sample in, or watch the timer's interrupt, with the 8254 as the clock:
# with an HPET the clock is an NMI, during which watches are off.
my %no_hpet = map { $_ => 1 } qw(ktap-branches ktap-everything ktap-unwind);

# Suites with tests of their own: proof.t, which uses both kernels, soak.t and sweep.t.
my %elsewhere = map { $_ => 1 } qw(ktap-proof ktap-soak ktap-sweep);

# One boot for all suites, and a subtest for each.
sub suites_ok
{
    my ($options, $where, @suites) = @_;
    # Uses the host's clock: with instruction counting QEMU executes a repeated string instruction
    # once more, with rcx at 0, and breakpoints hit there (docs/testing.md).
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

# Unwinding differs in the kernel with frame pointers, and so do the ring's instructions.
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
