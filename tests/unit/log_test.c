/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the plugin reads in QEMU's log (outside/plugin/log.h): lines as QEMU 7.2 writes them, read
 * from the file of the thread that runs the test, while it grows.
 *
 * links: outside/plugin/log.c
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "outside/plugin/follow.h"
#include "outside/plugin/log.h"

#define STATE                                                                                      \
    "RAX=0000000000000001 RBX=00000000000021e0 RCX=00000000c0000080 RDX=0000000000000020\n"        \
    "RSI=00000000000011c0 RDI=0000000000006ef4 RBP=0000000000000000 RSP=0000000000207ff0\n"        \
    "R8 =0000000000000000 R9 =0000000000000000 R10=0000000000000000 R11=0000000000000000\n"        \
    "R12=0000000000000000 R13=0000000000000000 R14=0000000000000000 R15=0000000000000000\n"        \
    "RIP=0000000000200118 RFL=00000002 [-------] CPL=0 II=0 A20=1 SMM=0 HLT=0\n"                   \
    "ES =0000 0000000000000000 00000000 00000000\n"                                                \
    "CS =0008 0000000000000000 ffffffff 00af9b00 DPL=0 CS64 [-RA]\n"                               \
    "SS =0000 0000000000000000 ffffffff 00c09300 DPL=0 DS   [-WA]\n"                               \
    "DS =0000 0000000000000000 00000000 00000000\n"                                                \
    "FS =0010 0000000000000000 ffffffff 00cf9300 DPL=0 DS   [-WA]\n"                               \
    "GS =0010 0000000000000000 ffffffff 00cf9300 DPL=0 DS   [-WA]\n"                               \
    "LDT=0000 0000000000000000 0000ffff 00008200 DPL=0 LDT\n"                                      \
    "TR =0000 0000000000000000 0000ffff 00008b00 DPL=0 TSS64-busy\n"                               \
    "GDT=     0000000000201000 00000037\n"                                                         \
    "IDT=     0000000000205000 00000fff\n"                                                         \
    "CR0=80010011 CR2=0000000000000000 CR3=0000000000202018 CR4=00000620\n"                        \
    "DR0=0000000000000000 DR1=0000000000000000 DR2=0000000000000000 DR3=0000000000000000 \n"       \
    "DR6=00000000ffff0ff0 DR7=0000000000000400\n"                                                  \
    "CCS=0000000000000001 CCD=0000000000000001 CCO=SUBL\n"                                         \
    "EFER=0000000000000501\n"
#define INT                                                                                        \
    "199999: v=80 e=0000 i=1 cpl=3 IP=0008:0000000000200118 pc=0000000000200118 "                  \
    "SP=0000:0000000000207ff0 env->regs[R_EAX]=0000000000000001\n"
#define FAULT                                                                                      \
    "     7: v=0e e=0002 i=0 cpl=0 IP=0008:0000000000200200 pc=0000000000200200 "                  \
    "SP=0010:0000000000207fe0 CR2=0000000019000000\n"

static char folder[] = "/tmp/pitot-log-test-XXXXXX", path[64];
static FILE *file, *user;

static void logs(const char *text)
{
    if (!file) /* QEMU creates it at the thread's first line */
        file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fflush(file);
}

void log_write_line(void)
{
    logs("\n");
}

bool follow_is_on(unsigned cpu, uint64_t rsp)
{
    return cpu == (rsp < 0x207fe8 ? 0 : 1);
}

static void assert_record(unsigned cpu, unsigned vector, uint32_t error, uint64_t ip, uint64_t sp,
                          unsigned privilege)
{
    struct log_record record;

    assert_int_not_equal(*log_news[cpu], 0);
    assert_true(log_next(cpu, &record));
    assert_int_equal(record.vector, vector);
    assert_int_equal(record.error, error);
    assert_int_equal(record.ip, ip);
    assert_int_equal(record.sp, sp);
    assert_int_equal(record.privilege, privilege);
    assert_int_equal(record.space, 0x202000);
}

static void assert_nothing(unsigned cpu)
{
    struct log_record record;

    assert_false(log_next(cpu, &record));
    assert_int_equal(*log_news[cpu], 0);
}

/* What was added to the user's file since the last call. */
static const char *copied(void)
{
    static char text[1 << 16];
    static off_t from;
    ssize_t size = pread(fileno(user), text, sizeof(text) - 1, from);

    assert_true(size >= 0);
    from += size;
    text[size] = '\0';
    return text;
}

static int set_up(void **state)
{
    static struct request request;

    (void)state;
    assert_int_equal(*log_news[0], 0); /* without a log nothing is read */
    user = tmpfile();
    if (!user || !mkdtemp(folder))
        return -1;
    snprintf(path, sizeof(path), "%s/%ld", folder, syscall(SYS_gettid));
    snprintf(request.log.folder, sizeof(request.log.folder), "%s", folder);
    request.log.copy = fileno(user);
    log_begin(&request);
    assert_nothing(0);
    assert_int_equal(access(path, F_OK), -1); /* no file is left behind */
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    return rmdir(folder);
}

static void reads_interrupts_as_they_come(void **state)
{
    (void)state;
    logs(FAULT STATE);
    assert_record(0, 14, 2, 0x200200, 0x207fe0, 0);
    assert_nothing(0);
    for (unsigned i = 0; i < 30000; i++) { /* more than memory holds at once */
        logs(FAULT STATE);
        assert_record(0, 14, 2, 0x200200, 0x207fe0, 0);
    }
    logs(FAULT STATE FAULT STATE);
    assert_record(0, 14, 2, 0x200200, 0x207fe0, 0);
    assert_record(0, 14, 2, 0x200200, 0x207fe0, 0);
    assert_nothing(0);
}

static void copies_what_the_user_asked_for(void **state)
{
    (void)state;
    copied();
    logs("Servicing hardware INT=0x20\nSMM: enter\n" STATE "guest_errors: first\n" FAULT STATE
         "check_exception old: 0xffffffff new 0xe\nCPU Reset (CPU 0)\n" STATE);
    assert_record(0, 14, 2, 0x200200, 0x207fe0, 0);
    assert_nothing(0);
    assert_string_equal(copied(), "guest_errors: first\nCPU Reset (CPU 0)\n" STATE);
}

/* With thread=single all CPUs write to one file. */
static void gives_each_cpu_its_own(void **state)
{
    (void)state;
    assert_nothing(1);
    logs(INT STATE FAULT STATE);
    assert_record(0, 14, 2, 0x200200, 0x207fe0, 0);
    assert_nothing(0);
    assert_record(1, 128, 0, 0x200118, 0x207ff0, 3);
    assert_nothing(1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_interrupts_as_they_come),
        cmocka_unit_test(copies_what_the_user_asked_for),
        cmocka_unit_test(gives_each_cpu_its_own),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
