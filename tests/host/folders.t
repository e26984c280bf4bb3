#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: Makefile, boot/image.mk, core/embed/lib.mk, outside/plugin/plugin.mk, ports/c/port.mk
# of: ports/rust/port.mk, programs/programs.mk, tests/tests.mk, tools/tools.mk, tools/mkiso
#
# The same sources give the same bytes in two folders, with gcc and with clang: one file of each
# kind, and the image, built in a copy of this tree with a longer path equal those built here, byte
# for byte. Run from the root of the tree:
#
#     prove tests/host/folders.t
use strict;
use warnings;
use lib 'tests/lib';
use Cwd qw(getcwd);
use File::Copy qw(cp);
use File::Path qw(make_path remove_tree);
use Test::More;
use Pitot::Files;

my $build = $ENV{BUILD} // 'build';
my $here = getcwd();
my $work = "$build/folders";
my $there = "$here/$work/a-folder-with-another-and-longer-name/pitot";

remove_tree($work);
make_path($there);
my @sources = qw(Makefile linker.ld arch boot core drivers kernel outside ports programs tests
    tools);
is(system('cp', '-a', @sources, $there), 0, 'there is a copy of the tree');

# Makes files in a tree; their names are relative to its build folder.
sub made
{
    my ($tree, $into, $compiler, @files) = @_;
    local @ENV{qw(MAKEFLAGS MFLAGS MAKELEVEL)} = ('') x 3;
    my $targets = join(' ', map { "$into/$_" } @files);
    my $said = `make -C $tree PACKAGES=skip BUILD=$into CC=$compiler $targets 2>&1`;
    is($?, 0, "$compiler, $tree: they can be made") or diag($said);
    return;
}

sub same_files
{
    my ($compiler, $one, $other, @files) = @_;
    for my $file (@files) {
        my ($ours, $theirs) = map { slurp_if_there("$_/$file") } $one, $other;
        ok(length($ours) && $ours eq $theirs, "$compiler: $file is the same");
        is(index($ours . $theirs, $here), -1, '... and names no folder of this machine');
    }
    return;
}

my @of_kernel = qw(gen/offsets.inc obj/core/ring/ring.c.o obj/arch/x86_64/entry/gate.asm.o
    obj/tests/kernel/accessor_suite.c.o programs/poll-load);
my @others = qw(host/symtab host/gather.so host/clock.so hosted/core/ring/ring.c.o
    model/obj/core/ring/ring.c.o outside/plugin-v2.so lib/pitot.o ports/c-level0.elf
    ports/rust.elf);
my $compiler = $ENV{CC} // 'gcc';
made($there, 'build', $compiler, @of_kernel, @others);
same_files($compiler, $build, "$there/build", @of_kernel, @others);

made($here, "$work/clang", 'clang', @of_kernel);
made($there, 'build/clang', 'clang', @of_kernel);
same_files('clang', "$work/clang", "$there/build/clang", @of_kernel);

# The debug information of an assembler source has a path as addr2line gives it for a C source.
my ($entry) = `nm $build/pitot.elf` =~ /^(\w+) \w syscall_entry$/m;
like(`addr2line -e $build/pitot.elf $entry`, qr{\A\./kernel/\S+\.asm:\d+$},
    'addr2line gives the path of an assembler source');

# --- The image: at another time, of the same files -----------------------------------------------

for my $file (qw(pitot.elf pitot-test.elf programs.tar)) {
    cp("$build/$file", "$there/build/$file") or die("$file: $!\n");
}
my $made = "build/again.iso build/pitot.elf build/programs.tar";
is(system("cd $there && BUILD=build tools/mkiso $made"), 0, 'the image is made anew');
ok(slurp("$build/pitot.iso") eq slurp("$there/build/again.iso"), '... with the same bytes');
is(system("cd $there && BUILD=build tools/mkiso $made build/pitot-test.elf"), 0,
    '... and with another kernel, too');
my ($one, $other) = map { `xorriso -indev $_ -pvd_info 2>/dev/null` =~ /^Modif. Time *: *(\d+)/m }
    "$build/pitot.iso", "$there/build/again.iso";
isnt($one, $other, '... with another date, by which GRUB finds the image that it boots from');

done_testing();
