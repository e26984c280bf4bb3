#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: core/ring, tests/model, arch/local.h
#
# The ring's writer beside its reader, in every order that x86 allows and in every order that its
# lettered barriers leave (docs/ring.md, "Memory order, exhausted"): no error is found. Errors are
# found if one letter is removed, and in copies of the ring's source in which a line is wrong. Needs
# make and the compiler. Run from the root of the tree: prove tests/model/order.t SOAK=1 explores
# longer histories.
use strict;
use warnings;
use lib 'tests/lib';
use File::Path qw(make_path);
use Test::More;
use Pitot::Files;

my $build = $ENV{BUILD} // 'build';
my $logs = "$build/logs/model";
my $sound = "$build/model/ring_model";

# The default from gcc 13 on; it makes a search up to nine times as long.
$ENV{ASAN_OPTIONS} = 'detect_stack_use_after_return=0';

my @letters = qw(A-writer A-reader B-writer B-reader C-writer C-reader);

# Names of broken rings: what is wrong, and each line with its replacement.
my $record_look = <<'END';
        ring_copy_out(ring, reader->position, to, header.size);
        if (ring_overtaken(reader))
            continue;
END
my ($record_copy, $second_look) = $record_look =~ /\A(.*?\n)(.*)\z/s;
my %broken = (
    tail_after_data => {
        claim => 'the tail moved after the data',
        lines => [
            ['static inline uint64_t ring_move_tail(',
                "static uint64_t held;\n\nstatic inline uint64_t ring_move_tail("],
            ["    if (end - limit > ring->size)\n",
                "    held = ring->tail;\n    if (end - limit > ring->size)\n"],
            ['local_compare_exchange(&ring->tail,', 'local_compare_exchange(&held,'],
            ['return local_load(&ring->tail);', 'return held;'],
            ["        ring_write_around(ring, start, bytes, size);\n", <<'END'],
        ring_write_around(ring, start, bytes, size);
    if (held > ring->tail)
        local_store(&ring->tail, held);
    held = 0;
END
        ],
    },
    published_before_data => {
        claim => 'published before the data',
        lines => [
            ['    publish_order_stores(); /* A', <<'END' . '    publish_order_stores(); /* A'],
    publish_store(&ring->published, ring->head);
END
        ],
    },
    header_without_second_look => {
        claim => 'the second look left out behind the copy of the header',
        lines => [["sizeof(header));\n$second_look", "sizeof(header));\n"]],
    },
    record_without_second_look => {
        claim => 'the second look left out behind the copy of the record',
        lines => [[$record_look, $record_copy]],
    },
    look_before_copy => {
        claim => 'the second look before the copy of the record',
        lines => [[$record_look, $second_look . $record_copy]],
    },
    room_for_one_word_more => {
        claim => 'a word more than there is room for',
        lines => [['publish_load(&ring->tail); /* C */', 'publish_load(&ring->tail) + 8;']],
    },
    nested_publishes => {
        claim => 'a nested writer that publishes',
        lines => [["    if (level > 0) {\n", <<'END']],
    if (level > 0) {
        publish_store(&ring->published, ring->head);
END
    },
    no_look_at_the_head => {
        claim => 'no look at the head behind the writer that leaves',
        lines => [['if (__builtin_expect(local_load(&ring->head) != head, 0))', 'if (false)']],
    },
);

# Runs the program; returns its status and output.
sub run
{
    my ($program, $log, @arguments) = @_;
    my $status = system("$program @arguments > $logs/$log 2>&1 < /dev/null");
    return ($status & 127 ? 128 + ($status & 127) : $status >> 8, slurp_if_there("$logs/$log"));
}

sub nothing_found
{
    my ($name, @arguments) = @_;
    my ($status, $said) = run($sound, "sound-" . join('-', @arguments), @arguments);
    my ($histories, $states) = (0, 0);
    while ($said =~ /: (\d+) histories, (\d+) states,/g) {
        $histories += $1;
        $states += $2;
    }
    ok($status == 0 && $states > 400_000,
        "$name: nothing found in $states states of $histories histories")
        or diag("status $status:\n", substr($said, -2000));
}

sub found
{
    my ($name, $program, $log, @arguments) = @_;
    my ($status, $said) = run($program, $log, @arguments);
    my ($states, $fault) = $said =~ /^found after (\d+) states: (.*)/m;
    ok($status == 1 && $fault, "$name: found after " . ($states // 'all') . ' states')
        or diag("status $status:\n", substr($said, -2000));
}

# A copy of the ring's source, including the writers' part, with each line to replace replaced once.
sub break_ring
{
    my ($name) = @_;
    my $text = slurp_if_there('core/ring/ring.c');
    my $claim = slurp_if_there('core/ring/claim.h') =~ s/^#pragma once\n//mr;
    $text =~ s/^#include "core\/ring\/claim\.h"\n/$claim/m or return 0;
    $text .= slurp_if_there('tests/unit/ring_parts.c') =~ s/^#include "core.*\n//mr;
    for my $line (@{$broken{$name}{lines}}) {
        my ($from, $to) = @$line;
        my $count = $text =~ s/\Q$from\E/$to/g;
        $count && $count == 1 && $from ne $to or return 0;
    }
    open(my $file, '>', "$build/model/broken/$name.c") or die("$name.c: $!\n");
    print $file $text;
    return close($file);
}

make_path($logs, "$build/model/broken");
nothing_found('x86', 'tso');
nothing_found('what the letters leave', 'weak');
nothing_found('x86, which needs none of them', 'tso', 'all');
found("without $_", $sound, "without-$_", 'weak', $_) for @letters;

my @names = sort keys %broken;
ok(break_ring($_), "there are lines to break: $broken{$_}{claim}") for @names;
local @ENV{qw(MAKEFLAGS MFLAGS MAKELEVEL)} = ('') x 3;
my $programs = join(' ', map { "$build/model/broken/$_" } @names);
system("make --no-print-directory BUILD=$build $programs > $logs/build.log 2>&1") == 0
    or diag(slurp_if_there("$logs/build.log"));
for my $name (@names) {
    my $program = "$build/model/broken/$name";
    found("$broken{$name}{claim}, $_", $program, "$name-$_", $_) for qw(tso weak);
}
done_testing();
