/* SPDX-License-Identifier: BSD-2-Clause */
/* See memory.h. */
#include "kernel/user/memory.h"

#include "kernel/user/process.h"

int user_get(uintptr_t from, void *to, size_t length)
{
    return arch_user_read(process_current()->space, from, to, length) ? 0 : -EFAULT;
}

int user_put(uintptr_t to, const void *from, size_t length)
{
    return arch_user_write(process_current()->space, to, from, length) ? 0 : -EFAULT;
}

int user_can_put(uintptr_t to, size_t length)
{
    size_t part;

    if (to == 0)
        return 0;
    for (; length > 0; length -= part, to += part) {
        part = length;
        if (!arch_user_reach(process_current()->space, to, ARCH_PAGE_WRITE, &part))
            return -EFAULT;
    }
    return 0;
}

int64_t user_get_text(uintptr_t from, char *to, size_t size)
{
    for (size_t done = 0, part; done < size; done += part) {
        const char *text;

        part = size - done;
        text = arch_user_reach(process_current()->space, from + done, ARCH_PAGE_READ, &part);
        if (!text)
            return -EFAULT;
        for (size_t i = 0; i < part; i++) {
            to[done + i] = text[i];
            if (text[i] == '\0')
                return (int64_t)(done + i);
        }
    }
    return -ENAMETOOLONG;
}
