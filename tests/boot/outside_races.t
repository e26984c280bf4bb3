#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: outside/plugin
#
# The plugin under ThreadSanitizer, with four CPUs at the same time: each on its own stack, and all
# on one, as in a kernel's trampoline for its other CPUs. No two threads of QEMU touch the same data
# without a lock. Only with SOAK=1, because the plugins are rebuilt. Run from the root of the tree:
#
#     SOAK=1 prove tests/boot/outside_races.t
use strict;
use warnings;
use lib 'tests/lib';
use File::Copy qw(copy);
use File::Path qw(make_path remove_tree);
use File::Spec;
use Test::More;
use Pitot::Files;
use Pitot::FourCpus;
use Pitot::Patience;
use Pitot::Perf;

plan skip_all => "a plugin is QEMU's" if ($ENV{MACHINE} // 'qemu') ne 'qemu';
plan skip_all => 'SOAK=1 runs it' if !$ENV{SOAK};

my $build = $ENV{BUILD} // 'build';
my $logs = File::Spec->rel2abs("$build/logs/outside_races");
remove_tree($logs);
make_path("$logs/outside");
my $turns = 100_000;

# --- ThreadSanitizer's reports -------------------------------------------------------------------

my @plugins = map { "$logs/outside/plugin-v$_.so" } 1 .. 7;
is(system('make', '-s', "BUILD=$logs", 'HOSTCC=gcc -fsanitize=thread', @plugins), 0,
    'the plugins for ThreadSanitizer');
copy("$build/outside/pitot", "$logs/outside/pitot") or die($!);
chmod(0755, "$logs/outside/pitot") or die($!);
is(system('gcc', '-O2', '-shared', '-fPIC', 'tests/boot/unseen_jump.c', '-o', "$logs/jump.so"), 0,
    '... and how QEMU changes stacks under it');
chomp(my $tsan = `gcc -print-file-name=libtsan.so`);
write_bytes("$logs/qemu", <<"END");
#!/bin/sh
case \$1 in -*help | -*version) exec qemu-system-x86_64 "\$@" ;; esac
export LD_PRELOAD=$logs/jump.so:$tsan
export TSAN_OPTIONS="log_path=$logs/race ignore_noninstrumented_modules=1 report_thread_leaks=0"
exec setarch -R qemu-system-x86_64 "\$@"
END
chmod(0755, "$logs/qemu") or die($!);

# The reports, except for the end, where the plugin reads counters of CPUs that QEMU still runs.
sub races
{
    my @reports = map { split(/^={18}\n/m, slurp($_)) } glob("$logs/race.*");
    unlink(glob("$logs/race.*"));
    return grep { /^WARNING: ThreadSanitizer/m && !/ run_end /m } @reports;
}

# --- Each command --------------------------------------------------------------------------------

my $functions = <<'END';
work:   call leaf
        dec ecx
        jnz work
        ret
global leaf:function
leaf:   nop
        ret
END
for my $apart (4096, 0) {
    my $where = $apart ? 'four stacks' : 'one stack';
    my (undef, @machine) = four_cpus("$logs/cpus", $turns, $functions, apart => $apart);
    for my $command (['stat', '-e', 'call:leaf,return:leaf,mem:begun:rw,irq'],
        ['record', '-g', '-o', "$logs/perf.data", '-e', 'call:leaf', '-c', 10],
        ['record', '-g', '-o', "$logs/perf.data", '-c', 1000], ['graph', 'work'], ['last'],
        ['blame', '-o', "$logs/blame.data"], ['cover', '-o', "$logs/lcov.info"],
        ['trace', '--least', 1, '-o', "$logs/trace.json", '-e', 'mem:begun:rw']) {
        Pitot::Perf::run_between("$logs/said", "$logs/err", '/dev/null', 'timeout', $patience,
            "$logs/outside/pitot", @$command, '--', "$logs/qemu", @machine);
        my $said = slurp("$logs/said") . slurp("$logs/err");
        unlike($said, qr/lost/, "$where: pitot $$command[0] runs to its end") or diag($said);
        is(join('', races()), '', '... without a race');
        next if $$command[0] ne 'stat';
        my %counts = reverse($said =~ /^ +(\d+) +(\S+:\S+|irq)$/mg);
        is_deeply([@counts{qw(call:leaf return:leaf irq)}], [4 * $turns, 4 * $turns, 0],
            '... and counts each call and return');
    }
}

done_testing();
