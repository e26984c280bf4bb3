#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: core/tracepoint, core/tracepoint/filter, core/stream/tracing_data, core/script
#
# Tracepoints from the prompt to the real perf: the console prints their fields as perf does,
# filters and patterns select correctly, and with everything enabled under load the counters add up
# and the console still answers. Run from the root of the tree:
#
#     prove tests/boot/tracepoints.t
use strict;
use warnings;
use lib 'tests/lib';
use Test::More;
use Pitot;
use Pitot::Transcript;

my $fields = 'comm,tid,cpu,time,period,event,trace,ip,sym,symoff';
my $load = 'fs-stress 1';
my $unthrottled = 'perf.rate=0';
my $build = $ENV{BUILD} // 'build';
my $outermost = qr{(?:kernel_main boot_entry_high|thread_start|ap_entry_high)$};

# The counts of `perf stat`, by event.
sub counted
{
    my ($said) = @_;
    return {reverse $said =~ /^ +(\d+) {6}(\S+)$/mg};
}

sub summary
{
    my ($said) = @_;
    my ($line) = $said =~ /^\[ perf record: (.*) \]$/m or return {};
    return {reverse $line =~ /(\d+) (?:records |hits )?(\w+)/g};
}

# --- Locks: the kernel and perf agree ------------------------------------------------------------

# Only the locks that the load itself takes; the timer's are taken at each tick.
my $of_load = q{--filter 'name == "kernel_flag" || name == "pages"'};
my $locks = "perf record -a -m 16m -e lock:* $of_load -R -g -- $load";
my $stat = "perf stat -a -e lock:* $of_load -- $load";
my $machine = boot(flags => $unthrottled, run => "$stat; $locks; perf script; poweroff");
ended_ok($machine);
my $count = counted(said($machine, $stat));
cmp_ok($count->{'lock:lock_acquire'} // 0, '>', 500, 'perf stat counts each tracepoint of lock:*');
is($count->{'lock:lock_acquired'}, $count->{'lock:lock_acquire'},
    '... as many locks are had as are asked for');
is($count->{'lock:lock_release'}, $count->{'lock:lock_acquire'}, '... and given back');
is($count->{'lock:lock_contended'}, 0, '... none found taken on one CPU');

my $script = said($machine, 'perf script');
my ($theirs, $complaints, $status) = perf_script($machine, '-F', $fields);
is($status, 0, 'perf reads the stream');
same_lines_ok(script_lines($script), script_lines($theirs),
    'perf script: the kernel prints the fields that perf prints');
my @named = $script =~ / lock:lock_\w+: 0x[0-9a-f]{16} (\w+)$/mg;
my %named = map { $_ => 1 } @named;
is_deeply([sort keys %named], [qw(kernel_flag pages)], '... the names of the locks among them');
my @samples = samples($script);
is(scalar(@named), scalar(@samples), '... in each sample');
my %first = map { $_->{chain}[0] => 1 } @samples;
ok($first{lock_kernel} && $first{unlock_kernel} && $first{pages_alloc} && $first{pages_free},
    'chains begin in the function that has the tracepoint') or diag(explain(\%first));
is(scalar(grep { /^(?:trace_|tracepoint_)/ } keys %first), 0, '... not in what records it');
is(scalar(grep { "@{$_->{chain}}" !~ $outermost } @samples), 0, '... and end at the outermost');
my $dump = perf_run('report', $machine, '-D');
like($dump, qr/PERF_RECORD_TRACING_DATA/, 'perf report -D: the description');
like($dump, qr/^\.  [0-9a-f]{4}:  .*kernel_fl/m, '... and the record in the hex dump');

# --- Filters, patterns, periods, registers -------------------------------------------------------

my @filters = (
    ['lock:lock_acquire', q{'name == "pages"'}],
    ['lock:lock_acquire', q{'!(name ~ "p*s") && name ~ "kernel_*" && comm == "fs-stress"'}],
    ['kmem:mm_page_alloc', q{'order > 0 || common_pid < 1'}],
    ['irq:irq_handler_*', q{'irq == 0'}],
);
my $interrupted = 'fs-stress 60';    # long enough for several ticks
my @stats = map { "perf stat -a -e $_->[0] --filter $_->[1] -- "
    . ($_->[0] =~ /^irq/ ? $interrupted : $load) } @filters;
my $period = "perf record -a -c 10 -R -e lock:lock_release $of_load -- $load";
my $timer = "perf record -a -e irq:*,timer:tick -g -R -- $interrupted";
my $mixed = "perf record -a -m 16m -R -g -e mem:kernel_flag:w -e lock:lock_acquired -- $load";
$machine = boot(flags => $unthrottled,
    run => join('; ', @stats, $period, 'perf script', $timer, 'perf script', $mixed, 'perf script',
        'perf list', 'poweroff'));
ended_ok($machine);
my @filtered = map { counted(said($machine, $_)) } @stats;
my ($pages, $others) = map { $_->{'lock:lock_acquire'} } @filtered[0, 1];
cmp_ok($pages, '>', 0, 'a filter lets its matches through');
is($pages + $others, $count->{'lock:lock_acquire'}, '... and its opposite lets through the rest');
is($filtered[2]{'kmem:mm_page_alloc'}, 0, 'no hit that a filter keeps out is counted');
# One handler may be between its entry and its exit when the events are turned off.
my ($entries, $exits) = map { $filtered[3]{"irq:irq_handler_$_"} } qw(entry exit);
cmp_ok($entries, '>', 0, 'a pattern has a filter for each of its events');
cmp_ok(abs($entries - $exits), '<=', 1, '... and each lets its matches through');
my @all = map { said($machine, 'perf script', $_) } 1 .. 3;
my @tenth = samples($all[0]);
is(scalar(@tenth), int($count->{'lock:lock_release'} / 10), '-c 10: every tenth hit is a sample');
is_deeply([grep { $_->{period} != 10 } @tenth], [], '... that stands for ten');
my @irq = grep { $_->{event} =~ /^irq:/ } samples($all[1]);
cmp_ok(scalar(@irq), '>', 2, 'interrupts have tracepoints around their handlers');
is(scalar(grep { "@{$_->{chain}}" !~ /^interrupt_serve .*\btrap_entry \S+ .*$outermost/ } @irq), 0,
    '... whose chains lead through the interrupt into what it interrupted');
like($all[1], qr/irq:irq_handler_entry: irq=0 name=timer handler=timer_interrupt$/m,
    '... functions by name');
like($all[1], qr/timer:tick: count=\d+$/m, 'the timer ticks');
my @mixed = samples($all[2]);
is(scalar(grep { $_->{event} =~ /^mem/ } @mixed),
    2 * scalar(grep { $_->{event} =~ /^lock/ && $_->{chain}[0] eq 'lock_kernel' } @mixed),
    'a watch of the lock and its tracepoint agree');
my $whole = perf_script($machine, '-F', $fields);
same_lines_ok([grep { /\S/ } map { s/\s+/ /gr } @{script_lines(join('', @all))}],
    [grep { /\S/ } map { s/\s+/ /gr } @{script_lines($whole)}],
    'perf prints all recordings of the boot, breakpoints between tracepoints, as the console did');
like(said($machine, 'perf list'),
    qr/^  kmem:mm_page_free +void \* address, unsigned int order, unsigned long pfn$/m,
    'perf list: tracepoints with their fields');

# --- The record: present unless an option turns it off --------------------------------------------

my %raw = (
    '-e kmem:mm_page_alloc' => 1,
    '-e kmem:mm_page_alloc -R' => 1,
    '-e kmem:mm_page_alloc --no-raw-samples' => 0,
    '-e kmem:mm_page_alloc/raw=no/' => 0,
    '-e kmem:mm_page_alloc/raw=yes/ --no-raw-samples' => 1,
);
my @raw = sort(keys %raw);
$machine = boot(run => join('; ', (map { ("perf record $_ -- fs-stress 1", 'perf script') } @raw),
        'poweroff'));
ended_ok($machine);
for (0 .. $#raw) {
    my @taken = said($machine, 'perf script', $_ + 1) =~ /(kmem:mm_page_alloc:.*)/g;
    is(scalar(grep { / order=0 / } @taken), $raw{$raw[$_]} * @taken,
        ($raw{$raw[$_]} ? 'fields in' : 'no fields in') . " each sample: $raw[$_]");
    cmp_ok(scalar(@taken), '>', 10, '... of which there are some');
}

# --- Interrupted places --------------------------------------------------------------------------

# A gate executes two instructions before interrupts are off. An interrupt there is moved back to
# the call, which works only if the site calls through the tracepoint's own pointer.
for my $kernel ("$build/pitot.elf", "$build/fp/pitot.elf") {
    my @uses = grep { /# [0-9a-f]+ <pitot_tracepoint_\w+\+0x8>$/ }
        split(/\n/, `objdump -d --no-show-raw-insn $kernel`);
    cmp_ok(scalar(@uses), '>', 100, "$kernel: sites that call a gate");
    is_deeply([grep { !/\tcall +\*0x[0-9a-f]+\(%rip\)/ } @uses], [], '... each in one instruction');
}

# Most of the time is spent on records, where interrupts are off, so they arrive at the tracepoint.
# The ring keeps the newest records, seven rounds of the load.
my $upon = 'perf record -a --overwrite -m 4m -e lock:*,kmem:*,irq:irq_handler_entry -R -g'
    . ' -- fs-stress 20';
$machine = boot(flags => $unthrottled, run => "$upon; poweroff");
ended_ok($machine, 'interrupts while locks and pages are recorded');
my @upon = grep { $_->{event} =~ /^irq:/ } samples(scalar perf_script($machine, '-F', $fields));
cmp_ok(scalar(@upon), '>', 15, '... come');
my $tracer = qr/\b(?:arch_gate|tracepoint_hit|event_tracepoint_hit|pitot_make_)/;
is_deeply([grep { "@$_" =~ $tracer } map { $_->{chain} } @upon], [],
    '... and none finds the tracer');
my @at_sites = grep { "@{$_->{chain}}" =~ /\btrap_entry (?:un)?lock_kernel\b/ } @upon;
cmp_ok(scalar(@at_sites), '>', @upon / 4, '... but many a place that has a tracepoint');

# --- Refusals ------------------------------------------------------------------------------------

my @refused = (
    ['-e lock:lock_aquire',
        qr/no tracepoint "lock:lock_aquire"; near: lock:lock_acquire, .*; `perf list lock:` lists/],
    ['-e lok:*', qr/no tracepoint matches "lok:\*"/],
    [q{-e kmem:mm_page_free --filter 'pages > 2'},
        qr/kmem:mm_page_free has no field "pages"; it has address, order, pfn, comm, common_\*/],
    [q{-e kmem:* --filter 'order > '}, qr/a number missing at the end/],
    [q{-e kmem:* --filter 'order ~ "x"'}, qr/order is a number; its operators are == !=/],
    [q{-e lock:lock_release --filter 'name < 3'}, qr/name is a string; its operators are == != ~/],
    [q{--filter 'order > 1' -e kmem:*}, qr/--filter must come after the -e EVENT/],
    [q{-e mem:kernel_flag:w --filter 'order > 1'}, qr/mem:kernel_flag:w is not a tracepoint/],
    ['-e mem:kernel_flag:w/raw=yes/', qr/is not a tracepoint and has no record/],
);
$machine = boot(run => join('; ', (map { "perf record $_->[0]" } @refused), 'poweroff'));
ended_ok($machine);
like(said($machine, "perf record $_->[0]"), $_->[1], "refused: $_->[0]") for @refused;

# --- Too little memory ---------------------------------------------------------------------------

my $room = q{perf record -a -e kmem:mm_page_alloc --filter 'order > 2' -R -- perf report};
$machine = boot(mem => '24M', flags => $unthrottled, run => "$room; perf script; poweroff");
ended_ok($machine);
$script = said($machine, 'perf script');
like($script, qr/^ *perf .* kmem:mm_page_alloc: address=\(nil\) order=12 .*pages_alloc/m,
    'a call of the page allocator that finds no room is reported');
like($script, qr/: address=0x[0-9a-f]+ order=\d+ .*pages_alloc/,
    '... and the smaller one that does');
same_lines_ok(script_lines($script), script_lines(scalar perf_script($machine, '-F', $fields)),
    '... as perf prints them');

# --- Everything at once --------------------------------------------------------------------------

my $everything = 'perf record -a -m 64k --overwrite -e *:* -e mem:kernel_flag:rw -g -R'
    . ' -- fs-stress ' . ($ENV{SOAK} ? 300 : 10);
$machine = boot(flags => $unthrottled, run => "$everything; $stat; poweroff");
ended_ok($machine, 'everything on, under load: the machine runs on to its end');
my $ended = summary(said($machine, $everything));
cmp_ok($ended->{overwritten} // 0, '>', 10000, '... many records are made');
is(scalar(() = perf_run('report', $machine, '-D') =~ /PERF_RECORD_SAMPLE/g), $ended->{kept},
    '... those that are left are all in the stream');
is_deeply(counted(said($machine, $stat))->{'lock:lock_acquire'},
    $count->{'lock:lock_acquire'}, '... and counting afterwards is as exact as before');

$machine = boot(flags => $unthrottled,
    run => 'perf record -a -m 4m --intr-regs --no-raw-samples -e lock:lock_acquire -- fs-stress 2; '
        . 'perf script -F +iregs; poweroff');
ended_ok($machine);
$script = said($machine, 'perf script -F +iregs');
same_lines_ok(script_lines($script), script_lines(scalar perf_script($machine, '-F',
    'comm,tid,cpu,time,period,event,ip,sym,symoff,iregs')), '--intr-regs: as perf prints them');
my @sites = $script =~ /: +([0-9a-f]{16}) /g;
my @there = $script =~ /\bIP:0x([0-9a-f]+) /g;
is_deeply(\@there, \@sites, '... ip is where the tracepoint is');
is(scalar(grep { hex($_) & 2 } $script =~ /\bFLAGS:0x([0-9a-f]+) /g), 0,
    '... and bit 1 of the flags tells a snapshot');

done_testing();
