#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: tools/gdb
#
# Pitot's commands for gdb (docs/gdb.md) on a machine that was stopped inside a record, and on its
# dumps: records compared with the real perf's, threads with the console's `ps`, debug registers,
# the stream; and their messages about overwritten and missing memory. Run from the root of the
# tree:
#
#     prove tests/boot/gdb_stopped.t
#
# Scripts and gdb's output stay beside the machines' logs, build/logs/gdb_stopped/<n>.script, .gdb.
use strict;
use warnings;
use lib 'tests/lib';
use Test::More;
use Pitot;
use Pitot::Files;
use Pitot::Gdb qw(stub_at %at_stub);
use Pitot::GdbCommands;
use Pitot::Stopped;

plan skip_all => "a stub for gdb is QEMU's" if ($ENV{MACHINE} // 'qemu') ne 'qemu';

my $build = $ENV{BUILD} // 'build';
my $kernel = "$build/pitot.elf";
my $logs = "$build/logs/gdb_stopped";
my $damages = $ENV{SOAK} ? 2000 : 40;

# --- A recording, stopped inside a record --------------------------------------------------------

# The watch on the ring's head hits inside each claim, so the hit's own record is the inner one.
my ($head) = debug_values($kernel, '&((struct ring *)0)->head');
my $record = 'perf record -a --overwrite -m 64K -e mem:kernel_flag:w '
    . "-e mem:rings+$head/8:w -e lock:*,irq:* -R -g --intr-regs -- fs-stress 100000";
my $dump = "$logs/dump";
my @asked = ('ring -n 100000', 'ring -n 3 -c 0', 'ring -g -n 2', 'ps', 'cpus', 'bt', 'bt -t 1',
    'bt -t 0');
my $everything = join('', map { "echo \\n--- $_\\n\ntry pitot $_\n" } @asked);
my $said = commands_session({smp => 1, boot => 'grub', run => "ps; $record"},
    'stop' => "tbreak stress_round\ncontinue\n"
        . "tbreak sample_write_otherwise if 'core/recording/recording.c'::rings[0].nest == 1\n"
        . "ignore \$bpnum 100\ncontinue\nfinish\nmonitor info registers -a\n",
    'all' => $everything,
    'bp' => "pitot bp\n",
    'perf' => "pitot perf $logs/live.perf\n",
    'dumps' => "monitor dump-guest-memory $dump\nmonitor dump-guest-memory -p $dump-p\n",
    'damage' => <<'GDB',
python
rings = number("&'core/recording/recording.c'::rings")
field = lambda name: number("&((struct ring *)0)->" + name)
bytes_of = number("'core/recording/recording.c'::rings[0].bytes")
tail = number("'core/recording/recording.c'::rings[0].tail")
first = bytes_of + tail % number("'core/recording/recording.c'::rings[0].size")
ones = b"\xff" * 8
damaged("head", "ring", rings + field("head"), ones)
damaged("size", "ring", rings + field("size"), b"\x11\x11" + bytes(6))
damaged("bytes", "ring", rings + field("bytes"), b"\0\0\0\0\0\0\x11\0")
damaged("record's size", "ring", first + 6, b"\3\0")
damaged("record's odd size", "ring", first + 6, b"\x4d\0")
claims = rings + field("claims")
position = tail.to_bytes(8, "little")
size = number("*(unsigned short *)%d" % (first + 6)).to_bytes(8, "little")
deeper = [position + bytes([16] + 7 * [0]), position + size]
damaged_all("claims", "ring", [(claims + 2 * 16, deeper[0]), (claims + 3 * 16, deeper[1])])
damaged("record's event", "ring", first + 8, ones)
damaged("account", "ring", rings + field("produced"), ones)
damaged("description", "ring", number("&recorder"), ones)
damaged("version", "ring", number("&recorder") + 8, b"\x63\0\0\0")
damaged("events", "ring", number("&'core/recording/recording.c'::event_count"), ones[:4])
damaged("no events", "ring", number("&'core/recording/recording.c'::event_count"), bytes(4))
damaged("place of events", "ring", number("&'core/recording/recording.c'::events"), ones)
damaged("names", "ring", number("&'core/recording/tasks.c'::count"), ones)
damaged("build id", "ps", number("&build_id_note") + 16, ones)
damaged("table", "bt", number("&unwind_table_start") + 200, ones)
damaged("table's head", "bt", number("&unwind_table_start"), ones)
slots = "'core/breakpoint/table.c'::breakpoint_slots"
damaged("arbiter", "bp", number("&" + slots + ".count"), b"\x63\0\0\0")
damaged("owner", "bp", number("&" + slots + ".slot[0].owners"), ones)
damaged("return address", "bt", number("$rsp"), b"\1" * 512)
end
GDB
    'damaged stream' => qq{python damaged("stream", "perf $logs/damaged.perf", }
        . qq{rings + field("head"), ones)\n}
        . qq{python damaged("stream's bytes", "perf $logs/damaged.perf", }
        . qq{rings + field("bytes"), b"\\0\\0\\0\\0\\0\\0\\x11\\0")\n},
    'any damage' => "python any_damage($damages, 20261122)\n",
    'leave' => "try kill\n");
my %live = sections($said->{all});

# The output of each command.
sub sections
{
    my ($text) = @_;
    my (undef, @all) = split(/^--- (.*)\n/m, $text);
    s/\n+\z/\n/ for @all;
    return @all;
}

# --- ... beside the real perf's ------------------------------------------------------------------

my @theirs = perf_samples("$logs/live.perf");
my @ours = ring_samples($live{'ring -n 100000'});
cmp_ok(scalar(@ours), '>', 40, 'pitot ring finds records: ' . @ours);
is_deeply(\@ours, \@theirs, '... which are those that the real perf reads, in the same order');
cmp_ok(scalar(grep { /\|lock:lock_acquire\|0xf\w+ \w+\|/ } @ours), '>', 5, '... some have fields');
my $account = qr/^CPU 0: (\d+) records, 1 of them inside an unfinished one; 1 unfinished, \d/m;
my ($counted) = $live{'ring -n 100000'} =~ $account;
is($counted, scalar(@ours), '... one of them is inside an unfinished one');
like($said->{perf}, $account, '... also by the stream');
is_deeply([ring_samples($live{'ring -n 3 -c 0'})], [@ours[-3 .. -1]], '-n: the newest');
my @registers = $live{'ring -n 3 -c 0'} =~ /^ +ax=\w+ bx=\w+ .* ip=(\w+) .*r15=\w+$/mg;
is(scalar(@registers), 3, '... with their registers');
like($live{'ring -g -n 2'}, qr/^ +0x\w+ stress_rounds\+0x\w+\n(?:.*\n)*? +0x\w+ boot_entry_high\+/m,
    '-g: and chains');

# --- Threads and debug registers -----------------------------------------------------------------

# The threads that the console's `ps` has shown are listed, by number, CPU, name and what they wait
# for.
sub threads_in
{
    my ($text, $form) = @_;
    return map { join(' ', (split)[0, 1]) . ' ' . join(' ', /$form/) }
        grep { /^ +\d+ +\d+ +(?:sleeps|runs|ready) / } split(/\n/, $text);
}
my ($console) = slurp("$logs/1.console") =~ tr/\r//dr =~ /> ps\n(.*?)^pitot> /ms;
my %ours_now = map { $_ => 1 } threads_in($live{ps}, qr/(?:\S+ +){3}(\S+) +(\S.*?)  +\S+$/);
my @then = threads_in($console // '', qr{\d+/\d+ +(\S+) +(\S.*)$});
my @kept = grep { /kworker|idle/ } @then;
cmp_ok(scalar(@kept), '>', 1, 'the console shows threads');
is_deeply([grep { !$ours_now{$_} } @kept], [], '... which pitot ps shows, too')
    or diag($live{ps}, $console);
like($live{ps}, qr/^ +1 +0 +runs +fs-stress +- +sample_write/m, '... and where the running one is');
like($live{cpus}, qr/^ +0 +1 +fs-stress +sample_write/m, 'pitot cpus shows what the CPU does');
my @frames = map { s/^#\d+ +//r } $live{'bt -t 1'} =~ /^(#.*)$/mg;
is_deeply(\@frames, [map { s/^#\d+ +//r } $live{bt} =~ /^(#.*)$/mg],
    'the chain of the thread that runs is the CPU\'s');

my ($dr0, $dr1, $dr7) = map { s/^0+(?=.)//r }
    $said->{stop} =~ /DR0=(\w+) DR1=(\w+) .*\n.*DR7=(\w+)/;
my ($flag, $rings) = debug_values($kernel, '&kernel_flag', "&'core/recording/recording.c'::rings");
like($said->{bp}, qr{^dr0  0x\w+/4:w kernel_flag for perf mem:kernel_flag:w\n}m,
    'pitot bp shows who holds a register');
my $second = qr{dr1  0x\w+/8:w rings\+0x\w+ for perf mem:rings\+\d+/8:w};
like($said->{bp}, qr{^$second\ndr2  free\ndr3  free\n}m, '... each of them');
is($dr0, sprintf('%x', $flag), '... as they are set');
is($dr1, sprintf('%x', $rings + $head), '... in the machine');
my $armed = 'CPU 0  armed: dr0 dr1, off while it serves a trap;';
like($said->{bp}, qr/^$armed dr0=$dr0 dr1=$dr1 .* dr7=$dr7$/m, '... and shows these');

# --- Damage --------------------------------------------------------------------------------------

my %told = "$said->{damage}$said->{'damaged stream'}"
    =~ /^damaged (.*?): (.*\n(?:(?!damaged ).*\n)*)/mg;
my %damage = (
    'head' => qr/\ACPU 0: the ring is damaged: its tail is not within its size behind its head\n/,
    'size' => qr/\ACPU 0: the ring is damaged: its size is not a power of two/,
    'bytes' => qr/\ACPU 0: the ring is damaged: its bytes cannot be read\n/,
    "record's size" => qr/^CPU 0: no record at \d+: the \d+ bytes from there on were left out\n/m,
    "record's odd size" => qr/\ACPU 0: 0 records, .*\nCPU 0: no record at \d+: the \d+ bytes from /,
    'claims' => qr/^CPU 0: (\d+) records, \g1 of them inside an unfinished one; 2 unfinished/m,
    "record's event" => qr/^CPU 0: 1 records of no event of this recording were left out\n/m,
    'account' => qr/^CPU 0: the account does not close: \d+ were produced/m,
    'description' => qr/\Apitot ring: what describes the recording is damaged\n/,
    'version' => qr/\Apitot ring: the kernel describes its recording in version 99, /,
    'events' => qr/\Apitot ring: the list of events is damaged: it says 4294967295\n/,
    'no events' => qr/\Apitot ring: no recording there: `perf record` did not run\n/,
    'place of events' => qr/\Apitot ring: event 1 of the recording is damaged\n/,
    'names' => qr/^\[000\] .* :1 +1  [^\0]*^the names of threads are damaged: there will be num/m,
    'build id' => qr/\Apitot ps: the machine has a kernel of build id f{16}\w{24}, /,
    'table' => qr/\Apitot bt: the kernel's unwind table has been written over: gdb's own/,
    "table's head" => qr/\Apitot bt: the kernel's unwind table is damaged, or of another version/,
    'arbiter' => qr/\Athe arbiter's table is damaged: it has 99 registers\n/,
    'owner' => qr/\Adr0  .* for an unreadable owner at 0xf{16}\n/,
    'return address' => qr/\A#0 .*\n    the return address is not in the kernel's text\n/,
    "stream's bytes" => qr/^CPU 0: the ring is damaged: its bytes cannot be read\n/m,
    'stream' => qr/^CPU 0: the ring is damaged: its tail is not within its size behind its head\n/m,
);
like($told{$_} // '', $damage{$_}, "damaged: $_") for sort(keys %damage);
my @any = $said->{'any damage'} =~ /^any damage: (.*)$/mg;
is(scalar(grep { $_ eq 'True' } @any), $damages, 'words at random places: nothing breaks')
    or diag(grep { $_ ne 'True' } @any);

# --- Dumps ---------------------------------------------------------------------------------------

for my $how ('', '-p') {
    my $file = "$dump$how";
    my %dead = sections(commands_on_file("$kernel -c $file",
        "echo --- start\\n\n$everything", "echo --- bp\\n\npitot bp\n",
        "echo --- perf\\n\npitot perf $logs/dead.perf\n", "echo --- gdb\\n\nbt\n"));
    is($dead{$_}, $live{$_}, "a dump, dump-guest-memory $how: pitot $_") for @asked;
    my ($held) = $said->{bp} =~ /\A((?:dr.*\n)+)/;
    like($dead{bp}, qr/\A\Q$held\E$armed its registers are not shown here\n/,
        "... pitot bp, but for the registers");
    ok(slurp("$logs/dead.perf") eq slurp("$logs/live.perf"), '... the stream is the same');
    next if !$how;
    like($dead{gdb}, qr/^#\d+ .*boot_entry_high \(\)/m, '... and gdb can unwind');
    my $kernels = "python same_memory(0xffff800000800000, 22 << 20)\n";
    like(commands_on_file("$kernel -c $file", $kernels), qr/^of (\d\d+) pages \g1 are the same$/m,
        '... and reads what the commands read');
}
my $stream = `$build/host/postmortem -k $kernel $dump 2>/dev/null`;
ok($stream eq slurp("$logs/live.perf"), 'the stream is what make postmortem writes');

# --- Nothing to read -----------------------------------------------------------------------------

my @six = ('ring', 'bt', 'ps', 'cpus', 'bp', "perf $logs/none.perf");
my $none = join('', map { "try pitot $_\n" } @six);

# One test: six refusals of one line each.
sub six_ok
{
    my ($text, $pattern, $name) = @_;
    my @lines = $text =~ /^(refused: pitot .*)$/mg;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    ok(@lines == 6 && !grep({ !/$pattern/ } @lines) && $text !~ /Traceback|occurred/, $name)
        or diag($text);
}

six_ok(commands_on_file('', $none), 'gdb does not have the kernel.s file: `file build/pitot.elf` ',
    'without the kernel\'s file');
six_ok(commands_on_file($kernel, $none), 'gdb has no machine that stands still: `pitot-attach SOCK',
    'without a machine');
six_ok(commands_on_file("$build/pitot-test.elf -c $dump", $none), 'another kernel|of build id',
    'with another kernel\'s file');
open(my $short, '>:raw', "$logs/short") or die("$logs/short: $!");
print {$short} substr(slurp($dump), 0, 1 << 20);
close($short);
six_ok(commands_on_file("$kernel -c $logs/short", $none),
    'not in the machine.s memory|no machine|is cut', 'on a dump that was cut');
unlink("$logs/none.perf");

my %at_reset = (
    %at_stub,
    attach => sub { return "set remotetimeout $patience\ntarget remote ${\stub_at($_[0])}\n" },
    again => sub { return "echo\n" },
);
$said = commands_session(
    {smp => 2, door => \%at_reset, run => 'perf stat -a -e lock:* -- fs-stress 1'},
    'before the kernel' => $none, 'its first line' => "thbreak kernel_main\ncontinue\n$none",
    'counted only' => "thbreak stress_round\ncontinue\n$none", 'leave' => "try kill\n");
six_ok($said->{'before the kernel'}, 'is not in the machine.s memory: another kernel, or one that ',
    'before the kernel is there');
my $first = $said->{'its first line'};
like($first, qr/^refused: pitot ring: no recording there: `perf record` did not run$/m,
    'at the kernel\'s first line: no recording');
like($first, qr/^#0  0x\w+ in kernel_main at .*\n#1 .*boot_entry_high/m, '... a chain');
like($first, qr/^refused: pitot ps: the kernel has no threads yet$/m, '... no threads');
like($first, qr/^ +0 +- +- +kernel_main$/m, '... a CPU');
like($first, qr/^dr0  free\n(?:.*\n){3}CPU 0  has not been started$/m, '... no watches');
my $none_there = 'no recording there: `perf record` did not run';
like($said->{'counted only'}, qr/^refused: pitot ring: $none_there/m, 'a count is no recording');
like($said->{'counted only'}, qr/^refused: pitot perf: $none_there/m, '... and no stream');

done_testing();
