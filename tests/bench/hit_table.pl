#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
#
# `make bench-table`: measures both kernels and writes the table of hits into docs/bench.md.
# tests/boot/hit_cost.t fails if it is older than the code.
use strict;
use warnings;

use lib 'tests/lib';
use Pitot::HitCost;

my $build = $ENV{BUILD} // 'build';
hit_table();
hit_table_write(orc => measure_hits($build), fp => measure_hits($ENV{FP_BUILD} // "$build/fp"));
