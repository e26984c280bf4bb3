#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: linker.ld, core, arch/x86_64, tests/gdb/call_graph
#
# Where gdb's stub in the kernel puts no int3 (docs/gdb.md): all code of hits, NMIs and the stub
# itself lies in one range of text, by linker.ld's list of objects and by ARCH_HIT_TEXT. The test
# follows the calls of the linked kernel from their entries: nothing they reach may lie elsewhere.
# tests/gdb/call_graph.py finds the calls, also those through pointers, from code, data and types,
# so no list of handlers is needed. It also finds calls that cannot happen: the exceptions are
# listed below with their reasons, and a new one fails the test until a person has looked. Needs gdb
# with Python. Run from the root of the tree: prove tests/host/hit_text.t
use strict;
use warnings;
no warnings qw(portable);    # addresses have 64 bits
use Test::More;

my $kernel = ($ENV{BUILD} // 'build') . '/pitot.elf';

# Entries: the traps that may be hits, stops or NMIs (kernel/x86_64/entry/trap_entry.asm), and the
# recording of a tracepoint, during which no CPU may be parked either.
my @roots = qw(debug_trap nmi_trap break_trap event_tracepoint_hit);

# Functions that are not followed, with the reason.
my $ends = 'a machine that ends runs what it likes';
my $threads = 'runs in a thread: called in none of these, though by a pointer of a type that is';
my $interrupts = "called in interrupts: of break_trap's type, for example, for other vectors";
my $prints = "the console's: stops print into gdb's sink alone";
my %known = (
    (map { $_ => $ends } qw(assert_failed trap_fatal power_request panic_on_fault)),
    (map { $_ => $threads } qw(hold cpu_begin thread_main
        input_interrupted has_news scheduler_interrupt_exit over_or_interrupted
        ended_or_interrupted slept_or_interrupted print_guard_enter print_guard_leave
        interruptible_next
        event_clock_follow breakpoint_parse)),
    (map { $_ => $interrupts } qw(timer_interrupt apic_timer_interrupt timer_set_rate pic_serve
        uart_interrupt uart_resume)),
    (map { $_ => $prints } qw(output_write echo_write progress_write runner_write
        failing_write)),
    trap_dispatch => "a program's debug trap, which has left the page and the depth of a hit's",
    process_watch_refuse => "of a program's breakpoint: gdb's are the kernel's",
    (map { $_ => "not of commands, which a stop looks for: `run` does, in a thread" }
        qw(program_name program_path)),
    switch_tell_state => 'called as a recording begins and ends, while all CPUs are parked',
);

my %range = map { reverse split(' ') }
    grep { /^\S+ (?:hit_text|unseen_text|nowatch_text)_(?:start|end)$/ }
    map { s/^(\S+) \S /$1 /r } split(/\n/, `nm $kernel`);
$_ = hex for values %range;

sub is_in
{
    my ($address, @texts) = @_;
    return !!grep { $address >= $range{"${_}_start"} && $address < $range{"${_}_end"} } @texts;
}

my (%name, %at, %calls);    # addresses as the tool prints them
open(my $graph, '-|', "gdb -nx -batch -x tests/gdb/call_graph.py $kernel 2>&1") or die("gdb: $!");
while (<$graph>) {
    if (/^function (\S+) (\S+)$/) {
        $name{$1} = $2;
        push(@{$at{$2}}, $1);    # static functions may share a name
    } elsif (/^call (\S+) (\S+)(?: (.*))?$/) {
        $calls{$1}{$2} //= $3 // '';
    } else {
        diag($_);
    }
}
close($graph);
is($?, 0, 'the calls are found');
cmp_ok(scalar(keys %range), '==', 6, 'the ranges are marked');
is(join(' ', grep { !$at{$_} } @roots, sort keys %known), '', 'all that is named here is there');
open(my $script, '<', 'linker.ld') or die("linker.ld: $!\n");
my @listed = map { m{^ *\*/(\S+)\.o\(} ? $1 : () } <$script>;
is(join(' ', grep { !grep { -e } glob } @listed), '', '... and all that linker.ld names');

# For each function, the call that reached it first.
my (%from, @outside);
my @todo = map { @{$at{$_} // []} } @roots;
$from{$_} = '' for @todo;
while (defined(my $one = shift @todo)) {
    next if $known{$name{$one}};
    if (!is_in(hex($one), qw(hit_text nowatch_text))) {
        push(@outside, "$name{$one} <- $from{$one}");
        next;
    }
    for my $next (sort keys %{$calls{$one} // {}}) {
        next if defined $from{$next};
        my $through = $calls{$one}{$next};
        $from{$next} = $name{$one} . ($through ? " ($through)" : '');
        push(@todo, $next);
    }
}
cmp_ok(scalar(keys %from), '>', 400, 'much is reached');
my %reached = map { $name{$_} => 1 } keys %from;
is(join(' ', grep { !$reached{$_} } sort keys %known), '', '... all that is excepted, too');
for my $called (qw(stop_fired gdb_change_point event_breakpoint_hit attached_poll program_read
    process_watch_of pitot_make_lock_acquire find_path find_accessor)) {
    ok($reached{$called}, "... and what is called by a pointer alone: $called");
}
is(join("\n", @outside), '', 'nothing that is reached lies elsewhere');

# hbreak is refused in unseen_text because only hits run it. Exceptions: functions that prepare a
# hit, and the debugger's.
my %also = map { $_ => 1 } qw(pitot_init table_switch attach gdb_tick gdb_exited gdb_panicked
    gdb_wait_at sending_ends hold watch_entry);
my @seen;
for my $caller (sort grep { !$from{$_} && !$also{$name{$_}} } keys %calls) {
    next if is_in(hex($caller), 'unseen_text');
    push(@seen, map { "$name{$_} <- $name{$caller}" }
            grep { !$calls{$caller}{$_} && is_in(hex($_), 'unseen_text') } keys %{$calls{$caller}});
}
is(join("\n", @seen), '', 'what only these run is called by nothing else');
cmp_ok(scalar(grep { is_in(hex($_), 'unseen_text') } keys %name), '>', 100, '... which is much');
done_testing();
