#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
#
# `make bench`: bytes of unwind information for the kernel's own C code, by format. Called with
# build directories; each has a list of its kernel's C objects in bench/objects. From the same
# objects: this kernel's table (tools/orcgen on a link of only these), .eh_frame, SFrame (the
# assembler's --gsframe) and Linux' ORC (objtool --orc). None of them includes assembly. If a tool
# is not installed, its line says so.
use strict;
use warnings;
use lib 'tests/lib';

use File::Basename qw(dirname);
use File::Copy qw(copy);
use File::Path qw(make_path);
use Pitot::Files;

my $aim = 30;    # per cent of the ORC bytes

# Debian's package linux-kbuild-* installs it here, Ubuntu's linux-headers-generic there. It needs
# no kernel tree.
my ($objtool) = grep { -x } reverse(sort(glob('/usr/lib/linux-kbuild-*/tools/objtool/objtool '
            . '/usr/src/linux-headers-*/tools/objtool/objtool')));

# A program's output; dies if it fails. `quiet` discards its stderr.
sub output
{
    my ($quiet, @command) = @_;
    my $pid = open(my $pipe, '-|') // die("fork: $!\n");
    if ($pid == 0) {
        open(STDERR, '>', '/dev/null') if $quiet;
        exec(@command) or die("$command[0]: $!\n");
    }
    my $text = do { local $/; <$pipe> } // '';
    close($pipe) or die("@command[0 .. 1] ...: failed\n");
    return $text;
}

# Section name => [bytes, executable?] of all loaded sections; those with the same name are added
# up.
sub sections
{
    my (@files) = @_;
    my %found;
    for my $line (split(/\n/, output(0, 'readelf', '-SW', @files))) {
        my ($name, $size, $flags) =
            $line =~ /^ +\[ *\d+\] (\S+) +\S+ +\w+ +\w+ +(\w+) +\w+ +([A-Z]*)/ or next;
        next if $flags !~ /A/;
        $found{$name}[0] += hex($size);
        $found{$name}[1] = $flags =~ /X/;
    }
    return %found;
}

sub bytes_of
{
    my ($name, %sections) = @_;
    return $sections{$name} ? $sections{$name}[0] : 0;
}

# The compiler's flags: the Makefile writes compiler, flags and assembler to one line.
sub compiler
{
    my ($build) = @_;
    my ($compiler, @flags) = split(' ', slurp("$build/flags"));
    pop(@flags);
    push(@flags, '-fno-integrated-as') if $compiler =~ /clang/;
    return ($compiler, @flags);
}

# --- Each format: a hash of bytes and note; or of missing. ----------------------------------------

# Links only the C objects, so that no table covers more than the others do.
sub link_alone
{
    my ($build, @objects) = @_;
    my $image = "$build/bench/c-only.elf";
    output(0, qw(ld -nostdlib -static -T linker.ld -z max-page-size=4096 -z noexecstack
        --no-warn-rwx-segments --unresolved-symbols=ignore-all --defsym=boot_entry=0),
        '--build-id=0x' . 'c0' x 20, @objects, '-o', $image);
    return $image;
}

sub own_table
{
    my ($build, $image) = @_;
    my $line = output(0, "$build/host/orcgen", '--sizes', '--exempt', '.boot', $image);
    my %sizes = $line =~ /(\w+)=([\d.]+)/g;
    return {
        bytes => $sizes{size},
        note => "$sizes{row_count} rows, " . $sizes{blocks} / 4 . ' blocks',
    };
}

# The linked section, in which equal CIEs of the objects are merged.
sub eh_frame
{
    my ($image) = @_;
    my $count = () = output(0, qw(readelf --debug-dump=frames -W), $image) =~ / FDE /g;
    my $bytes = bytes_of('.eh_frame', sections($image));
    return {
        bytes => $bytes,
        note => sprintf('%d functions; with .eh_frame_hdr to look them up: %d', $count,
            $bytes + 12 + 8 * $count),
    };
}

# SFrame 1. A linker keeps one of the objects' headers, of 28 bytes.
sub sframe
{
    my ($build, @objects) = @_;
    my ($compiler, @flags) = compiler($build);
    my @made;
    return { missing => 'as has no --gsframe (binutils 2.40 or later)' }
        if output(1, 'as', '--help') !~ /gsframe/;
    for my $object (@objects) {
        my $source = $object =~ s{^\Q$build\E/obj/(.*)\.o$}{$1}r;
        push(@made, "$build/bench/sframe/$source.o");
        make_path(dirname($made[-1]));
        output(1, $compiler, @flags, '-Wa,--gsframe', '-c', $source, '-o', $made[-1]);
    }
    my $count = () = output(1, qw(readelf --sframe=.sframe -W), @made) =~ /func idx/g;
    return {
        bytes => bytes_of('.sframe', sections(@made)) - 28 * (@made - 1),
        note => "$count functions",
    };
}

# objtool adds its sections to the objects, so they are copied.
sub orc
{
    my ($build, @objects) = @_;
    my ($rows, $merged) = (0, 0);
    return { missing => 'no objtool (package linux-kbuild-6.1)' } if !$objtool;
    for my $object (@objects) {
        my $copy = "$build/bench/orc/" . $object =~ s{^\Q$build\E/obj/}{}r;
        make_path(dirname($copy));
        copy($object, $copy) or die("$copy: $!\n");
        output(1, $objtool, '--orc', $copy);
        my ($all, $without) = orc_rows(output(1, $objtool, '--dump', $copy));
        $rows += $all;
        $merged += $without;
    }
    return { missing => "$objtool --dump shows no rows of the form that is known" } if !$rows;
    return { bytes => 10 * $rows, rows => $rows, merged => $merged };
}

# The number of rows, and how many would remain if padding had none: it has no frame, and what
# follows it continues what was before.
sub orc_rows
{
    my ($dump) = @_;
    my ($all, $merged, $before) = (0, 0, '');
    for my $line (split(/\n/, $dump)) {
        my ($section, $rule) = $line =~ /^(\S+)\+[0-9a-f]+: *(sp:.*)$/ or next;
        $all++;
        next if $rule =~ /^sp:\(und\)/ || "$section $rule" eq $before;
        $before = "$section $rule";
        $merged++;
    }
    return ($all, $merged);
}

# --- One kernel. --------------------------------------------------------------------------------

sub print_format
{
    my ($name, $format, $text, $own) = @_;
    if ($format->{missing}) {
        printf("  %-38s not measured: %s\n", $name, $format->{missing});
        return;
    }
    printf("  %-38s %8d %8.1f %9s   %s\n", $name, $format->{bytes},
        $format->{bytes} * 1024 / $text,
        $format == $own ? '' : sprintf('%.1f%%', 100 * $own->{bytes} / $format->{bytes}),
        $format->{note} // '');
}

sub print_kernel
{
    my ($build) = @_;
    my @objects = split(' ', slurp("$build/bench/objects"));
    my %sections = sections(@objects);
    my $text = 0;
    $text += $_->[0] for grep { $_->[1] } values %sections;

    my $image = link_alone($build, @objects);
    my $own = own_table($build, $image);
    my $orc = orc($build, @objects);
    my $unwinder = slurp("$build/flags") =~ /-fomit-frame-pointer/ ? 'orc' : 'fp';

    printf("UNWINDER=%s: %d C objects, %d bytes of code\n", $unwinder, scalar @objects, $text);
    printf("  %-38s %8s %8s %9s\n", '', 'bytes', 'per KiB', 'ours is');
    print_format('this table, index included', $own, $text, $own);
    print_format('.eh_frame', eh_frame($image), $text, $own);
    print_format('SFrame 1', sframe($build, @objects), $text, $own);
    print_orc($orc, $text, $own);
    print("\n");
}

# With the index for Linux' look-ups: 4 bytes for each 256 of text.
sub print_orc
{
    my ($orc, $text, $own) = @_;
    my $name = "Linux' ORC, lookup index included";
    return print_format($name, $orc, $text, $own) if $orc->{missing};
    my $index = 4 * int(($text + 255) / 256);
    print_format($name,
        { bytes => $orc->{bytes} + $index, note => "$orc->{rows} rows; aim $aim%" }, $text, $own);
    print_format(
        '  if padding had no rows in it',
        {
            bytes => 10 * $orc->{merged} + $index,
            note => sprintf('%d rows; %.0f%% of the above are for padding', $orc->{merged},
                100 * (1 - $orc->{merged} / $orc->{rows})),
        },
        $text, $own
    );
}

print("Unwind information of the kernel's own C code\n\n");
print_kernel($_) for @ARGV;
