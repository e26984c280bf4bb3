#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: outside/pitot, docs/outside.md
#
# Refusals of `pitot`, each in one line that says what to type, before QEMU starts or a file is
# written; its help; and the plugin's argument for each event. Run from the root of the tree:
#
#     prove tests/host/outside_refusals.t
use strict;
use warnings;
use lib 'tests/lib';
use Test::More;
use Pitot::Files;
use Pitot::StandIn;

my $room = stand_in_room();
my $elf = "$room/kernel.elf";
my @qemu = ('--', "$room/qemu", '-kernel', $elf);
my ($wrong_usage, $refused) = (129, 1);
my @commands = qw(record stat blame graph last trace cover heap locks race repeat show);
plugin_says(begin(1), end());

# --- Help ----------------------------------------------------------------------------------------

for my $words ([], ['help'], ['-h'], ['--help']) {
    my ($said, $complaints, $status) = pitot(@$words);
    ok($status == 0 && $complaints eq '', "pitot @$words");
    like($said, qr/^    record .*\n    stat /m, '... lists the commands');
}
for my $words (['help', 'record'], ['record', '-h'], ['record', '-g', '--help', @qemu]) {
    my ($said, $complaints, $status) = pitot(@$words);
    ok($status == 0 && $complaints eq '', "pitot @$words[0, 1]");
    like($said, qr/^usage: pitot record .*^    -c, --count N /ms, '... lists the options');
}
my $page = slurp('docs/outside.md');
my @options = map { /^ {4}(-.*?)(?: {2}|$)/mg } map { (pitot('help', $_))[0] } @commands;
cmp_ok(scalar(@options), '>', 5, 'options have lines of their own');
for my $option (@options) {
    my ($value) = $option =~ / ([^\s-]\S*)$/;
    my $in_page = join(', ', map { defined $value ? "`$_ $value`" : "`$_`" }
            grep { !defined $value || $_ ne $value } split(/,? /, $option));
    ok(index($page, "| $in_page |") >= 0, "docs/outside.md has $in_page");
}
my $there_are = join(', ', @commands, 'help');
is_deeply([pitot('recrod')], ['', "pitot: unknown command \"recrod\"; there are $there_are\n",
    $wrong_usage], 'a command that there is not');

# --- Refusals ------------------------------------------------------------------------------------

sub refused_ok
{
    my ($pattern, $wanted, @words) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my %environment = ref $words[0] ? %{shift(@words)} : ();
    unlink("$room/out");
    my ($said, $complaints, $status) = pitot(\%environment, @words);
    my @words_of_qemu = stand_in_words();
    ok($said eq '' && $complaints =~ /\Apitot \w+: $pattern\n\z/ && $status == $wanted
        && !@words_of_qemu && !-s "$room/out", "refused: $pattern")
        or diag("$status: $said$complaints@words_of_qemu");
}

my @record = ('record', '-o', "$room/out");
my $file = qr/\Q$room\E\S*/;
refused_ok('no QEMU command; pitot record \[OPTION\]... -- QEMU ARGUMENT...', $wrong_usage,
    @record);
refused_ok('no command after --', $wrong_usage, @record, '--');
refused_ok('unknown option "-x"; there are -e EVENT, -g, .*', $wrong_usage, @record, '-x', @qemu);
refused_ok('-c: an option of another command', $wrong_usage, 'stat', '-c', 5, @qemu);
refused_ok('-n: an option of another command', $wrong_usage, @record, '-n', 5, @qemu);
refused_ok('-c "0": a whole number from 1 is allowed', $wrong_usage, @record, '-c', 0, @qemu);
refused_ok('/none/qemu: No such file or directory', $refused, @record, '--', '/none/qemu',
    '-kernel', $elf);
refused_ok("$file is not QEMU: --help shows no version", $refused,
    {STAND_IN_VERSION => $_}, @record, @qemu) for 'none', 'babble';
refused_ok("$file is QEMU 5.2; 6.0 or later is needed", $refused,
    {STAND_IN_VERSION => '5.2.0'}, @record, @qemu);
refused_ok("$file has no -plugin; configure QEMU with --enable-plugins", $refused,
    {STAND_IN_PLUGINS => 0}, @record, @qemu);
refused_ok('--intr-regs: QEMU 7.2 gives plugins no registers; 9.2 and later do', $refused, @record,
    '--intr-regs', @qemu);
refused_ok('-daemonize: pitot waits until QEMU exits; leave it out', $refused, @record, @qemu,
    '-daemonize');

refused_ok('no function; pitot graph \[OPTION\]... FUNCTION... -- QEMU ARGUMENT...', $wrong_usage,
    'graph', @qemu);
refused_ok('no QEMU command; pitot graph .*', $wrong_usage, 'graph', 'kmain');
refused_ok('no command after --', $wrong_usage, 'graph', 'kmain', '--');
refused_ok('-e: an option of another command', $wrong_usage, 'graph', 'kmain', '-e', 'irq', @qemu);
refused_ok("depth \"$_\": 1 to 1000 levels are allowed", $wrong_usage, 'graph', 'kmain',
    '--depth', $_, @qemu) for 0, 1001;
refused_ok("-n \"$_\": 1 to 100000 calls are allowed", $wrong_usage, 'last', '-n', $_, @qemu)
    for 0, 100_001, 'x';
refused_ok('no QEMU command; pitot last .*', $wrong_usage, 'last');
refused_ok('no function "vfs_raed"; near: vfs_read\b.*', $refused, 'graph', 'kmain', 'vfs_raed',
    @qemu);
refused_ok('--depth: an option of another command', $wrong_usage, 'stat', '--depth', 3, @qemu);

my $emulated = 'plugins follow only emulated code; ';
refused_ok("-enable-kvm: ${emulated}leave it out", $refused, @record, @qemu, '-enable-kvm');
for my $words (['-accel', 'kvm'], ['--accel', 'kvm,thread=single'], ['-accel', 'accel=hvf'],
    ['-machine', 'q35,accel=kvm'], ['-M', 'accel=tcg:kvm']) {
    refused_ok("@$words: $emulated-accel tcg is supported", $refused, @record, @qemu, @$words);
}

for my $words (['-accel', 'tcg,thread=single'], ['-icount', 'shift=1']) {
    for my $smp ('2', 'cores=1,cpus=2', 'sockets=1,cores=2', 'maxcpus=2') {
        refused_ok("$words->[0]: all CPUs in one thread, which QEMU 10.0 does not distinguish "
                . 'for plugins; use -accel tcg,thread=multi or -smp 1',
            $refused, {STAND_IN_VERSION => '10.0.13'}, @record, @qemu, '-smp', $smp, @$words);
    }
}

my (undef, undef, $taken) = pitot({STAND_IN_VERSION => '10.0.13'}, @record, @qemu, '-icount',
    'shift=1', '-smp', '1,maxcpus=4');
is($taken, 0, '... room for more CPUs is none of them');

refused_ok('QEMU has no -kernel; give the kernel\'s file by --kernel ELF', $refused, @record, '--',
    "$room/qemu");
refused_ok("$room/none: No such file or directory", $refused, @record, '--kernel', "$room/none",
    @qemu);
refused_ok("$file is not an ELF file; --kernel ELF names the kernel's, "
        . '--symbols FILE what nm prints of it',
    $refused, @record, '--kernel', "$room/qemu", @qemu);

# The kernel's file with some bytes of its header replaced.
sub altered
{
    my ($at, $bytes) = @_;
    my $all = slurp($elf);
    substr($all, $at, length($bytes)) = $bytes;
    open(my $to, '>:raw', "$room/altered") or die("altered: $!\n");
    print {$to} $all;
    close($to) or die("altered: $!\n");
    return "$room/altered";
}

my $machine = 18;    # its offset in an ELF header
system('objcopy', '-O', 'elf32-i386', $elf, "$room/narrow");
refused_ok("$file is a 32-bit ELF file; --kernel ELF names the 64-bit kernel's", $refused, @record,
    '--kernel', "$room/narrow", @qemu);
refused_ok("$file is for another architecture \\(ELF machine 183\\); x86-64 is supported", $refused,
    @record, '--kernel', altered($machine, pack('S<', 183)), @qemu);
refused_ok("$file has no executable segment: it is not a linked kernel", $refused, @record,
    '--kernel', "$elf.o", @qemu);

my $list = 'expected what nm prints, or a map of GNU ld \(-Map\)';
write_bytes("$room/empty", '');
write_bytes("$room/variables", "ffffffff80101000 B run_queue\n                 U panic\n");
refused_ok("$file has no symbols; $list", $refused, @record, '--symbols', $_, @qemu)
    for "$room/qemu", "$room/empty";
refused_ok("$file has no functions, or they lie in more than 32 places", $refused, @record,
    '--symbols', "$room/variables", @qemu);
refused_ok("$file is an ELF file; --kernel $file takes it", $refused, @record, '--symbols', $elf,
    @qemu);
refused_ok("$room/none: No such file or directory", $refused, 'stat', '--symbols', "$room/none",
    @qemu);
refused_ok('--symbols and --kernel cannot be combined: either has the kernel\'s symbols',
    $wrong_usage, @record, '--kernel', $elf, '--symbols', "$room/variables", @qemu);

write_bytes("$room/list-of-one", "ffffffff80100100 T kmain\n");
mkdir("$room/out.symbols");
refused_ok("$room/out.symbols: Is a directory", $refused, @record, '--symbols',
    "$room/list-of-one", @qemu);
rmdir("$room/out.symbols");

my %events = (
    'cycles' => 'unknown event "cycles": instructions, mem:ADDR\[/LEN\]\[:r\|w\|rw\], call:GLOB, '
        . 'return:GLOB, irq\[:N\[-N\]\]',
    'instructions/period=0/' => 'period "0": a whole number from 1 is allowed',
    'instructions/freq=9/' => 'event term "freq=9": allowed: period=N',
    'irq/frequency=9/' => 'event term "frequency=9": allowed: period=N',
    'irq/period=3,stop/' => 'event term "stop": allowed: period=N',
    'irq:256' => 'event "irq:256": a vector or a range, as in irq:14, irq:0x20-0x2f',
    'irq:9-3' => 'event "irq:9-3": a vector or a range, as in irq:14, irq:0x20-0x2f',
    'irq:3-300' => 'event "irq:3-300": a vector or a range, as in irq:14, irq:0x20-0x2f',
    'irqs' => 'unknown event "irqs": .*',
    'irq,calls' => 'unknown event "irq,calls": .*',
    'instructions/' => 'event "instructions/": the terms must be between two slashes',
    '/period=3/' => 'event "/period=3/": the terms must be between two slashes',
    'mem:run_queu' => 'no symbol "run_queu"; near: run_queue\b.*',
    'mem:' => 'no symbol "".*',
    'mem:qqqqqqqqqqqq' => 'no symbol "qqqqqqqqqqqq", and none with a similar spelling',
    'mem:twice' => '2 symbols are called "twice"; give the address: 0x\w+, 0x\w+',
    'mem:run_queue:x' => 'event "mem:run_queue:x": access "x": r, w, rw are allowed; '
        . 'call:run_queue counts calls',
    'mem:run_queue:rwx' => 'event "mem:run_queue:rwx": access "rwx": r, w, rw are allowed',
    'mem:run_queue:rr' => 'event "mem:run_queue:rr": access "rr": r, w, rw are allowed',
    'mem:run_queue/0' => 'length 0: bytes from 1 on are allowed',
    'mem:run_queue/8q:w' => '"8q" is not a number; write it as 16 or 0x10',
    'mem:run_queue+64' => '\+0x40 lies beyond the end of run_queue, which is 64 bytes long',
    'mem:run_queue+' => 'offset missing after "run_queue\+"',
    'mem:run_queue+q' => '"q" is not a number; write it as 16 or 0x10',
    'mem:run_queue-q' => '"q" is not a number; write it as 16 or 0x10',
    'mem:0-8' => '"0-8" is not a number; write it as 16 or 0x10',
    'mem:idle_loop-0xffffffffffffffff' => 'idle_loop-0xffffffffffffffff lies before the first '
        . 'address',
    'mem:%rax' => '%rax is a register: it changes with each instruction; give an address or a '
        . 'symbol',
    'mem:cr3/8:w' => 'cr3 is a register: .*',
    'mem:0xq' => '"0xq" is not a number; write it as 16 or 0x10',
    'mem:0xffffffffffffffff/2' => '0xffffffffffffffff/2 lies beyond the end of memory',
    'call:vfs_raed' => 'no function "vfs_raed"; near: vfs_read\b.*',
    'call:run_queue' => 'run_queue is not a function: it is data, or a local label of assembly',
    'return:vfs_raed' => 'no function "vfs_raed"; near: vfs_read\b.*',
    'return:kmain/frequency=9/' => 'event term "frequency=9": allowed: period=N',
    'call:read*' => 'no function "read\*"; near: \*read\*',
    'return:*vfs' => 'no function "\*vfs"; near: \*vfs\*',
    'call:vfs_raed*' => 'no function "vfs_raed\*"; near: vfs_read\b.*',
    'call:qqq*' => 'no function "qqq\*", and none with a similar spelling',
);
refused_ok($events{$_}, $refused, @record, '-e', $_, @qemu) for sort keys %events;
refused_ok("\Q$$_[0]\E is a register: .*", $refused, @record, '-e', "mem:$$_[-1]", @qemu)
    for ['[rsp', '[rsp+8]'], ['rbx', 'rbx+0x10/8:w'],
    map { [$_] } qw(r8d r15 rflags eflags ax xmm0 zmm31 dr0 cr3 $rax [rax] al st7 gs);
refused_ok("no symbol \"$_\".*", $refused, @record, '-e', "mem:$_", @qemu)
    for qw(r7 r16 r8x xmm32 dr8 rax1 rs rrax registers);
refused_ok('event "call:x{20}...": 4097 characters; up to 4096 are allowed', $refused, @record,
    '-e', 'call:' . 'x' x 4_092, @qemu);
refused_ok('-e: more than 96 events', $wrong_usage, @record, ('-e', 'instructions') x 97, @qemu);
refused_ok('more than 96 events', $refused, @record, '-e', join(',', ('instructions') x 97), @qemu);

refused_ok("-m \"$_\": a size like 64K, 16M, 1G is allowed", $wrong_usage, @record, '--overwrite',
    '-m', $_, @qemu) for qw(4 K 0K 4KK 4Q 2048G);
refused_ok('-m is the size of what --overwrite keeps; add --overwrite', $wrong_usage, @record,
    '-m', '4K', @qemu);
refused_ok('--trigger instructions: mem:ADDR\[/LEN\]\[:r\|w\|rw\], call:GLOB are allowed', $refused,
    @record, '--trigger', 'instructions', @qemu);
refused_ok('no function "panik"; near: panic\b.*', $refused, @record, '--trigger', 'call:panik',
    @qemu);
for my $option (qw(--start --until)) {
    refused_ok('no symbol "vfs_raed"; near: vfs_read\b.*', $refused, @record, $option, 'vfs_raed',
        @qemu);
    refused_ok("$option run_queue: no function begins there", $refused, @record, $option,
        'run_queue', @qemu);
}
refused_ok('--until vfs_read is also --start; nothing lies between', $refused, 'stat', '--start',
    'vfs_read', '--until', 'vfs_read', @qemu);
for my $option (['--max', 1], ['--trigger', 'call:panic'], ['--overwrite']) {
    refused_ok("$option->[0]: an option of another command", $wrong_usage, 'stat',
        @$option, @qemu);
}
my %places = (
    'run_queu' => 'no symbol "run_queu"; near: run_queue\b.*',
    'run_queue/0' => 'length 0: 1 to 1048576 bytes are allowed',
    'run_queue/1048577' => 'length 1048577: 1 to 1048576 bytes are allowed',
    '0xffffffffffffffff/2' => '0xffffffffffffffff/2 lies beyond the end of memory',
);
refused_ok($places{$_}, $refused, 'blame', $_, @qemu) for sort keys %places;
write_bytes("$room/large", "ffffffff80100100 100 T kmain\nffffffff80101000 100001 D large\n");
refused_ok('large is 1048577 bytes long, and 1048576 are allowed: give /LEN', $refused, 'blame',
    'large', '--symbols', "$room/large", @qemu);
refused_ok('no PLACE and no QEMU command; pitot help blame', $wrong_usage, 'blame');
for my $words (['-n', 2], ['-n', 2, 'run_queue']) {
    refused_ok('-n: a file has only the last writers; give PLACE and -- QEMU', $wrong_usage,
        'blame', @$words, @$words == 2 ? @qemu : ());
}
for my $words (['-o', "$room/out"], ['-m', '64M']) {
    refused_ok("$words->[0] is for all memory; give -- QEMU and no PLACE",
        $wrong_usage, 'blame', @$words, 'run_queue', @$_) for [], [@qemu];
}
refused_ok('--html is the answer about a PLACE; without one, a file is written, and pitot blame '
    . '--html PLACE reads it', $wrong_usage, 'blame', '--html', @qemu);
refused_ok('-m is for all memory; give -- QEMU and no PLACE', $wrong_usage, 'blame', '--html',
    '-m', '64M', 'run_queue', @qemu);
refused_ok('-o names a page; add --html', $wrong_usage, 'graph', '-o', "$room/out", 'kmain',
    @qemu);
refused_ok("-o -: pitot $_ writes a file; give its name", $wrong_usage, $_, '--html', '-o', '-',
    'kmain', @qemu) for qw(blame graph);
refused_ok('/none/out: No such file or directory', $refused, 'graph', '--html', '-o', '/none/out',
    'kmain', @qemu);
refused_ok('--html: an option of another command', $wrong_usage, 'last', '--html', @qemu);
refused_ok('-i reads a file; leave out -- QEMU', $wrong_usage, 'blame',
    '-i', "$room/in", @qemu);
refused_ok('-m: at least 32K are needed', $wrong_usage, 'blame', '-m', '31K', @qemu);
for my $size ('64', '0M', '64MB', 'M', '2000000G') {
    refused_ok("-m \"$size\": a size like 64K, 16M, 1G is allowed", $wrong_usage, 'blame', '-m',
        $size, @qemu);
}
refused_ok('--show draws a file; leave out -o -', $wrong_usage, qw(record --show -o -), @qemu);
refused_ok("-o -: pitot $_ writes a file; give its name", $wrong_usage, $_, '-o', '-', @qemu)
    for qw(blame cover);
refused_ok('/none/out: No such file or directory', $refused, 'blame', '-o', '/none/out', @qemu);
refused_ok('unknown option "-x"; there are .*', $wrong_usage, 'blame', 'run_queue', '-x', @qemu);
refused_ok('-n "1001": 1 to 1000 writers are allowed', $wrong_usage, 'blame', '-n',
    1001, 'run_queue', @qemu);
refused_ok('more than 96 places', $wrong_usage, 'blame', ('run_queue') x 97, @qemu);

refused_ok('/none/out: No such file or directory', $refused, 'record', '-o', '/none/out', @qemu);
refused_ok('/dev/full: No space left on device', $refused, 'record', '-o', '/dev/full', @qemu);

# --- The request to the plugin -------------------------------------------------------------------

my $text = 'text=ffffffff80100000:ffffffff80100800,code=ffffffff80100000:1000:801';

# The words of QEMU, and the part of the request to the plugin that differs between commands.
sub asked
{
    my (@words) = @_;
    my ($said, $complaints, $status) = pitot(@record, @words, @qemu, '-append', 'a,b -e x');
    is($status, 0, "pitot record @words") or diag($complaints);
    my (@of_qemu) = stand_in_words();
    is_deeply([@of_qemu[0, 2 .. $#of_qemu]], ['-plugin', '-kernel', $elf, '-append', 'a,b -e x'],
        '... leaves QEMU\'s words alone');
    like($of_qemu[1], qr{^file=\Q$room\E\S+?\.so,request=\d+$}, '... gives the plugin its request');
    like(request_words(), qr/^$text/, '... tells where the kernel lies, and its code');
    return request_words() =~ s/^$text//r;
}

my $queue = sprintf('%x', $place{run_queue});
my $within = sprintf('%x', $place{run_queue} + 8);
my ($kmain, $read, $write, $panic) =
    map { sprintf('%x', $_) } @place{qw(kmain vfs_read vfs_write panic)};
my %asked = (
    '' => ',chains=0,event=insn:100000',
    '-c 500' => ',chains=0,event=insn:500',
    '-g' => ',event=insn:100000',
    '-gc7 --event=instructions' => ',event=insn:7',
    '-e mem:run_queue' => ",chains=0,event=mem:$queue:64:rw:1",
    '-e mem:run_queue:w/period=3/' => ",chains=0,event=mem:$queue:64:w:3",
    '-e mem:run_queue/8/period=3/ -c 9' => ",chains=0,event=mem:$queue:8:rw:3",
    '-e mem:run_queue+8:r' => ",chains=0,event=mem:$within:4:r:1",
    '-e mem:run_queue-8/8:w' => sprintf(',chains=0,event=mem:%x:8:w:1', $place{run_queue} - 8),
    '-e mem:run_queue+0x8/16 -c 9' => ",chains=0,event=mem:$within:16:rw:9",
    '-e mem:0x1000' => ',chains=0,event=at:1000:4:rw:1',
    '-e mem:sizeless' => sprintf(',chains=0,event=mem:%x:4:rw:1', $place{run_queue} + 64),
    '-e irq' => ',event=irq:0-255:1',
    '-e irq:14' => ',event=irq:14-14:1',
    '-e irq:0x20-0x2f' => ',event=irq:32-47:1',
    '-e call:kmain,return:vfs_*/period=2/' => ",event=call:$kmain:1,event=return:$read+$write:2",
    '-e irq/period=3/,instructions -c 9' => ',event=irq:0-255:3,event=insn:9',
    '-e call:kmain,mem:run_queue:r,instructions/period=9/ -e mem:0x10/2'
        => ",event=call:$kmain:1,event=mem:$queue:64:r:1,event=insn:9,"
        . 'event=at:10:2:rw:1',
    "-e call:vfs_read --trigger call:panic,mem:run_queue:w/period=9/"
        => ",event=call:$read:1,stop=call:$panic:1,stop=mem:$queue:64:w:1",
    '-e call:vfs_read --stop call:panic' => ",event=call:$read:1,stop=call:$panic:1",
    '--from vfs_read' => ",chains=0,event=insn:100000,from=$read",
    '--start vfs_read --until vfs_write --max 9'
        => ",chains=0,event=insn:100000,from=$read,until=$write,max=9",
);
is(asked(split(' ', $_)), $asked{$_}, '... and asks so') for sort keys %asked;

for my $words (['-n', 2, 'run_queue', 'sizeless'], ['run_queue', '-n', 2, 'sizeless'],
    ['run_queue', 'sizeless', '-n', 2]) {
    my (undef, $complaints, $status) = pitot('blame', @$words, @qemu);
    is($status, 0, "pitot blame @$words") or diag($complaints);
    like(request_words(), qr/,writers=2,place=$queue:64,place=\w+:4,event=/,
        '... options stand where they like');
}

# --- QEMU's log, for interrupts ------------------------------------------------------------------

{
    my @user = ('-D', "$room/user.log", '-d', 'guest_errors', '--d', 'unimp,int');
    my (undef, $complaints, $status) = pitot(@record, '-g', @qemu, @user);
    is($status, 0, 'with a log of the user') or diag($complaints);
    my @of_qemu = all_words();
    is_deeply([@of_qemu[2, 4]], ['-D', '-d'], '... QEMU gets one log, for both');
    my ($folder) = $of_qemu[3] =~ m{^(/\S+)/%d$};
    is($of_qemu[5], 'int,tid,plugin,unimp,int', '... with what the user asks for');
    is_deeply([request_log()], [$folder, 1], '... and the plugin where it lies');
    is_deeply([grep { /^--?[dD]$/ } @of_qemu[6 .. $#of_qemu]], [], '... but not twice');
    ok(-e "$room/user.log" && !-e $folder, '... the user\'s file is there, the folder gone');

    refused_ok('-d tid,int: leave tid out; QEMU\'s log is read for interrupts', $refused, @record,
        '-g', @qemu, '-d', 'tid,int');
    refused_ok("$$_[0]: QEMU 7.2 could not write its log, which is read for interrupts; "
            . 'leave it out', $refused, {STAND_IN_VERSION => '7.2.0'}, @record, '-g', @qemu, @$_)
        for ['-chroot', '/tmp'], ['--runas', 'nobody'], ['-run-with', 'chroot=/tmp'];
    refused_ok("-D $room/none/log: No such file or directory", $refused, @record, '-g', @qemu, '-d',
        'int', '-D', "$room/none/log");
    refused_ok('QEMU 7.0: interrupts, returns and call chains need 7.1 or later', $refused,
        {STAND_IN_VERSION => '7.0.0'}, @record, '-g', @qemu);
    pitot({STAND_IN_VERSION => '10.0.13'}, @record, '-g', @qemu, '-d', 'int');
    is_deeply([grep { /^-[dD]$/ } all_words()], ['-d'], 'from QEMU 9.2 on the log is the user\'s');
    pitot(@record, @qemu, '-d', 'int');
    is_deeply([grep { /^-[dD]$/ } all_words()], ['-d'], '... and where no calls are followed');
}

mkdir("$room/a,b=c");
rename("$room/bin/$_", "$room/a,b=c/$_") for qw(pitot plugin-v1.so);
{
    local $ENV{STAND_IN_ROOM} = $room;
    system("'$room/a,b=c/pitot' @record @qemu 2>/dev/null");
}
is((stand_in_words())[1] =~ s/,request=.*//r, "file=$room/a,,b=c/plugin-v1.so",
    'a comma, or =, in the plugin\'s path is written as QEMU reads it');
rename("$room/a,b=c/$_", "$room/bin/$_") for qw(pitot plugin-v1.so);

# --- The choice of the plugin --------------------------------------------------------------------

sub loaded
{
    my ($version, $loads) = @_;
    my (undef, $complaints) = pitot({STAND_IN_VERSION => $version, STAND_IN_LOADS => $loads // ''},
        @record, @qemu);
    my ($name) = (stand_in_words())[1] =~ m{^file=\Q$room\E/(.*?),request=};
    return ($name, $complaints =~ /^pitot: QEMU (\S+) has not been tried; \S+ is loaded$/m);
}

is_deeply([loaded($_->[0])], [$_->[1]], "the plugin for QEMU $_->[0]")
    for ['6.0.0', 'bin/plugin-v1.so'], ['7.2.22', 'bin/plugin-v1.so'],
    ['8.1.5', 'bin/plugin-v1.so'], ['9.2.0', 'bin/plugin-v4.so'], ['10.1.3', 'bin/plugin-v4.so'];
is_deeply([loaded($_, 'plugin-v1.so')], ['bin/plugin-v1.so', $_], "QEMU $_: the one that it loads")
    for qw(8.2 10.2 12.0);
is_deeply([loaded('9.0', 'plugin-v4.so')], ['bin/plugin-v4.so', '9.0'], '... whichever it is');
my $plugin = slurp("$room/bin/plugin-v1.so");
for my $stale (['', 'an older version'], ["\0pitot wire 1\0", 'version 1']) {
    write_bytes("$room/bin/plugin-v1.so", $stale->[0]);
    refused_ok("$room/bin/plugin-v1.so is of $stale->[1], and pitot of $wire_version: rebuild both "
        . 'by make outside', $refused, @record, @qemu);
}
write_bytes("$room/bin/plugin-v1.so", $plugin);
refused_ok("QEMU 9.0 loads no plugin of $room/bin: its plugin interface differs", $refused,
    {STAND_IN_VERSION => '9.0.0'}, @record, @qemu);
unlink("$room/bin/plugin-v4.so");
refused_ok("no plugin for QEMU 10.0 in $room/bin or its ../lib/pitot; make outside", $refused,
    {STAND_IN_VERSION => '10.0.0'}, @record, @qemu);
symlink('plugin-v4.so', "$room/bin/plugin-v4.so") or die("plugin-v4.so: $!\n");
refused_ok("$room/bin/plugin-v4.so: Too many levels of symbolic links", $refused,
    {STAND_IN_VERSION => '10.0.0'}, @record, @qemu);
mkdir($_) for "$room/lib", "$room/lib/pitot";
rename("$room/bin/plugin-v1.so", "$room/lib/pitot/plugin-v1.so");
is_deeply([loaded('7.2.22')], ['bin/../lib/pitot/plugin-v1.so'], 'one that is installed');
unlink("$room/lib/pitot/plugin-v1.so");
refused_ok("no plugin for QEMU 7.2 in $room/bin or its ../lib/pitot; make outside", $refused,
    @record, @qemu);

done_testing();
