# SPDX-License-Identifier: BSD-2-Clause
#
# Pitot's commands for gdb in scripted sessions, on a new machine or on a file.
# tests/gdb/pitot_claims.py adds commands for the scripts: `try COMMAND` above all.
#
#     use Pitot::GdbCommands;
#
#     my $said = commands_session({smp => 4, run => '...'}, title => "try pitot ps\n", ...);
#     my $text = commands_on_file('build/pitot.elf -c build/dump', "try pitot ps\n");
#
#     is_deeply([ring_samples($said->{ring})], [perf_samples('build/live.perf')]);
#
# The first makes two tests: gdb reaches the end, and no command raised an exception. The last two
# return samples, of `pitot ring` and of the real perf for a stream, one string each: CPU, time,
# thread, event, fields, function.
package Pitot::GdbCommands;

use strict;
use warnings;

use Exporter qw(import);
use File::Basename qw(basename);
use Test::More;

use Pitot::Gdb;
use Pitot::Patience;
use Pitot::Perf;

our @EXPORT = qw(commands_session commands_on_file ring_samples perf_samples);

my $build = $ENV{BUILD} // 'build';
my $claims = "source tests/gdb/pitot_claims.py\n";

sub commands_session
{
    my ($options, @parts) = @_;
    my %small = (mem => '32M', flags => 'perf.rate=0');
    my ($machine, $said) = gdb_session({%small, %$options}, $claims, @parts);
    my $last = last_part($said, @parts);
    my @faults = join('', values(%$said)) =~ /^(.*(?:Python Exception|occurred in Python).*)$/mg;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    ok(exists $said->{end}, "gdb comes to the end: $options->{run}")
        or diag("in $last: ", substr($said->{$last}, -2000));
    is("@faults", '', '... gladly');
    return $said;
}

# Returns gdb's output.
sub commands_on_file
{
    my ($arguments, @commands) = @_;
    my $script = "$build/logs/" . basename($0, '.t') . '/file.script';
    open(my $to, '>', $script) or die("$script: $!");
    print {$to} "set width 0\nset height 0\nset confirm off\nsource tools/gdb/commands.py\n$claims";
    print {$to} @commands;
    close($to) or die("$script: $!");
    my $gdb = "timeout -k 5 $patience gdb -nx -q -batch -x $script";
    return scalar(`$gdb $arguments 2>&1 < /dev/null`);
}

# gdb omits the number of a compiler's copy: name.constprop.0.
sub plain { return $_[0] =~ s/\+0x\w+$//r =~ s/\.\d+$//r }

sub ring_samples
{
    my ($text) = @_;
    my $form = qr/^\[(\d+)\] +(\d+\.\d+) +(\S.*?) +(\d+) +(\S+): (?:(.*?)  )?(\w\S*)(?:  at .*)?$/;
    my @found;
    # perf script prints no line for the record of a throttled event.
    for my $line (grep { !/: +(?:no longer )?throttled$/ } $text =~ /^(\[\d+\].*)$/mg) {
        my ($cpu, $time, $comm, $tid, $event, $fields, $place) = $line =~ $form;
        push(@found, defined $place
            ? join('|', $cpu, $time, $comm, $tid, $event, $fields // '', plain($place))
            : "not read: $line");
    }
    return @found;
}

sub perf_samples
{
    my ($file) = @_;
    my ($script) = Pitot::Perf::script($file, '--ns', '-F',
        'comm,tid,cpu,time,event,trace,ip,sym', '--no-inline');
    my @found;
    for my $sample (split(/\n\n/, $script)) {
        my ($comm, $tid, $cpu, $time, $event, $fields, $place) = $sample =~
            /^\s*(\S.*?) +(\d+) \[(\d+)\] +(\d+\.\d+): +(\S+): *(.*?) *\n\s*[0-9a-f]+ (\S+)/;
        push(@found, defined $place
            ? join('|', $cpu, $time, $comm, $tid, $event, $fields, plain($place))
            : "not read: $sample");
    }
    return @found;
}

1;
