#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: core, arch, tests/port
#
# The product alone: in a tree of core/, arch/, the machine's part of the kernel (kernel/x86_64) and
# tests/port only, each file compiles, and they link to the kernel of tests/port. This test lists
# what they leave to the host. Run from the root of the tree:
#
#     prove tests/host/alone.t
use strict;
use warnings;
use lib 'tests/lib';
use File::Copy qw(copy);
use File::Path qw(make_path remove_tree);
use File::Basename qw(dirname);
use Test::More;
use Pitot::Files;

my $build = $ENV{BUILD} // 'build';
my $tree = "$build/alone";

# The only names a host may have to define: the assertion handler, the CPU startup code, and the
# linker script's symbols.
my $ranges = 'data|insn_map|kept|nowatch_(?:data|stacks)|rodata|symtab|unwind_table'
    . '|(?:hit|nowatch|unseen)_text';
my $scripts = "_e?text|__(?:start|stop)_\\w+|build_id_note(?:_end)?|image_end"
    . "|(?:$ranges)_(?:start|end)";
my $hosts = qr{^(?:assert_failed|ap_start(?:_end)?|$scripts)$};

remove_tree($tree);
my @files = files_below(qw(core arch kernel/x86_64 tests/port));
for my $file (@files) {
    make_path(dirname("$tree/$file"));
    copy($file, "$tree/$file") or die("$file: $!\n");
}
my ($compiler) = slurp("$build/flags") =~ /^(.*) \S+$/m;    # the last is the assembler
my $way = $compiler =~ /-fomit-frame-pointer/ ? 'fp' : 'orc';
my $others = qr{^(?:core|arch)/embed/};    # core/embed/lib.mk's: tests/host/lib.t
my %other = map { ("core/unwind/$_.c" => 1) } $way eq 'fp' ? qw(default_fp fp) : qw(default_orc);
my @objects = map { "$_.o" }
    grep { /\.(?:c|asm)$/ && !/$others/ && !$other{$_} && !m{/offsets\.c$} }
    @files;

open(my $rules, '>', "$tree/Makefile") or die("$tree/Makefile: $!\n");
print $rules <<"EOT";
CC := $compiler -g0 -O1
.SILENT:
.SUFFIXES:
all: @objects
\tld -nostdlib -static -T tests/port/linker.ld -z noexecstack --no-warn-rwx-segments \\
\t\t\$(filter tests/%,\$^) --start-group product.a --end-group -o port.elf
all: product.a
product.a: @{[grep { !m{^tests/} } @objects]}
\tar rcsTP \$\@ \$^
%.c.o: %.c
\t\$(CC) -c \$< -o \$\@
%.asm.o: %.asm offsets.inc
\tnasm -f elf64 -I ./ \$< -o \$\@
offsets.inc:
\tfor each in arch kernel; do \$(CC) -S \$\$each/x86_64/cpu/offsets.c -o -; done \\
\t\t| sed -n 's/.*"\@\\(.*\\)".*/\\1/p' > \$\@
EOT
close($rules) or die("$tree/Makefile: $!\n");

cmp_ok(scalar(@objects), '>', 100, 'there are sources');
my $said = `make -j2 -C $tree 2>&1`;
is($?, 0, 'they compile and link, each alone with core/, arch/ and kernel/x86_64/') or diag($said);
like(`readelf -h $tree/port.elf`, qr/Entry point address: +0x[1-9a-f]/, '... to a kernel');

my %defined = map { $_ => 1 } `nm --defined-only $tree/product.a` =~ /^\w+ [A-Z] (\S+)$/mg;
my %asked = map { $_ => 1 } `nm -u $tree/product.a` =~ /^ +U (\S+)$/mg;
cmp_ok(scalar(keys %defined), '>', 500, 'the product has names');
is(join(' ', grep { !$defined{$_} && !/$hosts/ } sort(keys %asked)), '',
    '... and asks for none but what a host gives');

# --- A host that leaves out the last rooms -------------------------------------------------------

# No file uses a symbol that a later room defines, so the rooms up to any point link without the
# rest.
my ($order) = slurp('tools/layers') =~ /^my \@core = qw\((.*?)\);/ms;
my @rooms = split(' ', $order);
my %rank = map { ($rooms[$_] => $_) } 0 .. $#rooms;
my (%home, @asks);
for my $line (split(/\n/, `cd $tree && nm -A @{[grep { m{^core/} } @objects]}`)) {
    my ($room, $file, $kind, $name)
        = $line =~ m{^(core/(?:\w+/)?)(\w+\.\w+)\.o: *\w* ([A-Za-z]) (\S+)$} or next;
    my $rank = $rank{$room =~ m{^core/(\w+)/} ? $1 : 'host'};
    if ($kind eq 'U') {
        push(@asks, [$rank, "$room$file", $name]);
    } elsif ($kind =~ /[A-Z]/) {
        $home{$name} = $rank if !defined $home{$name} || $rank < $home{$name};
    }
}
cmp_ok(scalar(@asks), '>', 1000, 'rooms ask for names');
# The one exception, supplied by the host: the list of event sources.
my $list = qr{^event_source(?:s|_count)$};
my @later = grep { ($home{$_->[2]} // 0) > $_->[0] && $_->[2] !~ $list } @asks;
is(join("\n", map { "$_->[1] asks for $_->[2]" } @later), '',
    '... of no later room: reports, perf trace, commands and gdb can be left out');
done_testing();
