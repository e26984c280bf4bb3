/* SPDX-License-Identifier: BSD-2-Clause */
/* The version of Pitot, which CHANGELOG.md describes. The Makefile reads it here. */
#pragma once

#define PITOT_VERSION "0.1"
