#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: kernel/cmdline, boot/main, boot/grub.cfg
#
# The kernel's command line: run= types commands, perf.boot= records before there is a prompt, and
# errors in it are reported while the boot continues. Run from the root of the tree:
#
#     prove tests/boot/cmdline.t
use strict;
use warnings;
use lib 'tests/lib';
use Test::More;
use Pitot;
use Pitot::Transcript;

# --- run= ----------------------------------------------------------------------------------------

my @commands = (
    'help "perf"',
    q(perf stat -a -e 'mem:kernel_flag:rw' -- "fs-stress" 1),
    'nope',
    'perf record -a -e mem:kernel_flag:w -c "100" -- fs-stress 1',
);
my $machine = boot(boot => 'grub', run => join('; ', @commands, 'poweroff; help'),
    flags => 'rum=help nonsense perf.rate=many');
ended_ok($machine);
my $console = $machine->console;
my @typed = $console =~ /^pitot> (.*)$/mg;
is_deeply(\@typed, [@commands, 'poweroff'], 'run= types its commands, up to the poweroff');
like(said($machine, $commands[0]), qr/^perf list \| record/, 'words in quotes reach a command');
like(said($machine, $commands[1]), qr/^ +\d+ {6}mem:kernel_flag:rw$/m, '... in both kinds of them');
like(said($machine, $commands[2]), qr/^nope: no such command/, 'a wrong command is answered');
like(said($machine, $commands[3]), qr/^\[ perf record: \d+ record.*\]$/m, '... the next runs');

my $words = quotemeta('run=, perf.boot=, perf.rate=, watchdog=, gdb=');
like($console, qr/^command line: "$_" is not known; there are $words$/m,
    "a word that nobody asked for is named: $_") for qw(rum=help nonsense);
like($console, qr/^perf\.rate: perf\.rate=many: a number is needed/m,
    'a rate that is no number is refused, with the reason');
unlike($console, qr/"(run|perf\.)[^"]*" is not known/, 'what is known is not complained of');

$machine = boot(flags => 'perf.rate=99999999999999999999', run => 'poweroff');
ended_ok($machine);
like($machine->console, qr/^perf\.rate: perf\.rate=9+: larger than 64 bits$/m,
    '... so is one that is too large');

$machine = start(boot => 'grub', run => 'help; ' x 1000);
like($machine->expect(qr/^pitot> $/m, $patience,
        'a line that there is no room for ends at a prompt'),
    qr/^command line: ignored, beginning at `"run=help; .*`: the line is longer than 4096 bytes$/m,
    '... and that it is too long is what is said');
$machine->send("poweroff\n");
$machine->wait_end;
ended_ok($machine);

# --- perf.boot= ----------------------------------------------------------------------------------

$machine = boot(perf_boot => 'record -e mem:kernel_flag:rw -g', run => 'perf script; poweroff');
ended_ok($machine);
like($machine->console,
    qr/^perf\.boot: 1 event armed\nPitot: .*\n(?:perf record: .*\n)*\[ perf .* kept \]\npitot> /m,
    'perf.boot= records from before the banner up to the prompt');
my $script = said($machine, 'perf script');
my @samples = samples($script);
cmp_ok(scalar(@samples), '>', 0, '... there are samples');
my @other = grep { "@{$_->{chain}}" !~ / (?:fs|programs)_init kernel_main boot_entry_high$/ }
    @samples;
is_deeply(\@other, [], '... of the file system that comes up, below kernel_main');
same_lines_ok(script_lines($script),
    script_lines(
        scalar perf_script($machine, '-F', 'comm,tid,cpu,time,period,event,ip,sym,symoff')),
    '... perf reads the same from the stream');

# Events that cannot be armed, with the message that the boot prints before it continues.
my @refused = (
    ['report', qr/"report": it must begin with record/],
    ['record -e mem:kernel_flog:w', qr/no symbol "kernel_flog"; near: (\w+, )*kernel_flag\b/],
    ['record -e "mem:kernel_flag:w', qr/unterminated quote "/],
    ['record -e mem:kernel_flag:w -m 12k', qr/ring of 12288 bytes: a power of two/],
    ['record -e mem:kernel_flag:w -y', qr/unknown option "-y"; there are -e EVENT/],
    ['record -e mem:0x400010:w', qr/mem:0x400010:w: each program has its own memory at this .*/],
);
for my $case (@refused) {
    my ($text, $reason) = @$case;
    $machine = boot(perf_boot => $text, run => 'perf script; poweroff');
    ended_ok($machine, "perf.boot=\"$text\": the boot goes on");
    like($machine->console, qr/^perf\.boot: $reason/m, '... and has said what is wrong');
    like(said($machine, 'perf script'), qr/nothing is recorded/, '... nothing was armed');
}

done_testing();
