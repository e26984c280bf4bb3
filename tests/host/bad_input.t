#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: tools/perf-file, tools/mkiso, tools/show, tools/stream, tools/symtab, tools/orcgen
# of: tools/insnmap, tools/postmortem, tools/image, tools/drop-folder
# of: tools/transcript
#
# A host tool refuses a file that is empty, random, truncated or damaged: it reports the error in a
# message of its own and ends with status 1, and its output file is unchanged. Run from the root of
# the tree:
#
#     prove tests/host/bad_input.t
use strict;
use warnings;
use lib 'tests/lib';
use File::Copy qw(copy);
use File::Path qw(make_path remove_tree);
use POSIX ();
use Test::More;
use Pitot::Files;

my $build = $ENV{BUILD} // 'build';
my $room = "$build/bad_input";
remove_tree($room);
make_path($room);

# Inputs in place of a kernel. In the last, the section headers lie past the end of the file.
my $kernel = slurp("$build/pitot.elf");
my $sections_at = 40;
srand(51);
write_bytes("$room/empty.elf", '');
write_bytes("$room/random.elf", map { chr(int(rand(256))) } 1 .. 100_000);
write_bytes("$room/cut.elf", substr($kernel, 0, 3000));
write_bytes("$room/sections.elf", substr($kernel, 0, $sections_at), pack('Q<', (1 << 63) - 1),
    substr($kernel, $sections_at + 8));

# A stream with the kernel's build id but without its end, so a checksum cannot match.
my ($build_id) = `readelf -n $build/pitot.elf` =~ /Build ID: (\w+)/;
my $stream = substr(`$build/host/stream_sample stream`, 0, 1500);
substr($stream, 28, 20) = pack('H*', $build_id);
write_bytes("$room/stream", $stream);

sub refused_ok
{
    my ($name, $command, $words, $kept) = @_;
    my $before = defined $kept ? slurp_if_there($kept) : '';
    is(system("$command >$room/out 2>$room/said </dev/null") >> 8, 1, "$name: is refused");
    my $said = slurp("$room/said");
    like($said, $words, '... in words') or diag($said);
    unlike($said, qr/ line \d+[.,]|uninitialized/, '... and no words of Perl\'s') or diag($said);
    is(slurp_if_there($kept), $before, "... and $kept is as it was") if defined $kept;
    return;
}

my $no_object = qr/is truncated or damaged: assemble it again$|no 64-bit ELF object$/;
my $file = "$room/file";
copy('docs/demo.perf', $file);
is(system("tools/perf-file -f $room/stream $file $build/pitot.elf 2>/dev/null"), 0,
    'a good kernel is taken');
ok(-s "$file.kallsyms", '... with its list of symbols');
refused_ok('perf-file, sections that are not there',
    "tools/perf-file -f $room/stream $file $room/sections.elf",
    qr/^\Q$room\E\/sections.elf: nm finds no symbol _text in it$/m);
ok(!-e "$file.kallsyms", '... and there is no list');

for my $name (qw(empty random cut sections)) {
    my $bad = "$room/$name.elf";
    my $image = "$room/image";
    write_bytes($image, 'the old image');
    my $why = $name eq 'sections' ? 'is truncated or damaged' : 'no kernel ';
    refused_ok("mkiso, $name", "tools/mkiso $image $bad", qr/^tools\/mkiso: \Q$bad\E: $why/m,
        $image);
    refused_ok("mkiso, $name, as an archive", "cp $bad $bad.tar && tools/mkiso $image $bad.tar",
        qr/^tools\/mkiso: \Q$bad.tar\E: no archive of tar$/m, $image) if $name ne 'empty';
    my %why = (empty => 'not a 64-bit ELF file', random => 'not a 64-bit ELF file',
        map { $_ => 'is truncated or damaged: link it again' } qw(cut sections));
    refused_ok("$_, $name", "$build/host/$_ $bad", qr/^\Q$_: $bad\E: $why{$name}$/m, $bad)
        for qw(symtab orcgen insnmap);
    refused_ok("drop-folder, $name", "tools/drop-folder $bad tools/stream",
        qr/^\Q$bad\E: $no_object/m, $bad);
    refused_ok("postmortem, $name", "$build/host/postmortem -k $bad -o $room/post $bad",
        qr/^postmortem: \Q$bad\E: /m, "$room/post");
    next if $name eq 'empty';
    refused_ok("perf-file, $name, as a recording", "tools/perf-file $bad $file",
        qr/^\Q$bad\E: no recording/m, $file);
    refused_ok("show, $name", "BUILD=$room tools/show page $bad", qr/^\Q$bad\E: no recording/m);
}
write_bytes("$room/half.elf", substr($kernel, 0, length($kernel) / 2));
refused_ok('mkiso, half a kernel', "tools/mkiso $room/image $room/half.elf",
    qr/^tools\/mkiso: \Q$room\E\/half.elf: is truncated or damaged: link or copy it again$/m,
    "$room/image");
refused_ok('mkiso, nothing', "tools/mkiso $room/image $room/none.elf",
    qr/^tools\/mkiso: \Q$room\E\/none.elf: /m, "$room/image");

# Object files that are truncated, or whose sections or section names lie elsewhere, at each place
# the tool reads.
my ($object) = glob("$build/obj/arch/x86_64/*/*.asm.o");
my $whole = slurp($object);
for my $size (map { int(length($whole) * $_ / 16) } 1 .. 15) {
    write_bytes("$room/object.o", substr($whole, 0, $size));
    refused_ok("drop-folder, an object of $size bytes", "tools/drop-folder $room/object.o $object",
        qr/^\Q$room\E\/object.o: $no_object/m, "$room/object.o");
}

# --- Wrong usage ---------------------------------------------------------------------------------

refused_ok($_, $_, qr/^usage: tools\//m)
    for map { ("tools/$_", "tools/$_ a b c") } qw(stream drop-folder);
refused_ok('transcript', 'tools/transcript', qr/^usage: tools\//m);
refused_ok('transcript of nothing', 'tools/transcript wild', qr/^tools\/transcript: the console /m);
refused_ok('stream of a folder', 'tools/stream tests', qr/^tests: is a folder$/m);

# --- A pipe that is interrupted ------------------------------------------------------------------

# The copy of the pipe is removed when the tool is interrupted.
make_path("$room/tmp");
system('mkfifo', "$room/fifo");
my $pid = fork() // die("fork: $!\n");
if (!$pid) {
    $ENV{TMPDIR} = "$room/tmp";
    open(STDERR, '>', "$room/said");
    exec('tools/stream', "$room/fifo") or POSIX::_exit(127);
}
open(my $writer, '>', "$room/fifo") or die("fifo: $!\n");
syswrite($writer, 'x' x 300_000);    # more than a pipe holds, so the tool copies it
kill('TERM', $pid);
waitpid($pid, 0);
is_deeply([glob("$room/tmp/*")], [], 'stream, interrupted, leaves no copy of a pipe');

done_testing();
