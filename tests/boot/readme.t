#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: README.md, kernel/seeded, docs/wild.svg, tools/transcript
#
# README.md is true: its three commands find the seeded bug, with the answer that its picture shows.
# Run from the root of the tree:
#
#     prove tests/boot/readme.t
use strict;
use warnings;
use lib 'tests/lib';
use Test::More;
use Pitot;
use Pitot::Files;
use Pitot::Shown;
use Pitot::Transcript;

my $page = slurp('README.md');
my $lines = () = $page =~ /\n/g;
cmp_ok($lines, '<=', 80, 'README.md has 80 lines at most');

my @examples = examples('README.md');
my @typed = map { $_->{command} } grep { $_->{prompt} eq 'pitot>' } @examples;
is(scalar(@typed), 3, 'the bug is found in three commands');
my $machine = boot(run => join('; ', @typed, 'poweroff'));
ended_ok($machine);
for my $example (@examples) {
    my $said = $example->{prompt} eq '$' ? `PERF_CONFIG=/dev/null $example->{command} 2>&1`
        : said($machine, $example->{command});
    shown_ok($example, $said);
}

# The answer, from the stream: one of all the writes to the balance comes from unrelated code.
my %writers;
$writers{$_->{chain}[0]}++ for samples(scalar perf_script($machine));
is_deeply(\%writers, {account_enter => 50, account_open => 1, request_serve => 1,
        request_expire => 1}, 'one write is wild');
my ($wild) = grep { $_->{chain}[0] eq 'request_expire' } samples(scalar perf_script($machine));
like("@{$wild->{chain}}", qr/^request_expire timers_run .*\btrap_entry\b/,
    '... and comes out of the timer\'s interrupt');

# The picture, drawn from this boot. The balance depends on when the timer interrupts the wait.
my $console = ($ENV{BUILD} // 'build') . '/logs/readme.console';
write_bytes($console, $machine->console);
my $balance = qr/(?<=balance is )-?\d+/;
is(`tools/transcript request_expire < $console` =~ s/$balance/N/gr,
    slurp('docs/wild.svg') =~ s/$balance/N/gr,
    'docs/wild.svg shows it; `make picture` draws it anew');

# The page's make targets exist.
my $makefile = join('', map { slurp($_) } 'Makefile', glob('*/*.mk'));
for my $target ($page =~ /\bmake (\w+)/g) {
    like($makefile, qr/^$target:|\bmake $target:/m, "make $target is a target");
}

done_testing();
