#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: linker.ld, core/gdb/points, core/breakpoint, core/perf/event, arch/x86_64/stop
#
# Where gdb's stub in the kernel puts no int3 (docs/gdb-stub.md): what hits, NMIs and the stub
# itself run lies in one range of text, by linker.ld's list of objects. Here the calls of the linked
# kernel are followed from where traps begin, and from what they call by pointers: nothing that is
# reached may lie elsewhere. Run from the root of the tree: prove tests/host/hit_text.t
use strict;
use warnings;
no warnings qw(portable);    # numbers have 64 bits here
use Test::More;

my $kernel = ($ENV{BUILD} // 'build') . '/pitot.elf';

# Where traps, NMIs and stops begin, and what is called by a pointer on their way: handlers, clocks,
# sources of events, the machine and the ports that gdb's protocol is given.
my @roots = qw(debug_trap nmi_trap break_trap breakpoint_trap event_breakpoint_hit
    event_breakpoint_hit_start hardware_hit branches_step branches_resume nmi_clock_interrupt
    watchdog_look event_clock_serve hpet_came may_park tracepoint_is_recording stop_fired
    stop_step_finish stop_stepped stop_break stop_asked stop_listens stop_unexplained
    debugger_wants debugger_may_stop gdb_points_own debugger_stopped debugger_listens
    gdb_read_registers gdb_write_registers gdb_read_register gdb_write_register
    gdb_read_memory gdb_write_memory
    gdb_read_binary gdb_write_binary gdb_set_point gdb_clear_point gdb_query gdb_set
    gdb_continue gdb_continue_signal gdb_step gdb_step_signal gdb_verbose cpu_describe
    register_write memory_read memory_write gdb_point_set gdb_point_clear gdb_points_clear
    com1_get com1_put com1_poll com1_listen com3_get com3_put com3_poll com3_listen);

# A machine that ends runs what it likes.
my %ends = map { $_ => 1 } qw(assert_failed panic trap_report trap_fatal power_request);

# Not followed, and why.
my %known = (
    print_guard_enter => 'waits in a thread alone',
);

my (%calls, %at, $function);
open(my $listing, '-|', "objdump -d --no-show-raw-insn $kernel") or die("objdump: $!");
while (<$listing>) {
    if (/^([0-9a-f]+) <(\S+)>:$/) {
        $function = $2;
        push(@{$at{$function}}, hex($1));    # statics may have one name
    } elsif (/\t(?:call|jmp|j\w+) +[0-9a-f]+ <([^>+]+)(?:\+0x[0-9a-f]+)?>/) {
        $calls{$function}{$1} = 1 if $1 ne $function;
    }
}
close($listing);

my %range = map { reverse split(' ') }
    grep { /^\S+ (?:hit_text|nowatch_text)_(?:start|end)$/ }
    map { s/^(\S+) \S /$1 /r } split(/\n/, `nm $kernel`);
$_ = hex for values %range;

sub is_inside
{
    my ($name) = @_;
    for my $address (@{$at{$name}}) {
        return 1 if grep { $address >= $range{"${_}_start"} && $address < $range{"${_}_end"} }
            qw(hit_text nowatch_text);
    }
    return 0;
}

cmp_ok(scalar(keys %range), '==', 4, 'the ranges are marked');
my @missing = grep { !$at{$_} } @roots;
is("@missing", '', 'all roots are there');

my (%from, @outside);
my @todo = grep { $at{$_} } @roots;
$from{$_} = '' for @todo;
while (defined(my $one = shift @todo)) {
    push(@outside, "$one <- $from{$one}") if !is_inside($one);
    next if $ends{$one} || $known{$one};
    for my $next (grep { !defined $from{$_} && $at{$_} } sort keys %{$calls{$one} // {}}) {
        $from{$next} = $one;
        push(@todo, $next);
    }
}
cmp_ok(scalar(keys %from), '>', 150, 'much is reached');
is(join("\n", @outside), '', 'nothing that is reached lies elsewhere');
done_testing();
