#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: tools/tests, Makefile
#
# Results do not depend on who runs the tests, or from where. `make test` gives a test the same
# environment whether its own is padded, has another TMPDIR, HOME or LANG, has no TERM or terminal,
# or is under nohup. Comparisons with the real perf also hold in each of these without `make test`,
# although perf's order depends on the address of its heap, which depends on the environment's size.
# Run from the root of the tree:
#
#     prove tests/host/environment.t
use strict;
use warnings;
use lib 'tests/lib';
use File::Path qw(make_path);
use File::Temp qw(tempdir);
use Test::More;
use Pitot::Difference;
use Pitot::Files;

my $room = tempdir(CLEANUP => 1);
my $far_away = "$room/a_folder_for_what_is_temporary/" . 'x' x 100;
make_path($far_away);

# Variables that only the runner hands on.
my %handed_on = map { $_ => $ENV{$_} } grep { defined $ENV{$_} }
    qw(PATH UNWINDER FIRMWARE MACHINE ACCEL SMP CPU MEM BUILD FP_BUILD PACKAGES);

my %strange = (
    padded => {%handed_on, map { ("PADDING_$_" => 'x' x (97 * $_)) } 1 .. 12},
    elsewhere => {
        %handed_on,
        HOME => '/nowhere', TMPDIR => $far_away,
        LANG => 'tr_TR.UTF-8', LC_NUMERIC => 'de_DE.UTF-8', TZ => 'Asia/Kathmandu',
        PERL5LIB => '/nowhere', PERL_UNICODE => 'SDA', HARNESS_OPTIONS => 'j9',
        POSIXLY_CORRECT => 1, CDPATH => "/", ENV => "/nowhere", BASH_ENV => "/nowhere",
        COLUMNS => 3,
    },
);
$strange{none} = \%handed_on;
my @names = sort keys %strange;

# The output of a command in that environment: without a terminal, in its own session, ignoring
# SIGHUP.
sub run
{
    my ($name, $command) = @_;
    local %ENV = %{$strange{$name}};
    my $out = "$room/$name.out";
    system("setsid -w nohup $command > '$out' 2> '$room/$name.err' < /dev/null");
    return (slurp($out), $? >> 8);
}

# A test file that prints its environment.
open(my $probe, '>', "$room/environment_probe.t") or die("environment_probe.t: $!\n");
print $probe <<'END';
use Test::More tests => 3;
note("$_=$ENV{$_}") for sort keys %ENV;
ok(-w $ENV{TMPDIR} && -w $ENV{HOME}, 'there is room for files');
ok(!-t STDIN && !defined(getc(STDIN)), 'nobody types');
my ($ignored) = do { local (@ARGV, $/) = '/proc/self/status'; <> } =~ /^SigIgn:\s*(\w+)$/m;
my @heeded = grep { !(hex($ignored) >> $_->[0] - 1 & 1) }
    ([1, 'HUP'], [2, 'INT'], [3, 'QUIT'], [13, 'PIPE'], [15, 'TERM']);
is("@{[map { $_->[1] } @heeded]}", 'HUP INT QUIT PIPE TERM', 'what ends a test is not ignored');
END
close($probe) or die("environment_probe.t: $!\n");

my %told;
for my $name (@names) {
    my (undef, $status) = run($name, "make test TESTS=$room/environment_probe.t SEEDS=7");
    is($status, 0, "make test, environment: $name") or diag(slurp("$room/$name.err"));
    $told{$name} = slurp(($ENV{BUILD} // 'build') . '/logs/environment_probe.tap')
        =~ s{/private\.\w{8}/}{/private/}gr;
}
# Variables that are always set, including prove's own.
my $always = 'PATH|HOME|TMPDIR|LC_ALL|TERM|TZ|SEEDS|(?:HARNESS|TAP|TEST|TEST2)_\w+';
like($told{none}, qr/^# SEEDS=7$/m, 'what is asked for gets in');
is(join(' ', grep { !/^(?:$always)$/ && !exists $handed_on{$_} }
        $told{none} =~ /^# (\w+)=/mg), join(' ', grep { !exists $handed_on{$_} } qw(
            ACCEL BUILD CPU FIRMWARE FP_BUILD MACHINE MEM SMP UNWINDER)),
    '... and what the Makefile exports, and nothing else');
same_ok($told{$_}, $told{none}, "... nor here: $_", $_, 'none') for grep { $_ ne 'none' } @names;

# The tests whose results perf's memory layout could change, compared one by one.
for my $test (qw(tests/host/report_perf.t tests/host/stream_perf.t)) {
    my %results;
    for my $name (@names) {
        local $strange{$name}{SEEDS} = 2;
        local $strange{$name}{QUICK} = 1;
        ($results{$name}, my $status) = run($name, "$^X $test");
        is($status, 0, "$test holds by itself, environment: $name")
            or diag(substr(slurp("$room/$name.err"), 0, 2000));
    }
    same_ok($results{$_}, $results{none}, "... with the same results: $_", $_, 'none')
        for grep { $_ ne 'none' } @names;
}

done_testing();
