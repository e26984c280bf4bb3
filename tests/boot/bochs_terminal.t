#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: tools/machine
#
# Bochs on a terminal: a message before the prompt reports that its console takes no keys, and
# Bochs, which ignores SIGHUP and SIGTERM, ends with its terminal and with tools/machine, whatever
# ends these. Run from the root of the tree: prove tests/boot/bochs_terminal.t
use strict;
use warnings;
use lib 'tests/lib';
use Cwd qw(getcwd);
use File::Path qw(make_path remove_tree);
use File::Spec;
use IO::Select;
use IPC::Open2 qw(open2);
use Test::More;
use Time::HiRes qw(time);
use Pitot::Files;
use Pitot::Patience;

my $build = $ENV{BUILD} // 'build';
my $logs = "$build/logs/bochs_terminal";
my ($yes, $no) = (1 == 1, 1 == 0);

# True if a Bochs runs that was started with files of this folder. Paths in its command line begin
# at the root of the tree, so another tree's tests may run at the same time.
sub bochs_runs
{
    my ($room) = @_;
    my @here = grep { (readlink("$_/cwd") // '') eq getcwd() } glob('/proc/[0-9]*');
    my @commands = map { slurp_if_there("$_/cmdline") } @here;
    return !!grep { /^bochs/ && /\Q$room\E/ } @commands;
}

sub bochs_runs_ok
{
    my ($room, $expected, $name) = @_;
    my $until = time + $patience;
    select(undef, undef, undef, 0.02) until bochs_runs($room) == $expected || time > $until;
    is(bochs_runs($room), $expected, $name);
}

# The terminal's text up to the prompt.
sub said_until_prompt
{
    my ($output) = @_;
    my $until = time + $patience;
    my $select = IO::Select->new($output);
    my $said = '';
    while ($said !~ /^pitot> \z/m && $select->can_read($until - time)) {
        sysread($output, my $bytes, 65536) or last;
        $said .= $bytes =~ tr/\r//dr;
    }
    return $said;
}

# Tests that a Bochs starts that way, on a terminal that script(1) creates and removes, and ends.
sub ends_ok
{
    my ($how, $whom, $signal) = @_;
    my $room = "$logs/$whom-$signal";
    remove_tree($room);
    make_path($room);
    local @ENV{qw(MACHINE FIRMWARE ISO KERNEL BUILD CONSOLE COM2 RUN)}
        = ('bochs', 'bios', File::Spec->rel2abs("$build/test/pitot.iso"), 'pitot', $room, 'stdio',
            'none', 'help');
    my $script = open2(my $output, my $input, 'script', '-qefc',
        "echo \$\$ > $room/pid; exec tools/machine", '/dev/null');
    my $said = said_until_prompt($output);
    like($said, qr/^tools\/machine: Bochs' console takes no keys.*RUN=.*\^C.*^pitot> \z/ms,
        'that no keys are taken is said before the prompt');
    bochs_runs_ok($room, $yes, '... at which Bochs runs');
    kill($signal, $whom eq 'script' ? $script : slurp("$room/pid"));
    bochs_runs_ok($room, $no, "... and ends when $how");
    kill('KILL', $script);
    waitpid($script, 0);
}

ends_ok('its terminal is closed', 'script', 'KILL');
ends_ok('tools/machine is told to end', 'machine', 'TERM');
ends_ok('tools/machine is killed', 'machine', 'KILL');

done_testing();
