#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: outside, core/unwind, core/breakpoint
#
# One run seen from outside the machine (docs/outside.md) and from inside: each hit of a watch by
# Pitot's own debug registers is also seen outside, in order, with the same chain. One CPU, and two
# with threads, timers, the work queue and programs. Run from the root of the tree:
#
#     prove tests/boot/outside_chains.t
use strict;
use warnings;
use lib 'tests/lib';
use File::Path qw(make_path);
use Test::More;
use Pitot;
use Pitot::Files;
use Pitot::Versions;

plan skip_all => 'a plugin of QEMU' if ($ENV{MACHINE} // 'qemu') ne 'qemu';

my $build = $ENV{BUILD} // 'build';
my $logs = "$build/logs/outside_chains";
make_path($logs);

# The samples that perf script prints: [CPU, [SYMBOL, OFFSET]...], innermost first.
sub samples
{
    my ($text) = @_;
    my @samples;
    for (split(/\n/, $text)) {
        if (/^\s*\d+\s+\[(\d+)\]/) {
            push(@samples, [$1 + 0]);
        } elsif (/^\s+[0-9a-f]+ (\S+?)(?:\+0x([0-9a-f]+))?(?: \(.*)?$/ && @samples) {
            push(@{$samples[-1]}, [$1, hex($2 // 0)]);
        }
    }
    return @samples;
}

# A chain as text. The innermost place is the accessing instruction as seen from outside, but the
# next one from inside; an interrupted place is, from outside, the last instruction before it. In
# both cases only the function is compared.
sub chain
{
    my ($sample) = @_;
    my ($cpu, @frames) = @$sample;
    my $inner = '_entry';
    return [map {
        my ($name, $offset) = @$_;
        my $entered = $inner =~ /_entry$/;
        $inner = $name;
        $entered ? $name : sprintf('%s+%x', $name, $offset)
    } @frames];
}

# From outside, an interrupt right after an indirect call has the caller as its place
# (docs/outside.md, "Limits"); then the next frame is in the same function.
sub is_caller
{
    my ($chain, $i) = @_;
    return $chain->[$i] !~ /\+/ && ($chain->[$i + 1] // '') =~ /^\Q$chain->[$i]\E\+/;
}

# ... as far as the outside chain goes: it may end early where a stack is unknown.
sub is_same
{
    my ($inside, $outside) = @_;
    return 0 if !$outside || @$inside < @$outside;
    return !grep { $inside->[$_] ne $outside->[$_] && !is_caller($outside, $_) } 0 .. $#$outside;
}

# Tests that both sides see the same hits of the event under that load; QEMU's own arguments follow.
sub same_ok
{
    my ($what, $event, $load, @more) = @_;
    my $name = $what =~ s/\W+/_/gr;
    my ($data, $stream) = ("$logs/$name.data", "$logs/$name.com2");
    my $run = "perf record -a -m 8M -g -e $event -- $load";
    my @qemu = (qw(qemu-system-x86_64 -cpu max -m 256M -display none -no-reboot -nic none),
        '-device', 'isa-debug-exit,iobase=0xf4', '-serial', "file:$logs/$name.console",
        '-serial', "file:$stream", '-kernel', "$build/pitot.elf", '-initrd', "$build/programs.tar",
        '-append', "perf.rate=0 run='$run; poweroff'", @more);
    my $status = system("$build/outside/pitot", 'record', '-g', '-c', 1, '-e', $event, '-o', $data,
        '--', @qemu);
    is($status, 0, "$what: the machine runs as without") or return;
    local @ENV{qw(HOME PERF_CONFIG DEBUGINFOD_URLS LC_ALL)} = ($logs, '/dev/null', '', 'C');
    my $fields = '--no-inline -F tid,cpu,ip,sym,symoff --max-stack 127';
    my @outside = samples(scalar `perf script -i $data $fields 2> /dev/null < /dev/null`);
    my @inside = samples(
        scalar `perf script -i - --vmlinux=$build/pitot.elf $fields 2> /dev/null < $stream`);
    cmp_ok(scalar(@inside), '>', 500, '... and is recorded from inside');
    my %known = map { $_->[1][0] => 1 } @inside;    # without Pitot's own reads of what is watched
    for my $cpu (sort { $a <=> $b } keys %{{map { $_->[0] => 1 } @inside}}) {
        my @here = map { chain($_) } grep { $_->[0] == $cpu } @inside;
        my @there = map { chain($_) } grep { $_->[0] == $cpu && $known{$_->[1][0]} } @outside;
        my ($best, $most) = (0, -1);
        for my $from (0 .. @there - @here) {
            my $equal = grep { is_same($here[$_], $there[$from + $_]) } 0 .. $#here;
            ($best, $most) = ($from, $equal) if $equal > $most;
        }
        my @different = grep { !is_same($here[$_], $there[$best + $_]) } 0 .. $#here;
        is(scalar(@different), 0,
            "... CPU $cpu: all @{[scalar(@here)]} hits, one after the other, with the same chains")
            or diag(map { "inside  @{$here[$_]}\noutside @{$there[$best + $_] // []}\n" }
                @different[0 .. ($#different < 2 ? $#different : 2)]);
        my $early = grep { @{$here[$_]} > @{$there[$best + $_] // []} } 0 .. $#here;
        cmp_ok($early, '<=', @here / 200, '... of which hardly one ends early');
    }
}

# With one thread per CPU QEMU 7.2 does not report the kernel's atomic instructions to the plugin;
# with one thread for all, QEMU 10 does not tell it which CPU runs (docs/machines.md).
my $threads = is_from('QEMU', '9.0') ? 'multi' : 'single';

same_ok('one CPU', 'mem:kernel_flag:rw', 'fs-stress 2');
same_ok('two CPUs', 'mem:kernel_flag:w', 'fs-stress --threads 4 2; /bin/fs-load 1',
    '-accel', "tcg,thread=$threads", '-smp', 2);

done_testing();
