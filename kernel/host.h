/* SPDX-License-Identifier: BSD-2-Clause */
/* This kernel as Pitot's host (core/host.h). */
#pragma once

/* Boot, before any function of Pitot is called. */
void host_init(void);
