#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: outside, docs/outside.md, tests/guests
#
# A guest that records its own callers (tests/guests/mixed.c) does at random what kernels do with
# stacks, and each of its chains from `pitot record -g` is compared. Run from the tree's root:
#
#     prove tests/boot/outside_mixed.t
#
# SEEDS="7 8" runs other seeds.
use strict;
use warnings;
use lib 'tests/lib';
use File::Path qw(make_path);
use Test::More;
use Pitot::Files;
use Pitot::Guest;
use Pitot::Outside qw(tells_registers);
use Pitot::Patience;
use Pitot::Perf;

plan skip_all => "a plugin is QEMU's" if ($ENV{MACHINE} // 'qemu') ne 'qemu';

my $build = $ENV{BUILD} // 'build';
my $logs = "$build/logs/outside_mixed";
my $probes = 3000;
make_path($logs);

# The letters of a sample's functions, as the guest writes them; `?`: unknown.
sub letters
{
    my @functions = @_;
    my $letters = '';
    for my $function (@functions) {
        $letters .= $1 if $function =~ /^f_([a-j])$/;
        $letters .= uc($1) if $function =~ /^handler_(.)$/;
        $letters .= '#' if $function eq 'run';
        $letters .= '?' if $function eq '[unknown]';
    }
    # What it calls on another stack is a separate thread.
    $letters .= 'S' if $functions[-1] eq 'call_there';
    return $letters;
}

sub known
{
    my ($written, $letters) = @_;
    $written =~ s/\d/#/g;
    return $letters =~ /S$/ ? $written =~ s/S.*/S/r : $written =~ tr/S//dr;
}

# If a function is interrupted just before or after it updates its own list, either form is right.
sub forms
{
    my ($letters) = @_;
    my @forms = ($letters);
    while ($letters =~ /[ABT]/g) {
        push(@forms, substr($letters, 0, $+[0]) . substr($letters, $+[0] + 1))
            if $+[0] < length($letters);
    }
    return @forms;
}

# True if the chain is what the guest wrote, or its beginning if the chain's end is unknown.
sub agree
{
    my ($known, $letters) = @_;
    my $whole = $letters !~ s/\?.*//;
    for my $written (forms($known)) {
        return 1
            if grep { $whole ? $written eq $_ : index($written, $_) == 0 } forms($letters);
    }
    return 0;
}

for my $seed (split(' ', $ENV{SEEDS} // '2 5 13')) {
    my ($elf, $data) = ("$logs/$seed.elf", "$logs/$seed.data");
    link_guest('mixed', $elf, "-DSEED=$seed", "-DPROBES=$probes");
    my ($status) = Pitot::Perf::run_between("$logs/out", "$logs/said", '/dev/null', 'timeout',
        $patience, "$build/outside/pitot", 'record', '-g', '-o', $data, '-e', 'mem:probe:w', '--',
        'qemu-system-x86_64', guest_machine(), '-icount', 'shift=3,sleep=off', '-debugcon',
        "file:$logs/$seed.written", '-kernel', $elf);
    my $said = slurp("$logs/said");
    is($status, $guest_ended, "seed $seed") or diag($said);
    Pitot::Perf::run_between("$logs/script", "$logs/script.said", '/dev/null', 'perf', 'script',
        '-i', $data, '-F', 'ip,sym');
    my @written = split(/\n/, slurp("$logs/$seed.written"));
    my @samples = map { letters(/^\s+[0-9a-f]+ (\S+)/mg) }
        grep { /\S/ } split(/\n\n/, slurp("$logs/script"));
    is(scalar(@samples), $probes, '... each of its writes is a sample');
    my @wrong = map { "$_: $written[$_], not $samples[$_]" }
        grep { !agree(known($written[$_], $samples[$_]), $samples[$_]) } 0 .. $#samples;
    my $ends = grep { /\?/ } @samples;
    if (tells_registers()) {
        is(join("\n", @wrong), '', '... has its callers');
        is($ends, 0, '... down to its thread');
    } else {
        like($said, qr/^pitot: [1-9]\d* of \d+ stack switches in doubt$/m, '... doubts are shown');
        like($said, qr/^pitot: $ends chains with callers that are not known: \[not known\]$/m,
            '... and how many chains end');
        cmp_ok(scalar(@wrong), '<', $probes / 500, '... of the others hardly any is wrong');
    }
}

done_testing();
