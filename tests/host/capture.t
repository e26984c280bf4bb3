#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: tools/stream, tools/perf-file, tools/Progress.pm, tools/show, core/stream/base64
#
# A serial line's capture can be used unchanged: a log with base64 blocks, however loggers and
# terminals changed its lines, and a stream amid other text. Missing parts are reported, damaged
# ones refused. build/host/stream_sample makes the blocks. Run from the root of the tree:
#
#     prove tests/host/capture.t
use strict;
use warnings;
use lib 'tests/lib';
use File::Copy qw(copy);
use File::Temp qw(tempdir);
use MIME::Base64 qw(decode_base64 encode_base64);
use Test::More;
use Pitot::Files;

my $build = $ENV{BUILD} // 'build';
my $sample = "$build/host/stream_sample";
my $room = tempdir(CLEANUP => 1);
my $log = "$room/serial.log";
my $console = "pitot> perf record -e mem:kernel_flag:rw -- fs-stress\n";

my @blocks = `$sample block` =~ /^(begin-base64.*?^====\n)/msg;
my @streams = map { decode_base64(s/^(?:begin|====).*\n//mgr) } @blocks;
my $both = $console . join("[ perf record: 2 records kept ]\npitot> perf report\n", @blocks)
    . "pitot> poweroff\n";
my $port = `$sample stream`;
my ($length, $next_length) = map { tr/\n// } @blocks;    # in lines

# A command's output, its stderr and its status. LOG is replaced by the log's path and back.
sub run
{
    my ($command) = @_;
    my $output = `${\($command =~ s/LOG/$log/gr)} 2> $room/errors`;
    my $status = $? >> 8;
    return ($output, slurp("$room/errors") =~ s/\Q$log\E/LOG/gr, $status);
}

sub stream_of
{
    my ($capture, @options) = @_;
    write_bytes($log, $capture);
    my @environment = grep { /=/ } @options;
    my @flags = grep { !/=/ } @options;
    return run("env @environment tools/stream @flags LOG");
}

# Changes each line by `change`; `number` is the line's number.
sub changed
{
    my ($text, $change) = @_;
    my $number = 0;
    return join('', map { $change->($_, $number++) } split(/\n/, $text));
}

is(scalar(@blocks), 2, 'two recordings are two blocks');

# --- Lines as loggers and terminals leave them ---------------------------------------------------

my %changes = (
    'as they were' => sub { "$_[0]\n" },
    'CR LF' => sub { "$_[0]\r\n" },
    'CR CR LF, as a terminal makes it' => sub { "$_[0]\r\r\n" },
    'blanks up to the width of a screen' => sub { sprintf("%-80s\r\n", $_[0]) },
    'the kernel\'s time' => sub { sprintf("[%5d.%06d] %s\n", $_[1] / 7, $_[1] * 7919, $_[0]) },
    'ts' => sub { sprintf("Nov 27 13:%02d:%02d %s\n", $_[1] / 60 % 60, $_[1] % 60, $_[0]) },
    'minicom\'s time' => sub { sprintf("[2026-11-27 13:44:%02d] %s\r\n", $_[1] % 60, $_[0]) },
    'CI\'s time' => sub { sprintf("2026-11-27T13:44:13.%07dZ %s\n", $_[1], $_[0]) },
    'syslog' => sub { sprintf("Nov 27 13:44:13 rack/7 qemu[%d]: %s\n", 99 + $_[1], $_[0]) },
    'a container\'s name' => sub { "pitot-1  | $_[0]\n" },
    'a prefix without a blank' => sub { sprintf("%03x%s\n", $_[1], $_[0]) },
    'JSON' => sub {
        sprintf("{\"log\":\"%s\\r\\n\",\"stream\":\"stdout\",\"time\":\"13:44:%02d\"}\n",
            $_[0], $_[1] % 60)
    },
    'JSON that escapes each slash' => sub { sprintf("{\"log\":\"%s\"}\n", $_[0] =~ s{/}{\\/}gr) },
    'colours' => sub { "\e[0;32m$_[0]\e[0m\e[K\n" },
    'a terminal\'s title and modes' => sub { "\e]0;serial\a\e[?2004l\e(B$_[0]\e[m\r\n" },
    'a coloured time before and behind' => sub {
        sprintf("\e[33m[%9.3f]\e[0m %s \e[2m<%d>\e[22m\r\n", $_[1] / 3, @_)
    },
    'UTF-16' => sub { join('', map { "$_\0" } split(//, "$_[0]\r\n")) },
);
my ($last, $next) = (1 + $length, 4 + $length);
my $told = "LOG: 2 blocks: 1 pitot.perf (lines 2 to $last, whole); 2 pitot-2.perf (lines $next to "
    . ($next + $next_length - 1) . ", whole)\nLOG: takes 2; BLOCK=N takes another\n";
for my $name (sort(keys(%changes))) {
    my $capture = changed($both, $changes{$name});
    my ($output, $errors, $status) = stream_of($capture);
    ok($output eq $streams[1], "$name: the last block") or diag($errors);
    is($errors, $told, '... is told of, and nothing is missing');
    ok((stream_of($capture, 'BLOCK=1'))[0] eq $streams[0], '... the first is there for the asking');
    for my $index (0, 1) {
        my ($one, $said) = stream_of(changed($blocks[$index], $changes{$name}));
        ok($one eq $streams[$index], "... block $index alone");
        like($said, qr/\ALOG: takes pitot(-2)?\.perf \(lines 1 to \d+, whole\)\n\z/,
            '... as whole');
    }
}

my $interrupted = $both =~ s/\n(?=.{60}\n)/\n\n==== qemu: MARK ====\n/gr;
my ($output, $errors, $status) = stream_of($interrupted);
ok($output eq $streams[1], 'lines of others between those of a block are left out');
my $full = () = $blocks[1] =~ /^.{60}$/mg;
like($errors, qr/^LOG: skips $full foreign lines in the block$/m, '... and counted');
$interrupted = $both =~ s/\n(?=====\n)/\nMARK\nqemu: AAAA BBBB\n/gr;
ok((stream_of($interrupted, 'BLOCK=1'))[0] eq $streams[0], '... also around its short last one');

# --- Missing parts -------------------------------------------------------------------------------

my $first = $blocks[0];
my @lines = split(/^/m, $first);
my ($without_end) = length($first =~ s/\n====\n//r);
my @line_ends = grep { substr($first, $_, 1) eq "\n" } 0 .. $without_end - 1;
my @ends = grep { $_ < $without_end } map { ($_ - 1, $_, $_ + 31) } @line_ends;
my @passed;
for my $end (0, 5, @ends, $without_end - 1) {
    my ($out, $said, $status) = stream_of(substr($first, 0, $end), '-f');
    push(@passed, "$end: $said") if $out ne substr($streams[0], 0, length($out))
        || ($out eq '' ? $status == 0 || $said !~ /: no recording: /
        : $status != 0 || $said !~ /^LOG: is cut or damaged at byte \d+ of \d+: no checksum /m);
}
is_deeply(\@passed, [], 'of a block that is cut anywhere the whole records are taken');
($output, $errors, $status) = stream_of(substr($first, 0, $without_end - 1));
is($output . $status, 1 + 0, '... with -f only');
like($errors, qr/; -f takes what came before, FORCE=1 of tools\/show$/, '... which is said');
is((stream_of(substr($first, 0, $without_end)))[0], $streams[0],
    'a block whose last line alone is missing is whole');

($output, $errors, $status) = stream_of(
    join('', @lines[0 .. 20], "MARK\n", @lines[21 .. $#lines - 1])
    . "qemu: AAAA BBBB CCCC\n" x 3000);
is_deeply([$output, $errors],
    [$streams[0], "LOG: takes pitot.perf (lines 1 to $length, whole)\n"
        . "LOG: skips 1 foreign line in the block\n"], '... or with a whole log behind it');

($output, $errors) = stream_of(substr($both, index($both, "\n", 500) + 1));
ok($output eq $streams[1], 'of a log without its beginning the block is taken that is there');
like($errors, qr/^LOG: lines 1 to \d+ are of a block whose beginning is missing$/m,
    '... and the piece before is reported');
my $rest = substr($first, 500);
$last = 1 + (() = $rest =~ /^.{60}$/mg);
($output, $errors, $status) = stream_of($rest);
like($errors, qr/^LOG: lines 2 to $last are of a block .*\nLOG: no recording: /m,
    'without a beginning there is no recording');

# A panic cuts a block off and writes another.
my $panic = join('', @lines[0 .. 20]) . "====\n\npanic: NMI\n" . $blocks[1];
($output, $errors) = stream_of($panic);
ok($output eq $streams[1], 'a block that a panic cut does not hide the one behind it');
like($errors, qr/^LOG: 2 blocks: 1 pitot\.perf \(lines 1 to 22, cut\); 2 /m, '... and is reported');
($output, $errors) = stream_of($blocks[1] . $panic, 'BLOCK=2');
is($output, '', '... asked for, it is refused');
my $cut = substr($both, 0, -100);
$last = $cut =~ tr/\n//;
($output, $errors) = stream_of($cut);
ok($output eq $streams[0], 'where the last block is cut, the last whole one is taken');
like($errors, qr/; 2 pitot-2\.perf \(lines $next to $last, cut\)\nLOG: takes 1; /,
    '... which is said');
($output, $errors, $status) = stream_of(join('', @lines[0 .. 20]) . $blocks[1], '-f', 'BLOCK=1');
ok($status == 0 && length($output) > 500, '... -f takes what it has, though it was never ended');

($output, $errors, $status) = stream_of(join('', @lines[0 .. 20, 22 .. $#lines]));
is($output . $status, 1, 'a block that lost a line is refused');
my $lost = join('', @lines[0 .. 20], "[45 bytes lost: nobody read]\n", @lines[22 .. $#lines]);
($output, $errors, $status) = stream_of($lost, '-f');
is($output, substr($streams[0], 0, length($output)), '... -f takes what is before the loss');
like($errors, qr/^LOG: line 22 is foreign; what the block had there is missing$/m,
    '... which is reported');
my $flipped = join('', @lines[0 .. 40], ($lines[41] =~ s/A/B/r), @lines[42 .. $#lines]);
for my $option ('', '-f') {
    ($output, $errors, $status) = stream_of($flipped, $option);
    is($output . $status, 1, "a character that was changed is refused $option");
    like($errors, qr/^LOG: is damaged: its checksum at byte \d+ is wrong$/m, '... with the reason');
}

my $archive = join('', "begin-base64 644 logs.tar\n", ('A' x 60 . "\n") x 3, "====\n");
is_deeply([stream_of($archive . $blocks[1])], [$streams[1],
        "LOG: logs.tar (lines 1 to 5) does not begin as a stream\n"
        . "LOG: takes pitot-2.perf (lines 6 to " . (5 + $next_length) . ", whole)\n", 0],
    'a block of something else is left out');
is_deeply([stream_of(join('', @lines[0, 2 .. $#lines]) . $blocks[1])], [$streams[1],
        "LOG: pitot.perf (lines 1 to " . ($length - 1) . ") does not begin as a stream\n"
        . "LOG: takes pitot-2.perf (lines $length to " . ($length + $next_length - 1)
        . ", whole)\n", 0],
    '... and one that lost its header');

for my $nothing ('', "pitot> perf record\nbegin-base64 644 pitot.perf\n", 'x' x 300) {
    ($output, $errors, $status) = stream_of($nothing);
    is($output . $status . $errors, '1LOG: no recording: neither a stream of perf\'s pipe format'
            . " nor a base64 block\n", 'a log with nothing in it is refused');
}
like((stream_of($both, "BLOCK=$_"))[1], qr/^LOG: BLOCK=\Q$_\E: there are 1 to 2$/m,
    "BLOCK=$_ is refused") for qw(0 3 -1 0x1 last);

# --- A stream with text around it ----------------------------------------------------------------

my $firmware = "\e[2J\e[01;01HBdsDxe: starting Boot0001 \"UEFI QEMU DVD-ROM\"\r\n";
is_deeply([stream_of($port)], [$port, '', 0], 'a stream alone needs no word');
is_deeply([stream_of($firmware . $port)], [$port, "LOG: skips 59 bytes before the stream\n", 0],
    'what a firmware has said before it is skipped');
is_deeply([stream_of("$port$firmware")], [$port, "LOG: skips 59 bytes after the stream\n", 0],
    '... and after it');
($output, $errors) = stream_of($streams[0] . $firmware . $port);
ok($output eq $port, 'of two boots the last is taken');
my $second = length($streams[0]) + length($firmware);
is($errors, "LOG: 2 streams: 1 stream (byte 0, whole); 2 stream (byte $second, whole)\n"
        . "LOG: takes 2; BLOCK=N takes another\nLOG: skips 59 bytes before the stream\n",
    '... which is said');
ok((stream_of($streams[0] . $firmware . $port, 'BLOCK=1'))[0] eq $streams[0],
    '... the first is there for the asking');

# Binary bytes may be records. Descriptions whose size shrinks would move the reader backwards.
my $record = pack('L<4', 1, 16 << 16, 0, 0);
my ($described, $shrunk) = map { pack('L<4', 66, 16 << 16, $_, 0) } 64, 32;
for my $damaged ("$port\0", $port . pack('L<2', 1, 4 << 16),
    substr($port, 0, 16) . $described . $record x 4 . $shrunk) {
    ($output, $errors, $status) = stream_of($damaged);
    is($output . $status, 1, 'a stream with other bytes behind it is refused');
    like($errors, qr/^LOG: is cut or damaged at byte \d+ of \d+: /, '... as cut or damaged');
}

# --- Large captures ------------------------------------------------------------------------------

# A memory limit in KiB for each command; the kernel refuses any more.
my $little = 'ulimit -v 40000';
my $mib = 1 << 20;
my $console_line = '[    1.234567] a line of the console, of eighty characters or so, as there are';
my $long = "$console_line\n" x (12 * $mib / 80);
for ([port => $long . $port, $port], [block => $long . $both . $long, $streams[1]],
    ['one line' => "\0" x (12 * $mib) . $port, $port]) {
    my ($name, $text, $stream) = @$_;
    write_bytes($log, $text);
    my ($output, $errors, $status) = run("sh -c '$little; exec tools/stream LOG'");
    ok($output eq $stream, "$name: found in a large capture with little memory") or diag($errors);
}
($output, $errors, $status) = run("cat LOG | tools/stream /dev/stdin");
ok($output eq $port, '... and in a pipe') or diag($errors);

# A stream that spans two of the pieces in which the tool reads a file.
for my $before (map { $mib - $_ } 0, 1, 15, 16, 17, 100, length($port)) {
    ($output, $errors) = stream_of('.' x $before . $port);
    ok($output eq $port, "a stream after $before bytes is found");
}

# A capture that takes long to search: a sparse file of 3 TiB.
write_bytes($log, $port);
truncate($log, 3 << 40);
my $pid = open(my $terminal, '-|',
    "exec script -qec 'tools/stream $log >/dev/null' /dev/null 2>/dev/null") or die("script: $!");
my $report = '';
while ($report !~ /%/ && sysread($terminal, my $more, 4096)) {
    $report .= $more;
}
kill(TERM => $pid);
close($terminal);
like($report, qr/\A\r\e\[K\Q$log\E: 0 %\z/, 'on a terminal long work tells how far it is');

# A stream that is still growing.
is_deeply([stream_of(substr("$firmware$port", 0, 900), '--from')],
    ["60\n", "LOG: skips 59 bytes before the stream\n", 0], '--from sets where it begins');
is((stream_of("$port$firmware" . substr($port, 0, 900), '--from'))[0],
    length("$port$firmware") + 1 . "\n", '... the last');
is((stream_of($both, '--from'))[2], 1, '... of a stream only, not of blocks');

# --- Tools that read such a log ------------------------------------------------------------------

my $odd = changed($both, $changes{'a coloured time before and behind'});
write_bytes("$room/stream", $streams[1]);
write_bytes($log, $odd);
is((run("tools/perf-file $room/stream $room/plain"))[2], 0, 'perf-file takes a stream');
($output, $errors, $status) = run("tools/perf-file LOG $room/file");
is_deeply([$errors, $status], [$told, 0], 'perf-file takes the log, with the same messages');
ok(slurp("$room/file") eq slurp("$room/plain"), '... to the same file');
($output, $errors, $status) = run("make -s perfdata BUILD=$room/build FROM=LOG");
my ($before) = $errors =~ /\A(.*)^\S+: not written: \S+ is not the recorded kernel, .*\n\z/ms;
is_deeply([$before, $status], [$told, 0], 'so does make perfdata FROM=') or diag($errors);
ok(slurp_if_there("$room/build/perf.data") eq slurp("$room/plain"), '... to the same file');

# A recording that perf script prints with all its fields.
my $demo = slurp('docs/demo.perf');
my $block = join('', map { encode_base64($_, "\n") } unpack('(a45)*', $demo));
write_bytes($log, changed("begin-base64 644 pitot.perf\n$block====\n", $changes{'CI\'s time'}));
copy('docs/demo.kallsyms', "$log.kallsyms");
my ($plain) = run('tools/show text docs/demo.perf');
($output, $errors, $status) = run('tools/show text LOG');
ok($output eq $plain && $output =~ /mem:kernel_flag:rw/, 'tools/show shows the samples in it');
$last = 2 + ($block =~ tr/\n//);
is_deeply([$errors, $status], ["LOG: takes pitot.perf (lines 1 to $last, whole)\n", 0],
    '... whole');
write_bytes($log, 'nothing');
for my $command ('tools/show text LOG', "tools/perf-file LOG $room/none") {
    ($output, $errors, $status) = run($command);
    is($output . $status, 1, "$command: refuses a log without a recording");
    like($errors, qr/\ALOG: no recording: .*\n\z/, '... in one sentence');
}

done_testing();
