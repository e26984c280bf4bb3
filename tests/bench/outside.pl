#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
#
# The cost of `pitot` for the emulator (docs/outside.md), a part of `make bench`: QEMU's
# CPU-seconds, user and system, for the same load in Pitot's own kernel, with `pitot` and without
# it. The commands take turns, and the minimum of several runs counts.
use strict;
use warnings;

use List::Util qw(min);

my $build = $ENV{BUILD} // 'build';
my $rounds = 3;
my $load = 'fs-stress 1000';
my $out = "$build/bench/outside";
my @qemu = (qw(qemu-system-x86_64 -accel tcg -cpu max -m 256M -display none -no-reboot -nic none),
    '-device', 'isa-debug-exit,iobase=0xf4', '-serial', 'null', '-kernel', "$build/pitot.elf",
    '-initrd', "$build/programs.tar", '-append', "run='$load; poweroff'");

my @hundred = map { ('-e', sprintf('mem:kernel_flag+%d/1:rw', $_ % 4)) } 1 .. 90;
my @commands = (
    ['without'],
    ['stat: instructions and calls counted', qw(stat)],
    ['record: a profile, each 10000', 'record', '-c', 10_000, '-o', $out],
    ['record -g: the same with chains', 'record', '-g', '-c', 10_000, '-o', $out],
    ['record -g: all calls, one sample', 'record', '-g', '-c', 1 << 40, '-o', $out],
    ['stat: a watch', qw(stat -e mem:kernel_flag:rw)],
    ['stat: ninety watches', 'stat', @hundred],
    ['record -g: a watch', 'record', '-g', '-e', 'mem:kernel_flag:rw', '-o', $out],
    ['graph', qw(graph fs_write)],
    ['last', qw(last)],
    ['blame, of a place', qw(blame kernel_flag)],
    ['blame, of all memory', 'blame', '-o', $out],
    ['cover', 'cover', '-o', $out],
);

sub run
{
    my ($name, @words) = @_;
    my @command = @words ? ("$build/outside/pitot", @words, '--', @qemu) : @qemu;
    my ($user, $system) = (times)[2, 3];
    my $pid = fork() // die("fork: $!\n");
    if ($pid == 0) {
        open(STDIN, '<', '/dev/null');
        open(STDOUT, '>', '/dev/null');
        open(STDERR, '>', '/dev/null');
        exec(@command) or exit(127);
    }
    waitpid($pid, 0);
    # The machine is switched off by ACPI: status 0.
    die("$name: status $?\n") if $?;
    return (times)[2] - $user + (times)[3] - $system;
}

my %taken;
for (1 .. $rounds) {
    push(@{$taken{$_->[0]}}, run(@$_)) for @commands;
}
my $base = min(@{$taken{without}});
my ($version) = `qemu-system-x86_64 --version` =~ /version (\S+)/;
print("\nQEMU $version, $load: CPU-seconds of QEMU and pitot, the least of $rounds runs\n");
printf("%-42s %8.2f %8s\n", 'without', $base, 'times');
for my $command (grep { @$_ > 1 } @commands) {
    my $least = min(@{$taken{$command->[0]}});
    printf("%-42s %8.2f %8.2f\n", $command->[0], $least, $least / $base);
}
