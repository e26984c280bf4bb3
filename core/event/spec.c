/* SPDX-License-Identifier: BSD-2-Clause */
/* See spec.h: tries the parser of each source in turn. */
#include "core/event/spec.h"

#include "core/event/unknown.h"
#include "core/lib/string.h"

int event_spec_parse(const char *spelling, struct event_spec *spec, struct refusal *why)
{
    if (strlen(spelling) >= sizeof(spec->name))
        return refuse(why, EINVAL, "the event has %zu characters; at most %zu are allowed",
                      strlen(spelling), sizeof(spec->name) - 1);
    for (size_t i = 0; i < event_source_count; i++) {
        int error;

        *spec = (struct event_spec){.attr.size = sizeof(spec->attr), .source = event_sources[i]};
        memcpy(spec->name, spelling, strlen(spelling));
        error = spec->source->parse(spelling, spec, why);
        if (error != EVENT_IS_ANOTHERS)
            return error;
    }
    return event_refuse_unknown(spelling, why);
}
