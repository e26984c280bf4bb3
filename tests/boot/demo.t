#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: boot/main, core/report, core/script, core/stream, core/perf/record
# of: core/breakpoint, arch/x86_64/debug
#
# The main task: one boot records which code takes the big kernel lock, and prints the same report
# as the real perf for the stream. Run from the root of the tree:
#
#     prove tests/boot/demo.t
use strict;
use warnings;
use lib 'tests/lib';
use Test::More;
use Pitot;
use Pitot::Transcript;

my $record = 'perf record -e mem:kernel_flag:rw -g -- fs-stress';
my $report = 'perf report -g caller -s sym';
my $report_all = 'perf report -g caller,0 -s sym';
my $report_callee = 'perf report -g callee,0 -s sym';
my $stat = 'perf stat -e mem:kernel_flag:rw -- fs-stress';

# perf's options for comparable output (docs/stream.md, docs/perf.md).
my @columns = ('--no-children', '-F', 'overhead,sample,sym');
my $fields = 'comm,tid,cpu,time,period,event,ip,sym,symoff';

# As `make run` boots it: with GRUB and the host's clock.
my $machine = boot(boot => 'grub', icount => '', run => join('; ', $record, $report, $report_all,
    $report_callee, 'perf script', $stat, 'poweroff'));
ended_ok($machine);
my ($hits) = said($machine, $stat) =~ /^ +(\d+) {6}mem:kernel_flag:rw$/m;
cmp_ok($hits, '>', 500, 'perf stat counts hits');
like(said($machine, $record), qr/^fs-stress: \d+ operations, all verified$/m, 'the load has run');
like(said($machine, $record), qr/^\[ perf record: $hits records kept \]$/m,
    'perf record keeps them all');

# --- Kernel and perf agree -----------------------------------------------------------------------

my ($theirs, $complaints, $status) = perf_report($machine, @columns, '-g', 'caller');
is($status, 0, 'perf reads the stream');
unlike($complaints, qr/lost|fail|unexpected|out of order|unknown/i, '... without a complaint');
same_lines_ok(report_lines(said($machine, $report)), report_lines($theirs),
    'perf report: the kernel prints the lines that perf prints');
$theirs = perf_report($machine, @columns, '-g', 'caller,0');
same_lines_ok(report_lines(said($machine, $report_all)), report_lines($theirs),
    '... with the rarest branches too');
$theirs = perf_report($machine, @columns, '-g', 'callee,0');
same_lines_ok(report_lines(said($machine, $report_callee)), report_lines($theirs),
    '... and with callees first');
my $script = said($machine, 'perf script');
same_lines_ok(script_lines($script), script_lines(scalar perf_script($machine, '-F', $fields)),
    'perf script: the same');

my $dump = perf_run('report', $machine, '-D');
unlike($dump, qr/PERF_RECORD_LOST/, 'the stream tells of no loss');
is(scalar(() = $dump =~ /PERF_RECORD_SAMPLE/g), $hits, '... and has a sample for each hit');

# --- Contents ------------------------------------------------------------------------------------

my %reported = reverse said($machine, $report) =~ /^ +\d+\.\d\d% +(\d+) +\[k\] (\S+) *$/mg;
is_deeply(\%reported, {lock_kernel => $hits / 2, unlock_kernel => $hits / 2},
    'half of the hits take the lock, half release it');

my @chains = map { $_->{chain} } samples($script);
is(scalar(@chains), $hits, 'perf script prints each hit');
my @cut = grep { "@$_[-2, -1]" ne 'kernel_main boot_entry_high' } @chains;
is(scalar(@cut), 0, 'each chain goes down to the outermost caller');

my @taking = grep { $_->[0] eq 'lock_kernel' } @chains;
my %callers = map { $_->[1] => 1 } @taking;
cmp_ok(scalar(keys %callers), '>=', 4, 'the lock is taken from several functions');
my %paths = map { ("@$_" => 1) } @taking;
cmp_ok(scalar(keys %paths), '>=', 20, '... and on many paths');
for my $call (qw(fs_open fs_write fs_read fs_rename fs_unlink)) {
    my $count = grep { grep { $_ eq $call } @$_ } @taking;
    cmp_ok($count, '>', 0, "... among them $call");
}

done_testing();
