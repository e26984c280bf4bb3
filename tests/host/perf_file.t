#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: tools/perf-file, core/stream
#
# tools/perf-file converts a stream to a file that perf accepts as its own, and writes none for a
# damaged stream. build/host/stream_sample makes the streams. Run from the root of the tree:
#
#     prove tests/host/perf_file.t
use strict;
use warnings;
use lib 'tests/lib';
use File::Temp qw(tempdir);
use JSON::PP qw(decode_json);
use Test::More;
use Pitot::Files;
use Pitot::Versions;

my $sample = ($ENV{BUILD} // 'build') . '/host/stream_sample';
my $room = tempdir(CLEANUP => 1);
my $build_id = '0123456789abcdef0123456789abcdef01234567';
my ($attr, $tracing_data, $checksum, $feature) = (64, 66, 65, 80);

# perf looks for debug files and settings in these places, and must find only ours.
delete $ENV{PERF_BUILDID_DIR};
@ENV{qw(HOME PERF_CONFIG DEBUGINFOD_URLS LC_ALL)} = ($room, '/dev/null', '', 'C');

# The output of a command, and its status as a shell gives it.
sub run
{
    my ($command) = @_;
    my $output = `$command 2> $room/errors`;
    my $status = $? & 127 ? 128 + ($? & 127) : $? >> 8;
    return wantarray ? ($output, $status) : $output;
}

# The end and the type of each record.
sub records_of
{
    my ($stream) = @_;
    my ($at, $described, @ends) = (16, 0);
    while ($at < length($stream)) {
        my ($type, $size, $all) = unpack('L< x2 S< L<', substr($stream, $at, 12) . "\0" x 4);
        $at += $size;
        ($at, $described) = ($at + $all - $described, $all) if $type == $tracing_data;
        push(@ends, [$type, $at]);
    }
    return @ends;
}

sub perf_file
{
    my ($stream, $option, $kernel) = @_;
    write_bytes("$room/stream", $stream);
    unlink("$room/file");
    my @line = ('tools/perf-file', $option // '', "$room/stream", "$room/file", $kernel // '');
    my (undef, $status) = run("@line");
    return ($status, slurp("$room/errors"));
}

my $both = run("$sample stream");
my @records = records_of($both);
my ($first_end) = map { $_->[1] } grep { $_->[0] == $checksum } @records;
my $first = substr($both, 0, $first_end);

# --- The file in perf ----------------------------------------------------------------------------

# The output of perf script: one line for each sample.
sub script
{
    my ($input, @options) = @_;
    my $text = run("perf script -F comm,tid,time,event,ip -G $input @options");
    return split(/\n/, $text =~ s/  +/ /gr);
}

is_deeply([perf_file($first)], [0, ''], 'a stream becomes a file');
my $file = "$room/file";
my @all = script("-i $file");
is_deeply(\@all, [script("-i - < $room/stream")], '... with the same samples');
is(scalar(@all), 10, '... all ten');

my $header = run("perf report --header-only -i $file");
my %told = $header =~ /^# ([\w ]+?) : (.*?) *$/mg;
is_deeply([@told{'hostname', 'os release', 'arch', 'nrcpus avail', 'nrcpus online', 'cpudesc'}],
    ['pitot', 'pitot-0123456789ab', 'x86_64', 4, 4, 'a CPU of no maker'],
    'the header has the machine of the stream');
is($told{cmdline}, 'perf record -a -e mem:kernel_flag:rw -e mem:release_lock:x',
    '... a command for the events');
like($header, qr/^# event : name = mem:kernel_flag:rw, /m, '... and their names');
is(run("perf buildid-list -i $file"), "$build_id [kernel.kallsyms]\n", '... and the build id');

my ($json, $status) = run("perf data convert --force --to-json $room/json -i $file");
is($status, 0, 'perf data converts it to JSON');
my $converted = decode_json(slurp("$room/json"));
is($converted->{headers}{cpuid}, 'unknown',
    '... with the CPU\'s kind, which is not in the stream: not the host\'s');
is_deeply([map { $_->{timestamp} } @{$converted->{samples}}],
    [map { 1e9 * (/ (\d+\.\d+):/)[0] } @all], '... all samples of it');
my ($ctf, $converts) = run("perf data convert --force --to-ctf $room/ctf -i $file");
if (differs('`perf data convert --to-ctf` is refused')) {
    like(slurp("$room/errors"), qr/babeltrace2 ctf support is not compiled in/,
        '... not to CTF: this perf cannot');
} else {
    is($converts, 0, '... and to CTF') or diag(slurp("$room/errors"));
}

is(scalar(script("-i $file", '--time 0%-100%')), 10, 'the times of all samples are its bounds');
my @third = script("-i $file", '--time 0%-30%');
is_deeply(\@third, [@all[0 .. 3]], '... and 30 % of that is what perf takes by time');

# A kernel with a function where the samples are.
write_bytes("$room/kernel.s", ".globl _text\n_text: nop\n.org 0x300, 0x90\n.type take_lock, "
        . "\@function\ntake_lock: .fill 0x100, 1, 0x90\n.size take_lock, 0x100\n");
run("as --64 $room/kernel.s -o $room/kernel.o && ld --build-id=0x$build_id -e _text"
        . " -Ttext=0xffffffff80100000 $room/kernel.o -o $room/kernel.elf");
my $unnamed = run("perf report -i $file --stdio --no-children -g none -F sample,sym");
unlike($unnamed, qr/take_lock/, 'without the kernel there are no names');
my @symbols = $unnamed =~ /^ +\d+ +\[k\] (\S+)/mg;
is_deeply([grep { !/^0xffffffff/ } @symbols], [], '... and none of the host\'s kernel');
run("perf buildid-cache -a $room/kernel.elf");
like(run("perf report -i $file --stdio --no-children -g none "
        . '-F sample,sym'), qr/^ +7 +\[k\] take_lock$/m, '... the build id finds it');

# The list of the kernel's symbols, for readers that take names only from a list.
is_deeply([perf_file($first, undef, "$room/kernel.elf")], [0, ''], 'with the kernel comes a list');
like(slurp("$file.kallsyms"), qr/\Affffffff80100000 T _text\nffffffff80100300 t take_lock\n/,
    '... of its functions');
like(run("perf report -i $file --kallsyms=$file.kallsyms --stdio --no-children -g none "
        . '-F sample,sym'), qr/^ +8 +\[k\] take_lock$/m, '... from which perf has the names');
my $other_id = reverse($build_id);
run("ld --build-id=0x$other_id -e _text -Ttext=0xffffffff80100000 $room/kernel.o"
    . " -o $room/other.elf");
for my $other (qw(other.elf none.elf)) {
    my ($taken, $warned) = perf_file($first, undef, "$room/$other");
    is($taken, 0, "$other: another kernel gives no names");
    is($warned, "$file.kallsyms: not written: $room/$other is not the recorded kernel,"
        . " whose build id is $build_id\n", '... which is said');
    ok(!-e "$file.kallsyms", '... nor does the list that was there');
}
write_bytes("$room/stream.kallsyms", "ffffffff80100300 T beside\n");
is_deeply([perf_file($first, undef, "$room/other.elf")], [0, ''], 'a list beside the stream');
is(slurp("$file.kallsyms"), slurp("$room/stream.kallsyms"), '... is the recording\'s');
unlink("$room/stream.kallsyms");
perf_file($first);

run("perf archive $file");
my @packed = split(/\n/, run("tar tjf $file.tar.bz2"));
is(scalar(grep { m{/$build_id/elf\z} } @packed), 1, 'perf archive packs it')
    or diag(slurp("$room/errors"));

# -C requires each sample to have a CPU; those of this stream's second event have none.
is_deeply([perf_file($both)], [0, ''], 'of two recordings the last is taken');
is_deeply([script("-i $file")], [(script("-i - < $room/stream"))[10 .. 12]], '... whole');

# --- Refusals ------------------------------------------------------------------------------------

my $flips = $ENV{SOAK} ? 3000 : 60;
srand(1);
my @passed;
for (1 .. $flips) {
    my $broken = $both;
    my $bit = int(rand(8 * length($both)));
    vec($broken, $bit, 1) ^= 1;
    my ($refused, $errors) = perf_file($broken);
    push(@passed, "bit $bit: $errors")
        if $refused == 0 || -e $file || $errors !~ /\A\Q$room\E\/stream: .*\n\z/;
}
is_deeply(\@passed, [], "none of $flips flipped bits passes, and each is said in one line");

@passed = ();
for my $cut (grep { $_->[0] != $checksum } @records) {
    for my $end ($cut->[1], $cut->[1] - 1) {
        my ($refused, $errors) = perf_file(substr($both, 0, $end));
        push(@passed, "$end: $errors")
            if $refused == 0 || -e $file || $errors !~ /: (is cut|has no recording).*\n\z/;
    }
}
is_deeply(\@passed, [], 'a stream that is cut is refused, between records, too');

my ($last) = grep { $records[$_][0] == 9 } reverse(0 .. $#records);
my ($taken, $warned) = perf_file(substr($both, 0, $records[$last][1] - 1), '-f');
is($taken, 0, '-f takes what there is of it');
like($warned, qr/\A\S+: is cut or damaged at byte \d+ of \d+: no checksum after byte $first_end$/,
    '... and reports from where on nothing is known');
is(scalar(script("-i $file")), 2, '... all whole samples');
my $damaged = substr($both, 0, -8);
vec($damaged, 8 * 400, 1) ^= 1;
like((perf_file($damaged, '-f'))[1], qr/is damaged: its checksum at byte $first_end is wrong/,
    '... but not what a checksum is wrong for');

done_testing();
