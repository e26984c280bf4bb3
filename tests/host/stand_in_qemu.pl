#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
#
# Stands in for QEMU with the plugin, for tests of outside/pitot (tests/lib/Pitot/StandIn.pm copies
# it): prints QEMU's --help if asked for it; otherwise notes its arguments, writes the given records
# to the plugin's descriptor, and ends as configured.
#
#     STAND_IN_VERSION   of QEMU; 7.2.22 if not set. "none": another program;
#                        "never": prints nothing; "babble": prints other things without end
#     STAND_IN_PLUGINS   0: without -plugin
#     STAND_IN_ROOM      a folder: `wire` is written first, `wire.last` after a SIGTERM; it leaves
#                        `words`, and `request` (outside/request.h)
#     STAND_IN_END       exit N; signal NAME, to itself; parent NAME...: sends these signals, and
#                        waits for a SIGTERM, or for its parent's end; it leaves in `ended` which
#                        came; twice NAME NAME: sends the second once a SIGTERM has come, and
#                        then takes a while to end; deaf NAME...: sends them, and ignores what
#                        comes; among signals, a number waits that many seconds; raw: changes
#                        the terminal; leave: its child keeps all open, whose pid it leaves in
#                        `child`
use strict;
use warnings;
use POSIX ();

my $room = $ENV{STAND_IN_ROOM};
my $parent = getppid();
my ($how, @what) = split(' ', $ENV{STAND_IN_END} // 'exit 0');
my $version = $ENV{STAND_IN_VERSION} // '7.2.22';

if ("@ARGV" eq '--help') {
    sleep(1) while $version eq 'never';
    print("usage: ls\n") while $version eq 'babble';
    print($version eq 'none' ? "usage: ls\n" : "QEMU emulator version $version (Debian)\n");
    print("-plugin [file=]<file>[,<argname>=<argvalue>]\n") if $ENV{STAND_IN_PLUGINS} // 1;
    exit(0);
}

sub bytes_of
{
    my ($path) = @_;
    open(my $file, '<:raw', $path) or return '';
    local $/;
    return <$file> // '';
}

sub note
{
    my ($name, $bytes) = @_;
    open(my $file, '>:raw', "$room/$name") or die("$room/$name: $!\n");
    print {$file} $bytes;
    close($file) or die("$room/$name: $!\n");
}

my ($argument) = "@ARGV" =~ /-plugin (\S+)/ or die("no -plugin\n");
if (my ($name, $asks) = $argument =~ m{([^/]+),probe=(\d+)$}) {
    exit(1) if ($ENV{STAND_IN_LOADS} // '') ne $name;
    open(my $to, '>&=', $asks) or die("probe=$asks: $!\n");
    syswrite($to, "\0");
    exit(1);
}
my ($file) = $argument =~ /,request=(\d+)$/ or die("no request=\n");
my $request = bytes_of("/proc/self/fd/$file");
my ($descriptor) = unpack('x16 l<', $request);
note('words', join("\n", @ARGV, ''));
note('request', $request);
open(my $out, '>&=', $descriptor) or die("descriptor $descriptor: $!\n");
binmode($out);
my $ended = 0;
$SIG{TERM} = $how eq 'deaf' ? 'IGNORE' : sub { $ended = 1 };
$SIG{INT} = 'IGNORE' if $how eq 'deaf';
print {$out} bytes_of("$room/wire");
$out->flush;

if ($how eq 'exit') {
    close($out);
    exit($what[0]);
}
if ($how eq 'leave') {
    my $child = fork() // die("fork: $!\n");
    sleep(1) while !$child;
    note('child', $child);
    POSIX::_exit(0);
}
if ($how eq 'raw') {
    print("in: ", scalar(<STDIN>));
    print STDERR "err\n";
    system('stty', 'raw', '-echo');
    kill('KILL', $$);
}
kill($what[0], $$) if $how eq 'signal';
my $again = $how eq 'twice' ? pop(@what) : undef;
for (@what) {
    /^[\d.]+$/ ? select(undef, undef, undef, $_) : kill($_, $parent);
}
select(undef, undef, undef, 0.05) until $ended || getppid() != $parent;
if (defined $again) {
    kill($again, $parent);
    select(undef, undef, undef, 0.5);
}
note('ended', $ended ? 'by SIGTERM' : 'alone');
print {$out} bytes_of("$room/wire.last");
close($out);
