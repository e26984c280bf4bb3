#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: core/breakpoint, arch/x86_64/debug/accessor, arch/x86_64/debug/operand, core/gdb/points
#
# Watches of the same bytes share a debug register, and each counts its own hits: as many as the
# load made, and as many as it counts alone; on QEMU, which reports one of several registers, and on
# Bochs, which reports all. An uncertain count is marked. Then gdb's `watch`, in the kernel's own
# stub, beside perf's. Run from the root of the tree:
#
#     prove tests/boot/shared_watches.t
use strict;
use warnings;
use lib 'tests/lib';
use Test::More;
use Pitot;
use Pitot::Gdb;
use Pitot::GdbInside;
use Pitot::Transcript;

plan skip_all => 'looks at both machines by itself' if ($ENV{MACHINE} // 'qemu') ne 'qemu';

my $hang = 3 * $patience;    # for a boot

sub stat_of
{
    my (@events) = @_;
    return 'perf stat -e ' . join(',', @events) . ' -- fs-stress 1';
}

# {event => the count printed before its name}.
sub counts_of
{
    my ($machine, $command) = @_;
    my %counts = reverse said($machine, $command) =~ /^ +(\d+) +((?:mem|5):\S+)/mg;
    return \%counts;
}

# What each event may have missed, by the lines with its name.
sub doubt_of
{
    my ($text, $event) = @_;
    my ($line) = grep { /\Q$event\E\b/ && /not exact/i } split(/\n/, $text);
    return ($line // '') =~ /up to (\d+) more/ ? $1 : 0;
}

# Overlapping in each way; then so many side by side that some have to share.
my @lock = (stat_of('mem:kernel_flag:w', '5:kernel_flag'),
    stat_of('mem:kernel_flag:rw', 'mem:kernel_flag:w'),
    stat_of('5:kernel_flag', 'mem:kernel_flag/2:w', 'mem:kernel_flag:rw', 'mem:kernel_flag+3/1'));
my @nested = ('mem:files+16/8:rw', 'mem:files+16/8:w', '5:files+16', 'mem:files+16/2:w');
my @beside = ('mem:files+16/4:w', 'mem:files+20/4:rw', 'mem:files/8:w', 'mem:files+8/4:w',
    'mem:files+24/8:w');
my @alone = map { stat_of($_) } @nested, @beside;
my $five = stat_of('mem:files/8:w', 'mem:files+8/4:w', 'mem:files+16/8:w', 'mem:files+24/8:w',
    'mem:kernel_flag:w');
my $program = 'mem:/bin/fs-load:calls';
my $of_program = "perf stat -e $program:rw,$program:w -- /bin/fs-load 2";
my $recorded = "perf record -e $program:rw -e $program:w -- /bin/fs-load 2";
my $reported = 'perf report -g none -s sym';

for my $machine (qw(qemu bochs)) {
    my $boot = boot(
        machine => $machine,
        ($machine eq 'bochs' ? (icount => '') : ()),
        timeout => $hang,
        run => join('; ', @lock, @alone, stat_of(@nested), stat_of(@beside), $five, 'perf list',
            $of_program, $recorded, $reported, 'poweroff'));
    ended_ok($boot, $machine);

    my ($operations) = said($boot, $lock[0]) =~ /^fs-stress: (\d+) operations, all verified$/m;
    my $hits = 2 * ($operations // 0);
    for my $command (@lock) {
        my %expected = map { $_ => $hits } $command =~ /(?:mem|5):[^, ]+/g;
        is_deeply(counts_of($boot, $command), \%expected,
            "$machine: the lock is taken and released: $command");
    }

    my %alone = map { %{counts_of($boot, $_)} } @alone;
    isnt($alone{$nested[0]}, $alone{$nested[1]}, "$machine: the load reads, too");
    is_deeply(counts_of($boot, stat_of(@$_)), {map { $_ => $alone{$_} } @$_},
        "$machine: together as alone: @$_")
        for \@nested, \@beside;
    unlike(join('', map { said($boot, $_) } @lock, stat_of(@nested), stat_of(@beside)),
        qr/not exact/, "$machine: ... all exact");
    like(said($boot, $five), qr/mem:kernel_flag:w: no debug register is left/,
        "$machine: a fifth word is refused");
    is(() = said($boot, 'perf list') =~ /^  dr\d  free$/mg, 4, "$machine: no register stays taken");

    # For a program, its instructions decide.
    my ($calls) = said($boot, $of_program) =~ /^fs-load: (\d+) system calls, all verified$/m;
    my %told = said($boot, $of_program) =~ /^ +(\d+ +\Q$program\E:\w+) *(.*)$/mg;
    my ($written) = map { /^(\d+) .*:w$/ } keys %told;
    is($written, $calls, "$machine: a program's writes are exact");
    unlike(said($boot, $recorded), qr/not exact/, '... and recorded so');
}

# --- Where a program's instruction does not decide ------------------------------------------------

# cmpxchg16b without its first byte is cmpxchg8b, so on QEMU, which reports only the lower half, the
# upper one may have been hit or not.
{
    my ($lower, $upper) = map { "mem:/bin/accesses:access_area+$_/8:w" } 0, 8;
    my $work = '/bin/accesses compare_16 0 0 1 0';
    my $count = "perf stat -e $lower,$upper -- $work";
    my $record = "perf record -e $lower -e $upper -- $work";
    my $report = 'perf report -g none -s sym';
    my $boot = boot(kernel => 'pitot-test', run => "$count; $record; $report; poweroff");
    ended_ok($boot, 'a program writes two words at once');
    is_deeply(counts_of($boot, $count), {$lower => 1, $upper => 0}, '... one is counted');
    is(doubt_of(said($boot, $count), $upper), 1, '... and that the other may be too few is said');
    is(doubt_of(said($boot, $record), $upper), 1, '... of a recording, too');
    is(doubt_of(said($boot, $report), $upper), 1, '... and in its report');
    is(doubt_of(said($boot, $_), $lower), 0, '... not of the first') for $count, $record, $report;
}

# --- On several CPUs, in any order --------------------------------------------------------------

{
    my @events = ('mem:kernel_flag:w', '5:kernel_flag', 'mem:kernel_flag:rw');
    my $command = 'perf stat -a -e ' . join(',', @events) . ' -- fs-stress --threads 4 10';
    my $boot = boot(smp => 4, run => "$command; poweroff");
    ended_ok($boot, 'four CPUs');
    my $counts = counts_of($boot, $command);
    my ($operations) = said($boot, $command) =~ /^fs-stress: (\d+) operations in 4 threads/m;
    cmp_ok($counts->{$events[0]}, '>=', $operations // 'none', '... have hits of the lock');
    is_deeply($counts, {map { $_ => $counts->{$events[0]} } @events},
        '... which all accesses write: each event has all of them');
    unlike(said($boot, $command), qr/not exact/, '... exactly');
}

# --- gdb beside perf ------------------------------------------------------------------------------

# Each write stops gdb, whatever perf watches there.
for my $event ('mem:kernel_flag:rw', '5:kernel_flag', 'mem:kernel_flag/2:rw') {
    my ($machine, $said) = gdb_session(
        {   door => gdb_at_com3(),
            flags => 'perf.rate=0',
            run => "perf stat -e $event -- fs-stress 1; poweroff"
        }, '',
        begin => "tbreak client_editor\ncontinue\n",
        watch => "set breakpoint always-inserted on\nwatch kernel_flag\n"
            . "continue\n" x 6 . "monitor gdb\ndelete\n",
        end => "continue\n");
    $machine->wait_end;
    my @values = $said->{watch} =~ /^Old value = (\d)\nNew value = (\d)$/mg;
    is("@values", '0 1 1 0 ' x 2 . '0 1 1 0', "gdb stops at each write beside $event")
        or diag($said->{watch});
    like($said->{watch}, qr{^  dr0  0x[0-9a-f]+/4:rw for .* and 1 more$}m, '... on one register');
    my ($operations) = $machine->console =~ /^fs-stress: (\d+) operations, all verified$/m;
    my ($hits) = $machine->console =~ /^ +(\d+) +\Q$event\E(?: |$)/m;
    is($hits // 'none', 2 * ($operations // 0), '... and perf counts all of them');
}

done_testing();
