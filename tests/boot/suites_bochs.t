#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
#
# A second opinion on debug registers, traps and page tables: what the suites claim of QEMU they
# claim of Bochs too, result by result, and a few things that QEMU cannot do hold there
# (docs/breakpoints.md). Run from the root of the tree:
#
#     prove tests/boot/suites_bochs.t
use strict;
use warnings;
use lib 'tests/lib';
use Test::More;
use Pitot;

# What these claim QEMU cannot do.
my %not_on_qemu = map { $_ => 1 } qw(ktap-debugreg_both);

# Ten million steps, whose short form is ktap-unwind; and all events over a load, of which the
# timer's interrupts alone take more instructions than Bochs has a second (tools/machine). The last
# two are asked of Bochs by their own tests, soak.t and sweep.t, with SOAK=1.
my %too_long = map { $_ => 1 } qw(ktap-proof ktap-everything ktap-soak ktap-sweep);

my %smp = ('ktap-smp' => 4);    # CPUs; the others are about one

# QEMU without a clock that Bochs has not.
sub suite
{
    my ($machine, $suite) = @_;
    return boot(machine => $machine, qemu_machine => 'pc,hpet=off',
        kernel => 'pitot-test', smp => $smp{$suite} // 1,
        run => "$suite; poweroff");
}

# The results as lines, without what was measured: a number between parentheses.
sub results
{
    my ($machine) = @_;
    my @results = map { @{$_->{results}} } Pitot::Ktap::parse($machine->console);
    my @lines = map { ($_->{holds} ? 'ok ' : 'not ok ') . $_->{name} } @results;
    return map { s/ \([^()]*\d[^()]*\)//r } @lines;
}

my $machine = boot(machine => 'bochs', kernel => 'pitot-test', run => 'help; poweroff');
ended_ok($machine, 'Bochs runs the test kernel (package bochs)');
my @suites = $machine->console =~ /^  (ktap-\S+) +\S/mg;
is(scalar(grep { $not_on_qemu{$_} } @suites), scalar(keys %not_on_qemu), 'it has suites');

for my $suite (grep { !$too_long{$_} } @suites) {
    my $bochs = suite('bochs', $suite);
    subtest "$suite on Bochs" => sub { ktap_ok($bochs) };
    is_deeply([results($bochs)], [results(suite('qemu', $suite))], '... as on QEMU')
        if !$not_on_qemu{$suite};
    like($bochs->console, qr/told of \(\d+ times, [1-9]\d* at the kernel's entry\)/,
        'the watched operand of `mov ss` hits behind the `syscall` that follows')
        if $suite eq 'ktap-user';
}

done_testing();
