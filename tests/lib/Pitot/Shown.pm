# SPDX-License-Identifier: BSD-2-Clause
#
# Commands and answers that a page shows, compared with the real ones:
#
#     my @examples = examples('README.md');       # {prompt, command, shown, line, number}
#     shown_ok($examples[0], $what_it_really_said);
#
# An example is indented by four blanks: a prompt (`pitot>`, `$` or `(gdb)`) with a command, and the
# output below it. A line `...` matches any number of lines. What depends on the build or on a clock
# is not compared: addresses, offsets in functions, source lines and times. With `rough => 1` no
# number is compared, for output that changes with every instruction of the kernel; with `gaps => 1`
# there may be other lines between any two.
package Pitot::Shown;

use strict;
use warnings;

use Exporter qw(import);
use Test::More ();

use Pitot::Files;

our @EXPORT = qw(examples shown_ok);

my $prompt = qr/^(pitot>|\$|\(gdb\)) (.+)$/;

sub examples
{
    my ($page) = @_;
    my (@examples, $open);
    my $number = 0;
    for my $line (split(/\n/, slurp($page))) {
        $number++;
        if ($line !~ s/^ {4}//) {
            $open = undef if $line ne '';
        } elsif ($line =~ $prompt) {
            $open = {prompt => $1, command => $2, shown => [], line => "$page:$number",
                number => $number};
            push(@examples, $open);
        } elsif ($open) {
            push(@{$open->{shown}}, $line);
        }
    }
    return @examples;
}

sub plain
{
    my ($line, $rough) = @_;
    $line =~ s/\s+$//;
    $line =~ s/^\s*(\S+)\s+(\d+) (?=\[\d{3}\] )/$1 $2 /;    # its width varies between perf versions
    $line =~ s/\b0x[0-9a-f]{5,}|\b[0-9a-f]{8,16}\b/ADDRESS/g;
    $line =~ s/\+0x[0-9a-f]+\b/+OFFSET/g;
    $line =~ s/(\w\.(?:c|h|asm)):\d+\b/$1:LINE/g;
    $line =~ s/ *\b\d+\.\d{6,9}\b/ TIME/g;
    $line =~ s{ *\d+(?:\.\d+)?(?: [mu]s\b|[KM]\b| (?= of event))?}{ N}g if $rough;
    return $line;
}

# One test: the output is what the page shows, in this order, with gaps only at `...`. Empty lines
# do not count.
sub shown_ok
{
    my ($example, $said, %how) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my @said = grep { $_ ne '' } map { plain($_, $how{rough}) } split(/\n/, $said);
    my $at = 0;
    my $gap = 0;
    my @shown = grep { $_ ne '' } map { plain($_, $how{rough}) } @{$example->{shown}};
    for my $shown (@shown) {
        if ($shown eq '...') {
            $gap = 1;
            next;
        }
        $at++ while ($gap || $how{gaps}) && $at < @said && $said[$at] ne $shown;
        if ($at == @said || $said[$at] ne $shown) {
            Test::More::fail("$example->{line}: $example->{command}");
            Test::More::diag("the page shows: $shown\nit says:        ", $said[$at] // '(no more)',
                "\nof:\n$said");
            return 0;
        }
        $at++;
        $gap = 0;
    }
    my $complete = $gap || $how{gaps} || $at == @said;
    Test::More::ok($complete, "$example->{line}: $example->{command}")
        or Test::More::diag("the page leaves out without saying so: $said[$at]");
    return $complete;
}

1;
