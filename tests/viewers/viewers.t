#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: docs/demo.perf, tools/show, tools/perf-file, outside/show, outside/pitot/show
# of: outside/pitot/question, outside/pitot/trace
#
# The demonstration's recording in other people's programs, each of which must find all of it: perf,
# Chromium, which opens and clicks the page of `pitot show`, npm's speedscope, and Firefox
# Profiler's own importer; in hotspot's parser, that recording and one of the kernel that was built.
# Chromium also opens pages of a kernel in QEMU, of `pitot show`, `blame` and `graph`: what it reads
# there equals perf report and the answers as text. Programs that open traces also get a trace of
# that kernel. Run by `make viewers`, which fetches these; a missing program is a failure.
use strict;
use warnings;
use lib 'tests/lib';
use Cwd qw(getcwd);
use File::Path qw(make_path remove_tree);
use JSON::PP qw(decode_json);
use MIME::Base64 qw(encode_base64);
use Test::More;
use Pitot::Browser;
use Pitot::Files;
use Pitot::Outside;

my $build = $ENV{BUILD} // 'build';
my $room = getcwd() . "/$build/viewers";
my $npm = getcwd() . "/$build/npm/node_modules";
my ($samples, $weight) = (364, 3276);    # each stands for nine hits
my $half = $weight / 2;
my $recording = 'docs/demo.perf';

remove_tree($room);
make_path("$room/home");
$ENV{HOME} = "$room/home";

# The output of a shell line; stderr goes to $room/errors.
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

my ($symbols) = slurp('README.md') =~ /^\| .*hotspot .*?--kallsyms=(\S+?)`/m
    or die("README.md has no row of hotspot\n");
my ($parser)
    = grep { -x } glob('/usr/lib/*/libexec/hotspot-perfparser /usr/libexec/hotspot-perfparser');
ok($parser, 'hotspot is there: the package hotspot');

# How many samples its parser finds in each function: {FUNCTION => SAMPLES}. Its output is messages,
# each preceded by its length and beginning with its type; numbers are big-endian, ids have 32 bits.
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

# A recording as `make run` makes it, with the newest build.
my $run = 'perf record -e mem:kernel_flag:rw -g -- fs-stress 1; poweroff';
said("BOOT=kernel COM2=$room/com2.bin RUN='$run' tools/machine < /dev/null > $room/console");
my ($kept) = slurp("$room/console") =~ /^\[ perf record: (\d+) records kept \]/m;
is_deeply(hotspot_finds("$room/com2.bin"), {lock_kernel => $kept / 2, unlock_kernel => $kept / 2},
    '... and in those of the kernel that was built');

# --- The page of pitot show ----------------------------------------------------------------------

said("tools/show page $recording -o $room/page.html");
said("tools/show text $recording > $room/page.text");
my $browser = browser_open("file://$room/page.html");

sub frame_ok
{
    my ($name, $expected) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my @titles = browser_texts($browser, '.frame', 'title');
    my ($first) = grep { /^\Q$name\E: / } @titles;
    is($first, "$name: $expected", "... $name") or diag("@titles");
    return;
}

is(browser_title($browser), 'show.perf', 'Chromium opens the page');
frame_ok('all', '3,276 hits, 100.00%, self 0');
frame_ok('boot_entry_high', '3,276 hits, 100.00%, self 0');
my %functions = map { my @cells = split(/\t/); ($cells[5] => "$cells[1] $cells[4]") }
    browser_rows($browser, '#functions');
is_deeply([@functions{qw(lock_kernel unlock_kernel boot_entry_high)}],
    ['1,638 1,638', '1,638 1,638', '0 3,276'], '... and its table has what perf report has');

# The samples that perf script has below this function.
my $below = 9 * grep { /\bclient_logger\b/ } split(/\n\n/, slurp("$room/page.text"));
browser_click($browser, '.frame[title^="client_logger: "]');
my ($zoomed) = grep { /^client_logger: / } browser_texts($browser, '.frame', 'title');
like($zoomed, qr/^client_logger: \Q@{[with_commas($below)]}\E hits/,
    'a click zooms to a function, which weighs what perf script has');
my ($width, $whole) = map { browser_width($browser, $_) }
    ('.frame[title^="client_logger: "]', '#graph');
cmp_ok(abs($width - $whole), '<', 2, '... and is as wide as the graph');
is(scalar(grep { /^client_database: / } browser_texts($browser, '.frame', 'title')), 0,
    '... without its neighbours');
browser_click($browser, '#unzoom');
frame_ok('client_database', '1,278 hits, 39.01%, self 0');

browser_type($browser, '#search', '^lock_kernel$');
is(browser_text($browser, '#found'), '50.00%, 1,638 found', 'a search tells the part of all');
my @found = browser_texts($browser, '.frame.found', 'title');
is(scalar(grep { !/^lock_kernel: / } @found), 0, '... and marks what matches');
cmp_ok(scalar(@found), '>', 5, '... everywhere');
browser_type($browser, '#search', '(');
is(browser_text($browser, '#found'), 'no regular expression', '... or says that it is none');

browser_click($browser, '#inverted');
my @inverted = browser_texts($browser, '.frame', 'title');
is_deeply([sort(map { /^((?:un)?lock_kernel): 1,638 hits, 50\.00%/ ? $1 : () } @inverted)],
    [qw(lock_kernel unlock_kernel)], 'inverted, the innermost functions come first');

my @places = map { join(' ', (split(/\t/))[1, 4]) } browser_rows($browser, '#places');
my ($offsets) = said("PERF_CONFIG=/dev/null perf script -i - --kallsyms=docs/demo.kallsyms "
    . "-F ip,sym,symoff -G < $recording");
my %offsets;
$offsets{$_}++ for $offsets =~ /([a-z_]+\+0x[0-9a-f]+)/g;
is_deeply([sort @places], [sort map { with_commas(9 * $offsets{$_}) . " $_" } keys(%offsets)],
    'the writers\' places are those of perf script');
browser_close($browser);

sub with_commas
{
    my ($number) = @_;
    1 while $number =~ s/^(\d+)(\d{3})/$1,$2/;
    return $number;
}

# --- Pages of a kernel in QEMU -------------------------------------------------------------------

my $pitot = "$build/outside/pitot";
my $qemu = join(' ', machine_of('null', '-kernel', "$build/port.elf"));

# The output of a command about a kernel that switches its machine off.
sub asked
{
    my ($command) = @_;
    my $text = `$pitot $command -- $qemu 2>&1 < /dev/null`;
    is($? >> 8, $switched_off, "pitot $command") or diag($text);
    return $text;
}

# {FUNCTION => 'WEIGHT SAMPLES'} of an event, from perf report.
sub reported
{
    my ($file, $event) = @_;
    my $report = said("PERF_CONFIG=/dev/null perf report -i $file --stdio --no-children -g none "
        . "-F period,sample,sym");
    my ($part) = $report =~ /^# Samples: \S+ +of event '\Q$event\E.*?\n((?s).*?)(?=^# Samples|\z)/m;
    return {map { /^ +(\d+) +(\d+) +\[\.\] (\S+)/ ? ($3 => "$1 $2") : () }
            split(/\n/, $part // '')};
}

# The same for the event that a page shows.
sub in_table
{
    my ($page) = @_;
    my %found = map { my @cells = split(/\t/); ($cells[5] => "$cells[1] $cells[2]" =~ s/,//gr) }
        grep { !/^0\.00%\t0\t0\t/ } browser_rows($page, '#functions');
    return \%found;
}

asked("record -g -e instructions/period=1000/,call:port_middle -o $room/perf.data");
said("$pitot show $room/perf.data");
$browser = browser_open("file://$room/perf.data.html");
my @events = browser_texts($browser, '#event option', 'textContent');
is_deeply([sort @events], ['call:port_middle', 'instructions'], 'a page has several events');
for my $index (0, 1) {
    browser_click($browser, "#event option[value='$index']");
    is_deeply(in_table($browser), reported("$room/perf.data", $events[$index]),
        "... its table of $events[$index] is that of perf report");
}
cmp_ok(scalar(keys(%{reported("$room/perf.data", 'instructions')})), '>', 5,
    '... of all functions');
browser_close($browser);

asked("record -c 1000 -o $room/flat.data");
said("$pitot show $room/flat.data");
$browser = browser_open("file://$room/flat.data.html");
is(browser_text($browser, '#unchained'), 'The samples have no callers: record with -g.',
    'a page says that a recording has no callers');
is_deeply(in_table($browser), reported("$room/flat.data", 'instructions'),
    '... and has its functions');
browser_close($browser);

# --- An answer beside its source -----------------------------------------------------------------

asked("blame -o $room/blame.data");
my $blamed = said("$pitot blame -i $room/blame.data port_watched");
said("$pitot blame --html -i $room/blame.data -o $room/blame.html port_watched");
$browser = browser_open("file://$room/blame.html");
is(browser_title($browser), 'pitot blame port_watched, in port.elf', 'Chromium opens a blame');
my @lines = browser_texts($browser, '#lines tr td:first-child', 'textContent');
is(join("\n", @lines) . "\n", $blamed =~ s/^\t/ ' ' x 8 /megr,
    '... which has the lines of the text');
my %beside = map { my @cells = split(/\t/); $cells[0] =~ /(\w+)\+0x/ ? ($1 => "@cells[1, 2]") : () }
    grep { /\t/ } browser_rows($browser, '#lines');
my @source = split(/\n/, slurp('tests/port/port.c'));
my ($stores) = grep { $source[$_ - 1] =~ /port_watched = value;/ } 1 .. @source;
is($beside{port_leaf}, "port.c:$stores port_watched = value;", '... beside the source');
is(browser_text($browser, '#source h2'), "tests/port/port.c:$stores", '... of which it shows more');
my ($line) = grep { $lines[$_ - 1] =~ /port_load\+/ } 1 .. @lines;
browser_click($browser, "#lines tr:nth-child($line)");
my ($called) = grep { $source[$_ - 1] =~ /port_middle\(i\);/ } 1 .. @source;
is_deeply([browser_texts($browser, '#source tr.here', 'textContent')],
    [$called . $source[$called - 1]], '... and after a click the line of another caller');
ok(!browser_displayed($browser, '#graph'), '... with no flame graph');
browser_close($browser);

my $graph = asked('graph port_load');
asked("graph port_load --html -o $room/graph.html");
$browser = browser_open("file://$room/graph.html");
@lines = browser_texts($browser, '#lines tr td:first-child', 'textContent');
is(join("\n", @lines) . "\n", $graph =~ s/^pitot: .*\n//mgr, 'a graph has the lines of the text');
my (%calls, %costs);
while ($graph =~ /^ *(\d+) +(\d+) +\d+ +(\d+) +\| +(\w+)\(\)/mg) {
    $calls{$4} = "$3 $1";
    $costs{$4} = $2;
}
is_deeply({map { $_ => in_table($browser)->{$_} } qw(port_load port_middle port_leaf)},
    {map { $_ => $calls{$_} } qw(port_load port_middle port_leaf)}, '... a table with its numbers');
browser_click($browser, '.frame[title^="port_middle: "]');
my ($middle) = grep { /^port_middle: / } browser_texts($browser, '.frame', 'title');
like($middle, qr/^port_middle: \Q@{[with_commas($costs{port_middle})]}\E instructions, /,
    '... and a flame graph');
like(browser_text($browser, '#source .here'), qr/\bport_middle\(uint64_t value\)/,
    '... a click on which shows the source');
browser_close($browser);

# --- speedscope, in Chromium without a window ----------------------------------------------------

# What speedscope's command line does: a script beside the page calls the page's own loader.
sub in_speedscope
{
    my ($content) = @_;
    write_bytes("$room/speedscope.js",
        'speedscope.loadFileFromBase64("demo.json","' . encode_base64($content, '') . '")');
    return "file://$npm/speedscope/dist/release/index.html#localProfilePath=$room/speedscope.js";
}

my $page = in_speedscope(said("tools/show page $recording --speedscope -o -"));
my $chromium = 'chromium --headless --no-sandbox --disable-gpu --virtual-time-budget=20000';
my $shown = said("$chromium --dump-dom '$page'");
like($shown, qr{>fs-stress \(1\)<}, 'speedscope shows the thread');
said("$chromium --window-size=1200,700 --screenshot=$room/speedscope.png '$page'");
cmp_ok(-s "$room/speedscope.png" // 0, '>', 20_000,
    '... and a picture, build/viewers/speedscope.png');

# --- Firefox Profiler: the importer of the page, as a program ------------------------------------

my $profiler = "$npm/.bin/profiler-cli";

# Its daemon may need longer to start than the half second that it waits for it.
sub profiler_loads
{
    my ($file) = @_;
    said("$profiler load $file || for n in 1 2 3 4 5 6 7 8 9; do "
        . "$profiler status && break; sleep 1; done");
    return;
}

write_bytes("$room/demo.json", said("tools/show page $recording --firefox -o -"));
profiler_loads("$room/demo.json");
my $profile = said("$profiler thread samples --include-idle");
said("$profiler stop --all");
like($profile, qr/^  f-\d+\. boot_entry_high - total: $weight \(100\.0%\)$/m,
    'Firefox Profiler has all that was hit below the outermost function');
like($profile, qr/ lock_kernel - total: $half \(50\.0%\)$/m,
    '... and half of it in this one');

# --- A trace in both -----------------------------------------------------------------------------

my @kernel = machine_of("file:$room/trace.console", '-kernel', "$build/pitot.elf", '-initrd',
    "$build/programs.tar", '-append', "'run=fs-stress 1; poweroff'");
my $command = join(' ', map { my $word = s/'/'\\''/gr; "'$word'" } @kernel);
system("$build/outside/pitot trace --least 1000 -o $room/trace.json -- $command 2> $room/errors");
my $json = slurp_if_there("$room/trace.json") || '{}';
my (%threads, %events);
for my $event (@{decode_json($json)->{traceEvents} // []}) {
    my $track = "$event->{pid}/" . ($event->{tid} // '');
    $threads{$track} = $event->{args}{name} if $event->{name} eq 'thread_name';
    $events{$track}++ if $event->{ph} ne 'M';
}
cmp_ok(scalar(keys(%events)), '>', 2, 'a trace of the kernel') or diag(slurp("$room/errors"));
profiler_loads("$room/trace.json");
my $listed = said("$profiler thread list");
said("$profiler stop --all");
my %listed;
$listed{$1} += $2 =~ tr/,//dr while $listed =~ /^[* ] t-\d+ +(\S.*?)  .* ([\d,]+)$/mg;
my %expected;
$expected{$threads{$_}} += $events{$_} for keys(%events);
is_deeply(\%listed, \%expected, 'Firefox Profiler has each event of each thread');
$shown = said("$chromium --dump-dom '" . in_speedscope($json) . "'");
like($shown, qr{>CPUs \(pid \d+\), CPU 0 \(tid \d+\)<}, 'speedscope shows the CPU');
like($shown, qr{>pitot\.elf \(pid 1\), \w+ \(tid 2\)<}, '... and the threads');

done_testing();
