#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: tests/port, arch
#
# Pitot in another kernel: tests/port, with its own start and output, boots without GRUB, and the
# real perf reads its stream. Of Pitot it uses only what docs/porting.md lists. Run from the root of
# the tree:
#
#     prove tests/boot/port.t
use strict;
use warnings;
use lib 'tests/lib';
use File::Path qw(make_path);
use Test::More;
use Pitot;
use Pitot::Files;
use Pitot::Transcript;

plan skip_all => "it is started by QEMU's -kernel" if ($ENV{MACHINE} // 'qemu') ne 'qemu';

my $build = $ENV{BUILD} // 'build';
my $logs = "$build/logs/port";
my ($console, $stream) = ("$logs/console", "$logs/com2");
my $switched_off = 1;    # isa-debug-exit's status for 0
my $rounds = 20;         # ROUNDS of tests/port/port.c: two writes, two tracepoints each

# --- Contents ------------------------------------------------------------------------------------

my %taken = map { $_ => 1 }
    slurp_if_there("$build/port.elf.map")
    =~ m{^\Q$build\E/obj/((?:core|kernel|arch)/\S+?)\.o(?=\s)}mg;
ok($taken{$_}, "it takes $_")
    for qw(core/event/event.c core/sample/sample.c core/ring/ring.c core/unwind/unwind.c
    core/stream/stream.c core/breakpoint/breakpoint.c core/tracepoint/tracepoint.c
    arch/x86_64/debug/trap.c kernel/x86_64/entry/trap_entry.asm);
is_deeply([grep { m{^kernel/(?!x86_64/)} } sort(keys %taken)], [],
    '... and nothing of the boot, the drivers, the console, the scheduler');
is_deeply([grep { $taken{$_} } qw(core/recording/recording.c core/stream/drain.c
    core/report/report.c kernel/x86_64/memory/paging.c kernel/x86_64/cpu/switch.asm)], [],
    '... nor what is built on top, or its pages and threads');

# --- A run ---------------------------------------------------------------------------------------

make_path($logs);
unlink($console, $stream);
system('timeout', $patience, 'qemu-system-x86_64', '-machine', 'pc', '-accel', 'tcg', '-cpu', 'max',
    '-m', '64M', '-kernel', "$build/port.elf", '-display', 'none', '-monitor', 'none', '-no-reboot',
    '-serial', "file:$console", '-serial', "file:$stream",
    '-device', 'isa-debug-exit,iobase=0xf4,iosize=1');
is($? >> 8, $switched_off, 'it runs to its end') or diag(slurp_if_there($console));
my ($writes, $hits, $records)
    = slurp_if_there($console) =~ /^port: (\d+) writes, (\d+) hits, (\d+) records$/m;
is($writes, 2 * $rounds, 'its load writes');
is($hits, $writes, '... each write is a hit of the breakpoint');
is($records, 2 * $writes, '... and, as each step of the tracepoint, a record');

# --- The recording in perf -----------------------------------------------------------------------

sub perf_says
{
    my @line = ('perf', '--no-pager', @_);
    my $status = Pitot::Perf::run_between("$logs/out", "$logs/err", $stream, @line);
    diag(slurp_if_there("$logs/err")) if $status != 0;
    return slurp_if_there("$logs/out");
}

my @perf = ('-i', '-', "--vmlinux=$build/port.elf");
my $script = perf_says('script', @perf, '-F', 'comm,tid,cpu,time,period,event,ip,sym,symoff');
my @samples = samples($script);
is(scalar(@samples), $records, 'perf script shows each record');
my %chains = map { ("$_->{event}: @{$_->{chain}}", 1) } @samples;
my $way = 'port_leaf port_middle port_load port_main port_enter';
is_deeply([sort(keys %chains)], ["mem:port_watched:w: $way", "port:port_step: $way"],
    '... with the whole way that led there');
my @fields = perf_says('script', @perf, '-F', 'event,trace') =~ /port_step: (.*?) *$/mg;
is_deeply(\@fields, [map { "value=$_ kind=" . ($_ % 2 ? 'odd' : 'even') } 0 .. 2 * $rounds - 1],
    '... and the fields of its tracepoint');
my ($id) = `readelf -n $build/port.elf` =~ /Build ID: (\w+)/;
open(my $file, '<:raw', $stream) or die("$stream: $!");
like(join('', <$file>), qr/\Q${\pack('H*', $id)}\E/, 'the stream names the build');

done_testing();
