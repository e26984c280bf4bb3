#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: outside/outside.mk, outside/pitot.1, outside/pitot/plugin.c
#
# `make install` puts pitot where a package would, and the installed command works; `make uninstall`
# leaves nothing. The manual page has exactly the program's commands and options. Run from the root
# of the tree:
#
#     prove tests/host/outside_install.t
use strict;
use warnings;
use lib 'tests/lib';
use File::Find qw(find);
use File::Temp qw(tempdir);
use Test::More;
use Pitot::Files;
use Pitot::StandIn;

my $build = $ENV{BUILD} // 'build';
my $place = tempdir(CLEANUP => 1);
my @make = ('make', '--no-print-directory', "BUILD=$build", 'PREFIX=/opt/pitot', "DESTDIR=$place");

sub installed
{
    my @files;
    find(sub { push(@files, $File::Find::name =~ s/^\Q$place\E//r) if -f }, $place);
    return [sort @files];
}

is(system(@make, 'install'), 0, 'make install');
is_deeply(installed(), ['/opt/pitot/bin/pitot',
    (map { "/opt/pitot/lib/pitot/plugin-v$_.so" } 1 .. 7), '/opt/pitot/share/man/man1/pitot.1'],
    '... puts each file in its place');

my $room = stand_in_room();
unlink(glob("$room/bin/*"));
symlink("$place/opt/pitot/bin/pitot", "$room/bin/pitot") or die("pitot: $!\n");
plugin_says(begin(1), sample(ip => $place{kmain}), end());
my (undef, $complaints, $status) = pitot('record', '-o', "$room/out", '--', "$room/qemu", '-kernel',
    "$room/kernel.elf");
is($complaints, "[ pitot record: 1 sample in $room/out ]\n", '... which works');
is((stand_in_words())[1] =~ s/,request=.*//r, "file=$place/opt/pitot/bin/../lib/pitot/plugin-v1.so",
    '... by the plugin that is installed');

# --- The manual page -----------------------------------------------------------------------------

my $page = slurp('outside/pitot.1');
my ($help) = pitot('help');
my @commands = $help =~ /^    (\w+) +\S/mg;
is_deeply([$page =~ /^\.It Cm (\w+)$/mg], \@commands, 'the manual page has the commands');
my %options = map { $_ => 1 }
    map { (pitot('help', $_))[0] =~ /^ {4}(-.*?)(?: {2}.*)?$/mg } @commands;
my %documented = map { $_ => 1 }
    map { s/ , Fl /, -/gr =~ s/^Fl /-/r =~ s/ Ar / /r } $page =~ /^\.It (Fl .*)$/mg;
is_deeply(\%documented, \%options, '... and their options');

# The formatters' complaints about the page, from each that is installed.
for my $linter (['mandoc', '-Tlint', '-Wwarning'], ['groff', '-mdoc', '-ww', '-Tascii', '-Z']) {
    my ($name) = @$linter;
    my $said = `command -v $name > /dev/null && @$linter outside/pitot.1 2>&1`;
    is_deeply([$said =~ /^(?:mandoc|groff|troff):.*pitot\.1.*/mg], [], "$name has no complaint");
}

is(system(@make, 'uninstall'), 0, 'make uninstall');
is_deeply(installed(), [], '... leaves nothing');
ok(!-d "$place/opt/pitot/lib/pitot", '... nor its folder');
is(system(@make, 'uninstall'), 0, '... nor complains if there is nothing');

done_testing();
