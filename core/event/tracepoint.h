/* SPDX-License-Identifier: BSD-2-Clause */
/* The tracepoint source of events (core/event/event.c calls these). Task context. */
#pragma once

struct event;
struct refusal;

int event_tracepoint_enable(struct event *event, struct refusal *why);
void event_tracepoint_disable(struct event *event);
