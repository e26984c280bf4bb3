#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: outside/pitot/files, outside/pitot/watch.h, docs/outside.md
#
# The files of `pitot record`, `blame` and `cover` replace older ones only once there is an answer:
# not if QEMU refuses to start, fails, or is killed before the kernel's code runs, and not if the
# disk is full. Each command reports what ended it. Run from the root of the tree:
#
#     prove tests/host/outside_output.t
use strict;
use warnings;
use lib 'tests/lib';
use Test::More;
use Pitot::Files;
use Pitot::StandIn;

my $room = stand_in_room();
my $out = "$room/out";
write_bytes("$room/kernel.c", "int kmain(void);\nint kmain(void) { return 1; }\n");
system('gcc', '-g', '-ffreestanding', '-nostdlib', '-Wl,-Ttext=0xffffffff80100000',
    '-Wl,-e,kmain', '-static', "$room/kernel.c", '-o', "$room/debug.elf") == 0 or die('gcc');
my @qemu = ('--', "$room/qemu", '-kernel', "$room/debug.elf");
my $listed = "$room/list.txt";
write_bytes($listed, "ffffffff80100000 T kmain\n");

# Whether the file is the older or a new one, the output, the status, and the files left beside it.
sub left
{
    my ($environment, $command, @options) = @_;
    unlink("$out.part", "$out.symbols", "$out.symbols.part");
    write_bytes($out, 'older');
    my (undef, $complaints, $status) = pitot($environment, $command, '-o', $out, @options, @qemu);
    my @beside = grep { -e } "$out.part", "$out.symbols", "$out.symbols.part";
    return [slurp($out) eq 'older' ? 'older' : 'new', $complaints, $status, @beside];
}

my $not_written = "$out is not written ]\n";
for my $end (
    [{STAND_IN_END => 'exit 1'}, '', 1, 'QEMU exited before its plugin wrote anything',
        'QEMU refuses its arguments'],
    [{STAND_IN_END => 'exit 1'}, begin(1) . end(instructions => 0, blocks => 0), 1,
        'QEMU exited before any code ran', 'QEMU fails, its plugin loaded'],
    [{STAND_IN_END => 'exit 1'}, begin(1) . end(instructions => 0), 1,
        'no code of the kernel\'s file ran; --kernel ELF names another', 'another kernel runs'],
    [{STAND_IN_END => 'parent INT'}, begin(1), 0,
        'a signal ended QEMU before code of the kernel\'s file ran', '^C before the kernel'],
    [{STAND_IN_END => 'signal KILL'}, begin(1), 128 + 9,
        'QEMU was killed: its last counts are lost', 'QEMU is killed']) {
    my ($environment, $says, $status, $why, $what) = @$end;
    for my $command ('record', 'blame', 'cover') {
        plugin_says($says);
        plugin_says_last(end(instructions => 0)) if $environment->{STAND_IN_END} =~ /^parent/;
        my $file = $command eq 'cover' ? '' : "[ pitot $command: $not_written";
        is_deeply(left($environment, $command), ['older', "pitot: $why\n$file", $status],
            "$command: $what");
    }
    plugin_says($says);
    plugin_says_last(end(instructions => 0)) if $environment->{STAND_IN_END} =~ /^parent/;
    is_deeply(left($environment, 'record', '--symbols', $listed),
        ['older', "pitot: $why\n[ pitot record: $not_written", $status],
        'record: ... and no file of symbols');
    for my $command (['stat', '-e', 'irq'], ['graph', 'kmain'], ['last'], ['blame', 'kmain/8']) {
        plugin_says($says);
        plugin_says_last(end(instructions => 0)) if $environment->{STAND_IN_END} =~ /^parent/;
        my (undef, $complaints, $got) = pitot($environment, @$command, @qemu);
        is_deeply([$complaints =~ /^pitot: (.*)$/mg, $got], [$why, $status], "$$command[0]: $what");
    }
}

my @sampled = (begin(1), map { sample(ip => 0xffffffff << 32 | 0x80100000, time => $_) } 1 .. 9);
for my $case (['record', \@sampled], ['blame', [begin(1), lost(0)]],
    ['cover', [begin(1), block(1, 2, 3), lost(0)]]) {
    my ($command, $says) = @$case;
    plugin_says(@$says, end());
    my $left = left({}, $command);
    is_deeply([@$left[0, 2 .. $#$left]], ['new', 0], "$command: a whole run replaces the older");
}
plugin_says(@sampled, end());
is_deeply([@{left({}, 'record', '--symbols', $listed)}[0, 2, 3, 4]],
    ['new', 0, "$out.symbols", undef], 'record: ... with its symbols');
plugin_says(@sampled);
is(left({STAND_IN_END => 'signal KILL'}, 'record')->[0], 'new', 'record: so do first samples');

# --- A full disk ---------------------------------------------------------------------------------

my @words = map { word(address => 8 * $_, physical => 8 * $_) } 1 .. 5_000;
plugin_says(begin(1), clock(0, 1), @words, lost(0), end());
my $left = left({STAND_IN_END => 'parent CHLD', LIMIT => 64}, 'blame');
is_deeply([@$left[0, 1]], ['older', "pitot blame: $out: File too large\n"],
    'blame: the disk is full');
is(scalar(@$left), 3, '... and nothing is left of the new file');

# --- Files that cannot be replaced ---------------------------------------------------------------

symlink($out, "$room/link");
plugin_says(@sampled, end());
pitot('record', '-o', "$room/link", @qemu);
ok(-l "$room/link" && slurp($out) =~ /^PERFILE2/, 'through a link the file is written');

done_testing();
