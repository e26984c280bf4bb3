/* SPDX-License-Identifier: BSD-2-Clause */
/* See judges.h. */
#include "outside/plugin/judges.h"

#include "outside/plugin/heap.h"
#include "outside/plugin/kernel_locks.h"
#include "outside/plugin/race.h"
#include "outside/plugin/race_words.h"
#include "outside/plugin/shake.h"

const char *judges_begin(qemu_plugin_id_t id, const struct request *request, unsigned cpus)
{
    const char *wrong = race_begin(id, request, cpus);

    return wrong ? wrong : shake_begin(id, request, cpus) ? NULL : "out of memory";
}

void judges_end(void)
{
    race_end();
}

void judges_watch(const struct instruction *instruction)
{
    heap_watch_instruction(instruction);
    kernel_locks_watch(instruction);
    race_watch_instruction(instruction);
    shake_watch_instruction(instruction);
}

void judges_slide(uint64_t by)
{
    heap_slide(by);
    kernel_locks_slide(by);
    race_words_slide(by);
}
