#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: docs/tutorial.md, kernel/seeded, tools/postmortem, tools/gdb
#
# docs/tutorial.md is true: each of its commands is run, at the prompt, in the shell or in gdb, and
# prints what the page shows below it. Each section has its own machine, as after `make run RUN=`.
# Run from the root of the tree:
#
#     prove tests/boot/tutorial.t
use strict;
use warnings;
use lib 'tests/lib';
use File::Path qw(make_path);
use Test::More;
use Pitot;
use Pitot::Files;
use Pitot::Shown;
use Pitot::Transcript;

plan skip_all => "a stub for gdb is QEMU's" if ($ENV{MACHINE} // 'qemu') ne 'qemu';

my $build = $ENV{BUILD} // 'build';
my $logs = "$build/logs/tutorial";
my $page = 'docs/tutorial.md';

# `make` must not see the variables of the make that runs the tests.
delete @ENV{qw(MAKEFLAGS MFLAGS MAKELEVEL RUN FLAGS KERNEL CONSOLE COM1 COM2 GDB)};
$ENV{PERF_CONFIG} = '/dev/null';
make_path($logs);

# Runs a line of the shell, with this run's paths in place of the page's. Returns stdout and stderr;
# perf's general complaints about events are left out, as no page shows them.
sub shell
{
    my ($line, $machine, $input) = @_;
    my $stream = $machine ? $machine->com2 : 'no-machine';
    $line =~ s{\bbuild/com2\.bin\b}{$stream}g;
    $line =~ s{\bbuild/}{$build/}g;
    $line =~ s{^make }{timeout $patience make BUILD=$build };
    return scalar `{ $line; } 2>&1 <${\($input // '/dev/null')}`;
}

# Runs the gdb that `make gdb` starts, with the commands as if typed; the output of each follows a
# prompt.
sub gdb_session_ok
{
    my ($start, @commands) = @_;
    my $script = "$logs/script";
    open(my $file, '>', $script) or die("$script: $!");
    print {$file} "$_->{command}\n" for @commands;
    close($file);
    my @said = split(/^\(gdb\) /m, shell($start->{command}, undef, $script));
    @said = map { split(/\G\(gdb\) /) } @said;
    shown_ok($start, shift(@said) // '');
    shown_ok($_, shift(@said) // '') for @commands;
}

sub section_ok
{
    my ($how, @examples) = @_;
    my @typed = map { $_->{command} } grep { $_->{prompt} eq 'pitot>' } @examples;
    my $machine;
    if (@typed) {
        $machine = boot(run => join('; ', @typed, 'poweroff'));
        ended_ok($machine);
    }
    while (my $example = shift(@examples)) {
        my @gdb;
        push(@gdb, shift(@examples)) while @examples && $examples[0]{prompt} eq '(gdb)';
        if (@gdb) {
            gdb_session_ok($example, @gdb);
        } elsif ($example->{prompt} eq '$') {
            shown_ok($example, shell($example->{command}, $machine), %$how);
        } else {
            shown_ok($example, said($machine, $example->{command}), %$how);
        }
    }
}

# Sections that are compared less strictly than line by line: any change of the kernel's code
# changes how often threads wait; and on a machine with the host's clock, as gdb's, an interrupt may
# add its own events anywhere.
my %how = (2 => {rough => 1}, 3 => {gaps => 1});

# The lines of the section headings; an example belongs to the section around it.
my @lines = split(/\n/, slurp($page));
my @heads = grep { $lines[$_ - 1] =~ /^## \d/ } 1 .. @lines;
my @examples = examples($page);
is(scalar(@heads), 5, "$page asks five questions");
for my $i (0 .. $#heads) {
    my ($from, $end) = ($heads[$i], $heads[$i + 1] // scalar(@lines));
    my $title = $lines[$from - 1] =~ s/^## //r;
    my @here = grep { $_->{number} > $from && $_->{number} < $end } @examples;
    subtest $title => sub {
        cmp_ok(scalar(@here), '>', 2, 'has examples');
        section_ok($how{$i + 1} // {}, @here);
    };
}

done_testing();
