#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: docs/testing.md, core
#
# docs/testing.md has a command for each statement of the five documents. Each is typed as written,
# and the row's claim is checked in the output of the console or the real perf. A row without a
# check, and a check without a row, fail. Run from the root of the tree:
#
#     prove tests/boot/seeds.t
use strict;
use warnings;
use lib 'tests/lib';
use Test::More;
use Pitot;
use Pitot::Files;
use Pitot::Transcript;

my $page = 'docs/testing.md';
my $outermost = qr/ (?:boot_entry_high|thread_start|ap_entry_high)$/;

# Statement => the commands between backticks in its row.
my %rows;
for (split(/\n/, slurp($page))) {
    my ($statement, $commands) = /^\| (S\d\.\d+) \|.*\| (.*) \|$/ or next;
    my @commands = $commands =~ /`(perf [^`]+)`/g or next;
    $rows{$statement} = \@commands;
}

# The chains of samples, the hit first, as strings.
sub ways { return map { "@{$_->{chain}}" } samples($_[0]) }

sub counts { return reverse $_[0] =~ /^ +(\d+) {6}(\S+)$/mg }

# One test: the skipped chains are the whole ones without their first n functions.
sub shared_end_ok
{
    my ($whole, $skipped, $n, $name) = @_;
    my @expected = map { my @frames = split; "@frames[$n .. $#frames]" } @$whole;
    is_deeply([@$skipped], \@expected, $name);
}

# The check of each statement, given the machine of one boot and the output of each command.
my %checks = (
    'S0.1' => sub {
        my ($machine, $record, $script) = @_;
        my @sites = $script =~ /: +([0-9a-f]{16}) /g;
        my @ip = $script =~ /\bIP:0x([0-9a-f]+) /g;
        cmp_ok(scalar(@ip), '>', 10, 'registers in each sample');
        is_deeply(\@ip, \@sites, '... of the tracepoint\'s own place');
        is(scalar(grep { hex($_) & 2 } $script =~ /\bFLAGS:0x([0-9a-f]+) /g), 0,
            '... told from a trap\'s by bit 1 of the flags');
    },
    'S0.2' => sub {
        my ($machine, $record, $script) = @_;
        my @of_interrupts = grep { / trap_entry / } ways($script);
        cmp_ok(scalar(@of_interrupts), '>', 3, 'tracepoints in interrupts');
        is(scalar(grep { !/^\S+ .*\btrap_entry \S+ .*$outermost/ } @of_interrupts), 0,
            '... lead through the interrupt into what it interrupted');
    },
    'S0.3' => sub {
        my ($machine, $whole, $whole_script, $skip, $skip_script, $report) = @_;
        my @whole = ways($whole_script);
        cmp_ok(scalar(@whole), '>', 100, 'chains');
        shared_end_ok(\@whole, [ways($skip_script)], 2, '--skip 2 begins two callers later');
        is_deeply([sort $report =~ /^ +\d+\.\d\d% .* \[k\] (\w+)/mg],
            [sort keys %{{map { (split)[2] => 1 } @whole}}], '... and the report names that one');
    },
    'S0.4' => sub {
        my ($machine, $record, $script) = @_;
        my @ways = ways($script);
        cmp_ok(scalar(@ways), '>', 100, 'the line of the mail records');
        is(scalar(grep { /^(?:trace_|tracepoint_)/ } @ways), 0, '... from the tracer\'s caller on');
        is(scalar(grep { !/$outermost/ } @ways), 0, '... to the outermost caller');
        ok((grep { /^lock_kernel / } @ways), '... and the locks of the load are there');
    },
    'S1.5' => sub {
        my ($machine, $record, $script) = @_;
        my @ways = grep { /\bpoll_once main _start$/ } ways($script);
        cmp_ok(scalar(@ways), '>', 3, 'the allocator under poll');
        my $whole = qr/^pages_alloc sys_poll .*\bsyscall_entry poll_once main _start$/;
        is(scalar(grep { !/$whole/ } @ways), 0, '... system call and program, whole');
    },
    'S2.1' => sub {
        my ($machine, $record, $script) = @_;
        my ($kept, $over) = $record =~ /: (\d+) records? kept, (\d+) overwritten/ or fail($record);
        is($kept + $over, 3280, 'each hit was recorded, and the oldest were given up');
        is(scalar(samples($script)), $kept, '... the others are all there');
    },
    'S2.4' => sub {
        my ($machine, $record, $script) = @_;
        like($record, qr/, \d{4,} overwritten/, 'branches grow fast, the tail is kept');
        my @jumps = $script =~ /^.*: +([0-9a-f]{16} \S+ => +[0-9a-f]{16} \S+)/mg;
        cmp_ok(scalar(@jumps), '>', 50, '... from and to, instruction by instruction');
    },
    'S3.1' => sub {
        my ($machine, @said) = @_;
        my %count = map { counts($_) } @said;
        cmp_ok(delete $count{'mem:lock_kernel:x'} // 0, '>=', 1640, 'instructions');
        is_deeply(\%count, { map { $_ => 3280 } qw(5:kernel_flag mem:kernel_flag:w
                mem:kernel_flag/1:rw) }, '... and data: type 5, as in the mail, and the others');
    },
    'S3.2' => sub {
        my ($machine, $record, $script) = @_;
        my @samples = samples($script);
        is(scalar(@samples), 1128, 'each hit is a sample');
        is(scalar(() = $script =~ /\bIP:0x[0-9a-f]+ /g), 1128, '... with registers');
        is(scalar(grep { "@{$_->{chain}}" !~ $outermost } @samples), 0, '... and a call chain');
    },
    'S3.3' => sub {
        my ($machine, $stat, $list) = @_;
        my %count = counts($stat);
        my @lock = qw(mem:kernel_flag:w 5:kernel_flag mem:kernel_flag:rw);
        my ($operations) = $stat =~ /^fs-stress: (\d+) operations, all verified$/m;
        is_deeply([@count{@lock}], [(2 * ($operations // 0)) x 3],
            'three events on one lock, each with all of its hits');
        is(scalar(keys %count), 7, '... beside four others, in four registers');
        unlike($stat, qr/not exact/, '... exactly');
        is(() = $list =~ /^  dr\d  free$/mg, 4, '... which are free when all have left');
    },
    'S3.4' => sub {
        my ($machine, $stat) = @_;
        # 3 rounds of 32 lock files, 3 objects and a scrap file; and the 4 remaining files.
        is_deeply({counts($stat)}, {'mem:kernel_flag+0/4:w' => 3280,
                'mem:fs_unlink:x' => 3 * (32 + 3 + 1) + 4},
            'symbols, of data and functions, and places in them');
    },
    'S3.5' => sub {
        my ($machine, $record, $script) = @_;
        my @ways = ways($script);
        cmp_ok(scalar(@ways), '>', 100, 'a program\'s variable');
        is(scalar(grep { !/ main _start$/ } @ways), 0, '... by the program\'s own chain');
    },
    'S3.6' => sub {
        my ($machine, $record, $report) = @_;
        like($record, qr/^dbench: \d+ operations in 20 threads, all verified/m, 'dbench -t S 20');
        like($report, qr/^ +\d+\.\d\d%.* \[k\] lock_kernel/m, 'who took the lock, in per cent');
        like($report, qr/--\d+\.\d\d%--/, '... and by which way');
    },
    'S4.1' => sub {
        my ($machine, $record, $script) = @_;
        like($script, qr/ kmem:mm_page_alloc: .*\border=0\b/, 'the record without being asked for');
    },
    'S4.2' => sub {
        my ($machine, $record, $dump) = @_;
        my ($sample) = $dump =~ /^(0x\w+ \[0x70\]: event: 9\n.*?^ \.\.\. thread: kworker.*?)$/ms;
        like($sample // '', qr/^\.  0050:  6b 77 6f 72 6b 65 72 2f .*  kworker\/0\./m,
            'the worker\'s name in the hex dump');
        my $theirs = perf_run('report', $machine, '-D');
        my ($ours, $perfs) = map { [/^\.  [0-9a-f]{4}:  .*$/mg] } $dump,
            join('', $theirs =~ /(event: 9\n.*?\n\n)/gs);
        cmp_ok(scalar(@$ours), '>', 6, '... byte for byte');
        my %theirs = map { $_ => 1 } @$perfs;
        is_deeply([grep { !$theirs{$_} } @$ours], [], '... as the real perf report -D has them');
        like(scalar(perf_run('script', $machine, '-F', 'comm,event,trace')),
            qr/workqueue_execution: .*thread=kworker\/0.* func=\S+/,
            '... which decodes the fields');
    },
    'S4.3' => sub {
        my ($machine, $trace) = @_;
        like($trace, qr/^\[ perf record: \d+ records? kept, \d+ overwritten/m, 'a flight recorder');
        like($trace, qr/ rmdir\(pathname: "\/fs-load\.\d+"\) += 0\n.* exit\(\)/s,
            '... that has the newest calls');
    },
    'S4.4' => sub {
        my ($machine, $record, $script) = @_;
        my @lines = $script =~ /(kmem:mm_page_alloc:.*)/g;
        cmp_ok(scalar(@lines), '>', 10, 'samples');
        is(scalar(grep { /order=/ } @lines), 0, '... without the record');
    },
    'S4.5' => sub {
        my ($machine, $record) = @_;
        like($record, qr/^\[ perf record: \d+ record/m, 'everything on: the machine goes on');
        unlike($record, qr/hits of tracepoints inside/, '... nothing on the way of a hit is hit');
    },
    'S4.6' => sub {
        my ($machine, $period, $script, $stat) = @_;
        my %count = counts($stat);
        is(scalar(samples($script)), int($count{'lock:lock_acquire'} / 10), 'every tenth hit');
    },
    'S4.7' => sub {
        my ($machine, $record, $script) = @_;
        like($script, qr/workqueue:workqueue_execution: thread=kworker\/0:\d+ func=[a-z]\w+ /,
            'the worker\'s name, and the function\'s');
    },
);

is_deeply([sort(keys %rows)], [sort(keys %checks)], "each row of $page with a command is checked");
for my $statement (sort(grep { $rows{$_} } keys %checks)) {
    subtest $statement => sub {
        my @commands = @{$rows{$statement}};
        ok(@commands > 0, 'has commands') or return;
        my $machine = boot(flags => 'perf.rate=0', run => join('; ', @commands, 'poweroff'));
        ended_ok($machine);
        my %nth;
        $checks{$statement}->($machine, map { said($machine, $_, ++$nth{$_}) } @commands);
    };
}
done_testing();
