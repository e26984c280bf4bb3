#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: outside, docs/outside.md, tests/guests
#
# `pitot` on small kernels, each of which does one thing that makes chains hard (tests/guests/*.c;
# their heads state the true chains). Where QEMU gives a plugin no registers (before 9.2), a chain
# may end early with [not known], and the command counts such chains; none has a wrong caller.
use strict;
use warnings;
use lib 'tests/lib';
use File::Path qw(make_path);
use List::Util qw(sum0);
use Test::More;
use Pitot::Files;
use Pitot::Guest;
use Pitot::Outside qw(tells_registers);
use Pitot::Patience;
use Pitot::Perf;

plan skip_all => "a plugin is QEMU's" if ($ENV{MACHINE} // 'qemu') ne 'qemu';

my $build = $ENV{BUILD} // 'build';
my $logs = "$build/logs/outside_guests";
make_path($logs);

# --- The guests ----------------------------------------------------------------------------------

sub guest_of
{
    my ($name) = @_;
    my $elf = "$logs/$name.elf";
    link_guest($name, $elf);
    return $elf;
}

# The output of pitot for a guest, and QEMU's status.
sub pitot
{
    my ($guest, @words) = @_;
    my @qemu = ('qemu-system-x86_64', guest_machine(), '-icount', 'shift=3,sleep=off', '-kernel',
        $guest);
    my ($status) = Pitot::Perf::run_between("$logs/out", "$logs/said", '/dev/null', 'timeout',
        $patience, "$build/outside/pitot", @words, '--', @qemu);
    return (slurp("$logs/said"), $status);
}

# The recorded chains of an event, innermost function first, each with its count; and the processes.
sub record
{
    my ($name, @events) = @_;
    my ($said, $status) = pitot(guest_of($name), 'record', '-g', '-o', "$logs/$name.data",
        map { ('-e', $_) } @events);
    is($status, $guest_ended, "$name: the guest ended as it should") or diag($said);
    Pitot::Perf::run_between("$logs/script", "$logs/err", '/dev/null', 'perf', '--no-pager',
        'script', '-i', "$logs/$name.data", '-F', 'comm,pid,tid,event,ip,sym,dso');
    my (%chains, %threads);
    for my $sample (split(/\n\n+/, slurp("$logs/script"))) {
        my ($head, @lines) = split(/\n/, $sample);
        my ($comm, $pid, $tid, $event) = $head =~ m{^\s*(\S.*?)\s+(\d+)/(\d+)\s+(\S+):\s*$} or next;
        my @functions = map { /\(\[not known\]\)/ ? '?' : /^\s*[0-9a-f]+ (\w+)/ } @lines;
        $chains{$event}{join(' ', @functions)}++;
        $threads{"$comm $pid"}{$tid}++;
    }
    return (\%chains, \%threads, $said);
}

# True if each chain is a true one or a beginning of one with the mark; the true ones occur as often
# as they should; and pitot has counted the marks.
sub chains_ok
{
    my ($chains, $said, $true, $what) = @_;
    my (%left, @wrong);
    my $marked = 0;
    %left = %$true;
    for my $chain (sort(keys(%$chains))) {
        my $beginning = $chain =~ s/ \?$//r;
        my ($as) = grep { $_ eq $beginning || ($chain =~ / \?$/ && /^\Q$beginning\E( |$)/) }
            sort(keys(%left));
        push(@wrong, "$chains->{$chain} $chain") if !defined($as);
        $left{$as} -= $chains->{$chain} if defined($as);
        $marked += $chains->{$chain} if $chain =~ / \?$/;
    }
    push(@wrong, map { "$left{$_} missing: $_" } grep { $left{$_} != 0 } sort(keys(%left)));
    my ($told) = $said =~ /^pitot: (\d+) chains? with callers that are not known/m;
    push(@wrong, "$marked marks, and " . ($told // 0) . ' told') if $marked != ($told // 0);
    push(@wrong, "$marked marks, although QEMU tells rsp") if $marked && tells_registers();
    is("@wrong", '', $what) or diag(join("\n", @wrong));
}

# --- Chains --------------------------------------------------------------------------------------

my @exact = (
    ['coroutines', 'call:?_leaf', {'a_leaf a_fn' => 5, 'b_leaf b_fn' => 5}],
    ['one_stack', 'call:leaf', {'leaf fn1' => 3, 'leaf fn2' => 3}],
    ['return_addresses', 'call:leaf',
        {map { ("leaf $_ main start" => 3) } qw(by_own by_skip by_exchange by_drop)}],
    ['large_frames', 'call:leaf',
        {'leaf big outer all main' => 5, 'leaf room rooms all main' => 9}],
    ['syscalls', 'call:?_leaf',
        {'a_leaf sys_a sys entry user_a' => 13, 'b_leaf sys_b sys entry user_b' => 12}],
    ['becomes_program', 'call:leaf', {'leaf sys_write entry function program' => 3}],
    ['processes', 'call:leaf',
        {'leaf sys_yield handler inner_a outer_a process_a' => 4,
            'leaf sys_yield handler inner_b process_b' => 4}],
    ['falls_through', 'call:leaf', {'leaf handler idle main start' => 50}],
    ['moved_entries', 'call:leaf',
        {'leaf sys_call call_entry caller program' => 2, 'leaf sys_call call_entry program' => 1,
            'leaf trap trap_entry worker sys_call call_entry caller program' => 2,
            'leaf sys_int int_entry trapper program' => 1,
            'leaf sys_call call_entry next_program' => 3}],
);

my %interrupts = (processes => 8, falls_through => 50, moved_entries => 3);

for my $row (@exact) {
    my ($name, $event, $true) = @$row;
    my ($chains, $threads, $said) = record($name, $event, 'irq');
    chains_ok($chains->{$event}, $said, $true, '... and the chains are the true ones');
    is(sum0(values(%{$chains->{irq} // {}})), $interrupts{$name} // 0, '... with each interrupt');
    next if $name eq 'coroutines' && !tells_registers();
    is(scalar(grep { keys(%{$threads->{$_}}) > 1 && $name ne 'one_stack' && !/^\[not known\]/ }
                keys(%$threads)), 0, '... each name is one thread') or diag(explain($threads));
}

{
    my (undef, $threads) = record('processes', 'call:leaf');
    is_deeply([sort(keys(%$threads))], ['process_a 2', 'process_b 3'],
        'each address space is a process');
    (undef, $threads) = record('one_stack', 'call:leaf');
    is_deeply({map { ($_ => scalar(keys(%{$threads->{$_}}))) } keys(%$threads)},
        {'fn1 1' => 3, 'fn2 1' => 3}, 'threads that run one after another on a stack are several')
        if tells_registers();
}

# --- Memory of a dead stack ----------------------------------------------------------------------

{
    my ($chains, $threads, $said) = record('reused_stack', 'call:leaf');
    my %left = ('leaf small' => 3, 'leaf large' => 3, 'leaf resumed begun' => 3,
        'leaf deep deep deep deep resumed begun' => 3,
        join(' ', 'leaf', ('deep') x 71, 'outer') => 1);
    $left{s/ \?$//r} -= $chains->{'call:leaf'}{$_} for keys(%{$chains->{'call:leaf'}});
    is_deeply([grep { $left{$_} } keys(%left)], [],
        'a thread among the frames of a dead one has not its callers') or diag(explain($chains));
    is_deeply([grep { / \?$/ } keys(%{$chains->{'call:leaf'}})], ['leaf small ?'],
        '... of which some may be its own, so that the chain ends');
    like($said, qr/^pitot: 1 chain with callers that are not known/m, '... which is reported');
}

# --- Interrupts ----------------------------------------------------------------------------------

{
    my ($chains) = record('nested', 'irq');
    my %irq = %{$chains->{irq}};
    is(sum0(values(%irq)), 850, '... with each interrupt and exception');
    is_deeply([grep { !/ main start$/ } keys(%irq)], [], '... above what it interrupted');
    my $deepest = 'breakpoint_entry page_fault page_fault_entry touch undefined ';
    my @inner = grep { /^$deepest/ } keys(%irq);
    is(sum0(@irq{@inner}), 200, '... four deep, on four stacks');

    my %vectors = ('irq:3' => 200, 'irq:6' => 200, 'irq:14' => 200, 'irq:32' => 200, 'irq:1' => 50,
        'irq:0-31' => 650, 'irq:0x80' => 0);
    my ($said) = pitot("$logs/nested.elf", 'stat', map { ('-e', $_) } sort(keys(%vectors)));
    my %counted = reverse($said =~ /^ +(\d+) {6}(irq\S+)$/mg);
    is_deeply(\%counted, \%vectors, 'vectors can be chosen') or diag($said);

    ($said) = pitot("$logs/nested.elf", 'last');
    like($said, qr{vector 14 \#PF, error code 0x[02], at touch\+0x}, 'last names the exception');
}

{
    my ($chains, undef, $said) = record('preempted', 'call:leaf_*/period=50/', 'irq');
    my @all = map { keys(%$_) } values(%$chains);
    cmp_ok(scalar(@all), '>', 40, '... with many chains');
    my @mixed = grep { my %i = map { ($_ => 1) } /_(\d)\b/g; keys(%i) > 1 } @all;
    is("@mixed", '', '... none of two threads');
    is(sum0(values(%{$chains->{irq}})), 2000, '... and each interrupt');
}

# --- Calls ---------------------------------------------------------------------------------------

{
    my ($said) = pitot(guest_of('entered_again'), 'stat', '-e', 'call:wait_zero', '-e',
        'call:vfs_*');
    my %counted = reverse($said =~ /^ +(\d+) {6}(call:\S+)$/mg);
    is_deeply(\%counted, {'call:wait_zero' => 3, 'call:vfs_*' => 20},
        'a loop to the first instruction and a .cold part are no calls') or diag($said);
    ($said) = pitot(guest_of('return_addresses'), 'stat', map { ('-e', "return:by_$_") }
            qw(own skip exchange drop));
    is_deeply([$said =~ /^ +(\d+) {6}return:/mg], [1, 1, 1, 1],
        'functions return once, whatever assembly does below them') or diag($said);
    ($said) = pitot(guest_of('large_frames'), 'stat', '-e', 'return:big');
    like($said, qr/^ +5 {6}return:big$/m, '... however large their frames are');
}

# --- The end of a stack --------------------------------------------------------------------------

{
    my ($said) = pitot(guest_of('runaway'), 'last');
    my ($again) = $said =~ /^ +\d+ \|  rec\(\)\n +\|  \.\.\. again, (\d+) times$/m;
    cmp_ok($again // 0, '>', 100_000, 'last folds a recursion') or diag(substr($said, 0, 2000));
    like($said, qr/^ +\.\.\. \d+ times rec \.\.\.$/m, '... and a chain of it shows both ends');
    like($said, qr/ main\+0x\w+$/m, '... down to main');
}

# Without instruction counting: with it, a block of code ends at the output that requests the reset.
for my $case (['direct'], ['indirect', '-DINDIRECT']) {
    my ($how, @options) = @$case;
    my $guest = "$logs/ends_in_call_$how.elf";
    link_guest('ends_in_call', $guest, @options);
    Pitot::Perf::run_between("$logs/out", "$logs/said", '/dev/null', 'timeout', $patience,
        "$build/outside/pitot", 'last', '--', 'qemu-system-x86_64', guest_machine(), '-kernel',
        $guest);
    my $said = slurp("$logs/said");
    my @where = $said =~ /^ +[0-9a-f]+ (\w+)\+0x\w+$/mg;
    shift(@where) if $where[0] eq 'callee';
    is("@where", 'main start', "the end is in a block with a call: $how") or diag($said);
}

# --- QEMU's log ----------------------------------------------------------------------------------

{
    my $wanted = "$logs/guest_errors";
    my @log = ('-d', 'int', '-D', $wanted);
    my $guest = "$logs/falls_through.elf";
    my ($status) = Pitot::Perf::run_between("$logs/out", "$logs/said", '/dev/null', 'timeout',
        $patience, "$build/outside/pitot", 'stat', '-e', 'irq', '--', 'qemu-system-x86_64',
        '-cpu', 'max', '-display', 'none', '-monitor', 'none', '-serial', 'null', '-device',
        'isa-debug-exit,iobase=0xf4,iosize=1', '-kernel', $guest, @log);
    is($status, $guest_ended, 'with -d and -D of the user');
    like(slurp("$logs/said"), qr/^ +50 {6}irq$/m, '... interrupts are counted');
    my @lines = slurp($wanted) =~ /^ *\d+: v=20 /mg;
    cmp_ok(scalar(@lines), '>=', 50, '... and the log has them');
}

done_testing();
