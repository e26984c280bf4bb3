#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: tools/packages, Makefile, Containerfile
#
# tools/packages on a made-up system: what it installs for each set, that it prints what and how
# much before it does, when it asks, and its message without apt-get; and the files that `make
# release` produces. Run from the root of the tree:
#
#     prove tests/host/packages.t
use strict;
use warnings;
use lib 'tests/lib';
use File::Path qw(make_path remove_tree);
use File::Spec;
use Test::More;
use Pitot::Files;

my $build = $ENV{BUILD} // 'build';
my $system = File::Spec->rel2abs("$build/packages");
my $patience = 600;

sub program
{
    my ($name, $text) = @_;
    open(my $file, '>', "$system/$name") or die("$name: $!");
    print {$file} "#!/bin/sh\n$text\n";
    close($file);
    chmod(0755, "$system/$name");
}

# PATH has only these programs and those that the test adds.
sub new_system
{
    remove_tree($system);
    make_path($system);
    for my $name (qw(sh tr grep sort env cat)) {
        my ($path) = grep { -x } map { "$_/$name" } split(/:/, $ENV{PATH});
        symlink($path, "$system/$name") or die("$name: $!");
    }
}

sub packages
{
    my (@sets) = @_;
    my $said = `PACKAGES= PATH=$system tools/packages @sets 2>&1 </dev/null`;
    return ($said, $? >> 8);
}

new_system();
my ($said, $status) = packages('run');
is($status, 1, 'without apt-get nothing is installed');
like($said, qr/neither Debian nor Ubuntu/, '... and it reports why');
for my $other (qw(Fedora Arch Nix)) {
    like($said, qr/^$other, run: .*\bnasm\b/m, "... and how $other calls what is needed");
}

like($said, qr/^Or run .* in a container, .*: Containerfile says how\.$/m, '... or in a container');
my $container = slurp('Containerfile');
my ($set) = $container =~ m{^RUN tools/packages (\w+)}m;
is($set, 'run', 'the container has what running needs');
for my $target ($container =~ /^RUN make (\w+)/m, $container =~ /^CMD \["make", "(\w+)"\]$/m) {
    is(system("make -n PACKAGES=skip BUILD=$build $target >/dev/null 2>&1"), 0,
        "... and make $target is there");
}

program('dpkg-query', 'echo "installed:gcc installed:make "');
program('apt-cache', 'exit 0');
program('apt-get', "echo \"\$@\" >> $system/did\necho 'Need to get 7 MB of archives.'\n"
    . "echo 'After this operation, 9 MB of additional disk space will be used.'");
program('id', 'echo 0');
($said, $status) = packages('run');
is($status, 0, 'root installs');
like($said, qr/\APitot needs more packages, from apt-get: .*\nNeed to get 7 MB.*\nAfter this.*9 MB/,
    '... and it first prints what and how much');
my ($installed) = slurp("$system/did") =~ /^.* install -y .*$/mg;
like($installed, qr/\bnasm\b.*\bqemu-system-x86\b/, '... what running needs');
unlike($installed, qr/\b(?:ovmf|bochs|vgabios|gdb|clang)\b/, '... and nothing else');
unlike($installed, qr/ (?:gcc|make) /, '... nor what is there');

unlink("$system/did");
packages('uefi');
like(slurp("$system/did"), qr/install -y --no-install-recommends ovmf$/m,
    'OVMF where it is asked for');

unlink("$system/did");
packages('viewers');
like(slurp("$system/did"), qr/install -y .* npm\b/, 'viewers: npm where the command is missing');
program('npm', 'exit 0');
unlink("$system/did");
packages('viewers');
unlike(slurp("$system/did"), qr/\bnpm\b/, '... and not where it is there, from whatever package');

program('id', 'echo 1000');
program('sudo', "echo sudo >> $system/did\nexec \"\$@\"");
unlink("$system/did");
my $typed = "PACKAGES= PATH=$system tools/packages uefi";
my $answered = `echo n | timeout $patience script -qec '$typed' /dev/null 2>&1`;
like($answered, qr/Install them with sudo\? \[y\/N\].*nothing is installed; missing: ovmf/s,
    'a person at a terminal is asked before sudo');
unlike(slurp("$system/did"), qr/^sudo$/m, '... and a no is a no');
$answered = `echo y | timeout $patience script -qec '$typed' /dev/null 2>&1`;
like(slurp("$system/did"), qr/^sudo$/m, '... and a yes is a yes');
unlink("$system/did");
packages('uefi');
like(slurp("$system/did"), qr/^sudo$/m, 'without a terminal nobody is asked');

delete @ENV{qw(MAKEFLAGS MFLAGS MAKELEVEL)};
my $made = `timeout $patience make BUILD=$build PACKAGES=skip release 2>&1 </dev/null`;
is($?, 0, 'make release') or diag($made);
my ($version) = slurp('core/abi/version.h') =~ /PITOT_VERSION "(.*)"/;
for my $file ("pitot-$version.iso", "pitot-$version.elf", qw(demo.perf demo.kallsyms)) {
    ok(-s "$build/release/$file", "... has $file");
}
is(system("cd $build/release && sha256sum --quiet -c SHA256SUMS"), 0, '... and checksums that fit');

done_testing();
