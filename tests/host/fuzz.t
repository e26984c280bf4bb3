#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: tests/fuzz, core/unwind, core/tracepoint/filter, core/event/spec, core/perf
# of: core/stream/tracing_data, core/gdb, kernel/user/elf, kernel/fs/ustar, core/lib, core/stream
#
# Code that must accept any input, under clang's fuzzer (tests/fuzz): the unwinder with hostile
# stacks and tables, the parsers of options, events and filters, the description of tracepoints,
# program files and archives, and gdb's protocol. A fixed number of inputs from a fixed seed finds
# nothing; the same kind of inputs does find the errors in copies of the code with one check left
# out. (For those the number sufficed with each of four seeds; inputs differ from run to run, so at
# least three times as many are tried.) docs/proof.md explains how to run one by hand and how to
# replay a finding. Run from the root of the tree:
#
#     prove tests/host/fuzz.t
#
# SOAK=1 tries at least thirty times as many, and starts with the corpus of the last such run.
use strict;
use warnings;
use lib 'tests/lib';
use File::Path qw(make_path);
use File::Temp qw(tempdir);
use Test::More;
use Pitot::Files;

my $build = $ENV{BUILD} // 'build';
my $logs = "$build/logs/fuzz";
my $room = tempdir(CLEANUP => 1);
my $patience = 3;

# Inputs to try for each fuzzer; `most`, if given, replaces `runs` for a broken copy and SOAK=1.
my %fuzzers = (
    unwind_fuzz => {runs => 30_000, most => 350_000, options => '-max_len=600'},
    table_fuzz => {runs => 10_000, most => 40_000, options => '-max_len=4096'},
    options_fuzz => {runs => 10_000, most => 60_000, options => '-max_len=120'},
    filter_fuzz => {runs => 100_000, options => '-max_len=300'},
    format_fuzz => {runs => 2_000, most => 6_000, options => '-max_len=200'},
    gdb_fuzz => {runs => 40_000, options => '-max_len=400'},
    elf_fuzz => {runs => 15_000, most => 60_000, options => '-max_len=400'},
    ustar_fuzz => {runs => 40_000, options => '-max_len=400'},
    zstd_fuzz => {runs => 1_000, most => 3_000, options => '-max_len=600'},
);

# The checks to leave out, and the fuzzer that must notice.
my @broken = (
    {
        claim => 'the hit path stays inside its stack',
        file => 'core/unwind/orc.c',
        line => qr{return slot > last \?},
        instead => 'return slot > last + 8 ?',
        fuzzer => 'unwind_fuzz',
    },
    {
        claim => '... for listed rules too',
        file => 'core/unwind/orc.c',
        line => qr{slot < sp \|\| slot > last},
        instead => 'slot < sp || slot > last + 8',
        fuzzer => 'unwind_fuzz',
    },
    {
        claim => 'a step stays inside its stack',
        file => 'core/unwind/unwind.c',
        line => qr{address > state->high - 8},
        instead => 'address > state->high',
        fuzzer => 'unwind_fuzz',
    },
    {
        claim => 'a chain goes forward',
        file => 'core/unwind/unwind.c',
        line => qr{    state->low = slot \+ 8;\n},
        instead => '',
        fuzzer => 'unwind_fuzz',
    },
    {
        claim => 'rewound registers have their frame\'s sp',
        file => 'core/unwind/unwind.c',
        line => qr{\.sp = state\.sp,\n +\.bp},
        instead => '.sp = regs->sp, .bp',
        fuzzer => 'unwind_fuzz',
    },
    {
        claim => 'rows lie inside the table',
        file => 'core/unwind/table.c',
        line => qr{UNWIND_BLOCK_ROW\(next\) > check->header->row_count},
        instead => 'false',
        fuzzer => 'table_fuzz',
    },
    {
        claim => 'exceptions have rules',
        file => 'core/unwind/table.c',
        line => qr{exceptions\[i\]\.rule >= check->header->rule_count},
        instead => 'exceptions[i].rule > check->header->rule_count',
        fuzzer => 'table_fuzz',
    },
    {
        claim => 'a row that is an exception has one',
        file => 'core/unwind/table.c',
        line => qr{    return goes_on;},
        instead => '    return goes_on || true;',
        fuzzer => 'table_fuzz',
    },
    {
        claim => 'an event\'s name ends inside its array',
        file => 'core/event/spec.c',
        line => qr{strlen\(spelling\) >= sizeof\(spec->name\)},
        instead => 'strlen(spelling) > sizeof(spec->name)',
        fuzzer => 'options_fuzz',
    },
    {
        claim => 'no more events than there is room for',
        file => 'core/perf/events.c',
        line => qr{recording->event_count == RECORDING_EVENTS_MAX},
        instead => 'recording->event_count > RECORDING_EVENTS_MAX',
        fuzzer => 'options_fuzz',
    },
    {
        claim => 'no text is longer than its room',
        file => 'core/tracepoint/filter.c',
        line => qr{length == FILTER_TEXT_MAX - 1},
        instead => 'length == FILTER_TEXT_MAX',
        fuzzer => 'filter_fuzz',
    },
    {
        claim => 'fields with a sign are compared with it',
        file => 'core/tracepoint/filter.c',
        line => qr{if \(field_has_sign\(&step->field\)\)},
        instead => 'if (!field_has_sign(&step->field))',
        fuzzer => 'filter_fuzz',
    },
    {
        claim => 'a star at the end takes nothing, too',
        file => 'core/lib/glob.c',
        line => qr{    while \(\*pattern == '\*'\)\n        pattern\+\+;\n},
        instead => '',
        fuzzer => 'filter_fuzz',
    },
    {
        claim => 'the description marks fields that have a sign',
        file => 'core/tracepoint/format.c',
        line => qr{\{"int", true, NULL\}},
        instead => q({"unsigned int", false, NULL}),
        fuzzer => 'format_fuzz',
    },
    {
        claim => 'a tracepoint is described once',
        file => 'core/stream/tracing_data.c',
        line => qr{source->events\[i\]\.attr\.config == event->attr\.config},
        instead => 'false',
        fuzzer => 'format_fuzz',
    },
    {
        claim => 'what gdb sends stays inside its buffer',
        file => 'core/gdb/link.c',
        line => qr{\*length < GDB_PACKET_MAX\)},
        instead => '*length <= GDB_PACKET_MAX + 1)',
        fuzzer => 'gdb_fuzz',
    },
    {
        claim => 'gdb names no CPU that is not there',
        file => 'core/gdb/server.c',
        line => qr{number > server->target->cpus\(\) \|\|},
        instead => 'number > server->target->cpus() + 1 ||',
        fuzzer => 'gdb_fuzz',
    },
    {
        claim => 'a program\'s segments lie in its file',
        file => 'kernel/user/elf.c',
        line => qr{from->p_filesz > file_size - from->p_offset\)},
        instead => 'from->p_filesz > file_size)',
        fuzzer => 'elf_fuzz',
    },
    {
        claim => 'no two of them lie in one page',
        file => 'kernel/user/elf.c',
        line => qr{page_of\(to->address\) <= page_of},
        instead => 'page_of(to->address) < page_of',
        fuzzer => 'elf_fuzz',
    },
    {
        claim => 'a match lies behind the beginning',
        file => 'core/stream/zstd_encoder.c',
        line => qr{ \|\| distance > position\)},
        instead => ')',
        fuzzer => 'zstd_fuzz',
    },
    {
        claim => 'a file lies in its archive',
        file => 'kernel/fs/ustar.c',
        line => qr{entry->size > rest\)},
        instead => 'entry->size > rest + BLOCK)',
        fuzzer => 'ustar_fuzz',
    },
);

sub tail
{
    my ($path, $lines) = @_;
    my @lines = split(/\n/, slurp($path));
    splice(@lines, 0, -$lines) if @lines > $lines;
    return join("\n", @lines);
}

# clang always accepts the flag; only linking shows whether its runtime is installed.
sub fuzzer_there
{
    open(my $file, '>', "$room/empty.c") or die "empty.c: $!";
    print $file "int LLVMFuzzerTestOneInput(void);\nint LLVMFuzzerTestOneInput(void)"
        . "\n{\n    return 0;\n}\n";
    close($file);
    return system("clang -fsanitize=fuzzer,address $room/empty.c -o $room/empty"
        . " > $logs/compiler.log 2>&1") == 0;
}

# Builds programs, without the outer make's job server and variables.
sub built
{
    my (@programs) = @_;
    local @ENV{qw(MAKEFLAGS MFLAGS MAKELEVEL)} = ('') x 3;
    my $status = system("make -j2 --no-print-directory @programs > $logs/build.log 2>&1");
    $status == 0 or diag(tail("$logs/build.log", 20));
    return $status == 0;
}

# Runs a fuzzer; true if it found nothing in `runs` inputs. A finding is saved beside the log.
sub finds_nothing
{
    my ($program, $name, $runs, $corpus) = @_;
    my ($fuzzer) = $program =~ m{([^/]+)$};
    return system("$program -seed=1 -runs=$runs -timeout=20 -print_final_stats=1"
        . " $fuzzers{$fuzzer}{options} -artifact_prefix=$logs/$name- $corpus"
        . " > $logs/$name.log 2>&1") == 0;
}

sub most_runs
{
    my ($fuzzer) = @_;
    return $fuzzers{$fuzzer}{most} // $fuzzers{$fuzzer}{runs};
}

sub nothing_found
{
    my ($fuzzer) = @_;
    my $runs = $ENV{SOAK} ? 30 * most_runs($fuzzer) : $fuzzers{$fuzzer}{runs};
    my $corpus = $ENV{SOAK} ? "$build/fuzz/$fuzzer.corpus" : '';
    make_path($corpus) if $corpus;
    ok(finds_nothing("$build/fuzz/$fuzzer", $fuzzer, $runs, $corpus),
        "$fuzzer finds nothing in $runs inputs")
        or diag("$logs/$fuzzer.log ends in:\n" . tail("$logs/$fuzzer.log", 30));
    my ($tried) = slurp("$logs/$fuzzer.log") =~ /^stat::number_of_executed_units: +(\d+)$/m;
    cmp_ok($tried // 0, '>=', $runs, '... and has tried them');
}

# Writes the file without its check to `path`.
sub break_copy
{
    my ($path, $break) = @_;
    my $text = slurp($break->{file});
    my $count = $text =~ s/$break->{line}/$break->{instead}/g;
    return 0 if !$count || $count != 1;
    open(my $file, '>', $path) or die "$path: $!";
    print $file $text;
    return close($file);
}

# Compiles the broken source as the others are, and links it in place of the sound object.
sub built_broken
{
    my ($program, $source, $break) = @_;
    my $head = slurp("tests/fuzz/$break->{fuzzer}.c");
    my @sources = ("tests/fuzz/$break->{fuzzer}.c",
        map { split(' ') } $head =~ /^ \* links: (.*)$/mg);
    my ($libraries) = $head =~ /^ \* libs: (.*)$/m;
    my @objects = map { $_ eq $break->{file} ? "$program.o" : "$build/fuzz/obj/$_.o" } @sources;
    chomp(my $clang = slurp("$build/fuzz/flags"));
    my $status = system("($clang -c $source -o $program.o && $clang @objects -lcmocka "
        . ($libraries // '') . " -o $program) > $logs/build.log 2>&1");
    $status == 0 or diag(tail("$logs/build.log", 20));
    return $status == 0 && grep { $_ eq $break->{file} } @sources;
}

sub break_found
{
    my ($break, $number) = @_;
    my $fuzzer = $break->{fuzzer};
    my $program = "$room/$number/$fuzzer";
    make_path("$room/$number");
    break_copy("$room/$number/broken.c", $break)
        or return fail("there is one line to break: $break->{line}");
    built_broken($program, "$room/$number/broken.c", $break)
        or return fail("$fuzzer is built without a check");
    my $runs = $patience * most_runs($fuzzer);
    ok(!finds_nothing($program, "broken-$number", $runs, ''),
        "$fuzzer sees it where this is not so: $break->{claim}")
        or diag(tail("$logs/broken-$number.log", 5));
    like(slurp("$logs/broken-$number.log"), qr/^not so: |: (?:AddressSanitizer|runtime error): /m,
        '... by a claim or a sanitizer, and no other way');
}

make_path($logs);
if (fuzzer_there()) {
    built(map { "$build/fuzz/$_" } sort keys %fuzzers) or BAIL_OUT('no fuzzer to run');
    nothing_found($_) for sort keys %fuzzers;
    break_found($broken[$_], $_) for 0 .. $#broken;
} else {
    fail('clang has its fuzzer: the packages are clang and libclang-rt-dev (tools/packages test)');
    diag(tail("$logs/compiler.log", 5));
}
done_testing();
