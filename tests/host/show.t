#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: tools/show, tools/demo, docs/demo.perf, outside/pitot/show, outside/pitot/perf_script
# of: outside/pitot/profile, outside/pitot/interned, outside/show
#
# The real perf reads the demonstration recording with the symbols beside it and nothing else of
# this tree. `pitot show` draws it and others by the samples' weights, or refuses them.
# tests/viewers/viewers.t opens what it draws. Run from the root of the tree:
#
#     prove tests/host/show.t
use strict;
use warnings;
use lib 'tests/lib';
use File::Copy qw(copy);
use File::Path qw(make_path remove_tree);
use File::Spec;
use JSON::PP qw(decode_json);
use Test::More;
use Pitot::Files;
use Pitot::Patience;

my $built = File::Spec->rel2abs($ENV{BUILD} // 'build');
my $build = "$built/show";
my $pitot = "$built/outside/pitot";

remove_tree($build);
make_path("$build/bin");
symlink("$built/outside", "$build/outside") or die("outside: $!");

# stdout and stderr of a shell line together, and its status.
sub shell
{
    my ($line) = @_;
    my $said = `{ $line; } 2>&1`;
    return ($said, $? >> 8);
}

# --- The recording -------------------------------------------------------------------------------

cmp_ok(-s 'docs/demo.perf', '<', 100_000, 'docs/demo.perf is under 100 KB');
my ($text, $status) = shell("BUILD=$build tools/show text docs/demo.perf");
is($status, 0, '... and perf reads it');
my @samples = split(/\n\n/, $text);
is(scalar(@samples), 364, '... with all of its samples');
unlike($text, qr/\[unknown\]/, '... and a name for each function');
my $whole = qr/^\t\w+ (?:un)?lock_kernel .*\bboot_entry_high \(\S+\)\n?\z/ms;
is(scalar(grep { !/$whole/ } @samples), 0, '... from the hit to the outermost caller');

# The symbols of another kernel, by which perf names only the outermost callers.
copy('docs/demo.perf', "$build/another.perf") or die("another.perf: $!");
write_bytes("$build/another.kallsyms", "ffffffff80100000 T _text\n");
($text, $status) = shell("BUILD=$build tools/show page $build/another.perf");
is($status, 1, 'with another kernel\'s list it is refused');
like($text, qr/: perf names no function .* --symbols <\(nm KERNEL\)$/, '... with what to do');

# --- Names: of the recorded kernel, or none ------------------------------------------------------

# A kernel of another build, where `make iso` leaves one.
make_path("$build/symfs");
copy("$built/pitot.elf", "$build/symfs/vmlinux") or die("vmlinux: $!");
my ($recorded, $last) = map { unpack('H40', $_) } substr(slurp('docs/demo.perf'), 28, 20),
    pack('H*', `readelf -n $build/symfs/vmlinux` =~ /Build ID: (\w+)/ ? $1 : '');
is(system("tools/perf-file docs/demo.perf $build/file $build/symfs/vmlinux"), 0,
    'it can be a file');
copy('docs/demo.perf', "$build/alone.perf") or die("alone.perf: $!");
my ($expected) = shell("BUILD=$build tools/show page docs/demo.perf --folded -o -");
like($expected, qr/;lock_kernel \d+$/m, 'a stream has the names of the list beside it');
my ($of_file) = shell("BUILD=$build tools/show page $build/file --folded -o -");
is($of_file, $expected, '... and so has a file');
unlink("$build/file.kallsyms");
for my $recording ("$build/alone.perf", "$build/file") {
    my $list = $recording =~ s/\.perf$//r . '.kallsyms';
    my ($said, $refused) = shell("BUILD=$build tools/show page $recording");
    is($refused, 1, "$recording: without a list, beside another kernel, it is refused");
    is($said, "tools/show: $recording: its kernel has build id $recorded,\n"
        . "$build/symfs/vmlinux has $last. Record again, or keep the recorded kernel and\n"
        . "put its symbols beside it: nm -n KERNEL >$list\n", '... and what to do');
}
# perf's own version, as in a file that perf recorded on Linux.
write_bytes("$build/linux", slurp("$build/file") =~ s/.*\Kpitot\0/6.1.0\0/sr);
my ($said_of_linux) = shell("BUILD=$build tools/show page $build/linux");
like($said_of_linux, qr/^pitot show: \S+linux: perf names no function/m,
    'the names of Linux are perf\'s work, which may not find this one\'s');
write_bytes("$build/nameless.perf", substr(slurp('docs/demo.perf'), 0, 16),
    substr(slurp('docs/demo.perf'), 72, -1));
my ($said_of_it, $no_id) = shell("FORCE=1 BUILD=$build tools/show page $build/nameless.perf");
is($no_id, 1, 'one that names no kernel is refused');
like($said_of_it, qr/names no kernel; put its symbols beside it: nm -n KERNEL >/,
    '... and what to do');
remove_tree("$build/symfs");

# --- Weights of samples --------------------------------------------------------------------------

# PATH has only a stand-in for perf. Two threads, one sample four times as heavy as the others, and
# two other events, one without chains; names as in C++.
my @heads = ('fs;stress 7     250000 cpu-clock/freq=4000/:',
    'fs;stress 7   1000600 cpu-clock/freq=4000/:',
    'a thread 9     250000 cpu-clock/freq=4000/:',
    'fs;stress 7     250000 cpu-clock/freq=4000/:');
my $operator = 'std::op<+0x1, b>::operator() (int)';
my @chains = ("\t10 take+0x4 ([kernel.kallsyms])\n\t20 $operator+0x8 (/k (deleted))\n\n",
    "\t30 uart_send+0x5 ([kernel.kallsyms])\n\t20 $operator+0x8 (/k (deleted))\n\n",
    "\t40 [unknown] (/bin/x)\n\n", "\t10 take+0x9 (/k)\n\t20 $operator+0x20 (/bin/x)\n\n");
my $weighted = join('', map { "$heads[$_] \n$chains[$_]" } 0 .. 3)
    . "a thread 9    3 mem:x:w: ffffffff80112126 set_x+0x6 ([kernel.kallsyms])\n"
    . "a thread 9    4 mem:x:w: ffffffff80112126 set_x+0x9 ([kernel.kallsyms])\n"
    . "a thread 9    2 mem:x:w: ffffffff80112126 set_x+0x6 ([kernel.kallsyms])\n"
    . "a \"b\" </script> 9    1 instructions:u: 10 [unknown] ([not known])\n";

sub program
{
    my ($name, $program) = @_;
    write_bytes("$build/bin/$name", "#!/bin/sh\n$program\n");
    chmod(0755, "$build/bin/$name");
    return;
}

# Sets perf's text; perf first reads its input if that is a stream.
sub perf_says
{
    my ($says, $end) = @_;
    write_bytes("$build/says", $says);
    program('perf', "read -r line; echo \"\$*\" >$build/asked; /bin/cat $build/says\n"
        . ($end // ''));
    return;
}

# A file with a header of 104 bytes that claims `size` bytes of samples, of which `there` exist.
sub recording_of
{
    my ($path, $size, $there) = @_;
    my $header = pack('a8Q<*', 'PERFILE2', 104, 144, 104, 0, 104, $size);
    write_bytes($path, $header, "\0" x (104 - length($header)), 'x' x ($there // $size));
    return $path;
}

sub show
{
    my (@options) = @_;
    return shell("PATH=$build/bin $pitot show @options");
}

my $file = recording_of("$build/x.data", 8);
perf_says($weighted);
my $list = "cpu-clock/freq=4000/ mem:x:w instructions:u";
my ($said, $of_it) = show($file, '--folded');
is($said, "pitot: takes cpu-clock/freq=4000/; -e takes another of $list\n"
        . "[ pitot show: $file.folded ]\n", 'chains are folded, of the first event');
is(slurp("$build/asked"), "--no-pager script --force -i $file --no-inline --ns --max-stack 65535 "
        . "-F comm,tid,period,event,ip,sym,symoff,dso --header\n",
    '... of any user, with no field that a file may lack');
is(slurp("$file.folded"), "fs:stress;$operator;take 500000\nfs:stress;$operator;uart_send 1000600\n"
        . "a thread;[/bin/x] 250000\n", '... and weigh what their samples stand for');
perf_says("# event : name = never, , id = { 1 }, type = 4\n# event : name = mem:x:w, id = { 2 }\n"
    . "# event : name = instructions:u, , id = { 3 }\n#\n$weighted");
($said) = show($file, '--folded');
like($said, qr/^pitot: takes mem:x:w; -e takes another of \Q$list\E$/m,
    'a recording\'s own list of events says which is the first');
perf_says($weighted);
($said) = show($file, '--folded -o - -e mem:x:w');
is($said, "a thread;set_x 9\n", '... or of one as asked; a sample may have no chain');
($said, $status) = show($file, '--folded -e none');
is($said, "pitot show: -e none: the events with samples are $list\n",
    '... and another name is refused');
is($status, 1, '... with a status');

# The rows of a page: event, thread, chain, place, weight, samples.
sub rows_of
{
    my ($path) = @_;
    my ($json) = slurp($path) =~ m{<script type="application/json" id="profile">(.*?)</script>}s;
    my $page = decode_json($json);
    my @rows;
    while (my ($event, $thread, $node, $place, $weight, $count) = splice(@{$page->{rows}}, 0, 6)) {
        my @chain;
        for (; $node; $node = $page->{nodes}[2 * $node]) {
            unshift(@chain, $page->{names}[$page->{nodes}[2 * $node + 1]]);
        }
        push(@rows, [$page->{events}[$event], $page->{threads}[$thread], join(';', @chain),
            $place < 0 ? undef : $page->{places}[$place], $weight, $count]);
    }
    return ($page, @rows);
}

($said) = show($file);
is($said, "[ pitot show: $file.html ]\n", 'a page has all events');
my ($page, @rows) = rows_of("$file.html");
is_deeply(\@rows, [
        ['cpu-clock/freq=4000/', 'fs;stress (7)', "$operator;take", undef, 500000, 2],
        ['cpu-clock/freq=4000/', 'fs;stress (7)', "$operator;uart_send", undef, 1000600, 1],
        ['cpu-clock/freq=4000/', 'a thread (9)', '[/bin/x]', undef, 250000, 1],
        ['mem:x:w', 'a thread (9)', 'set_x', 'set_x+0x6', 5, 2],
        ['mem:x:w', 'a thread (9)', 'set_x', 'set_x+0x9', 4, 1],
        ['instructions:u', 'a "b" </script> (9)', '[not known]', undef, 1, 1],
    ], '... with samples added up by thread and chain, and a watch\'s places');
is_deeply([$page->{title}, $page->{units}], ['x.data', ['ns', 'hits', 'instructions']],
    '... and what they count');
unlike(slurp("$file.html"), qr{(?:src|href)=|https?://|\@import|fetch\(},
    '... and nothing of the page is elsewhere');

($said) = show($file, '--speedscope -o -');
my $seen = decode_json($said);
my @names = map { $_->{name} } @{$seen->{shared}{frames}};
my @profiles = map {
    my $each = $_;
    [@$each{qw(name unit endValue)}, map {
        join(';', @names[@{$each->{samples}[$_]}]) . " $each->{weights}[$_]"
    } 0 .. $#{$each->{samples}}]
} @{$seen->{profiles}};
is_deeply(\@profiles, [
        ['fs;stress (7), cpu-clock/freq=4000/', 'nanoseconds', 1500600,
            "$operator;take 500000", "$operator;uart_send 1000600"],
        ['a thread (9), cpu-clock/freq=4000/', 'nanoseconds', 250000, '[/bin/x] 250000'],
        ['a thread (9), mem:x:w', 'none', 9, 'set_x 5', 'set_x 4'],
        ['a "b" </script> (9), instructions:u', 'none', 1, '[not known] 1'],
    ], 'speedscope has a profile for each event and thread');

($said) = show($file, '--firefox -o -');
my $firefox = decode_json($said);
my ($clock) = grep { $_->{name} =~ /cpu-clock/ } @{$firefox->{threads}};
my @stacks;
for my $sample (@{$clock->{samples}{stack}}) {
    my @chain;
    for (my $at = $sample; defined $at; $at = $clock->{stackTable}{prefix}[$at]) {
        unshift(@chain, $clock->{stringArray}[$clock->{stackTable}{frame}[$at]]);
    }
    push(@stacks, join(';', @chain));
}
is_deeply(\@stacks, ["fs;stress (7);$operator;take", "fs;stress (7);$operator;uart_send",
    'a thread (9);[/bin/x]'], 'the Firefox Profiler has a thread for each event');
is_deeply($clock->{samples}{weight}, [0.5, 1.0006, 0.25], '... with the weights, in milliseconds');
is_deeply([map { $_->{samples}{weightType} } @{$firefox->{threads}}],
    ['tracing-ms', 'samples', 'samples'], '... or counts, if they are no time');
for my $table (@$clock{qw(samples stackTable frameTable funcTable)}) {
    my @wrong = grep { @{$table->{$_}} != $table->{length} }
        grep { ref $table->{$_} } keys(%$table);
    is_deeply(\@wrong, [], '... and columns as long as is said');
}

($said) = show($file, '--svg -o - -e cpu-clock/freq=4000/');
my %drawn = map { /<title>(.*) \((\d+) ns, ([\d.]+)%\)<\/title>.*width="([\d.]+)"/
        ? ($1 => [$2, $3, $4]) : () } split(/\n/, $said);
is_deeply(\%drawn, {all => [1750600, '100.00', '1180.0'], take => [500000, '28.56', '337.0'],
        'std::op&#60;+0x1, b&#62;::operator() (int)' => [1500600, '85.72', '1011.5'],
        uart_send => [1000600, '57.16', '674.5'], '[/bin/x]' => [250000, '14.28', '168.5']},
    'a picture has each function as wide as it weighs');
like($said, qr/\A<\?xml .*<\/svg>\n\z/s, '... and is XML');

# C++ and Rust names in events contain blanks; perf has no thread for some samples of Linux.
perf_says("a thread 9 2 call:<A as B>::c: \n\t10 c+0x0 (/k)\n\t20 main+0x5 (/k)\n\n"
    . "b :-1    -1 3 call:X::operator bool:  1f X::operator bool+0x0 (/k)\n");
show($file);
(undef, @rows) = rows_of("$file.html");
is_deeply(\@rows, [['call:<A as B>::c', 'a thread (9)', 'main;c', undef, 2, 1],
        ['call:X::operator bool', 'b :-1 (-1)', 'X::operator bool', undef, 3, 1]],
    'an event\'s name may have blanks, and a thread no number');

# How a name is shown: the last character before each gap in Unicode, then bytes inside the gap,
# which are not UTF-8 or not allowed in XML.
sub shown_as
{
    my ($name) = @_;
    perf_says("a 7 1 x: 10 $name+0x1 (/k)\n");
    return (show($file, '--folded -o -'))[0] =~ /^a;(.*) 1$/m ? $1 : undef;
}

for my $name ("\xed\x9f\xbf", "\xef\xbf\xbd", "\xf4\x8f\xbf\xbf") {
    is(shown_as($name), $name, 'a character is shown');
}
for my $name ("\xed\xa0\x80", "\xef\xbf\xbe", "\xf4\x90\x80\x80", "\xe0\x9f\xbf",
    "\xf0\x8f\xbf\xbf") {
    my $bytes = join('', map { sprintf('\\x%02x', ord) } split(//, $name));
    is(shown_as($name), $bytes, "... and what is none by its bytes, $bytes");
}

# --- Progress ------------------------------------------------------------------------------------

# perf writes samples until the terminal has shown how many were read.
unlink("$build/enough");
program('perf', "read -r line; while [ ! -e $build/enough ]; do /bin/cat $build/says; done");
write_bytes("$build/says", "a 7 1 x: 10 f+0x1 (/bin/x)\n" x 100);
open(my $terminal, '-|', 'timeout', $patience, 'script', '-qec',
    "PATH=$build/bin $pitot show --folded $file", '/dev/null') or die("script: $!");
my $shown = '';
while (sysread($terminal, my $more, 4096)) {
    $shown .= $more;
    write_bytes("$build/enough", '') if $shown =~ /pitot: reads the recording: \d+ samples/;
}
close($terminal);
like($shown, qr/\r\e\[Kpitot: \Q$file\E has no call chains/,
    'on a terminal what takes long tells how far it is, and then removes that');

# --- Refusals ------------------------------------------------------------------------------------

sub refused_ok
{
    my ($why, @options) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my ($told, $refused) = show(@options);
    is($told, "pitot show: $why\n", $why =~ s/^\Q$build\E\///r);
    isnt($refused, 0, '... and it fails');
    return;
}

unlink("$file.html");
refused_ok("$build/none: No such file or directory", "$build/none");
write_bytes("$build/empty", '');
refused_ok("$build/empty is empty: its recording did not end", "$build/empty");
write_bytes("$build/text", 'PERFILE1' x 20);
refused_ok("$build/text is no recording of perf; pitot record writes one", "$build/text");
write_bytes("$build/big", '2ELIFREP' x 20);
refused_ok("$build/big: of a big-endian machine; perf report reads it", "$build/big");
recording_of("$build/cut", 100, 99);
refused_ok("$build/cut is truncated: copy it again, or record again", "$build/cut");
write_bytes("$build/short", substr(slurp("$build/cut"), 0, 40));
refused_ok("$build/short is truncated: copy it again, or record again", "$build/short");
recording_of("$build/unended", 0);
refused_ok("$build/unended has no sample: its recording did not end", "$build/unended");
refused_ok("$build is a directory; a recording is a file", $build);
refused_ok('a file is read, without QEMU; pitot record --show runs it', $file, '-- qemu');
refused_ok("-o $build/./x.data: is the recording; give another file", "-o $build/./x.data",
    $file);
refused_ok("$build/none: No such file or directory", "--symbols $build/none", $file);
refused_ok('"b": one file at a time', 'a b');
refused_ok('one of --svg, --folded, --speedscope and --firefox', '--svg --folded', $file);
refused_ok('-e is for --svg and --folded; the other forms have all events', '-e x', $file);
perf_says('');
refused_ok("$file has no sample", $file);
my $of_guest = recording_of("$build/guest.data", 200, 0);
write_bytes($of_guest, slurp($of_guest), 'x' x 100, '[guest.kernel.kallsyms]_text', "\0" x 72);
refused_ok("$of_guest has no sample of the host; --symbols FILE, the guest's kallsyms, shows the "
    . "guest's", $of_guest);
perf_says("a 7 1 x: 10 f+0x1 ([guest.kernel.kallsyms])\n");
show("--symbols $build/says --folded -o -", $of_guest);
like(slurp("$build/asked"), qr/ --guestkallsyms=\S+\n\z/, '... or, with these, of the guest');
show("--symbols $build/says --folded -o -", $file);
like(slurp("$build/asked"), qr/ --kallsyms=\S+\n\z/, '... as of any other kernel');
perf_says("a 7 1 x: 10 [unknown] (/bin/x)\n");
refused_ok("$file: perf names no function in which a sample was taken: the kernel's file is "
    . 'another, or stripped; record again, or give --symbols <(nm KERNEL)', $file);
perf_says("a 7 1 x: 10 f+0x1 (/bin/x)\n", 'exit 3');
refused_ok("$file: perf script does not read it", $file);
perf_says("a 7 1 x: 10 f+0x1 (/bin/x)\n", 'kill -9 $$');
refused_ok("$file: perf script does not read it; a signal ended it", $file);
perf_says("a 7 x: 10 f+0x1 (/bin/x)\n");
refused_ok("unexpected line of perf script, not a sample: a 7 x: 10 f+0x1 (/bin/x)\\x0a", $file);
unlink("$build/bin/perf");
refused_ok('perf is missing, which reads recordings: the package linux-perf on Debian, '
    . 'linux-tools-generic on Ubuntu, perf on Fedora and Arch', $file);
ok(!-e "$file.html" && !-e "$file.html.part", 'no file is written then');
perf_says("a 7 1 x: 10 f+0x1 (/bin/x)\n");
($said) = show($file);
is($said, "pitot: $file has no call chains; record -g\n[ pitot show: $file.html ]\n",
    'without chains this is reported');
write_bytes("$file.html", 'of the last time');
($said, $status) = shell("PATH=$build/bin; trap '' XFSZ; ulimit -f 8; $pitot show $file");
is($status, 1, 'on a full disk it fails');
is(slurp("$file.html"), 'of the last time', '... and the old page is there');
ok(!-e "$file.html.part", '... and nothing else');
($said, $status) = show($file, '-o - >/dev/full');
is($status, 1, '... also onto a full standard output');

# --- With the real perf --------------------------------------------------------------------------

# With the real perf: each function's own weight in the demonstration.
($said) = shell("BUILD=$build tools/show page docs/demo.perf");
is($said, "[ pitot show: $build/show.html ]\n", '`make show` draws the demonstration');
(undef, @rows) = rows_of("$build/show.html");
($said) = shell("BUILD=$build tools/show page docs/demo.perf --svg");
is($said, "[ pitot show: $build/show.svg ]\n", '... also as a picture');
my (%own, %places);
for my $row (@rows) {
    $own{$row->[2] =~ s/.*;//r} += $row->[4];
    $places{$row->[3]} += $row->[4];
}
my $report = `PERF_CONFIG=/dev/null perf --no-pager report -i - --kallsyms=docs/demo.kallsyms \\
    --stdio --no-children -g none -F period,sym <docs/demo.perf 2>/dev/null`;
my %reported = reverse($report =~ /^ *(\d+) +\[k\] (\S+) *$/mg);
is_deeply(\%own, \%reported, '... in which functions weigh what perf report says');
is(scalar(keys(%places)), 2, '... and two places touch the flag');
my $symbols = '--symbols <(cat docs/demo.kallsyms)';
($said) = shell("bash -c '$pitot show $build/alone.perf $symbols --folded -o -'");
is($said, $expected, '--symbols may be a pipe, as the refusal says');

done_testing();
