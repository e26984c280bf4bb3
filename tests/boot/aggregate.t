#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: core/aggregate, core/perf/aggregate_options, core/perf/stat_aggregates, core/recording/memory
#
# Hits grouped as they occur, with --by and --hist, equal the same groups computed on the host from
# every record of the same run, which the real perf script prints. Then groups by interval and of
# several runs are compared with those of one. Run from the root of the tree:
#
#     prove tests/boot/aggregate.t
use strict;
use warnings;
use lib 'tests/lib';
use List::Util qw(max sum);
use Test::More;
use Pitot;
use Pitot::Transcript;

my $fields = 'comm,tid,cpu,time,period,event,trace,ip,sym,symoff';

# The groups that the kernel printed below a heading, [key, count]..., in its order; in a histogram
# with keys, KEY or KEY/RANGE is the key.
sub told
{
    my ($said, $heading) = @_;
    my ($lines) = $said =~ /^ \Q$heading\E:\n\n((?: +\d+ .*\n)*)/m or return;
    my ($key, @told) = ('');
    for (split(/\n/, $lines)) {
        my ($count, $what, $bar) = /^ *(\d+) {6} *(.*?)(?: *(\*+))?$/;
        $key = $what if !$bar;
        push(@told, [$bar && $heading =~ /, by / ? "$key/$what" : $what, $count]);
    }
    return @told;
}

my $record = qr/^\s*(?<comm>\S+)\s+(?<tid>\d+)\ \[(?<cpu>\d+)\]
    \s+(?<seconds>\d+)\.(?<ns>\d{9}):\s+(?<period>\d+)\s+(?<event>\S+?):(?:\s+(?<trace>.*))?$/x;

# The records that perf script prints, each with the rest of its line after the event.
sub records
{
    my ($machine) = @_;
    my ($text, $complaints, $status) = perf_script($machine, '--ns', '-F', $fields);
    is($status, 0, '... perf reads the stream');
    my (@records, $chain);
    for my $line (split(/\n/, $text)) {
        if ($line =~ /$record/) {
            push(@records, {%+, cpu => $+{cpu} + 0, ns => "$+{seconds}$+{ns}" + 0,
                trace => $+{trace} // ''});
            $records[-1]{trace} =~ s/ ?[0-9a-f]{16} \S+$//;    # its address, without a chain
        } elsif ($line =~ /^\s*[0-9a-f]+ (\S+)/) {
            push(@{$records[-1]{chain}}, $1);
        }
    }
    return @records;
}

sub range
{
    my ($value) = @_;
    return 'below 0' if $value < 0;
    return $value if $value < 2;
    my $first = 1;
    $first *= 2 while $first * 2 <= $value;
    return "$first to " . (2 * $first - 1);
}

sub counts { my %count; $count{$_}++ for @_; return \%count }

# Compares the groups by `options`; `key` returns a record's key as the kernel prints it.
sub equal_ok
{
    my ($heading, $options, $load, $key, %boot) = @_;
    my $line = "perf record -m 16m $options -- $load";
    my $machine = boot(flags => 'perf.rate=0', run => "$line; poweroff", %boot);
    ended_ok($machine, $heading);
    my $said = said($machine, $line);
    like($said, qr/^\[ perf record: \d+ records? kept(?!.*lost)/m, '... no record is lost');
    my ($event) = $heading =~ /^([^,]+)/;
    my @records = grep { $_->{event} eq $event } records($machine);
    my @told = told($said, $heading);
    cmp_ok(scalar(@records), '>', 100, '... there are many');
    cmp_ok(scalar(@told), '>', 1, '... of several kinds');
    is_deeply({map { @$_ } @told}, counts(map { $key->($_) } @records),
        '... and what the kernel has grouped is what perf script adds up to');
    return @told;
}

my @names = equal_ok('lock:lock_acquire, by name', '-e lock:lock_acquire --by name', 'fs-stress 5',
    sub { $_[0]{trace} =~ /^0x\w+ (.*)$/ });
is_deeply([map { $_->[1] } @names], [sort { $b <=> $a } map { $_->[1] } @names],
    '... the most first');
equal_ok('lock:lock_acquire, by caller', '-g -e lock:lock_acquire --by caller', 'fs-stress 5',
    sub { $_[0]{chain}[1] });
equal_ok('lock:lock_release, by lockdep_addr', '-e lock:lock_release --by lockdep_addr',
    'fs-stress 5', sub { $_[0]{trace} =~ /^(0x\w+)/ ? sprintf('0x%s', $1 =~ s/^0x0*//r) : '' });
equal_ok('mem:kernel_flag:w, by caller', '-g -e mem:kernel_flag:w --by caller', 'fs-stress 5',
    sub { $_[0]{chain}[1] });
equal_ok('raw_syscalls:sys_exit, ret', '-e raw_syscalls:sys_exit --hist ret', '/bin/fs-load 5',
    sub { $_[0]{trace} =~ / = (-?\d+)$/ ? range($1) : '' });
equal_ok('raw_syscalls:sys_exit, ret, by id', '-e raw_syscalls:sys_exit --hist ret --by id',
    '/bin/fs-load 5',
    sub { my ($id, $ret) = $_[0]{trace} =~ /^NR (\d+) = (-?\d+)$/; ($id, "$id/" . range($ret)) });
equal_ok('sched:sched_stat_runtime, runtime, by comm',
    '-e sched:sched_stat_runtime --hist runtime --by comm', 'fs-stress 60 --threads 3',
    sub {
        my ($comm, $time) = ($_[0]{comm}, $_[0]{trace} =~ /runtime=(\d+)/);
        ($comm, "$comm/" . range($time));
    });
equal_ok('lock:lock_acquire, by cpu', '-e lock:lock_acquire --by cpu',
    'fs-stress 3 --threads 3', sub { "CPU $_[0]{cpu}" }, smp => 2);
equal_ok('lock:lock_acquire, by comm', '-e lock:lock_acquire --by comm',
    'fs-stress 3 --threads 3', sub { $_[0]{comm} }, smp => 2);

# --- Spans of time --------------------------------------------------------------------------------

# The spans computed on the host from the same hits: a sample of the second event measures the time
# since the first event's with the same key in its thread.
sub spans_of
{
    my ($from, $to, $key, @records) = @_;
    my (%begun, %sums, @times, @off, @idle);
    for my $record (@records) {
        my $of = "$record->{cpu} $record->{tid} " . $key->($record);
        if ($record->{event} eq $from) {
            $sums{'began again before they ended: the later beginning counts'}++ if $begun{$of};
            $begun{$of} = $record;
        } elsif ($record->{event} eq $to) {
            my $first = delete $begun{$of};
            $sums{'ended and had not begun'}++ if !$first;
            push(@idle, $record->{period}) if !$first;
            next if !$first;
            push(@times, $record);
            push(@off, abs($record->{period} - ($record->{ns} - $first->{ns})));
        }
    }
    $sums{'had not ended'} = keys %begun if %begun;
    return (\@times, \%sums, \@off, \@idle);
}

sub spans_ok
{
    my ($options, $load, $shared, $key, $by, %boot) = @_;
    my ($from, $to) = $options =~ /--from (\S+) --to (\S+)/;
    my $line = "perf record -m 16m $options -- $load";
    my $machine = boot(flags => 'perf.rate=0', run => "$line; poweroff", %boot);
    ended_ok($machine, $options);
    my $said = said($machine, $line);
    unlike($said, qr/ lost /, '... no record is lost');
    my @told = told($said, "$from to $to, ns, in one thread$shared");
    my ($times, $sums, $off, $idle) = spans_of($from, $to, $key, records($machine));
    cmp_ok(scalar(@$times), '>', 100, '... there are many');
    is(max(0, @$idle), 0, '... what had not begun stands for nothing');
    # A record's clock is read some instructions (8 ns each) after the aggregate's; a system call's
    # record first looks up its path. With two CPUs, QEMU may let the other one run in between.
    cmp_ok(max(@$off), '<', $from =~ /^raw_syscalls/ ? 30_000 : 3_000,
        '... each sample stands for its time') if !$boot{smp};
    is_deeply({map { @$_ } @told}, {%{counts(map { $by->($_) } @$times)}, %$sums},
        '... and what the kernel has counted is what perf script adds up to');
}

my $locked = sub { $_[0]{trace} =~ /^(0x\w+)/ ? $1 : '' };
my $time = sub { range($_[0]{period}) };
spans_ok('--from lock:lock_acquire --to lock:lock_acquired', 'fs-stress 5', ' and lockdep_addr',
    $locked, $time);
spans_ok('--from lock:lock_acquired --to lock:lock_release --by name', 'fs-stress 3 --threads 3',
    ' and lockdep_addr, by name', $locked,
    sub { my ($name) = $_[0]{trace} =~ /^0x\w+ (.*)$/; ($name, "$name/" . $time->($_[0])) },
    smp => 2);
spans_ok('--from mem:lock_kernel:x --to mem:unlock_kernel:x', 'fs-stress 5', '', sub { '' }, $time);
spans_ok('--from raw_syscalls:sys_enter --to raw_syscalls:sys_exit --key id', '/bin/fs-load 5',
    ' and id', sub { $_[0]{trace} =~ /^NR (\d+)/ ? $1 : '' }, $time);

# --- Counts alone, filters, and what has no room --------------------------------------------------

my $both = q{perf stat -e mem:kernel_flag:w --by cpu -e lock:lock_acquire}
    . q{ --filter 'name == "pages"' --by name -- fs-stress 5};
my $pages = 'perf stat -a -e kmem:mm_page_alloc --by address -- memory-all';
my $many = 'perf stat -a -e raw_syscalls:sys_enter --by arg1 -- /bin/fs-load 30';
my $machine = boot(run => "$both; $many; poweroff");
ended_ok($machine, 'perf stat');
my $said = said($machine, $both);
my %count = reverse $said =~ /^ +(\d+) {6}(\S+:\S+)$/mg;
is_deeply([told($said, 'mem:kernel_flag:w, by cpu')], [['CPU 0', $count{'mem:kernel_flag:w'}]],
    '... each event has its own');
is_deeply([told($said, 'lock:lock_acquire, by name')],
    [['pages', $count{'lock:lock_acquire'}]], '... a filter comes before');
$said = said($machine, $many);
%count = reverse $said =~ /^ +(\d+) {6}(\S+:\S+)$/mg;
is(sum(map { $_->[1] } told($said, 'raw_syscalls:sys_enter, by arg1')),
    $count{'raw_syscalls:sys_enter'}, '... and no hit is in none');

# --- In intervals, and of several runs ------------------------------------------------------------

my $acquire = '-e lock:lock_acquire --by name';
my $spans = '--from lock:lock_acquired --to lock:lock_release';
my $whole = "perf stat $acquire -- fs-stress 40";
my $parts = "perf stat -I 10 $acquire $spans -- fs-stress 40";
my $three = "perf stat -r 3 $acquire -- fs-stress 40";
for my $cpus (1, 2) {
    $machine = boot(smp => $cpus, run => "$whole; $parts; $three; poweroff");
    ended_ok($machine, "$cpus CPU" . 's' x ($cpus > 1));
    my %once = map { @$_ } told(said($machine, $whole), 'lock:lock_acquire, by name');

    # What only the load does is the same in each run; what timers do is not.
    my @own = qw(kernel_flag pages);
    my @intervals = split(/^(?= +\d+\.\d{9} +\d+ {6}lock:lock_acquire$)/m, said($machine, $parts));
    shift(@intervals);
    cmp_ok(scalar(@intervals), '>=', 2, '-I: there are several intervals');
    my (%sums, @wrong);
    for my $interval (@intervals) {
        my ($count) = $interval =~ /^ +\d+\.\d{9} +(\d+) {6}lock:lock_acquire$/m;
        my %told = map { @$_ } told($interval, 'lock:lock_acquire, by name');
        push(@wrong, "$count: $interval") if sum(0, values(%told)) != $count;
        $sums{$_} += $told{$_} for keys(%told);
        ($count) = $interval =~ /^ +\d+\.\d{9} +(\d+) {6}lock:lock_release$/m;
        my @times = told($interval,
            'lock:lock_acquired to lock:lock_release, ns, in one thread and lockdep_addr');
        my $ended = sum(0, map { $_->[1] } @times);
        push(@wrong, "$count: $interval") if $ended > $count || $ended < $count - 1;
    }
    is("@wrong", '', '... each of which has its own hits by name, and its own spans');
    is_deeply({map { $_ => $sums{$_} } @own}, {map { $_ => $once{$_} } @own},
        '... and all together those of a whole run');
    my %all = map { @$_ } told(said($machine, $three),
        'lock:lock_acquire, by name, all 3 runs together');
    is_deeply({map { $_ => $all{$_} } @own}, {map { $_ => 3 * $once{$_} } @own},
        '-r 3: three times those of one run');
}

done_testing();
