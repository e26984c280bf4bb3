#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: Makefile, tools/machine
#
# `make run`: without a terminal it shows the demonstration and ends; with one it stays at the
# prompt. Run from the root of the tree:
#
#     prove tests/boot/run.t
use strict;
use warnings;
use lib 'tests/lib';
use File::Path qw(make_path);
use IO::Select;
use IPC::Open2 qw(open2);
use Test::More;
use Time::HiRes qw(time);
use Pitot;
use Pitot::Transcript;

plan skip_all => 'make run has QEMU\'s console' if ($ENV{MACHINE} // 'qemu') ne 'qemu';

my $build = $ENV{BUILD} // 'build';
my $logs = "$build/logs/run";
my $stream = "$build/com2.bin";
my $report = qr/^ +50\.00% +\d+ +\[k\] lock_kernel *\n +\|\n +---boot_entry_high\n +kernel_main\n/m;

# `make run` must not see the variables of the make that runs the tests.
delete @ENV{qw(MAKEFLAGS MFLAGS MAKELEVEL RUN FLAGS KERNEL CONSOLE COM1 COM2)};
make_path($logs);

# Runs make without a terminal. Returns its status and output.
sub make_run
{
    my ($log, @arguments) = @_;
    unlink($stream);
    system('sh', '-c', "exec timeout $patience make run \"\$@\" < /dev/null > \"\$0\" 2>&1",
        "$logs/$log", "BUILD=$build", @arguments);
    return ($? >> 8, slurp("$logs/$log"));
}

sub slurp
{
    my ($path) = @_;
    open(my $file, '<:raw', $path) or die("$path: $!");
    local $/;
    return (scalar <$file> // '') =~ tr/\r//dr;
}

# --- Without a terminal --------------------------------------------------------------------------

my ($status, $console) = make_run('demo');
is($status, 0, 'make run without a terminal ends with status 0') or diag($console);
like($console, $report, '... it has shown the report');
like($console, qr/^pitot> poweroff\n\z/m, '... and switched the machine off');
my ($theirs) = perf_report($stream, '--no-children', '-F', 'overhead,sample,sym', '-g', 'caller');
my ($ours) = $console =~ /^pitot> perf report [^\n]*\n(.*?)^pitot> /ms;
same_lines_ok(report_lines($ours // ''), report_lines($theirs),
    '... perf makes the same report of build/com2.bin');

($status, $console) = make_run('list', "RUN=help 'perf'; perf list; poweroff");
is($status, 0, 'make run RUN=... types those commands');
is_deeply([$console =~ /^pitot> (.*)$/mg], ["help 'perf'", 'perf list', 'poweroff'],
    '... and no others');

# --- With a terminal -----------------------------------------------------------------------------

# script(1) gives make a terminal and passes on our input and its output.
my $pid = open2(my $output, my $input, 'timeout', $patience,
    'script', '-qec', "make run BUILD=$build", '/dev/null');
my $said = '';

# Reads until the whole output matches.
sub said_ok
{
    my ($pattern, $name) = @_;
    my $deadline = time + $patience;
    my $select = IO::Select->new($output);
    while ($said !~ $pattern && $select->can_read($deadline - time)) {
        sysread($output, my $bytes, 65536) or last;
        $said .= $bytes =~ tr/\r//dr;
    }
    like($said, $pattern, $name);
}

said_ok(qr/$report.*^pitot> \z/ms,
    'make run with a terminal shows the report and ends at the prompt');
unlike($said, qr/poweroff/, '... and does not switch the machine off');
syswrite($input, "perf stat -e mem:kernel_flag:w -- fs-stress 1\n");
said_ok(qr/Performance counter stats for 'fs-stress'.*^pitot> \z/ms, 'a person can type there');
syswrite($input, "perf lis\x01help \n");
said_ok(qr/near: list; .*^pitot> \z/ms, '... and ^A is the line\'s beginning, not QEMU\'s');
like($said, qr/^QEMU: \^\] x quits/m, '... whose own key is reported');
syswrite($input, "poweroff\n");
said_ok(qr/^pitot> poweroff\n/m, '... to the end');
waitpid($pid, 0);
is($? >> 8, 0, '... which has status 0');

done_testing();
