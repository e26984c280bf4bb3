/* SPDX-License-Identifier: BSD-2-Clause */
/* See vector.h. Intel SDM vol. 3, "Exception and Interrupt Vectors". */
#include "outside/pitot/vector.h"

static const char *const names[] = {"#DE", "#DB", "NMI", "#BP", "#OF", "#BR", "#UD", "#NM",
                                    "#DF", "",    "#TS", "#NP", "#SS", "#GP", "#PF", "",
                                    "#MF", "#AC", "#MC", "#XM", "#VE", "#CP"};

#define NAMES       ((int64_t)(sizeof(names) / sizeof(*names)))
#define WITH_ERRORS 0x227d00u

const char *vector_name(int64_t vector)
{
    return vector >= 0 && vector < NAMES ? names[vector] : "";
}

bool vector_has_error(int64_t vector)
{
    return vector >= 0 && vector < NAMES && (WITH_ERRORS >> vector & 1);
}
