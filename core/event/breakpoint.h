/* SPDX-License-Identifier: BSD-2-Clause */
/* The breakpoint source of events (core/event/event.c calls these). Task context. */
#pragma once

struct event;
struct refusal;

int event_breakpoint_enable(struct event *event, struct refusal *why);
void event_breakpoint_disable(struct event *event);
