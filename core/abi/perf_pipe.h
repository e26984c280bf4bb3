/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perf's pipe format (`perf record -o -`): a header of 16 bytes, then records to the end of the
 * file. <linux/perf_event.h> defines the record types below 64. Those from 64 up belong to the perf
 * tool; no installed header has them, so they are defined here. docs/stream.md gives their order.
 *
 * Source: the perf tool's documentation, perf.data-file-format ("Pipe-mode data" and "Records"),
 * and perf 6.1 itself. The magic is the format's only version number. Little endian; every record
 * but TRACING_DATA is a multiple of 8 bytes.
 */
#pragma once

#include <stdint.h>

#include <linux/perf_event.h>

#define PERF_PIPE_MAGIC UINT64_C(0x32454c4946524550) /* the bytes "PERFILE2" */

/* Opens the stream; a second one would end it. */
struct perf_pipe_header {
    uint64_t magic;
    uint64_t size; /* of this header; 16 marks a pipe, 104 a perf.data file */
};

/* Record types that Pitot writes (perf_event_header.type). */
enum perf_pipe_type {
    PERF_PIPE_ATTR = 64,           /* struct perf_pipe_attr */
    PERF_PIPE_EVENT_TYPE = 65,     /* ignored by perf; carries struct perf_pipe_checksum */
    PERF_PIPE_TRACING_DATA = 66,   /* struct perf_pipe_tracing_data */
    PERF_PIPE_BUILD_ID = 67,       /* struct perf_pipe_build_id */
    PERF_PIPE_FINISHED_ROUND = 68, /* the header alone */
    PERF_PIPE_EVENT_UPDATE = 78,   /* struct perf_pipe_event_update */
    PERF_PIPE_FEATURE = 80,        /* struct perf_pipe_feature */
    PERF_PIPE_COMPRESSED = 81,     /* a piece of a zstd stream of records follows the header */
};

/*
 * Bytes of a perf_event_attr that are sent: as many as in perf 6.1, whatever <linux/perf_event.h>
 * this is built with. perf finds the ids after it by attr.size.
 */
#define PERF_PIPE_ATTR_SIZE PERF_ATTR_SIZE_VER7

/* An event, and the ids by which records refer to it. */
struct perf_pipe_attr {
    struct perf_event_header header;
    uint8_t attr[PERF_PIPE_ATTR_SIZE]; /* attr.size is PERF_PIPE_ATTR_SIZE */
    uint64_t id;                       /* perf accepts several; Pitot uses one */
};

#define PERF_PIPE_UPDATE_NAME 2 /* perf_pipe_event_update.type: the event's name follows */

/* The name of an event: a string, its NUL and padding to 8 bytes follow. */
struct perf_pipe_event_update {
    struct perf_event_header header;
    uint64_t type;
    uint64_t id;
};

#define PERF_PIPE_BUILD_ID_SIZE      20
#define PERF_PIPE_MISC_BUILD_ID_SIZE (1u << 15) /* header.misc: the field `size` is in use */

/* The build id of a binary; its file name, NUL and padding to 8 bytes follow. */
struct perf_pipe_build_id {
    struct perf_event_header header;
    int32_t pid; /* -1: the host's kernel, as opposed to a guest's */
    uint8_t build_id[PERF_PIPE_BUILD_ID_SIZE];
    uint8_t size;
    uint8_t reserved[3];
};

/*
 * Precedes the descriptions of tracepoints, which are not part of the record: header.size is 12.
 * `size` is the length of these descriptions and of all earlier ones in the stream, because perf
 * counts them in total.
 */
struct perf_pipe_tracing_data {
    struct perf_event_header header;
    uint32_t size;
};

/*
 * The beginning of such descriptions. Source: trace-cmd's trace.dat of version 0.6
 * (docs/tracepoints.md).
 */
#define TRACING_DATA_MAGIC "\x17\x08\x44tracing0.6" /* including its NUL */

/*
 * The layout of a trace page. No page follows, but perf rejects an empty layout, and derives the
 * size of a long from it.
 */
#define TRACING_DATA_HEADER_PAGE                                                                   \
    "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"                                     \
    "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"                                    \
    "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"                                     \
    "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n"

/* Header features, with perf's numbers. */
enum perf_pipe_feature_number {
    PERF_PIPE_FEATURE_VERSION = 5,     /* struct perf_pipe_feature: of the program that recorded */
    PERF_PIPE_FEATURE_ARCH = 6,        /* struct perf_pipe_feature: output of `uname -m` */
    PERF_PIPE_FEATURE_NRCPUS = 7,      /* struct perf_pipe_cpus */
    PERF_PIPE_FEATURE_CPUDESC = 8,     /* struct perf_pipe_feature: model name of the CPU */
    PERF_PIPE_FEATURE_CPUID = 9,       /* struct perf_pipe_feature: vendor,family,model,stepping */
    PERF_PIPE_FEATURE_COMPRESSED = 27, /* struct perf_pipe_compression */
};

/* A header feature that is one string: `length` bytes follow, including NUL and padding. */
struct perf_pipe_feature {
    struct perf_event_header header;
    uint64_t feature;
    uint32_t length;
};

struct perf_pipe_cpus {
    struct perf_event_header header;
    uint64_t feature;
    uint32_t available, online;
};

/* The encoding of PERF_PIPE_COMPRESSED records. */
struct perf_pipe_compression {
    struct perf_event_header header;
    uint64_t feature;
    uint32_t version; /* 1 */
    uint32_t type;    /* 1: zstd */
    uint32_t level;   /* informational */
    uint32_t ratio;   /* informational */
    uint32_t room;    /* bytes that perf reserves to decompress one record */
    uint32_t padding;
};

/*
 * Pitot's own record, of a type that perf ignores: the CRC-32 (IEEE 802.3, as in gzip) of every
 * byte of the stream before the field. After it, the CRC-32 of all bytes is PERF_PIPE_CRC32_WHOLE.
 * It is as long as perf's record of this type, an id and a name of 64 bytes: perf 7.2 warns of a
 * shorter one.
 */
struct perf_pipe_checksum {
    struct perf_event_header header;
    uint32_t reserved[17]; /* 0 */
    uint32_t crc32;
};

#define PERF_PIPE_CRC32_WHOLE UINT32_C(0x2144df1c)

_Static_assert(sizeof(struct perf_pipe_header) == 16, "perf tells a pipe by this size");
_Static_assert(sizeof(struct perf_event_attr) >= PERF_PIPE_ATTR_SIZE, "the attr is cut, not grown");
_Static_assert(sizeof(struct perf_pipe_attr) == 144, "header 8, attr 128, id 8");
_Static_assert(sizeof(struct perf_pipe_event_update) == 24, "the name follows at 24");
_Static_assert(sizeof(struct perf_pipe_tracing_data) == 12, "the description follows at 12");
_Static_assert(sizeof(struct perf_pipe_build_id) == 36, "the file name follows at 36");
_Static_assert(__builtin_offsetof(struct perf_pipe_feature, length) == 16, "the string is at 20");
_Static_assert(sizeof(struct perf_pipe_cpus) == 24, "two numbers behind the feature's");
_Static_assert(sizeof(struct perf_pipe_compression) == 40, "five numbers, and padding to 8");
_Static_assert(__builtin_offsetof(struct perf_pipe_checksum, crc32) == 8 + 8 + 64 - 4,
               "the CRC ends the record");
