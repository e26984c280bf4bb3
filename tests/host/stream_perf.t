#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: core/stream, core/stream/base64, core/lib/crc32, tests/host/stream_sample
#
# Gives the stream of build/host/stream_sample to the real perf, with a tiny kernel made here for
# its symbols. Needs perf, uudecode (sharutils), gzip, as and ld. Run from the root of the tree:
# prove tests/host/stream_perf.t SOAK=1 cuts the stream at every byte of every record, QUICK=1 only
# where records end.
use strict;
use warnings;
use lib 'tests/lib';
use File::Temp qw(tempdir);
use Test::More;
use Pitot::Files;
use Pitot::PerfText;

my $sample = ($ENV{BUILD} // 'build') . '/host/stream_sample';
my $room = tempdir(CLEANUP => 1);
my $kernel = "$room/kernel.elf";
my $build_id = '0123456789abcdef0123456789abcdef01234567';
my $crc_of_whole = '2144df1c';

# perf looks for debug files and settings in these places, and must find none.
$ENV{HOME} = $room;
@ENV{qw(PERF_CONFIG LC_ALL)} = ('/dev/null', 'C');

sub output_of
{
    my ($command) = @_;
    my $output = `$command`;
    my $status = $? >> 8;
    # If a signal ended the command, the shell in between returns a status above 128.
    die "killed: $command" if $? & 127 || ($status > 128 && $status < 128 + 32);
    return $output;
}

# Functions at the addresses that stream_sample.c uses.
sub make_kernel
{
    my ($path, $id) = @_;
    my $source = ".text\n.globl _text\n_text: nop\n";
    my %code = (0x300 => 'mov %eax, kernel_flag');
    my $at = 0x100;
    for my $name (qw(outer middle take_lock release_lock)) {
        $source .= sprintf(".org %#x, 0x90\n.type %s, \@function\n%s:\n", $at, $name, $name);
        $source .= ".fill 0x29, 1, 0x90\n" . ($code{$at} // 'nop') . "\n";
        $source .= sprintf(".org %#x, 0x90\n.size %s, . - %s\n", $at + 0x100, $name, $name);
        $at += 0x100;
    }
    $source .= ".data\n.type kernel_flag, \@object\nkernel_flag: .long 0\n.size kernel_flag, 4\n";
    write_bytes("$room/kernel.s", $source);
    system("as --64 $room/kernel.s -o $room/kernel.o && ld --build-id=0x$id -e _text"
        . " -Ttext=0xffffffff80100000 -Tdata=0xffffffff80110000 $room/kernel.o -o $path") == 0
        or die 'no kernel';
}

sub script
{
    my ($path, $elf) = @_;
    $elf //= $kernel;
    return output_of("perf script -i - --no-inline --vmlinux=$elf -G"
        . " -F comm,tid,time,event,ip,sym,symoff < $path 2> $room/errors");
}

sub squeezed
{
    my ($text) = @_;
    $text =~ s/[ \t]+/ /g;
    return $text;
}

# The lines that `perf script` must print for this stream: one for each whole record of type 9.
sub whole_samples
{
    my ($stream) = @_;
    my ($count, $at) = (0, 16);
    while ($at + 8 <= length $stream) {
        my ($type, $misc, $size) = unpack('LSS', substr($stream, $at, 8));
        die "no record at $at" if $size < 8;
        $at += $size;
        $count++ if $type == 9 && $at <= length $stream;
    }
    return $count;
}

# As docs/stream.md describes it: a gzip file ends in CRC-32 and length.
sub crc32_of
{
    my ($path) = @_;
    my $crc32 = output_of("gzip -c < $path | tail -c8 | od -An -tx4 -N4");
    $crc32 =~ s/\s//g;
    return $crc32;
}

make_kernel($kernel, $build_id);
my $path = "$room/stream";
write_bytes($path, output_of("$sample stream"));
my $stream = slurp($path);
my $script = script($path);
my @lines = split(/\n/, $script);

subtest 'perf script prints every sample of both recordings, named from the ELF' => sub {
    is(scalar @lines, 13, 'thirteen samples');
    my $text = squeezed($script);
    my @expected = (
        ' fs-stress 7 0.001000: mem:kernel_flag:rw: ffffffff80100330 take_lock+0x30',
        ' writeback 8 0.001007: mem:release_lock:x: ffffffff80100440 release_lock+0x40',
        ' fs-stress 7 0.001009: mem:release_lock:x: ffffffff80100440 release_lock+0x40',
        ' writeback 8 0.001010: mem:kernel_flag:rw: ffffffff80100440 release_lock+0x40',
        ' shell 7 0.002000: mem:kernel_flag:w: ffffffff80100330 take_lock+0x30',
    );
    like($text, qr/^\Q$_\E$/m, $_) for @expected;
    my $errors = slurp("$room/errors");
    unlike($errors, qr/failed|unexpected|out of order|unknown|build-id/i, 'no complaints');
    like($errors, qr/lost 2 chunks/, 'but the word that records were lost');
};

subtest 'perf report counts, names and draws chains' => sub {
    my $report = output_of("perf report -i - --vmlinux=$kernel --stdio --no-children --no-inline"
        . " -g caller,0 -F overhead,sample,sym < $path 2> $room/errors");
    like($report, qr/^# Samples: 8  of event 'mem:kernel_flag:rw'$/m, 'first event');
    like($report, qr/^# Samples: 2  of event 'mem:release_lock:x'$/m, 'second event');
    like($report, qr/^# Samples: 3  of event 'mem:kernel_flag:w'$/m, 'the second recording');
    like($report, qr/^ +87\.50% +7 +\[k\] take_lock$/m, 'seven of eight');
    like($report, qr/---outer\n.*\n +\|--75\.00%--middle\n +\| +take_lock\n/,
        'outermost caller first');
    like($report, qr/^# Total Lost Samples: 128$/m, 'what was overwritten or dropped');
};

subtest 'perf report -D sees every record' => sub {
    my $dump = output_of("perf report -D -i - --vmlinux=$kernel < $path 2> $room/errors");
    my %lost = $dump =~ /^(\d 1012000) .*PERF_RECORD_LOST: id:1: lost:(\d+)$/mg;
    my %missing = $dump =~ /^(\d 1012000) .*LOST_SAMPLES: id:1: lost samples :(\d+)$/mg;
    is_deeply(\%lost, {'0 1012000' => 5}, 'dropped, by CPU and time');
    is_deeply(\%missing, {'0 1012000' => 105, '1 1012000' => 20}, '... and overwritten');
    like($dump, qr/intr regs: mask 0x181 ABI 64-bit\n.*AX +0x0+aaaa\n.*SP +0x0+5555\n/,
        'registers');
    my %counts = $dump =~ /^ +(\w+) events: +(\d+) +\(/mg;
    is_deeply(\%counts, {MMAP => 1, LOST => 2, COMM => 3, THROTTLE => 1, UNTHROTTLE => 1,
        SAMPLE => 13, LOST_SAMPLES => 3, ATTR => 3, EVENT_TYPE => 2, BUILD_ID => 1,
        FINISHED_ROUND => 4, EVENT_UPDATE => 3, FEATURE => 4}, 'so many of each');
};

subtest 'perf inject passes the stream on' => sub {
    output_of("perf inject -b -i - < $path > $room/injected 2> $room/errors");
    is(script("$room/injected"), $script, 'the same samples, and the tasks have kept their names');
};

subtest 'perf evlist shows the events of the first recording' => sub {
    my $list = output_of("perf --no-pager evlist -v -i - < $path 2> $room/errors");
    my $events = attributes_of($list);
    my @breakpoints = grep { $_->{type} == 5 && $_->{sample_type} =~ /\bIDENTIFIER\b/ }
        values %$events;
    is(scalar(@breakpoints), 2, 'both, all of them');
};

subtest 'perf buildid-list names the kernel' => sub {
    my $list = output_of("perf buildid-list -i - < $path 2> $room/errors");
    is($list, "$build_id [kernel.kallsyms]\n", 'build id');
};

subtest 'symbols come from no kernel but the recorded one' => sub {
    make_kernel("$room/other.elf", 'f' x 40);
    my $other = script($path, "$room/other.elf");
    unlike($other, qr/_lock\+/, 'an ELF with another build id is not believed');
    is(scalar(() = $other =~ /\[unknown\]/g), 13, 'unknown rather than wrong');
};

subtest 'the checksum tells a whole stream' => sub {
    is(crc32_of($path), $crc_of_whole, 'the CRC-32 of the file is the constant');
    my $damaged = $stream;
    substr($damaged, 1500, 1) ^= "\x10";
    write_bytes("$room/damaged", $damaged);
    isnt(crc32_of("$room/damaged"), $crc_of_whole, 'not so with one bit turned');
    write_bytes("$room/damaged", substr($stream, 0, -8));
    isnt(crc32_of("$room/damaged"), $crc_of_whole, 'nor with the end missing');
};

subtest 'base64 blocks come out of a captured log' => sub {
    my $blocks = output_of("$sample block");
    unlike($blocks, qr/\r/, 'bare LF');
    my ($first, $second) = $blocks =~ /\A(begin-base64 .*?^====\n)(.*)\z/ms;
    my $log = "pitot> perf record -a -- fs-stress\n${first}pitot> perf record\n${second}pitot> \n";
    write_bytes("$room/log", $log);
    system("cd $room && uudecode log") == 0 or fail('uudecode reads the log');
    is(crc32_of("$room/pitot.perf"), $crc_of_whole, 'the first block, whole');
    is(script("$room/pitot.perf"), join('', map { "$_\n" } @lines[0 .. 9]), 'perf reads it');
    my $taken = slurp("$room/pitot.perf");
    system("cd $room && sed -n '/^begin-base64 644 pitot-2/,\$p' log | uudecode") == 0
        or fail('uudecode reads the rest of the log');
    is(crc32_of("$room/pitot-2.perf"), $crc_of_whole, 'the second block, whole');
    is(squeezed(script("$room/pitot-2.perf")), squeezed(join('', map { "$_\n" } @lines[10 .. 12])),
        'a stream of its own');

    unlink("$room/pitot.perf");
    write_bytes("$room/log", $log =~ s/\n/\r\n/gr);
    system("cd $room && tr -d '\\r' < log | uudecode") == 0 or fail('uudecode reads the CR LF log');
    is(slurp("$room/pitot.perf"), $taken, 'the same bytes from a log with CR LF');
};

subtest 'perf annotate shows the code of the hit' => sub {
    my $text = output_of("perf annotate -i - --vmlinux=$kernel --stdio take_lock"
        . " < $room/pitot.perf 2> $room/errors");
    like($text, qr/^ +0\.00 : +f+80100329: +mov +%eax.*\n +100\.00 : +f+80100330: +nop/m,
        'the instruction behind the store, for a data breakpoint is a trap');
};

# Where to cut: at every byte of the file's header; at every third byte of the first record of each
# type; and in each record at its beginning, in and after its header, and before its last byte.
sub cuts
{
    my ($stream) = @_;
    return 0 .. length($stream) - 1 if $ENV{SOAK};
    my @cuts = 0 .. 15;
    my %known;
    for (my ($at, $size) = (16, 0); $at + 8 <= length $stream; $at += $size) {
        (my $type, undef, $size) = unpack('LSS', substr($stream, $at, 8));
        push(@cuts, $at);
        next if $ENV{QUICK};
        push(@cuts, $at + 5, $at + 8, $at + $size - 1);
        push(@cuts, map { $at + 3 * $_ } 1 .. $size / 3 - 1) if !$known{$type}++;
    }
    my %cuts = map { $_ => 1 } grep { $_ < length $stream } @cuts;
    return sort { $a <=> $b } keys %cuts;
}

subtest 'a stream cut anywhere keeps its whole records' => sub {
    my @wrong;
    for my $length (cuts($stream)) {
        my $cut = substr($stream, 0, $length);
        write_bytes("$room/cut", $cut);
        my $left = whole_samples($cut);
        my $expected = join('', map { "$_\n" } @lines[0 .. $left - 1]);
        push(@wrong, $length) if squeezed(script("$room/cut")) ne squeezed($expected);
    }
    is_deeply(\@wrong, [], 'no length at which perf dies, or prints more or fewer samples');
};

done_testing();
