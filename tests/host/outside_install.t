#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: outside/outside.mk, outside/pitot.1, outside/pitot/plugin.c, outside/pitot/completion
# of: outside/pitot/main.c, tools/package
#
# `make install` puts pitot where a package would, and the installed command works; `make uninstall`
# leaves nothing. The manual page and completion have exactly the program's commands and options.
# `make deb` makes a package; tools/elsewhere tries it. Run from the root of the tree:
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
    (map { "/opt/pitot/lib/pitot/plugin-v$_.so" } 1 .. 7),
    map { "/opt/pitot/share/$_" } qw(bash-completion/completions/pitot man/man1/pitot.1
        zsh/site-functions/_pitot)],
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

# --- Version -------------------------------------------------------------------------------------

my ($version) = slurp('core/abi/version.h') =~ /PITOT_VERSION "(.*)"/;
my ($said) = pitot('--version');
like($said, qr/^pitot \Q$version\E(?: \([0-9a-f]{12}\))?$/m,
    '--version says its version and commit');
my $interfaces = qr/1 \(QEMU 6\.0 to 8\.1\), 2, 3, 4 \(.*\), 5, 6, 7 \(.*\)/;
like($said, qr/^QEMU's plugin interfaces: $interfaces$/m,
    '... and the interfaces that it has plugins for');
rename("$place/opt/pitot/lib/pitot", "$place/opt/pitot/lib/none") or die("none: $!\n");
($said, $complaints, $status) = pitot('--version');
is($complaints, "pitot: no plugin in $place/opt/pitot/bin or its ../lib/pitot; make outside\n",
    '... or that there is none');
is($status, 1, '... and fails then');
rename("$place/opt/pitot/lib/none", "$place/opt/pitot/lib/pitot") or die("pitot: $!\n");
like(slurp('CHANGELOG.md'), qr/^## \Q$version\E\b/m, 'CHANGELOG.md has this version');

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

# What each installed formatter complains of in the page.
for my $linter (['mandoc', '-Tlint', '-Wwarning'], ['groff', '-mdoc', '-ww', '-Tascii', '-Z']) {
    my ($name) = @$linter;
    my $said = `command -v $name > /dev/null && @$linter outside/pitot.1 2>&1`;
    is_deeply([$said =~ /^(?:mandoc|groff|troff):.*pitot\.1.*/mg], [], "$name has no complaint");
}

# --- Completion ----------------------------------------------------------------------------------

# What bash offers as completions for the last of these words.
sub offered
{
    my (@words) = @_;
    my $file = "$place/opt/pitot/share/bash-completion/completions/pitot";
    my $script = 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _pitot; '
        . 'printf "%s\n" "${COMPREPLY[@]}"';
    open(my $bash, '-|', 'bash', '-c', $script, 'bash', $file, 'pitot', @words) or die("bash: $!");
    chomp(my @offers = <$bash>);
    return [grep { length } @offers];
}

is_deeply(offered(''), [@commands, 'help', '--version'], 'bash offers the commands');
is_deeply(offered('re'), ['record', 'repeat'], '... that begin so');
is_deeply(offered('help', 'he'), ['heap'], '... also after help');
for my $command (@commands) {
    my %names = map { $_ => 1 } map { split(/, ?/) }
        (pitot('help', $command))[0] =~ /^ {4}(-[^\s,]+(?:, --\S+)?)/mg;
    is_deeply([sort @{offered($command, '-')}], [sort(keys(%names), '--help')],
        "... and the options of $command");
}
is_deeply(offered('record', '-e', '-'), [], '... but none in place of a value');
is_deeply(offered('record', '--', '-'), [], '... nor after --');
my ($other, $why, $wrong) = pitot('--completion', 'fish');
is("$other$why$wrong", "pitot: --completion bash and --completion zsh are allowed\n129",
    'another shell is refused');
my $zsh = slurp("$place/opt/pitot/share/zsh/site-functions/_pitot");
like($zsh, qr/\A#compdef pitot\n/, 'zsh finds its completion');
like($zsh, qr/'\*'\{-e,--event\}'\[.*\]:EVENT:_files' \\$/m, '... with options, help and values');
my $parsed = `command -v zsh >/dev/null && \\
    zsh -n $place/opt/pitot/share/zsh/site-functions/_pitot 2>&1`;
is($parsed, '', '... which it parses, where it is installed');

# --- The package ---------------------------------------------------------------------------------

my $deb = "$build/pitot_${version}_amd64.deb";
is(system('make', '-s', "BUILD=$build", 'PACKAGES=skip', 'deb'), 0, 'make deb');
my @files = sort(map { /^\S+ root\/root .* \.(\S+[^\/\s])$/ ? $1 : () } `dpkg-deb -c $deb`);
is_deeply(\@files, [sort('/usr/bin/pitot', '/usr/share/doc/pitot/changelog.gz',
    '/usr/share/doc/pitot/copyright', '/usr/share/man/man1/pitot.1.gz',
    '/usr/share/bash-completion/completions/pitot', '/usr/share/zsh/vendor-completions/_pitot',
    map { "/usr/lib/pitot/plugin-v$_.so" } 1 .. 7)], '... has what is installed');
my $libraries = qr/libc6 \(>= 2\.\d+\), libdw1t64 \| libdw1, libelf1t64 \| libelf1/;
like(`dpkg-deb -f $deb`, qr/^Version: \Q$version\E\n.*^Depends: $libraries$/ms,
    '... and needs the libraries');

is(system(@make, 'uninstall'), 0, 'make uninstall');
is_deeply(installed(), [], '... leaves nothing');
ok(!-d "$place/opt/pitot/lib/pitot", '... nor its folder');
is(system(@make, 'uninstall'), 0, '... nor complains if there is nothing');

done_testing();
