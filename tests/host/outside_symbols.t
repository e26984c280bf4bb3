#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: outside/pitot/symbol_list.c, outside/pitot/made_elf.c, outside/pitot/kernel.c
#
# `pitot record` of a kernel without its ELF file: with the output of nm, the linker's map, or a
# 32-bit ELF file instead. The real perf names all addresses without options, from the ELF file that
# pitot writes. Then C++ and Rust names, which are demangled. The plugin is a script
# (tests/lib/Pitot/StandIn.pm). Run from the root of the tree:
#
#     prove tests/host/outside_symbols.t
use strict;
use warnings;
use lib 'tests/lib';
use Cwd ();
use Test::More;
use Pitot::Files;
use Pitot::StandIn;

my $room = stand_in_room();
my $elf = "$room/kernel.elf";
my $out = "$room/out";
my @qemu = ('--', "$room/qemu", '-kernel', "$room/no-elf");
link_kernel($elf, [qw(kmain sched_run vfs_read vfs_write)], "-Map=$room/map");
write_bytes("$room/nm", scalar `nm $elf`);
write_bytes("$room/nm-S", scalar `nm -S $elf`);
write_bytes("$room/sorted", "# of the last build\r\n" . `nm -n $elf` =~ s/\n/\r\n/gr);
write_bytes("$room/kallsyms", `nm $elf` =~ s/ sched_run$/ sched_run\t[scheduler]/mr);

# The lines that perf script prints for the two samples.
sub named
{
    my ($file) = @_;
    plugin_says(begin(1), thread(1, $place{kmain} + 4), context(1, 0, $place{kmain} + 4, 5),
        sample(thread => 1, context => 1, ip => $place{sched_run} + 8, time => 1_000),
        sample(thread => 1, ip => $place{vfs_write} + 0x10, time => 2_000), end());
    my ($said, $complaints, $status) = pitot('record', '-g', '-o', $out, '--symbols', $file, '-e',
        'call:vfs_*', @qemu);
    is_deeply([$status, $complaints], [0, "[ pitot record: 2 samples in $out ]\n"],
        "--symbols $file") or diag($complaints);
    return [map { s/^\s*[0-9a-f]*\s*|\s*$//gr }
            grep { /\S/ } split(/\n/, scalar in_perf($out, 'script', '-F', 'comm,ip,sym,symoff'))];
}

my @named = ('kmain', 'sched_run+0x8', 'kmain+0x9', 'kmain', 'vfs_write+0x10');
for my $file (qw(nm nm-S sorted kallsyms map)) {
    is_deeply(named("$room/$file"), \@named, '... perf names functions with no option');
    is(request_words(), 'text=ffffffff80100000:ffffffff80100fff,event=call:'
        . sprintf('%x+%x:1', @place{qw(vfs_read vfs_write)}),
        '... events find them; the code lies around them, and is not compared');
}
named("$room/nm-S");
like(scalar `readelf -sW $out.symbols`, qr/ 256 FUNC .* vfs_read$/m, '... with its size');

# A stream's symbols get a file of their own: perf.data.symbols may belong to another recording.
my $folder = Cwd::getcwd();
mkdir("$room/here");
chdir("$room/here") or die("$room/here: $!\n");
write_bytes('perf.data.symbols', 'older');
for my $time (1, 2) {
    plugin_says(begin(1), sample(ip => $place{sched_run} + 8, time => 1_000), end());
    my ($stream, $told) = pitot('record', '-o', '-', '--symbols', "$room/nm", @qemu);
    my ($names) = $told =~ /^pitot: the stream's names are in (pitot-\w{6}\.symbols), which perf /;
    is($told =~ s/.*\n//r, "[ pitot record: 1 sample in - ]\n", '-o - --symbols') or diag($told);
    is_deeply([sort(glob('*'))], ['perf.data.symbols', $names // ''],
        '... writes what it tells') if $time == 1;
    write_bytes("$room/stream", $stream);
    like(scalar in_perf("$room/stream", 'script', '-F', 'ip,sym,symoff'), qr/ sched_run\+0x8$/m,
        '... by which perf names the stream');
}
is(slurp('perf.data.symbols'), 'older', '... beside an older recording\'s');
is(scalar(my @all = glob('pitot-*')), 2, '... and one of another stream');
is((stat($all[0]))[2] & 0777, 0666 & ~umask(), '... as readable as other files');
plugin_says(begin(1), end(instructions => 0));
pitot({STAND_IN_END => 'exit 1'}, 'record', '-o', '-', '--symbols', "$room/nm", @qemu);
is(scalar(my @left = glob('pitot-*')), 2, '... which is not left by a QEMU that fails');
chdir($folder) or die("$folder: $!\n");

# A map lists no static functions: code before the first global gets the object's name.
write_bytes("$room/static.map", <<"MAP");
Archive member included to satisfy reference by file (symbol)

Linker script and memory map

LOAD main.o
                0xffffffff80100000                . = 0xffffffff80100000

.text           0xffffffff80100000      0x600 load address 0x0000000000100000
                0xffffffff80100000                _text = .
 *(.text)
 .text          0xffffffff80100000      0x100 build/main.o
                0xffffffff80100100                kmain
                0xffffffff80100180                PROVIDE (etext = .)
 *fill*         0xffffffff80100190       0x10
 .text          0xffffffff80100200      0x100 build/sched.o
                0xffffffff80100240                sched_run
 .text.very_long_name
                0xffffffff80100300       0x80 build/vfs.o
 .text.cold     0xffffffff80100400      0x200 build/vfs.o
                0xffffffff80100400                vfs_write(int, char const*)

.data           0xffffffff80101000       0x40
 .data          0xffffffff80101000       0x40 build/sched.o
                0xffffffff80101000                run_queue
 .comment       0x0000000000000000       0x2b build/main.o
MAP
sub symbols_of
{
    my ($file) = @_;
    plugin_says(begin(1), end());
    pitot('record', '-o', $out, '--symbols', $file, '-e', 'mem:run_queue', @qemu);
    my $pattern = qr/^ +\d+: (\w+) +\d+ (FUNC|OBJECT) +GLOBAL DEFAULT +\w+ (.*)$/;
    return {map { /$pattern/ ? ($3 => "$2 $1") : () } `readelf -sW $out.symbols`};
}
is_deeply(symbols_of("$room/static.map"), {
    'main.o' => 'FUNC ffffffff80100000', kmain => 'FUNC ffffffff80100100',
    'sched.o' => 'FUNC ffffffff80100200', sched_run => 'FUNC ffffffff80100240',
    very_long_name => 'FUNC ffffffff80100300',
    'vfs_write(int, char const*)' => 'FUNC ffffffff80100400',
    run_queue => 'OBJECT ffffffff80101000'}, 'what a map tells');
is_deeply(symbols_of("$room/nm")->{run_queue}, 'OBJECT ffffffff80101000', '... and nm');

# --- Distant code --------------------------------------------------------------------------------

write_bytes("$room/apart", "0000000000100000 T boot\nffffffff80100000 T kmain\n"
    . "ffffffff80108000 T last\nffffffff8010a010 D data\nffffffff90000000 t module\n");
plugin_says(begin(1), sample(ip => $place{kmain} + 0x7000), end());
pitot('record', '-o', $out, '--symbols', "$room/apart", @qemu);
my @segments = `readelf -lW $out.symbols` =~ /^ +LOAD +\w+ 0x(\w+) \w+ \w+ 0x(\w+) R E/mg;
is_deeply(\@segments, ['0000000000100000', '001000', 'ffffffff80100000', '00b000',
    'ffffffff90000000', '001000'], 'code that lies apart is in several segments');
is(request_words() =~ s/^text=([^,]*),.*/$1/r, 'ffffffff80100000:ffffffff90000fff',
    '... of which the low one runs before paging');

# --- 32 bits of a 64-bit kernel ------------------------------------------------------------------

my $code = "mov %rsp, %rax\nmov 8(%rax), %rbx\nlea 4(%rbx), %rcx\n.fill 0xf5, 1, 0x90\n";
write_bytes("$room/long.s",
    map { ".globl $_\n.type $_, \@function\n$_: $code" } qw(kmain sched_run));
system('as', '--64', "$room/long.s", '-o', "$room/long.o");
system('ld', '-z', 'noseparate-code', '-e', 'kmain', '-Ttext=0xffffffff80100000', "$room/long.o",
    '-o', "$room/long.elf");
system('objcopy', '-O', 'elf32-i386', "$room/long.elf", "$room/narrow.elf");
my $first = 0xffffffff << 32 | 0x80100000;
plugin_says(begin(1), thread(1, $first), sample(thread => 1, ip => $first + 0x103, time => 1_000),
    end());
my (undef, $complaints, $status) = pitot('record', '-o', $out, '--', "$room/qemu", '-kernel',
    "$room/narrow.elf");
is($status, 0, '64-bit code in a 32-bit ELF file') or diag($complaints);
like(scalar in_perf($out, 'script', '-F', 'comm,ip,sym,symoff'),
    qr/^\s*kmain\s+\w+ sched_run\+0x3$/m, '... is named');
like(request_words(), qr/,code=ffffffff80\w+:\w+:\w+/, '... and compared');

my ($said, $annotated) = in_perf($out, 'annotate', '--stdio', 'sched_run');
is($annotated, 0, '... and perf annotate takes it');
like($said, qr/ffffffff80100\w+:\s+mov\s+%rsp,%rax$/m, '... and shows its code');

# --- Assembly functions that are hidden ----------------------------------------------------------

write_bytes("$room/hidden.s", ".globl kmain\n.type kmain, \@function\nkmain: .fill 8, 1, 0x90\n"
    . ".globl enter\n.hidden enter\nenter: .fill 8, 1, 0x90\n");
system('as', '--64', "$room/hidden.s", '-o', "$room/hidden.o");
system('ld', '-e', 'kmain', '-Ttext=0xffffffff80100000', "$room/hidden.o", '-o',
    "$room/hidden.elf");
plugin_says(begin(1), sample(ip => $first + 9, time => 1_000), end());
pitot('record', '-o', $out, '--', "$room/qemu", '-kernel', "$room/hidden.elf");
is(in_perf($out, 'script', '-F', 'ip,sym,symoff') =~ s/^\s*\w+ |\s*$//gr, 'enter+0x1',
    'a hidden function without a type, which perf itself passes over');

# --- Names of C++ and Rust -----------------------------------------------------------------------

my @mangled = qw(_ZN5sched5Queue4pushEi _ZN5sched5Queue4pushEPKc
    _ZN5alloc3fmt6format17h0123456789abcdefE _RNvNtCs1234_7mycrate3foo3bar kmain
    _ZN5sched5QueueC1Ev _RNvMNtCs1234_7mycrate3netNtB2_4Card4send
    _ZN7mycrate3net4Card4recv17h0123456789abcdefE _RINvNtCs1234_7mycrate3net4openmEB4_);
link_kernel($elf, \@mangled, '--defsym=_ZN5sched5QueueC2Ev=_ZN5sched5QueueC1Ev',
    '--defsym=_ZN5sched4jobsE=run_queue');
my %mangled = map { $mangled[$_] => $place{kmain} + 0x100 * $_ } 0 .. $#mangled;
my @readable = qw(sched::Queue::push sched::Queue::push alloc::fmt::format mycrate::foo::bar kmain
    sched::Queue::Queue <mycrate::net::Card>::send mycrate::net::Card::recv
    mycrate::net::open::<u32>);

# The functions that match a pattern, in the order of the file.
sub matched
{
    my ($pattern) = @_;
    plugin_says(begin(1), (map { thread($_ + 1, $mangled{$mangled[$_]} + 8),
            sample(thread => $_ + 1, ip => $mangled{$mangled[$_]}, time => 1_000 * $_) }
            0 .. $#mangled), end());
    my (undef, $told, $its_status) = pitot('record', '-o', $out, '-e', "call:$pattern", '--',
        "$room/qemu", '-kernel', $elf);
    is($its_status, 0, "call:$pattern") or diag($told);
    my %at = reverse %mangled;
    my ($functions) = request_words() =~ /event=call:([^:]*):/;
    return [map { $at{unpack('Q>', pack('H16', $_))} // $_ } split(/\+/, $functions)];
}

is_deeply(matched('sched::*'), [@mangled[0, 1, 5]], '... is demangled');
is_deeply([scalar(in_perf($out, 'script', '-F', 'comm')) =~ /^\s*(\S.*?)\s*$/mg], \@readable,
    '... and so are threads');
is_deeply(matched('_ZN5sched*push*'), [@mangled[0, 1]], '... or as it is in the file');
is_deeply(matched('mycrate::foo*'), [$mangled[3]], '... from Rust');
is_deeply(matched('mycrate::net::Card::*'), [@mangled[6, 7]],
    '... whose newer names of methods are spelt as the older ones');
is_deeply(matched('mycrate::net::open'), [$mangled[8]], '... without their types');
is_deeply(matched('mycrate::net::open::<u32>'), [$mangled[8]], '... or with them');
is_deeply(matched('alloc::fmt::format'), [$mangled[2]], '... without the hash of older ones');

for my $case (['mem:sched::jobs:w', 'w'], ['mem:sched::jobs', 'rw'],
    ['mem:_ZN5sched4jobsE/16', 'rw'], ['mem:sched::Queue::Queue', 'rw']) {
    my ($event, $access) = @$case;
    pitot('stat', '-e', $event, '--', "$room/qemu", '-kernel', $elf);
    like(request_words(), qr/,event=mem:\w+:\d+:$access:0$/, $event);
}
(undef, $complaints) = pitot('stat', '-e', 'mem:sched::Queue::push', '--', "$room/qemu", '-kernel',
    $elf);
like($complaints, qr/: 2 symbols are called "sched::Queue::push"; give the address: 0x/,
    'functions that differ in their parameters');

write_bytes("$room/nm", scalar `nm $elf`);
my $written = symbols_of("$room/nm");
my @in_file = map { $mangled[$_] =~ /^_R/ ? $readable[$_] : $mangled[$_] } 0 .. $#mangled;
is_deeply([grep { $written->{$_} } @in_file, grep { !/kmain|mycrate/ } @readable],
    \@in_file, 'the file of a list has the names that are in it, but those of newer Rust, which '
    . 'not every perf demangles, readable');

done_testing();
