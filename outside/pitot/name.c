/* SPDX-License-Identifier: BSD-2-Clause */
/* See name.h. */
#include "outside/pitot/name.h"

#include <stdio.h>

#include "core/symbols/symbols.h"
#include "outside/pitot/array.h"

#define THREADS_MOST (1u << 20) /* larger numbers are invalid */

const char *name_function(uint64_t address, char text[NAME_ROOM])
{
    struct symbol symbol;

    if (symbols_find_address(address, &symbol))
        snprintf(text, NAME_ROOM, "%s", symbol.name);
    else if (address == NAME_NOT_KNOWN)
        snprintf(text, NAME_ROOM, NAME_NOT_KNOWN_TEXT);
    else
        snprintf(text, NAME_ROOM, "0x%llx", (unsigned long long)address);
    return text;
}

const char *name_place(uint64_t address, char text[NAME_ROOM])
{
    struct symbol symbol;

    if (symbols_find_address(address, &symbol))
        snprintf(text, NAME_ROOM, "%s+0x%llx", symbol.name,
                 (unsigned long long)(address - symbol.address));
    else
        snprintf(text, NAME_ROOM, address == NAME_NOT_KNOWN ? NAME_NOT_KNOWN_TEXT : "[unknown]");
    return text;
}

/* --- Interrupt vectors: Intel SDM vol. 3, "Exception and Interrupt Vectors" --- */

static const char *const exceptions[] = {"#DE", "#DB", "NMI", "#BP", "#OF", "#BR", "#UD", "#NM",
                                         "#DF", "",    "#TS", "#NP", "#SS", "#GP", "#PF", "",
                                         "#MF", "#AC", "#MC", "#XM", "#VE", "#CP"};

#define EXCEPTIONS  ((int64_t)(sizeof(exceptions) / sizeof(*exceptions)))
#define WITH_ERRORS 0x227d00u

const char *vector_name(int64_t vector)
{
    return vector >= 0 && vector < EXCEPTIONS ? exceptions[vector] : "";
}

bool vector_has_error(int64_t vector)
{
    return vector >= 0 && vector < EXCEPTIONS && (WITH_ERRORS >> vector & 1);
}

/* --- Threads --- */

static struct thread {
    char *name;
    uint32_t space;
} * threads; /* [number] */
static size_t room;

int threads_add(const struct wire_thread *thread, struct refusal *why)
{
    uint32_t number = thread->thread;
    char name[NAME_ROOM];
    int error;

    if (number >= THREADS_MOST)
        return refuse(why, EINVAL, "the plugin's thread %u is invalid", number);
    error = array_grow(&threads, &room, number + 1, sizeof(*threads), "threads", why);
    if (error)
        return error;
    free(threads[number].name);
    threads[number] =
        (struct thread){strdup(name_function(thread->outermost, name)), thread->space};
    return 0;
}

bool threads_known(uint32_t thread)
{
    return thread < room && threads[thread].name;
}

const char *threads_name(uint32_t thread)
{
    return threads_known(thread) ? threads[thread].name : "?";
}

uint32_t threads_space(uint32_t thread)
{
    return thread < room ? threads[thread].space : 0;
}
