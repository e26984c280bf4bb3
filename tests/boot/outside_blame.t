#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: outside, docs/outside.md
#
# `pitot blame` on an unchanged kernel, tests/port: its last writers of a variable are the last hits
# of a watch on it in another run of the same boot, and the file of all memory's last writers has
# the same ones. Run from the root of the tree:
#
#     prove tests/boot/outside_blame.t
use strict;
use warnings;
use lib 'tests/lib';
use File::Path qw(make_path);
use Test::More;
use Pitot::Difference;
use Pitot::Files;
use Pitot::Outside;
use Pitot::Patience;
use Pitot::Perf;

plan skip_all => "a plugin is QEMU's" if ($ENV{MACHINE} // 'qemu') ne 'qemu';

my $build = $ENV{BUILD} // 'build';
my $logs = "$build/logs/outside_blame";
make_path($logs);

my @qemu = machine_of("file:$logs/console", '-kernel', "$build/port.elf");

# The output of a command.
sub printed
{
    my ($wanted, @command) = @_;
    my $status = Pitot::Perf::run_between("$logs/out", "$logs/err", '/dev/null', 'timeout',
        $patience, @command);
    is($status, $wanted, join(' ', grep { defined } @command[0 .. 5])) or diag(slurp("$logs/err"));
    return slurp("$logs/out");
}

# Each write in a text: "comm tid [cpu] time", and the functions of its chain with their offsets.
sub writes
{
    my ($text) = @_;
    my @writes;
    for (split(/\n/, $text)) {
        push(@writes, "$1 $2 $3 $4:") if /^\s*(\S+)\s+(\d+)\s+(\[\d+\])\s+(\d+\.\d+):/;
        $writes[-1] .= " $1" if @writes && /^\s+[0-9a-f]+ (\S+)/;
    }
    return @writes;
}

my $blamed = printed($switched_off, "$build/outside/pitot", 'blame', '-n', 10, 'port_watched',
    'port_watched+2/4', '--', @qemu);
like(slurp("$logs/console"), qr/^port: 40 writes, 40 hits, 80 records$/m,
    'the kernel runs as it does unwatched');
my ($whole_text, $part_text) = split(/^(?=port_watched\+2, )/m, $blamed);
my ($whole, $part) = map { [writes($_)] } $whole_text, $part_text;

printed($switched_off, "$build/outside/pitot", 'record', '-g', '-e', 'mem:port_watched:w', '-o',
    "$logs/perf.data", '--', @qemu);
my @hits = writes(printed(0, 'perf', '--no-pager', 'script', '-i', "$logs/perf.data", '--ns', '-F',
    'comm,tid,cpu,time,ip,sym,symoff'));
is(scalar(@hits), 40, 'a watch has 40 hits');
is_deeply($whole, [reverse(@hits[-10 .. -1])], '... the last 10 are the last 10 writers');
is_deeply($part, $whole, '... also of a part of it');
# The kernel writes 0 to 39.
my @values = map { sprintf('value 0x%x, ', $_) } reverse(30 .. 39);
is_deeply([$whole_text =~ /: (.*?)\d+ instructions ago$/mg],
    tells_registers() ? \@values : [('') x 10], '... with the values, where QEMU tells them');
my ($time) = $hits[-1] =~ /(\d+\.\d+):/;
my ($ago) = $blamed =~ /(\d+) instructions ago$/m;
my ($page) = slurp('docs/outside.md') =~ /^( {4}port_watched, 8 bytes.*?)\n\n/ms;
is_deeply([map { s/.*?: |\+0x\w+//gr } writes($page)],
    [map { s/.*?: |\+0x\w+//gr } @$whole[0, 1]], '... as in docs/outside.md');

# Variables of 4 and 8 bytes that share their aligned words with no other.
my @variables = map { /^([0-9a-f]+) 0*([48]) [bBdD] \S+$/ ? "0x$1/$2" : () }
    split(/\n/, printed(0, 'nm', '-S', '--defined-only', "$build/port.elf"));
splice(@variables, 96);
cmp_ok(scalar(@variables), '>', 50, 'the kernel has variables');
my $histories = printed($switched_off, "$build/outside/pitot", 'blame', '-n', 1, @variables, '--',
    @qemu);
printed($switched_off, "$build/outside/pitot", 'blame', '-o', "$logs/blame.data", '--', @qemu);
is(scalar(() = $histories =~ /^0x/mg), scalar(@variables), '... of which each has its answer');
# In QEMU 10 two runs do not end at the same instruction.
my $of_file = printed(0, "$build/outside/pitot", 'blame', '-i', "$logs/blame.data", @variables);
same_ok($of_file =~ s/\d+ instructions ago//gr,
    $histories =~ s/\d+ times in a row, |value \w+, |\d+ instructions ago//gr,
    '... all memory\'s file has the same of each');

# A page names the source line of each place in the chain.
printed(0, "$build/outside/pitot", 'blame', '--html', '-i', "$logs/blame.data", '-o',
    "$logs/page.html", 'port_watched');
my @source = split(/\n/, slurp('tests/port/port.c'));
my @lines = map { $source[$_ - 1] =~ s/^\s+//r }
    slurp("$logs/page.html") =~ /(?:port_leaf|port_middle|port_load)\+0x\w+",\d+,(\d+)\]/g;
is_deeply(\@lines, ['port_watched = value;', 'port_leaf(2 * value + 1);', 'port_middle(i);'],
    '... and in a page stands each caller beside its source line');

my %counts = reverse((printed($switched_off, "$build/outside/pitot", 'stat', '--', @qemu),
    slurp("$logs/err"))[1] =~ /^ +(\d+) +(instructions)$/mg);
cmp_ok(abs($counts{instructions} - $time * 1e9 - $ago), '<', 5_000,
    '... so many instructions before the end');

done_testing();
