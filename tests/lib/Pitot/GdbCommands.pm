# SPDX-License-Identifier: BSD-2-Clause
#
# Pitot's commands for gdb in scripted sessions, on a machine of their own or on a file. What their
# scripts use beside gdb's own commands is tests/gdb/pitot_claims.py's: `try COMMAND` first of all.
#
#     use Pitot::GdbCommands;
#
#     my $said = commands_session({smp => 4, run => '...'}, title => "try pitot ps\n", ...);
#     my $text = commands_on_file('build/pitot.elf -c build/dump', "try pitot ps\n");
#
# The first has two tests: gdb comes to its end, and no command had a fault of its own.
package Pitot::GdbCommands;

use strict;
use warnings;

use Exporter qw(import);
use File::Basename qw(basename);
use Test::More;

use Pitot::Gdb;

our @EXPORT = qw(commands_session commands_on_file);

my $build = $ENV{BUILD} // 'build';
my $hang = 60;    # seconds, for a gdb on a file
my $claims = "source tests/gdb/pitot_claims.py\n";

sub commands_session
{
    my ($options, @parts) = @_;
    my %small = (mem => '32M', flags => 'perf.rate=0');
    my ($machine, $said) = gdb_session({%small, %$options}, $claims, @parts);
    my ($last) = grep { length($said->{$_} // '') } reverse(@parts);
    my @faults = join('', values(%$said)) =~ /^(.*(?:Python Exception|occurred in Python).*)$/mg;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    ok(exists $said->{end}, "gdb comes to the end: $options->{run}")
        or diag("in $last: ", substr($said->{$last} // '', -2000));
    is("@faults", '', '... gladly');
    return $said;
}

# Returns what gdb said.
sub commands_on_file
{
    my ($arguments, @commands) = @_;
    my $script = "$build/logs/" . basename($0, '.t') . '/file.script';
    open(my $to, '>', $script) or die("$script: $!");
    print {$to} "set width 0\nset height 0\nset confirm off\nsource tools/gdb/commands.py\n$claims";
    print {$to} @commands;
    close($to) or die("$script: $!");
    return scalar(`timeout -k 5 $hang gdb -nx -q -batch -x $script $arguments 2>&1 < /dev/null`);
}

1;
