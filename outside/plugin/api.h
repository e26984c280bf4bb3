/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The part of QEMU's TCG plugin interface that is used here, from its documentation ("QEMU TCG
 * Plugins"). QEMU provides the functions when it loads the plugin. QEMU_API is its version:
 *
 *     1   QEMU 6.0 to 8.1
 *     2   counters in translated code are per CPU
 *     3   the bytes of an instruction are copied
 *     4   QEMU 9.2 to 10.1: values of accesses, registers, memory, conditional callbacks; 5 differs
 *         only in parts that are not used here
 *     6   descriptions of registers have a fourth member
 *     7   QEMU 11.1: callbacks take no plugin id, and each takes the pointer it was registered with
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PLUGIN_EXPORT __attribute__((visibility("default")))

/*
 * What version 7 has changed: what a callback takes besides its own parameters (API_CALLED), or if
 * it has none (API_END); what the function that registers it takes; and what is passed to that.
 */
#if QEMU_API >= 7
#define API_CALLED(...)    __VA_ARGS__, __attribute__((unused)) void *own
#define API_END            __attribute__((unused)) void *own
#define API_TAKES(type)    type *callback, void *own
#define API_PASS(callback) callback, NULL
#else
#define API_CALLED(...)    __attribute__((unused)) qemu_plugin_id_t id, __VA_ARGS__
#define API_END            API_CALLED(__attribute__((unused)) void *own)
#define API_TAKES(type)    type *callback
#define API_PASS(callback) callback
#endif

typedef uint64_t qemu_plugin_id_t;
typedef uint32_t qemu_plugin_meminfo_t;

struct qemu_plugin_tb;
struct qemu_plugin_insn;

/* QEMU passes this to qemu_plugin_install. */
typedef struct qemu_info_t {
    const char *target_name;
    struct {
        int min, cur;
    } version;
    bool system_emulation;
    struct {
        int smp_vcpus, max_vcpus;
    } system;
} qemu_info_t;

enum {
    QEMU_PLUGIN_CB_NO_REGS,
    QEMU_PLUGIN_CB_R_REGS,
    QEMU_PLUGIN_CB_RW_REGS,
    QEMU_PLUGIN_CB_RW_REGS_PC,
};
enum { QEMU_PLUGIN_MEM_R = 1, QEMU_PLUGIN_MEM_W, QEMU_PLUGIN_MEM_RW };

typedef void qemu_plugin_exec(unsigned cpu, void *own);
typedef void qemu_plugin_mem(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t address, void *own);
typedef void qemu_plugin_end(API_END);

typedef void qemu_plugin_tb_trans(API_CALLED(struct qemu_plugin_tb *block));
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, API_TAKES(qemu_plugin_tb_trans));

/* A CPU begins; it waits for an interrupt, or is off; it runs again. */
typedef void qemu_plugin_vcpu(API_CALLED(unsigned cpu));
void qemu_plugin_register_vcpu_init_cb(qemu_plugin_id_t id, API_TAKES(qemu_plugin_vcpu));
void qemu_plugin_register_vcpu_idle_cb(qemu_plugin_id_t id, API_TAKES(qemu_plugin_vcpu));
void qemu_plugin_register_vcpu_resume_cb(qemu_plugin_id_t id, API_TAKES(qemu_plugin_vcpu));

void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *block, qemu_plugin_exec *callback,
                                          int registers, void *own);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *instruction,
                                            qemu_plugin_exec *callback, int registers, void *own);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *instruction,
                                      qemu_plugin_mem *callback, int registers, int kind,
                                      void *own);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, qemu_plugin_end *callback, void *own);

enum qemu_plugin_op { QEMU_PLUGIN_INLINE_ADD_U64, QEMU_PLUGIN_INLINE_STORE_U64 };

/* Adds a constant from translated code: to one counter, or (since version 2) to one per CPU. */
#if QEMU_API >= 2
struct qemu_plugin_scoreboard;
typedef struct {
    struct qemu_plugin_scoreboard *score;
    size_t offset;
} qemu_plugin_u64;

struct qemu_plugin_scoreboard *qemu_plugin_scoreboard_new(size_t element_size);
/* A CPU's element; QEMU moves all when there are more CPUs, and then translates all code anew. */
void *qemu_plugin_scoreboard_find(struct qemu_plugin_scoreboard *score, unsigned cpu);
uint64_t qemu_plugin_u64_sum(qemu_plugin_u64 entry);
void qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(struct qemu_plugin_tb *block,
                                                       enum qemu_plugin_op operation,
                                                       qemu_plugin_u64 entry, uint64_t immediate);
#else
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *block,
                                              enum qemu_plugin_op operation, void *place,
                                              uint64_t immediate);
#endif

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *block, size_t i);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *instruction);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *instruction);
/* Where QEMU has the instruction in its own memory; NULL: it is not in RAM. */
void *qemu_plugin_insn_haddr(const struct qemu_plugin_insn *instruction);
bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t info);
unsigned qemu_plugin_mem_size_shift(qemu_plugin_meminfo_t info);

#if QEMU_API >= 3
size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *instruction, void *to, size_t size);
#else
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *instruction);
#endif

#if QEMU_API >= 4
enum {
    QEMU_PLUGIN_MEM_VALUE_U8,
    QEMU_PLUGIN_MEM_VALUE_U16,
    QEMU_PLUGIN_MEM_VALUE_U32,
    QEMU_PLUGIN_MEM_VALUE_U64,
    QEMU_PLUGIN_MEM_VALUE_U128,
};

typedef struct {
    int type;
    union {
        uint8_t u8;
        uint16_t u16;
        uint32_t u32;
        uint64_t u64;
        struct {
            uint64_t low, high;
        } u128;
    } data;
} qemu_plugin_mem_value;

qemu_plugin_mem_value qemu_plugin_mem_get_value(qemu_plugin_meminfo_t info);

/* From GLib, which QEMU is linked with. */
typedef struct {
    uint8_t *data;
    unsigned len;
} GByteArray;

typedef struct {
    char *data;
    unsigned len;
} GArray;

GByteArray *g_byte_array_new(void);
GByteArray *g_byte_array_set_size(GByteArray *array, unsigned length);

struct qemu_plugin_register;
typedef struct {
    struct qemu_plugin_register *handle;
    const char *name;
    const char *feature;
#if QEMU_API >= 6
    bool is_readonly;
#endif
} qemu_plugin_reg_descriptor;

/*
 * These are for the CPU that runs the callback, which must be registered with
 * QEMU_PLUGIN_CB_R_REGS. The value that qemu_plugin_read_register returns differs by version, and
 * is not used.
 */
GArray *qemu_plugin_get_registers(void);
void qemu_plugin_read_register(struct qemu_plugin_register *handle, GByteArray *to);
/*
 * From QEMU 10.2 on, and from 11.0 on; NULL before. The second continues at another instruction,
 * and does not return.
 */
__attribute__((weak)) void qemu_plugin_write_register(struct qemu_plugin_register *handle,
                                                      GByteArray *from);
__attribute__((weak)) void qemu_plugin_set_pc(uint64_t ip);

bool qemu_plugin_read_memory_vaddr(uint64_t address, GByteArray *to, size_t size);

/* From QEMU 10.1 on, else NULL. 0: it was read. */
__attribute__((weak)) int qemu_plugin_read_memory_hwaddr(uint64_t physical, GByteArray *to,
                                                         size_t size);

enum qemu_plugin_cond { QEMU_PLUGIN_COND_GE = 7 };

/* Calls back if translated code finds the CPU's counter not less than a constant. */
void qemu_plugin_register_vcpu_tb_exec_cond_cb(struct qemu_plugin_tb *block,
                                               qemu_plugin_exec *callback, int registers,
                                               enum qemu_plugin_cond condition,
                                               qemu_plugin_u64 entry, uint64_t least, void *own);

/*
 * From QEMU 10.2 on, which is to be looked up: NULL before. `from`: the interrupted instruction;
 * `to`: the handler's first one.
 */
enum { QEMU_PLUGIN_DISCON_INTERRUPT = 1 };
typedef void qemu_plugin_discon(API_CALLED(unsigned cpu, int kind, uint64_t from, uint64_t to));
__attribute__((weak)) void qemu_plugin_register_vcpu_discon_cb(qemu_plugin_id_t id, int kinds,
                                                               API_TAKES(qemu_plugin_discon));
#endif

/* The physical address of an access. */
struct qemu_plugin_hwaddr;
struct qemu_plugin_hwaddr *qemu_plugin_get_hwaddr(qemu_plugin_meminfo_t info, uint64_t address);
bool qemu_plugin_hwaddr_is_io(const struct qemu_plugin_hwaddr *physical);
uint64_t qemu_plugin_hwaddr_phys_addr(const struct qemu_plugin_hwaddr *physical);

/* Writes to QEMU's log, if it has -d plugin. */
void qemu_plugin_outs(const char *text);

PLUGIN_EXPORT extern int qemu_plugin_version;
PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
                                      char **argv);
