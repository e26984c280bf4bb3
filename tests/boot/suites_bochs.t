#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: tests/kernel/debugreg, tests/kernel/paging, arch/x86_64
#
# A second opinion on debug registers, traps and page tables: the suites' results on Bochs are the
# same, one by one, and there are a few more that QEMU cannot show (docs/breakpoints.md). Suites
# with the same number of CPUs share a boot. Run from the root of the tree:
#
#     prove tests/boot/suites_bochs.t
use strict;
use warnings;
use lib 'tests/lib';
use File::Basename qw(basename);
use Test::More;
use Pitot;

# Bochs executes some 20 million instructions a second, and fewer on a busy host.
my $hang = 3 * $patience;    # for a boot

# Suites whose claims QEMU cannot meet.
my %not_on_qemu = map { $_ => 1 } qw(ktap-debugreg_both);

# The proof, whose short form is ktap-unwind; and all events over a load, where the timer's
# interrupts alone take more instructions than Bochs executes in a second (tools/machine). The
# others run on Bochs in their own tests, ring.t, soak.t and sweep.t, with SOAK=1.
my %too_long = map { $_ => 1 } qw(ktap-proof ktap-everything ktap-ring ktap-soak ktap-sweep);

# Suites that need several CPUs; the others need one.
my %smp = map { $_ => 1 } qw(ktap-smp ktap-rendezvous);

# QEMU gets no clock that Bochs does not have.
sub run_suites
{
    my ($machine, $cpus, @suites) = @_;
    return boot(machine => $machine, qemu_machine => 'pc,hpet=off', kernel => 'pitot-test',
        icount => '', smp => $cpus, run => join('; ', @suites, 'poweroff'), timeout => $hang);
}

# The results as lines, without measurements, which are numbers in parentheses.
sub results
{
    my ($said) = @_;
    my @results = map { @{$_->{results}} } Pitot::Ktap::parse($said);
    my @lines = map { ($_->{holds} ? 'ok ' : 'not ok ') . $_->{name} } @results;
    return map { s/ \([^()]*\d[^()]*\)//r } @lines;
}

sub suites_ok
{
    my ($cpus, @suites) = @_;
    my $bochs = run_suites('bochs', $cpus, @suites);
    my $qemu = run_suites('qemu', $cpus, grep { !$not_on_qemu{$_} } @suites);
    for my $suite (@suites) {
        my ($there, $here) = map { Pitot::Ktap::said_by($_->console, $suite) } $bochs, $qemu;
        subtest "$suite on Bochs" => sub { Pitot::Ktap::report($there) or diag($bochs->tail) };
        is_deeply([results($there)], [results($here)], '... as on QEMU') if !$not_on_qemu{$suite};
    }
    ended_ok($_, "the machine is switched off behind @suites") for $bochs, $qemu;
    return $bochs;
}

my @files = map { 'ktap-' . basename($_, '_suite.c') } glob('tests/kernel/*_suite.c');
my @suites = grep { !$too_long{$_} } @files;
is(scalar(grep { $not_on_qemu{$_} } @suites), scalar(keys %not_on_qemu), 'there are suites');

my $bochs = suites_ok(1, grep { !$smp{$_} } @suites);
like(Pitot::Ktap::said_by($bochs->console, 'ktap-user'),
    qr/told of \(\d+ times, [1-9]\d* at the kernel's entry\)/,
    'the watched operand of `mov ss` hits behind the `syscall` that follows');
suites_ok(4, grep { $smp{$_} } @suites);

done_testing();
