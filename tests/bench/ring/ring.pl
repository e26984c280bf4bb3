#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
#
# `make bench`, the ring: runs $BUILD/bench/ring with an LTTng-UST session in snapshot mode, and
# ends what it has started. LTTng's daemon gets its own folder, so that no other session is touched;
# root's daemon would be the machine's, so root becomes the user `nobody` for it. At the end the
# newest event must be in a snapshot. Without LTTng the program prints what was not measured.
use strict;
use warnings;
use lib 'tests/lib';
use Cwd qw(abs_path);
use File::Copy qw(copy);
use File::Find;
use File::Temp qw(tempdir);
use POSIX qw(setgid setuid);
use Time::HiRes qw(sleep);
use Pitot::Files;

use constant NOBODY => 65534;
use constant EVENT_MARK => 0x6f746950;    # writers.h
use constant PATIENCE => 30;    # seconds for the daemon to come up

my $program = abs_path(shift // 'build/bench/ring');
my $room = tempdir('pitot-ring-XXXXXX', TMPDIR => 1, CLEANUP => 1);
my $log = "$room/sessiond.log";
my $daemon;

# Runs a command as the session's owner, with nothing of another session in the environment.
sub run_as_owner
{
    my (@command) = @_;
    if ($> == 0) {
        $) = NOBODY . ' ' . NOBODY;
        setgid(NOBODY);
        setuid(NOBODY);
        die("still root\n") if $> == 0;
    }
    delete @ENV{grep { /^LTTNG_/ } keys %ENV};
    $ENV{LTTNG_HOME} = $ENV{HOME} = $room;
    $ENV{LTTNG_UST_REGISTER_TIMEOUT} = -1;    # the program waits for its tracepoints
    exec(@command) or die("$command[0]: $!\n");
}

# Runs an LTTng command. False if it fails; its output is in the log.
sub lttng
{
    my (@arguments) = @_;
    my $child = fork() // die("fork: $!\n");
    if (!$child) {
        open(STDOUT, '>>', $log);
        open(STDERR, '>&', \*STDOUT);
        run_as_owner('lttng', '--no-sessiond', @arguments);
    }
    waitpid($child, 0);
    return $? == 0;
}

sub installed
{
    my ($name) = @_;
    return grep { -x "$_/$name" } split(/:/, $ENV{PATH});
}

sub start_session
{
    my $sockets = "$room/.lttng";
    my $child = fork() // die("fork: $!\n");
    if (!$child) {
        open(STDOUT, '>>', $log);
        open(STDERR, '>&', \*STDOUT);
        run_as_owner('lttng-sessiond', '--no-kernel');
    }
    $daemon = $child;
    for (my $waited = 0; !-S "$sockets/client-lttng-sessiond"; $waited += 0.05) {
        die("LTTng's session daemon does not come up:\n" . slurp_if_there($log))
            if $waited > PATIENCE;
        sleep(0.05);
    }
    # four sub-buffers of 64 KiB: RING_BYTES (writers.h) per CPU
    for ('create pitot --snapshot --output=' . "$room/trace",
        'enable-channel -u -s pitot --overwrite --subbuf-size=64k --num-subbuf=4 ring',
        'enable-event -u -s pitot -c ring pitot_bench:*', 'start pitot') {
        lttng(split(/ /, $_)) or die("lttng $_ fails:\n" . slurp_if_there($log));
    }
}

# The newest event must be in a snapshot, and the first one must not.
sub check_snapshot
{
    my ($first, $newest) = @_;
    my $kept = '';
    lttng(qw(snapshot record -s pitot)) or die("lttng snapshot fails:\n" . slurp_if_there($log));
    find(sub { $kept .= slurp_if_there($_) if -f $_ }, "$room/trace");
    my ($has_first, $has_newest) = map { index($kept, pack('Q<2', EVENT_MARK, $_)) >= 0 } $first,
        $newest;
    die("LTTng's snapshot has not the newest event\n") if !$has_newest;
    die("LTTng's snapshot has an event of four rings ago: that is no overwrite mode\n")
        if $has_first;
}

END {
    my $status = $?;
    if ($daemon) {
        lttng('destroy', 'pitot');
        kill('TERM', $daemon);
        waitpid($daemon, 0);
    }
    $? = $status;
}
$SIG{$_} = sub { exit(1) } for qw(INT TERM HUP);

chmod(0755, $room);
chown(NOBODY, NOBODY, $room) if $> == 0;
copy($program, "$room/ring") && chmod(0755, "$room/ring") or die("$program: $!\n");
if (installed('lttng-sessiond') && installed('lttng')) {
    start_session();
} else {
    print("lttng-tools is not installed (tools/packages bench)\n");
}

my $child = open(my $output, '-|') // die("fork: $!\n");
run_as_owner("$room/ring", @ARGV) if !$child;
my @last;
while (my $line = <$output>) {
    if ($line =~ /^LTTng's last events: (\d+) to (\d+)/) {
        @last = ($1, $2);
    } else {
        print($line);
    }
}
close($output) or exit(1);
check_snapshot(@last) if @last;
