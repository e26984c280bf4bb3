#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: docs/demo.perf, tools/show, tools/fold, tools/perf-file
#
# The demonstration's recording in the programs that other people wrote, each of which must find all
# of it: perf, the flame graph and speedscope of npm, and Firefox Profiler's own importer; and in
# hotspot's parser that and a recording of the kernel that was built. Run by `make viewers`, which
# fetches these; a program that is not there is a failure.
use strict;
use warnings;
use lib 'tests/lib';
use Cwd qw(getcwd);
use File::Path qw(make_path remove_tree);
use MIME::Base64 qw(encode_base64);
use Test::More;
use Pitot::Files;

my $build = $ENV{BUILD} // 'build';
my $room = getcwd() . "/$build/viewers";
my $npm = getcwd() . "/$build/npm/node_modules";
my ($samples, $weight) = (364, 3276);    # each stands for nine hits
my $half = $weight / 2;
my $recording = 'docs/demo.perf';

remove_tree($room);
make_path("$room/home");
$ENV{HOME} = "$room/home";

# What a shell's line prints; its complaints are in $room/errors.
sub said
{
    my ($line) = @_;
    my $text = `$line 2> $room/errors`;
    is($?, 0, $line) or diag(slurp("$room/errors"));
    return $text;
}

# --- perf, and the forms that the others read ----------------------------------------------------

my $text = said("tools/show text $recording");
is(scalar(() = $text =~ /mem:kernel_flag:rw:/g), $samples, 'perf script has all samples');

# --- hotspot, as README.md has it ----------------------------------------------------------------

my ($row) = slurp('README.md') =~ /^\| hotspot \| (.*?) \|/m;
my ($symbols) = $row =~ /--kallsyms=(\S+?)`/;
my ($parser)
    = grep { -x } glob('/usr/lib/*/libexec/hotspot-perfparser /usr/libexec/hotspot-perfparser');
ok($parser, 'hotspot is there: the package hotspot');

# How many samples its parser finds in each function: {FUNCTION => SAMPLES}. Its output is messages,
# each with a length before it and its type first; numbers in them are big-endian, ids 32 bits.
sub hotspot_finds
{
    my ($capture) = @_;
    said("make -s perfdata BUILD=$build FROM=$capture");
    return {} if !$parser;
    said("$parser --input $build/perf.data --kallsyms $symbols --output $room/hotspot");
    my ($location, $symbol, $string, $sample) = (3, 4, 5, 13);
    my (%around, %named, %string, @innermost, %samples);
    my $said = slurp_if_there("$room/hotspot");
    return {} if length($said) < 16;
    for my $message (unpack('x16 (L</a)*', $said)) {
        my ($type, $id) = unpack('C l>', $message);
        $around{$id} = unpack('l>', substr($message, -4)) if $type == $location;
        $named{$id} = unpack('l>', substr($message, 5)) if $type == $symbol;
        $string{$id} = unpack('l>/a', substr($message, 5)) if $type == $string;
        push(@innermost, unpack('l>', substr($message, 25))) if $type == $sample;
    }
    for my $place (@innermost) {
        my $function = $around{$place} < 0 ? $place : $around{$place};
        $samples{$string{$named{$function} // ''} // 'unknown'}++;
    }
    return \%samples;
}

is_deeply(hotspot_finds($recording), {lock_kernel => $samples / 2, unlock_kernel => $samples / 2},
    '... and finds all samples in the two functions of the demonstration');

# As `make run` records it, with what was built last.
my $run = 'perf record -e mem:kernel_flag:rw -g -- fs-stress 1; poweroff';
said("BOOT=kernel COM2=$room/com2.bin RUN='$run' tools/machine < /dev/null > $room/console");
my ($kept) = slurp("$room/console") =~ /^\[ perf record: (\d+) records kept \]/m;
is_deeply(hotspot_finds("$room/com2.bin"), {lock_kernel => $kept / 2, unlock_kernel => $kept / 2},
    '... and in those of the kernel that was built');

# --- The flame graph -----------------------------------------------------------------------------

my $graph = said("tools/show flamegraph $recording");
my %drawn;
$drawn{$1} += $2 =~ tr/,//dr while $graph =~ /<title>(\w+) \(([\d,]+) events\)/g;
is($drawn{boot_entry_high}, $weight, 'the flame graph has all that was hit, below one function');
is($drawn{lock_kernel}, $half, '... and half of it in this one');

# --- speedscope, in Chromium without a window ----------------------------------------------------

# What its command line does: a script beside the page calls the page's own loader.
write_bytes("$room/demo.txt", $text);
my $weighted = said("tools/fold speedscope < $room/demo.txt");
write_bytes("$room/speedscope.js",
    'speedscope.loadFileFromBase64("demo.json","' . encode_base64($weighted, '') . '")');
my $page = "file://$npm/speedscope/dist/release/index.html#localProfilePath=$room/speedscope.js";
my $chromium = 'chromium --headless --no-sandbox --disable-gpu --virtual-time-budget=20000';
my $shown = said("$chromium --dump-dom '$page'");
like($shown, qr{<title>fs-stress tid: 1 - speedscope</title>}, 'speedscope shows the thread');
said("$chromium --window-size=1200,700 --screenshot=$room/speedscope.png '$page'");
cmp_ok(-s "$room/speedscope.png" // 0, '>', 20_000,
    '... and a picture, build/viewers/speedscope.png');

# --- Firefox Profiler: the importer of the page, as a program ------------------------------------

my $profiler = "$npm/.bin/profiler-cli";
write_bytes("$room/demo.folded", said("tools/show folded $recording"));
said("$profiler load $room/demo.folded");
my $profile = said("$profiler thread samples --include-idle");
said("$profiler stop --all");
like($profile, qr/^  f-\d+\. boot_entry_high - total: $weight \(100\.0%\)$/m,
    'Firefox Profiler has all that was hit below the outermost function');
like($profile, qr/ lock_kernel - total: $half \(50\.0%\)$/m,
    '... and half of it in this one');

done_testing();
