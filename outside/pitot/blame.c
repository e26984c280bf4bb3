/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `pitot blame` of command.h: prints the histories of the given places, or writes them as a page;
 * without a place, writes the last writer of all memory to a file; without QEMU, answers from such
 * a file.
 */
#include "outside/pitot/blame.h"

#include <stdio.h>
#include <string.h>

#include "outside/pitot/command.h"
#include "outside/pitot/contexts.h"
#include "outside/pitot/elf_symbols.h"
#include "outside/pitot/name.h"
#include "outside/pitot/place.h"
#include "outside/pitot/plain.h"
#include "outside/pitot/progress.h"
#include "outside/pitot/question.h"

#define WRITERS_DEFAULT 3
#define MEMORY_DEFAULT  (UINT64_C(256) << 20)
#define FILE_DEFAULT    "blame.data"
#define PAGE_DEFAULT    "blame.html"
#define ASKED_ROOM      256

static struct blamed_place places[PLACES_MOST];
static size_t place_count;
static uint64_t lost, unread;

static int read_places(const struct pitot_options *options, const struct kernel *kernel,
                       struct refusal *why)
{
    for (; place_count < options->place_count; place_count++) {
        struct blamed_place *place = &places[place_count];
        char *text = options->places[place_count];
        struct place_range range;
        int error;

        place->name = strdup(text);
        if (!place->name)
            return refuse(why, ENOMEM, "out of memory");
        place->name[strcspn(place->name, "/")] = '\0';
        error = place_read_range(text, kernel, PLACE_LONGEST, &range, why);
        if (error)
            return error;
        place->address = range.address;
        place->length = range.length;
        place->fixed = range.fixed;
    }
    return 0;
}

static void slide_places(uint64_t slide)
{
    static uint64_t before;

    for (size_t i = 0; i < place_count; i++)
        places[i].address += places[i].fixed ? 0 : slide - before;
    before = slide;
}

/* --- The answer --- */

static int open_page(const struct pitot_options *options, const struct kernel *kernel,
                     const char *input, struct refusal *why)
{
    if (!options->html)
        return 0;
    return question_open(kernel, input, options->output ? options->output : PAGE_DEFAULT, why);
}

static int answer(const struct pitot_options *options, const struct kernel *kernel,
                  struct refusal *why)
{
    char asked[ASKED_ROOM] = "";
    int error = blame_print(question_out(stdout), places, place_count, kernel->name, lost, why);

    for (size_t i = 0; i < place_count; i++)
        snprintf(asked + strlen(asked), sizeof(asked) - strlen(asked), "%s%s", i ? " " : "",
                 places[i].name);
    if (!error && options->html)
        error = question_write("blame", asked, NULL, NULL, why);
    return error;
}

/* --- Places, while the machine runs --- */

static int take_history(const struct wire_head *record, struct refusal *why)
{
    switch (record->kind) {
    case WIRE_SLIDE:
        slide_places(((const struct wire_number *)record)->number);
        return 0;
    case WIRE_THREAD:
        return threads_add((const void *)record, why);
    case WIRE_MAPPING:
        return writes_map(places, place_count, (const void *)record, why);
    case WIRE_LOST:
        lost = ((const struct wire_number *)record)->number;
        return 0;
    case WIRE_WORD:
        return writes_add((const void *)record, why);
    case WIRE_HELD:
        return writes_hold((const void *)record, why);
    case WIRE_UNREAD:
        unread = ((const struct wire_number *)record)->number;
        return 0;
    case WIRE_CLOCK:
        return blame_clock((const void *)record, why);
    default:
        return 0;
    }
}

static int run(const struct pitot_options *options, struct watch *watch, struct refusal *why)
{
    struct request *request = &watch->request;

    if (place_count == 0)
        request->blame.memory = options->memory ? options->memory : MEMORY_DEFAULT;
    else
        request->blame.writers = (uint32_t)(options->writes ? options->writes : WRITERS_DEFAULT);
    request->blame.place_count = (uint32_t)place_count;
    for (size_t i = 0; i < place_count; i++)
        request->blame.places[i] = (struct request_place){
            .address = places[i].address, .length = places[i].length, .fixed = places[i].fixed};
    request->chains = true;
    return watch_run(watch, why);
}

/* --- All memory, into a file --- */

/* Words come when the machine has ended. */
static void tell_word(void)
{
    static uint64_t count;

    if (count++ == 0)
        progress_begin("writes", 0, "writers");
    progress_at(count);
}

static int keep(const struct wire_head *record, struct refusal *why)
{
    if (record->kind == WIRE_LOST)
        lost = ((const struct wire_number *)record)->number;
    if (record->kind == WIRE_WORD)
        tell_word();
    return blame_file_write(record, why);
}

static int run_into_file(const struct pitot_options *options, struct watch *watch,
                         struct refusal *why)
{
    const char *path = options->output ? options->output : FILE_DEFAULT;
    int error = blame_file_create(path, watch->kernel, why), closing;
    bool whole;

    if (error)
        return error;
    watch->take = keep;
    error = run(options, watch, why);
    progress_end();
    whole = !error && watch_ran(watch);
    if (whole)
        error = blame_file_write(&watch->end.head, why);
    closing = blame_file_close(whole && !error, error ? NULL : why);
    if (error || closing)
        return error ? error : closing;
    watch_tell_losses(watch);
    watch_tell(lost, "write", "without room; -m gives more");
    plain_tell("[ pitot blame: %s%s%s ]", whole ? "the last writers of all memory in " : "", path,
               whole ? "" : " is not written");
    return 0;
}

static int run_and_answer(const struct pitot_options *options, struct watch *watch,
                          struct refusal *why)
{
    int error = open_page(options, watch->kernel, NULL, why);

    watch->take = take_history;
    if (!error)
        error = run(options, watch, why);
    if (error)
        return error;
    watch_tell_losses(watch);
    if (!watch_ran(watch))
        return 0;
    if (unread > 0)
        plain_tell("pitot: the memory at the end was not compared with the last writes");
    return answer(options, watch->kernel, why);
}

int command_blame(const struct command *command, struct watch *watch, struct refusal *why)
{
    const struct pitot_options *options = command->options;
    int error = read_places(options, watch->kernel, why);

    if (error)
        return error;
    if (place_count == 0)
        return run_into_file(options, watch, why);
    error = run_and_answer(options, watch, why);
    question_drop();
    return error;
}

/* --- Places, from a file --- */

static int take_kept(const struct wire_head *record, struct refusal *why)
{
    switch (record->kind) {
    case WIRE_SLIDE:
        elf_symbols_slide(((const struct wire_number *)record)->number);
        return take_history(record, why);
    case WIRE_CONTEXT:
        return contexts_add((const void *)record, why);
    case WIRE_WORD:
        return writes_pick(places, place_count, (const void *)record, why);
    default:
        return take_history(record, why);
    }
}

static int open_kernel(const struct pitot_options *options, const char *path, struct kernel *kernel,
                       struct refusal *why)
{
    struct blame_file_head head;
    int error = blame_file_open(path, &head, why);

    if (!error)
        error = kernel_open(kernel,
                            options->symbols  ? options->symbols
                            : options->kernel ? options->kernel
                                              : head.kernel,
                            options->symbols, why);
    if (error)
        return error;
    if (head.build_id_size != kernel->build_id_size ||
        memcmp(head.build_id, kernel->build_id, head.build_id_size) != 0)
        return refuse(why, EINVAL,
                      "%s is of another build than %s; --kernel ELF names the right one", path,
                      kernel->path);
    if (head.build_id_size == 0)
        plain_tell("pitot: %s has no build id: another build may have run", kernel->path);
    return 0;
}

int blame_ask_file(const struct pitot_options *options, struct refusal *why)
{
    static struct kernel kernel;
    const char *input = options->input ? options->input : FILE_DEFAULT;
    int error = open_kernel(options, input, &kernel, why);

    if (!error)
        error = read_places(options, &kernel, why);
    if (!error)
        error = blame_file_read(take_kept, why);
    if (!error)
        error = open_page(options, &kernel, input, why);
    if (!error)
        error = answer(options, &kernel, why);
    question_drop();
    return error;
}
