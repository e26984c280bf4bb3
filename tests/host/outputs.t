#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: tools/stream, tools/perf-file, tools/show, outside/pitot/show, tools/transcript, tools/demo
# of: tools/tests, tools/postmortem, tools/calls-at-ends, tools/pad-calls, tools/orcgen
# of: tools/insnmap, tools/image, tools/mkiso, tools/pitot-tables
#
# A tool that cannot write its output fails and keeps the older file: on a full disk, after a
# machine that did not boot, for a missing recording. Run from the root of the tree:
#
#     prove tests/host/outputs.t
use strict;
use warnings;
use lib 'tests/lib';
use Cwd qw(getcwd realpath);
use File::Copy qw(copy);
use File::Path qw(make_path remove_tree);
use Test::More;
use Pitot::Files;

my $build = $ENV{BUILD} // 'build';
my $here = getcwd();
my $room = "$build/outputs";
remove_tree($room);
make_path("$room/bin", "$room/tree/docs");
delete @ENV{qw(MAKEFLAGS MFLAGS MAKELEVEL)};

sub program
{
    my ($name, $text) = @_;
    write_bytes("$room/bin/$name", "#!/bin/sh\n$text\n");
    chmod(0755, "$room/bin/$name");
    return;
}

# --- A full disk ---------------------------------------------------------------------------------

symlink(realpath("$build/outside"), "$room/outside") or die("outside: $!");
my $console = "pitot> wild\npitot> perf report\n"
    . "    50.00%         1  [k] culprit\n            ---culprit\n               caller\n";
write_bytes("$room/console", $console);
my $path = "PATH=$here/$room/bin:\$PATH BUILD=$room";
my @commands = (
    'tools/stream docs/demo.perf',
    'tools/stream --from docs/demo.perf',
    "tools/transcript culprit < $room/console",
    "$path tools/show text docs/demo.perf",
    (map { "$path tools/show page docs/demo.perf -o - $_" } '', qw(--svg --folded --speedscope
        --firefox)),
    'tools/tests --list tests/host',
    "tools/calls-at-ends $build/programs/spin",
    "tools/pad-calls $build/obj/core/ring/ring.c.s",
    "$build/host/postmortem -h",
    "$build/host/orcgen --print --exempt .boot $build/pitot.elf",
    "$build/host/orcgen --sizes --exempt .boot $build/pitot.elf",
    "$build/host/insnmap --print --exempt .boot $build/pitot.elf",
    'make -s help',
);
for my $command (@commands) {
    is(system("{ $command; } >/dev/null 2>$room/said"), 0, $command) or diag(slurp("$room/said"));
    isnt(system("{ $command; } >/dev/full 2>$room/said"), 0, '... not onto a full disk');
    like(slurp("$room/said"), qr/No space left|I\/O error|write/, '... and it reports that');
}
is(system("tools/perf-file docs/demo.perf /dev/full 2>$room/said") >> 8 ? 1 : 0, 1,
    'tools/perf-file fails, too');
is(slurp("$room/said"), "/dev/full: No space left on device\n", '... and reports that');

# A limit of 4 KiB for files: the error differs from a full disk's, but the result is the same.
my $little = "trap '' XFSZ; ulimit -f 8";
write_bytes("$room/file", 'of the last time');
write_bytes("$room/file.kallsyms", 'of the last time');
isnt(system("sh -c \"$little; tools/perf-file docs/demo.perf $room/file\" 2>$room/said"), 0,
    'a file that does not fit is not made');
is(slurp("$room/file"), 'of the last time', '... and the old one is there');
is(slurp("$room/file.kallsyms"), 'of the last time', '... with its list of symbols');
is_deeply([glob("$room/file.*")], ["$room/file.kallsyms"], '... and nothing else');

# The folder of temporary files is often on another file system, so the image is copied.
write_bytes("$room/image", 'of the last time');
program('cp', 'case $* in *.part) echo half >"$2"; exit 1 ;; esac; PATH=${PATH#*:}; exec cp "$@"');
isnt(system("$path BUILD=$build tools/mkiso $room/image $build/pitot.elf 2>$room/said"), 0,
    'tools/mkiso: an image that does not fit is not made');
like(slurp("$room/said"), qr/^tools\/mkiso: \S+\/image: not written$/m, '... which is reported');
is(slurp("$room/image"), 'of the last time', '... and the old one is there');
is_deeply([glob("$room/image*")], ["$room/image"], '... and nothing else');
unlink("$room/bin/cp");
symlink('image', "$room/image.link") or die("link: $!");
is(system("tools/mkiso $room/image.link $build/pitot.elf 2>$room/said"), 0, '... a link is taken')
    or diag(slurp("$room/said"));
ok(-l "$room/image.link" && -s "$room/image" > 1000, '... and stays one');
is(system("tools/mkiso $room/bin $build/pitot.elf 2>$room/said") >> 8, 1, '... a folder is none');

# The first program fills in the kernel, the second refuses it.
my $bare = "$room/k[1].elf";
copy("$build/ports/c-level2.elf", $bare) or die("c-level2.elf: $!\n");
chmod(0755, $bare);
my $before = slurp($bare);
my $link = "-- sh $build/ports/c-level2.link -o '$bare' 2>$room/said";
is(system("$build/lib/bin/pitot-tables $link") >> 8, 1, 'pitot-tables: a kernel that is refused');
like(slurp("$room/said"), qr/^orcgen: \Q$bare\E: no symbol _text: /m, '... by its name');
ok(slurp($bare) eq $before, '... is as it was');
my $marks = '--text text_start,text_end --exempt .boot';
is(system("$build/lib/bin/pitot-tables $marks $link"), 0, '... or is filled');
is(slurp("$room/said"), '', '... without a word');
ok(slurp($bare) ne $before && -x $bare, '... and can be run');
is_deeply([grep { m{/k\[1\]} } glob("$room/k*")], [$bare], '... and nothing else is left');

symlink('file', "$room/link") or die("link: $!");
is(system("tools/perf-file docs/demo.perf $room/link"), 0, 'a link is followed');
ok(-l "$room/link" && -s "$room/file" > 1000, '... and stays one');
write_bytes("$room/file", 'of the last time');

# A list of symbols belongs to the file beside it.
is(system("tools/perf-file docs/demo.perf $room/file"), 0, 'one that fits replaces it');
ok(!-e "$room/file.kallsyms", '... and the old one\'s list is gone');

# --- A recording that is not there, a machine that does not boot ---------------------------------

write_bytes("$room/show.html", 'of the last time');
isnt(system("make -s show BUILD=$room FROM=nosuch >$room/said 2>&1"), 0,
    'make show of a recording that is not there fails');
is(slurp("$room/show.html"), 'of the last time', '... and the old page is there');
is(system("make -s -o $room/outside/pitot show BUILD=$room FROM=docs/demo.perf "
    . ">$room/said 2>&1"), 0, 'of another it makes one');
like(slurp("$room/show.html"), qr/"fs_mkdir_accounted","lock_kernel"/, '... which replaces it');
copy("docs/demo.$_", "$room/de mo's.$_") for qw(perf kallsyms);
is(system("make -s -o $room/outside/pitot show BUILD=$room \"FROM=$room/de mo's.perf\" "
    . ">$room/said 2>&1"), 0, '... also by a name with a blank and a quote in it');

my @kept = qw(demo.perf demo.kallsyms wild.svg);
copy("docs/$_", "$room/tree/docs/$_") for @kept;
symlink("$here/$_", "$room/tree/$_")
    for qw(Makefile linker.ld arch boot core drivers kernel outside ports programs tests tools);
symlink(realpath($build), "$room/tree/build");
program('qemu-system-x86_64', 'exit 1');    # MAKE=true: the sub-make builds nothing
for my $target (qw(demo picture)) {
    isnt(system("PATH=$here/$room/bin:\$PATH make -s -C $room/tree BUILD=build MAKE=true "
        . "PACKAGES=skip $target >$room/said 2>&1"), 0, "make $target without a machine fails");
    like(slurp("$room/said"), qr/QEMU did not start/, '... and reports why');
    is(slurp("$room/tree/docs/$_"), slurp("docs/$_"), "... docs/$_ is the old one") for @kept;
}
for my $text ('', "GRUB cannot boot\n", "pitot> wild\npitot> perf report\n") {
    write_bytes("$room/console", $text);
    my $picture = `tools/transcript culprit < $room/console 2>$room/said`;
    isnt($?, 0, 'a console without the report makes no picture');
    is($picture, '', '... not even a part');
    like(slurp("$room/said"), qr/\Atools\/transcript: .*\n\z/, '... and one sentence');
}

done_testing();
