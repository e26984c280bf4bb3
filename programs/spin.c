/* SPDX-License-Identifier: BSD-2-Clause */
/* Does nothing, for ever: ^C ends it. `spin calls` asks for its number all the while. */
#include "programs/system.h"
#include "programs/text.h"

int main(int argc, char **argv);

int main(int argc, char **argv)
{
    (void)argv;
    say("spin: ^C ends it");
    for (volatile unsigned long turns = 0;; turns++)
        if (argc > 1)
            system_getpid();
}
