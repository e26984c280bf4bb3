/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * core/gdb: the reply to each packet, also on a bad line: damaged and lost packets, noise, overlong
 * packets, escapes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/fake_gdb_target.h"

static struct gdb_server server;
static char said[1 << 15];
static size_t said_length;

static int reset(void **state)
{
    (void)state;
    fake_gdb_reset();
    gdb_server_init(&server, &fake_gdb_line, &fake_gdb_target);
    said_length = 0;
    return 0;
}

static void say_bytes(const char *bytes, size_t length)
{
    assert_true(length <= sizeof(said) - said_length);
    memcpy(said + said_length, bytes, length);
    said_length += length;
}

static void say(const char *text)
{
    say_bytes(text, strlen(text));
}

static void say_packet_of(const char *body, size_t length)
{
    unsigned sum = 0;
    char end[4];

    for (size_t i = 0; i < length; i++)
        sum += (unsigned char)body[i];
    say("$");
    say_bytes(body, length);
    snprintf(end, sizeof(end), "#%02x", sum & 0xff);
    say(end);
}

static void say_packet(const char *body)
{
    say_packet_of(body, strlen(body));
}

/* Serves until the server requests something, or all input is consumed. */
static enum gdb_request_kind serve(void)
{
    fake_gdb.said = (const uint8_t *)said;
    fake_gdb.said_length = said_length;
    gdb_server_serve(&server);
    fake_gdb.told[fake_gdb.told_length] = '\0';
    return server.request.kind;
}

/* The bodies of the replies, each in brackets; a wrong checksum fails. */
static const char *told(void)
{
    static char bodies[1 << 16];
    size_t length = 0;

    for (const char *at = fake_gdb.told; *at; at++) {
        unsigned sum = 0, claimed;

        if (*at != '$') {
            bodies[length++] = *at;
            continue;
        }
        bodies[length++] = '[';
        for (at++; *at != '#'; at++) {
            assert_true(*at != '\0' && *at != '$');
            sum += (unsigned char)*at;
            bodies[length++] = *at;
        }
        assert_int_equal(sscanf(at + 1, "%2x", &claimed), 1);
        assert_int_equal(claimed, sum & 0xff);
        bodies[length++] = ']';
        at += 2;
    }
    bodies[length] = '\0';
    return bodies;
}

/* One packet and its reply, both acknowledged. */
static void answers(const char *packet, const char *reply)
{
    char expected[1 << 13];

    reset(NULL);
    say_packet(packet);
    say("+");
    assert_int_equal(serve(), GDB_GONE);
    snprintf(expected, sizeof(expected), "+[%s]", reply);
    assert_string_equal(told(), expected);
}

static void answers_what_it_does_not_know_with_nothing(void **state)
{
    (void)state;
    answers("", "");
    answers("b", "");
    answers("qNonsense", "");
    answers("vMustReplyEmpty", "");
    answers("vFile:setfs:0", "");
    answers("QNonStop:1", "");
    answers("Z9,1000,1", "");
    answers("\xff", "");
}

static void tells_the_last_stop(void **state)
{
    (void)state;
    answers("?", "T05thread:1;1:0000000000000000;");
}

static void tells_why_it_stopped(void **state)
{
    static const struct {
        struct gdb_stop stop;
        const char *plain, *wanted;
    } stops[] = {
        {{2, 5, GDB_STOPPED_BY_SIGNAL, 0}, "T05", "T05"},
        {{2, 2, GDB_STOPPED_BY_SIGNAL, 0}, "T02", "T02"},
        {{2, 5, GDB_STOPPED_BY_SOFTWARE, 0}, "T05", "T05swbreak:;"},
        {{2, 5, GDB_STOPPED_BY_HARDWARE, 0}, "T05", "T05hwbreak:;"},
        {{2, 5, GDB_STOPPED_BY_WRITE, 0xabc0}, "T05watch:abc0;", "T05watch:abc0;"},
        {{2, 5, GDB_STOPPED_BY_READ, 0xabc0}, "T05rwatch:abc0;", "T05rwatch:abc0;"},
        {{2, 5, GDB_STOPPED_BY_ACCESS, 0xabc0}, "T05awatch:abc0;", "T05awatch:abc0;"},
    };

    for (size_t i = 0; i < 2 * sizeof(stops) / sizeof(stops[0]); i++) {
        const char *reason = i % 2 ? stops[i / 2].wanted : stops[i / 2].plain;
        char expected[100];

        reset(state);
        server.link.no_ack = true;
        server.tells_breaks = i % 2;
        server.owes_stop = true;
        fake_gdb.registers[2][1] = 0x1122;
        gdb_server_stopped(&server, &stops[i / 2].stop);
        snprintf(expected, sizeof(expected), "[%sthread:3;1:2211000000000000;]", reason);
        assert_string_equal(told(), expected);
        gdb_server_stopped(&server, &stops[i / 2].stop);
        assert_string_equal(told(), expected); /* the second packet is not answered */
    }
}

static void reads_and_writes_registers(void **state)
{
    (void)state;
    answers("g", "000000000000000000000000000000000000000000000000"
                 "00000000xxxxxxxxxxxxxxxxxxxx");
    answers("p2", "0000000000000000");
    answers("p4", "xxxxxxxxxxxxxxxxxxxx");
    answers("p5", "E.pitot.no such register");
    answers("p", "E.pitot.no such register");
    answers("P1=8877665544332211", "OK");
    assert_true(fake_gdb.registers[0][1] == 0x1122334455667788);
    answers("P1=88776655443322", "E.pitot.the value and the register differ in length");
    answers("P1=887766554433221100", "E.pitot.the value and the register differ in length");
    answers("P3=01000000", "E.pitot.register 3 stays as it is");
    answers("P3=00000000", "OK");
    answers("G0100000000000000020000000000000003000000000000000000000"
            "0xxxxxxxxxxxxxxxxxxxx",
            "OK");
    assert_true(fake_gdb.registers[0][0] == 1 && fake_gdb.registers[0][2] == 3);
    answers("G01000000000000000", "E.pitot.the last register is not complete");
}

static void chooses_threads(void **state)
{
    (void)state;
    answers("Hg3", "OK");
    answers("Hg2", "E.pitot.no such thread");
    answers("Hg4", "E.pitot.no such thread");
    answers("Hg0", "OK");
    answers("Hc-1", "OK");
    answers("Hx1", "E.pitot.no such thread");
    answers("T1", "OK");
    answers("T2", "E.pitot.no such thread");
    answers("qC", "QC1");
    answers("qfThreadInfo", "m1,3");
    answers("qsThreadInfo", "l");
    answers("qThreadExtraInfo,3", "746872656164203c323e");
    answers("qThreadExtraInfo,2", "E.pitot.no such thread");

    reset(NULL);
    fake_gdb.registers[2][0] = 0xee;
    say_packet("Hg3");
    say("+");
    say_packet("p0");
    say("+");
    serve();
    assert_string_equal(told(), "+[OK]+[ee00000000000000]");
}

static void reads_and_writes_memory(void **state)
{
    (void)state;
    answers("m1002,3", "020304");
    answers("m10fe,8", "feff"); /* as much as exists */
    answers("m1100,1", "E0e");
    answers("mffffffffffffffff,2", "E0e");
    answers("m1000,0", "");
    answers("m1000", "E16");
    answers("m10000000000000000,1", "E16");
    answers("x1022,4", "b\"}\x03}\x04%");
    answers("M1010,2:a1b2", "OK");
    assert_int_equal(fake_gdb.memory[0x10], 0xa1);
    assert_int_equal(fake_gdb.memory[0x11], 0xb2);
    answers("M1010,2:a1", "E.pitot.the length and the bytes differ");
    answers("M1010,1:a1b2", "E.pitot.the length and the bytes differ");
    answers("M10f0,1:a1", "E.pitot.0x10f0 cannot be written");
    answers("M10ef,2:a1b2", "E.pitot.0x10ef cannot be written");
    assert_int_equal(fake_gdb.memory[0xef], 0xef); /* all or nothing */
    answers("X1010,0:", "OK");
    assert_int_equal(fake_gdb.writes, 0);
    answers("X1010,3:a}\x03z", "OK");
    assert_memory_equal(&fake_gdb.memory[0x10], "a#z", 3);
    answers("X1010,2:abc", "E.pitot.the length and the bytes differ");
}

static void reads_no_more_than_has_room(void **state)
{
    size_t digits;

    (void)state;
    reset(NULL);
    say_packet("m1000,ffffffff");
    say("+");
    serve();
    digits = strlen(told()) - strlen("+[]");
    assert_int_equal(digits, 2 * FAKE_MEMORY_SIZE);
}

static void sets_and_clears_points(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind < GDB_POINT_KINDS; kind++) {
        char packet[32];

        snprintf(packet, sizeof(packet), "Z%u,1020,4", kind);
        answers(packet, "OK");
        assert_int_equal(fake_gdb.point_count, 1);
        assert_int_equal(fake_gdb.points[0].kind, kind);
        assert_true(fake_gdb.points[0].address == 0x1020 && fake_gdb.points[0].length == 4);
    }
    answers("Z2,2000,4", "E.pitot.held by perf lock:?");
    assert_string_equal(server.refused.text, "held by perf lock:*");
    answers("Z2,2000", "E.pitot.a kind, an address and a length are needed");

    answers("qPitot.Refuses,1,1000", "");
    answers("qPitot.Refuses,1,2000", "68656c642062792070657266206c6f636b3a2a");
    answers("qPitot.Refuses,1", "E.pitot.a kind and an address are needed");
    answers("qPitot.Refuses,5,1000", "E.pitot.a kind and an address are needed");
    answers("qPitot.Refused", "");

    reset(NULL);
    say_packet("Z2,2000,4");
    say("+");
    for (int time = 0; time < 2; time++) {
        say_packet("qPitot.Refused");
        say("+");
    }
    serve();
    assert_string_equal(told(), "+[E.pitot.held by perf lock:?]"
                                "+[68656c642062792070657266206c6f636b3a2a]+[]");

    assert_false(server.only_noted);
    reset(NULL);
    for (int time = 0; time < 2; time++) {
        say_packet(time ? "qPitot.Refused" : "Z1,1030,1");
        say("+");
    }
    serve();
    assert_string_equal(told(), "+[OK]+[73656c646f6d20686974]");
    assert_true(server.only_noted);

    reset(NULL);
    say_packet("Z2,1000,4");
    say("+");
    say_packet("z2,1000,4");
    say("+");
    serve();
    assert_int_equal(fake_gdb.point_count, 0);
}

struct resumption {
    const char *packet;
    bool all;
    unsigned only;
    bool step;
    uint64_t start, end;
};

static void resumes_as_it_is_told(void **state)
{
    static const struct resumption ways[] = {
        {"c", true, GDB_NO_CPU, false, 0, 0},
        {"C05", true, GDB_NO_CPU, false, 0, 0},
        {"s", true, 0, true, 0, 0},
        {"S05", true, 0, true, 0, 0},
        {"vCont;c", true, GDB_NO_CPU, false, 0, 0},
        {"vCont;C02", true, GDB_NO_CPU, false, 0, 0},
        {"vCont;c:-1", true, GDB_NO_CPU, false, 0, 0},
        {"vCont;s:3;c", true, 2, true, 0, 0},
        {"vCont;S05:1;c", true, 0, true, 0, 0},
        {"vCont;s:3", false, 2, true, 0, 0},
        {"vCont;c:1", false, 0, false, 0, 0},
        {"vCont;t:1;c", false, 2, false, 0, 0},
        {"vCont;r1000,1010:1;c", true, 0, true, 0x1000, 0x1010},
        {"vCont;c:1;s:1;t", false, 0, false, 0, 0}, /* the leftmost action applies */
    };

    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        reset(state);
        say_packet(ways[i].packet);
        assert_int_equal(serve(), GDB_RESUME);
        assert_string_equal(told(), "+");
        assert_int_equal(server.request.all, ways[i].all);
        assert_int_equal(server.request.only, ways[i].only);
        assert_int_equal(server.request.step, ways[i].step);
        assert_true(server.request.start == ways[i].start);
        assert_true(server.request.end == ways[i].end);
        assert_true(server.owes_stop);
    }
}

static void refuses_to_resume_what_cannot_run(void **state)
{
    static const char one_or_all[] =
        "E.pitot.one CPU can run alone, or all can run, one of them by single steps";

    (void)state;
    answers("vCont?", "vCont;c;C;s;S;t;r");
    answers("vCont", one_or_all);
    answers("vCont;t", one_or_all);
    answers("vCont;s", one_or_all); /* two CPUs */
    answers("vCont;x", "E.pitot.vCont: c, C, s, S, t and r are allowed");
    answers("vCont;r10", "E.pitot.vCont: c, C, s, S, t and r are allowed");
    answers("vCont;C", "E.pitot.no signal");
    answers("vCont;s:2", "E.pitot.no such thread");
    answers("vCont;cc", "E.pitot.vCont: each action follows a semicolon");
    answers("c1000", "E.pitot.no address is allowed here: set rip instead");
    answers("C", "E.pitot.no signal");
}

static void says_what_it_can(void **state)
{
    (void)state;
    answers("qSupported:multiprocess+;swbreak+;hwbreak+",
            "PacketSize=1000;QStartNoAckMode+;qXfer:features:read+;qXfer:threads:read+;"
            "vContSupported+;swbreak+;hwbreak+;binary-upload+");
    assert_true(server.tells_breaks);
    answers("qAttached", "1");
    answers("!", "OK");
}

static void transfers_objects_in_parts(void **state)
{
    (void)state;
    answers("qXfer:features:read:target.xml:0,8", "m<target>");
    answers("qXfer:features:read:target.xml:8,9", "ma}\x03"
                                                  "b}\x04"
                                                  "c}\x0a"
                                                  "d}]e");
    answers("qXfer:features:read:target.xml:11,100", "l</target>");
    answers("qXfer:features:read:target.xml:1000,100", "l");
    answers("qXfer:features:read:other.xml:0,100",
            "E.pitot.only target.xml and the threads can be read");
    answers("qXfer:threads:read:other:0,100",
            "E.pitot.only target.xml and the threads can be read");
    answers("qXfer:features:read:target.xml:0", "E.pitot.an offset and a length are needed");
    answers("qXfer:threads:read::0,fff",
            "l<?xml version=\"1.0\"?><threads>"
            "<thread id=\"1\" core=\"0\" name=\"CPU 0\">thread ?0?</thread>"
            "<thread id=\"3\" core=\"2\" name=\"CPU 2\">thread ?2?</thread></threads>");
}

static void has_no_other_objects(void **state)
{
    (void)state;
    answers("qXfer:auxv:read::0,100", "");
    answers("qXfer:memory-map:read::0,100", "");
    answers("qXfer:features:write:target.xml:0:00", "");
    answers("qXfer:features", "");
    answers("qXfer:", "");
}

static void tells_that_it_is_a_machine_as_qemu_does(void **state)
{
    (void)state;
    answers("Qqemu.sstepbits", "ENABLE=1,NOIRQ=2,NOTIMER=4");
    answers("qqemu.sstepbits", "ENABLE=1,NOIRQ=2,NOTIMER=4");
    answers("qqemu.sstep", "");
    answers("Qqemu.sstep", "");
    answers("Qqemu.sstep=0x1", "");
    answers("qOffsets", "");
}

static void hands_over_what_is_not_its_own(void **state)
{
    reset(state);
    say_packet("qRcmd,68656c70");
    assert_int_equal(serve(), GDB_COMMAND);
    assert_string_equal(server.request.command, "help");
    say("++");
    fake_gdb.said_length = said_length;
    gdb_server_print(&server, "hi\n", 3);
    gdb_server_command_done(&server, 0);
    assert_string_equal(told(), "+[O68690a][OK]");
    answers("qRcmd,6", "");

    reset(state);
    say_packet("D");
    say("+");
    assert_int_equal(serve(), GDB_DETACH);
    assert_string_equal(told(), "+[OK]");

    reset(state);
    say_packet("k");
    assert_int_equal(serve(), GDB_KILL);
    reset(state);
    say_packet("vKill;1");
    say("+");
    assert_int_equal(serve(), GDB_KILL);
    assert_string_equal(told(), "+[OK]");
    reset(state);
    say_packet("R00");
    assert_int_equal(serve(), GDB_RESTART);
}

static void prints_in_parts(void **state)
{
    static char text[3000];
    const char *at;
    size_t digits = 0;

    reset(state);
    memset(text, 'a', sizeof(text));
    gdb_server_print(&server, text, sizeof(text));
    for (at = told(); *at; at++)
        digits += *at == '6' || *at == '1';
    assert_int_equal(digits, 2 * sizeof(text));
}

static void tells_the_end_to_a_gdb_that_waits(void **state)
{
    reset(state);
    gdb_server_ended(&server, 'W', 0);
    assert_string_equal(told(), "");
    server.owes_stop = true;
    gdb_server_ended(&server, 'W', 0);
    gdb_server_ended(&server, 'X', GDB_SIGNAL_ABORTED);
    assert_string_equal(told(), "[W00]");
    server.owes_stop = true;
    gdb_server_ended(&server, 'X', GDB_SIGNAL_ABORTED);
    assert_string_equal(told(), "[W00][X06]");
}

/* --- Bad lines --- */

static void asks_again_for_a_damaged_packet(void **state)
{
    reset(state);
    say("$qC#00");
    say("$qC#b4+");
    serve();
    assert_string_equal(told(), "-+[QC1]");
    assert_int_equal(server.link.counts.bad_sums, 1);
}

static void says_it_again_when_it_was_damaged(void **state)
{
    reset(state);
    say_packet("qC");
    say("--+");
    serve();
    assert_string_equal(told(), "+[QC1][QC1][QC1]");
    assert_int_equal(server.link.counts.resent, 2);
}

static void takes_a_packet_for_a_lost_acknowledgement(void **state)
{
    reset(state);
    say_packet("qC");
    say_packet("qAttached");
    say("+");
    serve();
    assert_string_equal(told(), "+[QC1]+[1]");
}

static void begins_anew_where_an_end_was_lost(void **state)
{
    reset(state);
    say("$m1000,");
    say_packet("qC");
    say("+");
    serve();
    assert_string_equal(told(), "+[QC1]");
    assert_int_equal(server.link.counts.bad_sums, 1);
}

static void ignores_noise(void **state)
{
    reset(state);
    say("+-\x03hello\xff#12}");
    say_packet("qC");
    say("\x80\x03z+");
    say("noise");
    say_packet("qC");
    say("+");
    serve();
    assert_string_equal(told(), "+[QC1]+[QC1]");
    assert_true(server.link.counts.noise >= 10);
}

/* 0x03 requests a stop only between packets, not inside one; a new gdb has not sent it. */
static void remembers_that_it_shall_stop(void **state)
{
    reset(state);
    say_packet_of("X1010,3:a}\x03z", 12);
    say("+");
    serve();
    assert_false(server.link.interrupted);
    say("\x03");
    say_packet("qC");
    say("+");
    serve();
    assert_true(server.link.interrupted);
    say_packet("qSupported:");
    say("+");
    serve();
    assert_false(server.link.interrupted);
    say_packet("qC");
    say("\x03+");
    serve();
    assert_true(server.link.interrupted);
}

static void refuses_a_packet_that_is_too_long(void **state)
{
    static char body[GDB_PACKET_MAX + 100];

    reset(state);
    memset(body, 'm', sizeof(body));
    say_packet_of(body, sizeof(body));
    say("+");
    say_packet("qC");
    say("+");
    serve();
    assert_string_equal(told(), "+[E.pitot.the packet is longer than 4096 characters]+[QC1]");
    assert_int_equal(server.link.counts.too_long, 1);

    reset(state);
    memcpy(body, "X1000,ff1:", 10);
    say_packet_of(body, GDB_PACKET_MAX);
    say("+");
    serve();
    assert_int_equal(server.link.counts.too_long, 0); /* a packet that just fits */
}

static void stops_acknowledging_when_asked(void **state)
{
    reset(state);
    say_packet("QStartNoAckMode");
    say("+");
    say_packet("qC");
    say("$qC#00"); /* the target is not asked again */
    say_packet("qAttached");
    serve();
    assert_string_equal(told(), "+[OK][QC1][1]");
    assert_true(server.link.no_ack);
}

static void knows_a_new_gdb(void **state)
{
    reset(state);
    server.link.no_ack = true;
    say_packet("Z2,1000,4");
    say("+");
    say_packet("qSupported:");
    say("+");
    say_packet("qC");
    say("+");
    serve();
    assert_int_equal(fake_gdb.point_count, 0);
    assert_false(server.link.no_ack);
    assert_non_null(strstr(told(), "[OK]+[PacketSize"));
    assert_non_null(strstr(told(), "]+[QC1]"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_what_it_does_not_know_with_nothing),
        cmocka_unit_test(tells_the_last_stop),
        cmocka_unit_test(tells_why_it_stopped),
        cmocka_unit_test(reads_and_writes_registers),
        cmocka_unit_test(chooses_threads),
        cmocka_unit_test(reads_and_writes_memory),
        cmocka_unit_test(reads_no_more_than_has_room),
        cmocka_unit_test(sets_and_clears_points),
        cmocka_unit_test(resumes_as_it_is_told),
        cmocka_unit_test(refuses_to_resume_what_cannot_run),
        cmocka_unit_test(says_what_it_can),
        cmocka_unit_test(transfers_objects_in_parts),
        cmocka_unit_test(has_no_other_objects),
        cmocka_unit_test(tells_that_it_is_a_machine_as_qemu_does),
        cmocka_unit_test(hands_over_what_is_not_its_own),
        cmocka_unit_test(prints_in_parts),
        cmocka_unit_test(tells_the_end_to_a_gdb_that_waits),
        cmocka_unit_test(asks_again_for_a_damaged_packet),
        cmocka_unit_test(says_it_again_when_it_was_damaged),
        cmocka_unit_test(takes_a_packet_for_a_lost_acknowledgement),
        cmocka_unit_test(begins_anew_where_an_end_was_lost),
        cmocka_unit_test(ignores_noise),
        cmocka_unit_test(remembers_that_it_shall_stop),
        cmocka_unit_test(refuses_a_packet_that_is_too_long),
        cmocka_unit_test(stops_acknowledging_when_asked),
        cmocka_unit_test(knows_a_new_gdb),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
