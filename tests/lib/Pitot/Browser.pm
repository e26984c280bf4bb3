# SPDX-License-Identifier: BSD-2-Clause
#
# Headless Chromium, by its driver: real clicks and keys, and what the page then shows. The protocol
# is W3C's WebDriver.
#
#     my $browser = browser_open("file://$page");
#     browser_click($browser, '#inverted');                      # CSS selectors
#     is(browser_text($browser, '#found'), '50.00%, 1,638 found', ...);
#     browser_close($browser);
package Pitot::Browser;

use strict;
use warnings;

use Exporter qw(import);
use HTTP::Tiny;
use JSON::PP;

our @EXPORT = qw(browser_open browser_title browser_text browser_texts browser_rows browser_click
    browser_type browser_displayed browser_width browser_picture browser_close);

my $element_key = 'element-6066-11e4-a52e-4f735466cecf';

sub ask
{
    my ($browser, $method, $path, $body) = @_;
    my $said = $browser->{http}->request($method, "$browser->{url}$path",
        {headers => {'content-type' => 'application/json'},
            defined $body ? (content => encode_json($body)) : ()});
    $said->{success} or die("$method $path: $said->{status} $said->{content}\n");
    return decode_json($said->{content})->{value};
}

# The driver chooses its port and prints it.
sub browser_open
{
    my ($page) = @_;
    my $pid = open(my $driver, '-|', 'chromedriver', '--port=0') or die("chromedriver: $!\n");
    my $port;
    while (!$port && defined(my $line = <$driver>)) {
        ($port) = $line =~ /started successfully on port (\d+)/;
    }
    $port or die("chromedriver: no port\n");
    my $browser = bless({http => HTTP::Tiny->new, driver => $driver, pid => $pid,
        url => "http://127.0.0.1:$port/session"});
    my @options = (qw(--headless --no-sandbox --disable-gpu), '--window-size=1200,900');
    my $session = ask($browser, 'POST', '', {capabilities => {alwaysMatch =>
        {browserName => 'chrome', 'goog:chromeOptions' => {args => \@options}}}});
    $browser->{url} .= "/$session->{sessionId}";
    ask($browser, 'POST', '/url', {url => $page});
    return $browser;
}

sub run_in_page
{
    my ($browser, $script, @arguments) = @_;
    return ask($browser, 'POST', '/execute/sync', {script => $script, args => \@arguments});
}

sub element
{
    my ($browser, $selector) = @_;
    return ask($browser, 'POST', '/element',
        {using => 'css selector', value => $selector})->{$element_key};
}

sub browser_title
{
    my ($browser) = @_;
    return ask($browser, 'GET', '/title');
}

sub browser_text
{
    my ($browser, $selector) = @_;
    return ask($browser, 'GET', '/element/' . element($browser, $selector) . '/text');
}

# The current value of an attribute, for each element.
sub browser_texts
{
    my ($browser, $selector, $attribute) = @_;
    return @{run_in_page($browser,
        'return [...document.querySelectorAll(arguments[0])].map(e => e[arguments[1]])', $selector,
        $attribute)};
}

# The rows of the table in an element, with tabs between cells.
sub browser_rows
{
    my ($browser, $selector) = @_;
    return @{run_in_page($browser,
        'return [...document.querySelectorAll(arguments[0] + " tbody tr")].map(r => '
        . '[...r.cells].map(c => c.textContent).join("\t"))', $selector)};
}

sub browser_click
{
    my ($browser, $selector) = @_;
    ask($browser, 'POST', '/element/' . element($browser, $selector) . '/click', {});
    return;
}

sub browser_type
{
    my ($browser, $selector, $text) = @_;
    my $at = '/element/' . element($browser, $selector);
    ask($browser, 'POST', "$at/clear", {});
    ask($browser, 'POST', "$at/value", {text => $text});
    return;
}

sub browser_displayed
{
    my ($browser, $selector) = @_;
    return ask($browser, 'GET', '/element/' . element($browser, $selector) . '/displayed');
}

sub browser_width
{
    my ($browser, $selector) = @_;
    return ask($browser, 'GET', '/element/' . element($browser, $selector) . '/rect')->{width};
}

# A screenshot of the page, PNG in base64.
sub browser_picture
{
    my ($browser) = @_;
    return ask($browser, 'GET', '/screenshot');
}

# Also called when a test ends early: otherwise the driver would remain, and be waited for.
sub browser_close
{
    my ($browser) = @_;
    my $pid = delete($browser->{pid}) or return;
    $browser->{http}->request('DELETE', $browser->{url});
    kill('TERM', $pid);
    close($browser->{driver});
    return;
}

sub DESTROY
{
    my ($browser) = @_;
    local ($?, $@);
    browser_close($browser);
    return;
}

1;
