#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: outside, docs/outside.md
#
# `pitot` and its plugin on an unchanged kernel: tests/port boots in QEMU, counts its own writes,
# and is counted and sampled from outside, with its complete or stripped file. The real perf names
# the writing functions without an option. Then GRUB boots Pitot's own kernel, without being
# recorded. Run from the root of the tree:
#
#     prove tests/boot/outside_qemu.t
use strict;
use warnings;
use lib 'tests/lib';
use File::Path qw(make_path);
use File::Spec;
use Test::More;
use Pitot::Difference;
use Pitot::Files;
use Pitot::Guest;
use Pitot::Outside;
use Pitot::Patience;
use Pitot::Perf;
use Pitot::Versions;

plan skip_all => "a plugin is QEMU's" if ($ENV{MACHINE} // 'qemu') ne 'qemu';

my $build = $ENV{BUILD} // 'build';
my $logs = "$build/logs/outside_qemu";
my $out = File::Spec->rel2abs("$logs/perf.data");
make_path($logs);

my @qemu = machine_of('stdio', '-kernel', "$build/port.elf");

# The stderr of pitot; the kernel prints that it has run to its end.
sub pitot
{
    my (@words) = @_;
    my $status = Pitot::Perf::run_between("$logs/console", "$logs/said", '/dev/null', 'timeout',
        $patience, "$build/outside/pitot", @words, '--', @qemu);
    is($status, $switched_off, "pitot @words") or diag(slurp("$logs/said"));
    like(slurp("$logs/console"), qr/^port: 40 writes, 40 hits, 80 records$/m,
        '... the kernel runs as it does unwatched');
    return slurp("$logs/said");
}

my @watches = qw(-e mem:port_writes:w -e call:port_middle);
my $said = pitot('stat', @watches);
my %counts = reverse($said =~ /^ +(\d+) +(\S+)$/mg);
is_deeply([@counts{'mem:port_writes:w', 'call:port_middle'}], [40, 20],
    'outside counts what the kernel does');
my %page = reverse(slurp('docs/outside.md') =~ /^ {8,}(\d+) +(\S+)$/mg);
is_deeply(\%page, {map { $_ => $counts{$_} } 'mem:port_writes:w', 'call:port_middle'},
    '... as in docs/outside.md');

# Each port_middle calls the writing function twice; four of its instructions precede the first
# call.
sub counts
{
    my ($said) = pitot('stat', @_, '-e', 'call:port_middle,mem:port_writes:w,instructions');
    my %counts = reverse($said =~ /^ +(\d+) +(\S+)$/mg);
    return @counts{'call:port_middle', 'mem:port_writes:w', 'instructions'};
}

my @whole = counts();
my @begun = counts('--start', 'port_load');
my @rest = counts('--until', 'port_load');
is_deeply([@begun[0, 1]], [20, 40], '--start counts what comes after it');
is_deeply([@rest[0, 1]], [0, 0], '--until counts what comes before it');
cmp_ok(abs($begun[2] + $rest[2] - $whole[2]), '<', 100,
    '... and each instruction is in one of them');
is_deeply([(counts('--start', 'port_middle', '--until', 'port_leaf'))[0, 1]], [20, 0],
    'a window opens again and again');

like(pitot('record', '-g', '-o', $out, @watches), qr/^\[ pitot record: 60 samples in \Q$out\E \]$/m,
    '... each hit is a sample');
my $way = 'port_middle port_load port_main port_enter';
my $chains = {"port_enter mem:port_writes:w: port_leaf $way" => 40,
    "port_enter call:port_middle: $way" => 20};
is_deeply(chains_of($out, $logs), $chains, '... with the way that led there');

# port_middle is called with 0 to 19; memcpy returns its first argument.
my @registers = ('record', '-I', '-o', $out, '-e', 'call:port_middle,call:memcpy,return:memcpy');

# The hexadecimal values of a register in the samples of an event.
sub sampled
{
    my ($event, $register) = @_;
    return [slurp("$logs/script") =~ /$event:.*?\b$register:0x(\w+)/sg];
}

if (tells_registers()) {
    pitot(@registers);
    my $status = Pitot::Perf::run_between("$logs/script", "$logs/err", '/dev/null', 'perf',
        '--no-pager', 'script', '-i', $out, '-F', 'event,ip,iregs');
    is($status, 0, '-I: perf reads it') or diag(slurp("$logs/err"));
    is_deeply(sampled('call:port_middle', 'DI'), [map { sprintf('%x', $_) } 0 .. 19],
        '... and shows arguments');
    my $copied = sampled('return:memcpy', 'AX');
    cmp_ok(scalar(@$copied), '>', 0, '... and what');
    is_deeply($copied, sampled('call:memcpy', 'DI'), '... functions return');
} else {
    my $status = Pitot::Perf::run_between("$logs/console", "$logs/said", '/dev/null',
        "$build/outside/pitot", @registers, '--', @qemu);
    is($status, 1, '-I is refused');
    like(slurp("$logs/said"), qr/^pitot record: --intr-regs: QEMU \S+ gives plugins no registers/,
        '... as QEMU has no registers for a plugin');
}

write_bytes("$logs/nm", scalar `nm $build/port.elf`);
is(system('objcopy', '-O', 'elf32-i386', "$build/port.elf", "$logs/narrow.elf"), 0, 'objcopy');
for my $file (['--symbols', "$logs/nm"], ['--kernel', "$logs/narrow.elf"]) {
    pitot('record', '-g', '-o', $out, @$file, @watches);
    is_deeply(chains_of($out, $logs), $chains, "... the same by @$file");
}

pitot('record', '-g', '-o', $out, '-e', 'call:port_middle', '--trigger', 'mem:port_writes:w');
my $stopped = chains_of($out, $logs);
is_deeply([sort { $a cmp $b } map { "$_ $stopped->{$_}" } keys %$stopped],
    ["port_enter call:port_middle: $way 1", "port_enter mem:port_writes:w: port_leaf $way 1"],
    '--trigger: its first hit is the last sample');
is((pitot('record', '-o', $out, '-e', 'call:port_middle', '--max', 3))
    =~ /^pitot: (17 samples left out: --max was reached)$/m, 1, '--max');
pitot('record', '-g', '-o', $out, '-e', 'irq');
is(chains_of($out, $logs)->{"port_enter irq: trap_stubs port_leaf $way"}, 40,
    'the exceptions of the kernel\'s own watch are interrupts');

# The samples of a profile without the last two: QEMU 10 runs a few more instructions after the
# kernel has requested its end.
sub profile
{
    pitot('record', '-g', '-c', 1000, '-o', $out);
    Pitot::Perf::run_between("$logs/script", "$logs/err", '/dev/null', 'perf', '--no-pager',
        'script', '-i', $out, '--ns', '-F', 'tid,time,period,ip,sym,symoff');
    my @samples = split(/\n\n+/, slurp("$logs/script"));
    return @samples[0 .. $#samples - 2];
}

my @first = profile();
my $profile = chains_of($out, $logs);
my ($all, $below) = (0, 0);
for my $chain (keys %$profile) {
    $all += $profile->{$chain};
    $below += $profile->{$chain} if $chain =~ /\bport_main port_enter$/;
}
cmp_ok(abs($all - $counts{instructions} / 1000), '<', 2,
    'a profile has a sample for each 1000 instructions');
cmp_ok($below, '>', 0.9 * $all, '... most of them below its main function');

same_ok(join("\n\n", profile()), join("\n\n", @first), 'the same boot has the same profile');

# --- More CPUs than are followed -----------------------------------------------------------------

my $refused = Pitot::Perf::run_between("$logs/console", "$logs/said", '/dev/null', 'timeout',
    $patience, "$build/outside/pitot", 'stat', '--', @qemu, '-machine', 'q35', '-smp',
    '1,maxcpus=257');
is($refused, 1, 'a machine of 257 CPUs is refused');
like(slurp("$logs/said"), qr/^pitot: a machine of up to 257 CPUs; 256 are allowed$/m,
    '... and told so');

# --- All CPUs in one thread ----------------------------------------------------------------------

# A script in QEMU's place, whose options pitot does not see. The guest's CPU 1 calls cpu_main.
write_bytes("$logs/one_thread",
    "#!/bin/sh\nexec qemu-system-x86_64 \"\$@\" -accel tcg,thread=single\n");
chmod(0755, "$logs/one_thread") or die("$logs/one_thread: $!\n");
link_guest('waits', "$logs/waits.elf");
my $status = Pitot::Perf::run_between("$logs/console", "$logs/said", '/dev/null', 'timeout',
    $patience, "$build/outside/pitot", 'record', '-o', $out, '-e', 'call:cpu_main', '--',
    "$logs/one_thread", guest_machine(), '-smp', 2, '-kernel', "$logs/waits.elf");
my $confused =
    'with all CPUs in one thread (`thread=single`, `-icount`) a plugin is told a wrong CPU';
if (differs($confused)) {
    is($status, 1, 'CPUs that QEMU does not distinguish are refused, although it has started');
    like(slurp("$logs/said"), qr/^pitot record: all CPUs in one thread, which QEMU \d/m,
        '... and told so');
} else {
    is($status, $guest_ended, 'all CPUs in one thread') or diag(slurp("$logs/said"));
    Pitot::Perf::run_between("$logs/script", "$logs/err", '/dev/null', 'perf', '--no-pager',
        'script', '-i', $out, '-F', 'cpu,event');
    is(slurp("$logs/script") =~ s/\s+/ /gr, '[001] call:cpu_main: ',
        '... and a sample has its CPU');
}

# --- Another version of the request --------------------------------------------------------------

# The messages of the plugin for this request, when QEMU loads it.
sub plugin_says_of
{
    my ($request) = @_;
    write_bytes("$logs/request", $request);
    my $qemu = "qemu-system-x86_64 -M none -display none -plugin $build/outside/plugin-v";
    return join('', map { scalar `$qemu$_.so,request=9 9<$logs/request 2>&1` } 1, 4, 7);
}

my ($version) = slurp('outside/wire.h') =~ /^#define WIRE_VERSION (\d+)$/m;
like(plugin_says_of(pack('a8 L<2', 'pitotASK', $version + 1, 16)),
    qr/^pitot: its plugin is of version $version, and pitot of ${\($version + 1)}: make outside$/m,
    'a request of another version is refused');
like(plugin_says_of('?' x 16),
    qr/^pitot: QEMU's command must be started by pitot, with its plugin$/m,
    '... and what is no request');

# --- A bootable image ----------------------------------------------------------------------------

# GRUB boots Pitot's own kernel: nothing before its first function in the high half is recorded.
@qemu = ('qemu-system-x86_64', '-accel', 'tcg', '-icount', 'shift=0,sleep=off', '-cpu', 'max', '-m',
    '256M', '-display', 'none', '-no-reboot', '-nic', 'none', '-serial', 'null', '-serial', 'null',
    '-device', 'isa-debug-exit,iobase=0xf4', '-cdrom', "$build/pitot.iso", '-boot', 'order=d',
    '-smbios', 'type=1,manufacturer=pitot,product=/boot/pitot.elf run=poweroff');
$status = Pitot::Perf::run_between("$logs/console", "$logs/said", '/dev/null', 'timeout',
    $patience, "$build/outside/pitot", 'record', '-g', '-o', $out, '--kernel', "$build/pitot.elf",
    '-e', 'call:kernel_main', '-e', 'instructions/period=100/', '--', @qemu);
is($status, 0, 'a bootable image') or diag(slurp("$logs/said"));
my $boot = chains_of($out, $logs);
is($boot->{'boot_entry_high call:kernel_main: kernel_main boot_entry_high'}, 1,
    '... its kernel is called once');
my @elsewhere = grep { !/^\S+ \S+: \w+/ } keys %$boot;
is_deeply(\@elsewhere, [], '... and no firmware is in the profile');

done_testing();
