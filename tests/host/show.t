#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: tools/show, tools/fold, tools/demo, docs/demo.perf
#
# The real perf reads the demonstration recording with the symbols beside it and nothing else of
# this tree; its picture shows its contents; and `make flamegraph` and `make view` hand a recording,
# with each sample's weight, to the programs that they name, or refuse. Run from the root of the
# tree:
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

my $build = ($ENV{BUILD} // 'build') . '/show';

remove_tree($build);
make_path("$build/bin");

# A shell line's output, both streams, and its status.
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

# The list of another kernel, by which perf names the outermost callers alone.
copy('docs/demo.perf', "$build/another.perf") or die("another.perf: $!");
write_bytes("$build/another.kallsyms", "ffffffff80100000 T _text\n");
($text, $status) = shell("BUILD=$build tools/show folded $build/another.perf");
is($status, 1, 'with another kernel\'s list it is refused');
like($text, qr/^tools\/fold: .*: the symbols are another kernel's;\nnm -n KERNEL >/m,
    '... with what to do') or diag($text);

# --- Names: of the recorded kernel, or none ------------------------------------------------------

# A kernel of another build, where `make iso` leaves one.
make_path("$build/symfs");
copy(($ENV{BUILD} // 'build') . '/pitot.elf', "$build/symfs/vmlinux") or die("vmlinux: $!");
my ($recorded, $built) = map { unpack('H40', $_) } substr(slurp('docs/demo.perf'), 28, 20),
    pack('H*', `readelf -n $build/symfs/vmlinux` =~ /Build ID: (\w+)/ ? $1 : '');
is(system("tools/perf-file docs/demo.perf $build/file $build/symfs/vmlinux"), 0,
    'it can be a file');
copy('docs/demo.perf', "$build/alone.perf") or die("alone.perf: $!");
my ($expected) = shell("BUILD=$build tools/show folded docs/demo.perf");
like($expected, qr/;lock_kernel \d+$/m, 'a stream has the names of the list beside it');
my ($of_file) = shell("BUILD=$build tools/show folded $build/file");
is($of_file, $expected, '... and so has a file');
unlink("$build/file.kallsyms");
for my $recording ("$build/alone.perf", "$build/file") {
    my $list = $recording =~ s/\.perf$//r . '.kallsyms';
    my ($said, $refused) = shell("BUILD=$build tools/show folded $recording");
    is($refused, 1, "$recording: without a list, beside another kernel, it is refused");
    is($said, "tools/show: $recording: its kernel has build id $recorded,\n"
        . "$build/symfs/vmlinux has $built. Record again, or keep the recorded kernel and\n"
        . "put its symbols beside it: nm -n KERNEL >$list\n", '... and what to do');
}
write_bytes("$build/nameless.perf", substr(slurp('docs/demo.perf'), 0, 16),
    substr(slurp('docs/demo.perf'), 72, -1));
my ($said_of_it, $no_id) = shell("FORCE=1 BUILD=$build tools/show folded $build/nameless.perf");
is($no_id, 1, 'one that names no kernel is refused');
like($said_of_it, qr/names no kernel; put its symbols beside it: nm -n KERNEL >/,
    '... and it says what to do');
remove_tree("$build/symfs");

# --- The programs that others wrote --------------------------------------------------------------

# Only these are in PATH, and what a test puts beside them.
for my $name (qw(perf sh sed mkdir cat env od tr readelf)) {
    my ($path) = grep { -x } map { "$_/$name" } split(/:/, $ENV{PATH});
    symlink(File::Spec->rel2abs($path), "$build/bin/$name") or die("$name: $!");
}

sub show
{
    my ($what, $recording) = @_;
    $recording //= 'docs/demo.perf';
    return shell("BUILD=$build PATH=$build/bin tools/show $what $recording");
}

sub program
{
    my ($name, $text) = @_;
    open(my $file, '>', "$build/bin/$name") or die("$name: $!");
    print {$file} "#!/bin/sh\n$text\n";
    close($file);
    chmod(0755, "$build/bin/$name");
}

my $said;
($said, $status) = show('flamegraph');
is($status, 1, 'without a program that draws flame graphs none is drawn');
like($said, qr/npm install --prefix $build\/npm flamegraph$/m, '... and the package is named');
($said, $status) = show('view');
is($status, 1, 'without speedscope nothing is opened');
like($said, qr/npm install --prefix $build\/npm speedscope$/m, '... and the package is named');
($said, $status) = show('view', "$build/none");
is($status, 1, 'a recording that is not there is refused');
like($said, qr/: $build\/none: no recording is there; `make run` leaves one/, '... and said');
($said, $status) = show('paint');
like($said, qr/: paint: text, live, folded, flamegraph and view are allowed$/m,
    'as is another word');

# --- What samples weigh --------------------------------------------------------------------------

# In place of perf: two threads, one sample four times as heavy as the others, and another event.
my @heads = ('fs;stress 7 [000] 0.1: 250000 cpu-clock/freq=4000/:',
    'fs;stress 7 [000] 0.2: 1000600 cpu-clock/freq=4000/:',
    'a thread 9 [001] 0.2: 250000 cpu-clock/freq=4000/:',
    'fs;stress 7 [000] 0.3: 250000 cpu-clock/freq=4000/:');
my @chains = ("\t10 take ([kernel.kallsyms])\n\t20 work a,b ([kernel.kallsyms])\n\n",
    "\t30 uart_send ([kernel.kallsyms])\n\t20 work a,b ([kernel.kallsyms])\n\n",
    "\t40 [unknown] (/bin/x)\n\n", "\t10 take ([kernel.kallsyms])\n\t20 work a,b (/bin/x)\n\n");
my $weighted = join('', map { "$heads[$_] \n$chains[$_]" } 0 .. 3)
    . "a thread 9 [001] 0.4: 3 mem:x:w: ffffffff80112126 set_x ([kernel.kallsyms])\n";
unlink("$build/bin/perf");
program('perf', "cat <<'END'\n${weighted}END");
my $folded = "fs:stress;work a,b;take 500\nfs:stress;work a,b;uart_send 1001\n"
    . "a thread;[/bin/x] 250\n";
my $choice = "tools/fold: takes cpu-clock/freq=4000/; EVENT=NAME takes another of"
    . " cpu-clock/freq=4000/ mem:x:w\n";

($said, $status) = show('folded');
is($said, $choice . $folded,
    'chains weigh what their samples stand for, cpu-clock\'s microseconds');
$ENV{EVENT} = 'mem:x:w';
($said) = show('folded');
is($said, "tools/fold: takes mem:x:w; EVENT=NAME takes another of cpu-clock/freq=4000/ mem:x:w\n"
        . "a thread;set_x 3\n", '... of one event, as asked; a sample may have no chain');
$ENV{EVENT} = 'none';
($said) = show('folded');
is($said, "tools/fold: EVENT=none: the events with samples are cpu-clock/freq=4000/ mem:x:w\n",
    '... and another name is refused');
delete($ENV{EVENT});

program('flamegraph', 'echo "$@"; cat "$4"; echo "a && b"');
($said, $status) = show('flamegraph');
is($status, 0, 'npm\'s flamegraph is started');
my ($options, $tree, $end) = $said =~ /\A\Q$choice\E(.*)\n(.*)\n(.*)\n\z/;
is($options, "-t cpuprofile -f $build/show.cpuprofile --minwidth 1 --countname us",
    '... with a tree of the chains and its unit');
is($end, 'a &amp;&amp; b', '... and what it writes becomes XML');

sub tree_of
{
    my ($node) = @_;
    return [$node->{functionName}, $node->{hitCount}, map { tree_of($_) } @{$node->{children}}];
}

is_deeply(tree_of(decode_json($tree)->{head}),
    ['all', 0, ['fs:stress', 0, ['work a,b', 0, ['take', 500], ['uart_send', 1001]]],
        ['a thread', 0, ['[/bin/x]', 250]]], '... in which each function has what is its own');
program('flamegraph.pl', 'echo "$@"; cat "$3"');
($said, $status) = show('flamegraph');
is($said, "$choice--countname us $build/show.folded\n$folded",
    'Brendan Gregg\'s script comes first, where it is installed');

program('speedscope', 'echo "opens $1"; cat "$1"');
($said, $status) = show('view');
is($said =~ s/\n.*//sr, "opens $build/show.speedscope.json", 'speedscope opens its own format');
my $profile = decode_json($said =~ s/\A.*\n//r);
my @names = map { $_->{name} } @{$profile->{shared}{frames}};
my @profiles = map {
    my $each = $_;
    [@$each{qw(name unit endValue)}, map {
        join(';', @names[@{$each->{samples}[$_]}]) . " $each->{weights}[$_]"
    } 0 .. $#{$each->{samples}}]
} @{$profile->{profiles}};
is_deeply(\@profiles, [
        ['fs:stress tid: 7, cpu-clock/freq=4000/', 'nanoseconds', 1500600,
            'work a,b;take 250000', 'work a,b;uart_send 1000600', 'work a,b;take 250000'],
        ['a thread tid: 9, cpu-clock/freq=4000/', 'nanoseconds', 250000, '[/bin/x] 250000'],
        ['a thread tid: 9, mem:x:w', 'none', 3, 'set_x 3'],
    ], '... with a profile for each event and thread, and the weight of each sample');
program('perf', "echo 'fs-stress 7 [000] 0.1: 1 mem:x:w:'; printf '\\t10 [unknown] (/bin/x)\\n'");
($said, $status) = show('folded');
my $unnamed = "tools/fold: perf names no function in which a sample was taken: the symbols are "
    . "another kernel's;\nnm -n KERNEL >RECORDING.kallsyms lists the right ones\n";
is($said, $unnamed, 'a graph without names is none');
isnt($status, 0, '... and no success');
program('perf', ':');
($said, $status) = show('folded');
is($said, "tools/fold: there is no sample\n", 'without a sample there is nothing to fold');
isnt($status, 0, '... and no success');

done_testing();
