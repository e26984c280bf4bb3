/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See filter.h. The compiler reads the expression once and emits each operation after its operands;
 * the program then needs only a stack of results, the bits of one word.
 */
#include "core/tracepoint/filter.h"

#include "core/lib/assert.h"
#include "core/lib/glob.h"
#include "core/lib/number.h"
#include "core/lib/print.h"
#include "core/lib/string.h"
#include "core/task.h"

struct compiler {
    const char *at;
    struct filter *filter;
    const struct pitot_tracepoint *tracepoint;
    unsigned depth;   /* of nesting */
    unsigned waiting; /* results on the stack */
    struct refusal *why;
};

static int compile_one(struct compiler *compiler);
static int compile_either(struct compiler *compiler);

static void skip_blanks(struct compiler *compiler)
{
    while (*compiler->at == ' ')
        compiler->at++;
}

static bool accept(struct compiler *compiler, const char *token)
{
    skip_blanks(compiler);
    if (strncmp(compiler->at, token, strlen(token)) != 0)
        return false;
    compiler->at += strlen(token);
    return true;
}

static bool is_name(char character)
{
    return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') ||
           (character >= '0' && character <= '9') || character == '_';
}

static int refuse_here(struct compiler *compiler, const char *wanted)
{
    if (*compiler->at == '\0')
        return refuse(compiler->why, EINVAL, "filter: %s missing at the end", wanted);
    return refuse(compiler->why, EINVAL, "filter: \"%s\" where %s should be", compiler->at, wanted);
}

static int emit(struct compiler *compiler, const struct filter_step *step)
{
    struct filter *filter = compiler->filter;
    bool compares = step->operation < FILTER_AND, two = !compares && step->operation != FILTER_NOT;

    if (filter->count == FILTER_STEPS_MAX || (compares && compiler->waiting == FILTER_DEPTH_MAX))
        return refuse(compiler->why, EINVAL,
                      "filter: too long: at most %d comparisons and operators are allowed, and %d "
                      "of them nested",
                      FILTER_STEPS_MAX, FILTER_DEPTH_MAX);
    assert(compares || compiler->waiting > two); /* the operands are on the stack */
    filter->step[filter->count++] = *step;
    compiler->waiting += compares;
    compiler->waiting -= two;
    return 0;
}

static int emit_operation(struct compiler *compiler, enum filter_operation operation)
{
    return emit(compiler, &(struct filter_step){.operation = (uint8_t)operation});
}

static int read_operator(struct compiler *compiler, uint8_t *operation)
{
    /* If one operator begins another, the longer one comes first. */
    static const struct {
        const char *token;
        enum filter_operation operation;
    } operators[] = {
        {"==", FILTER_EQUAL},         {"!=", FILTER_NOT_EQUAL}, {"<=", FILTER_LESS_EQUAL},
        {">=", FILTER_GREATER_EQUAL}, {"<", FILTER_LESS},       {">", FILTER_GREATER},
        {"&", FILTER_BITS},           {"~", FILTER_GLOB},
    };
    bool combines;

    skip_blanks(compiler);
    combines = strncmp(compiler->at, "&&", 2) == 0; /* & must not match it */
    for (size_t i = 0; !combines && i < sizeof(operators) / sizeof(operators[0]); i++)
        if (accept(compiler, operators[i].token)) {
            *operation = (uint8_t)operators[i].operation;
            return 0;
        }
    return refuse_here(compiler, "a comparison (== != < <= > >= & ~)");
}

static int read_number(struct compiler *compiler, uint64_t *number)
{
    bool negative = accept(compiler, "-");
    enum number found;

    skip_blanks(compiler);
    found = number_read(&compiler->at, number_base(&compiler->at), UINT64_MAX, number);
    if (is_name(*compiler->at))
        return refuse_here(compiler, "a number of 64 bits, decimal or 0x...,");
    if (found == NUMBER_NONE)
        return refuse_here(compiler, "a number");
    *number = negative ? 0 - *number : *number;
    return 0;
}

static int read_text(struct compiler *compiler, char *text)
{
    size_t length = 0;

    if (!accept(compiler, "\""))
        return refuse_here(compiler, "a string between \" and \"");
    for (; *compiler->at != '"'; compiler->at++) {
        if (*compiler->at == '\0' || length == FILTER_TEXT_MAX - 1)
            return refuse(compiler->why, EINVAL,
                          "filter: a string has at most %d characters and ends in \"",
                          FILTER_TEXT_MAX - 1);
        text[length++] = *compiler->at;
    }
    text[length] = '\0';
    compiler->at++;
    return 0;
}

/* Returns the field named here, or NULL if it is unknown. Stores the name's length in *length. */
static const struct pitot_field *field_here(const struct compiler *compiler, size_t *length)
{
    for (*length = 0; is_name(compiler->at[*length]);)
        ++*length;
    return field_find(compiler->tracepoint, compiler->at, *length);
}

static int read_field(struct compiler *compiler, const struct pitot_field **field)
{
    size_t length;

    skip_blanks(compiler);
    *field = field_here(compiler, &length);
    if (length == 0)
        return refuse_here(compiler, "a field's name");
    if (!*field) {
        char text[160];
        struct words names = words_begin(text, sizeof(text));

        field_names_add(compiler->tracepoint, &names);
        words_add_once(&names, "comm");
        return refuse(compiler->why, EINVAL,
                      "filter: %s has no field \"%.*s\"; it has %s, common_*",
                      compiler->tracepoint->full_name, (int)length, compiler->at, text);
    }
    compiler->at += length;
    return 0;
}

/* Reads what the number `field` is compared with. */
static int read_number_or_field(struct compiler *compiler, const struct pitot_field *field,
                                struct filter_step *step)
{
    const struct pitot_field *other;
    size_t length;

    skip_blanks(compiler);
    if (*compiler->at == '-' && !field_has_sign(&step->field))
        return refuse(compiler->why, EINVAL,
                      "filter: %s has no sign, so it is never below 0; write its bits as 0x...",
                      field->name);
    if (!is_name(*compiler->at) || number_digit(*compiler->at, 10) >= 0)
        return read_number(compiler, &step->number);
    other = field_here(compiler, &length);
    if (!other || other->kind == TRACEPOINT_text)
        return refuse_here(compiler, "a number, or a field that holds one,");
    compiler->at += length;
    step->with_field = true;
    step->other = field_place_of(compiler->tracepoint, other);
    return 0;
}

static int compile_comparison(struct compiler *compiler)
{
    const struct pitot_field *field;
    struct filter_step step = {.operation = 0};
    int error = read_field(compiler, &field);

    if (!error)
        error = read_operator(compiler, &step.operation);
    if (error)
        return error;
    step.field = field_place_of(compiler->tracepoint, field);
    if ((field->kind == TRACEPOINT_text) != (step.operation == FILTER_GLOB) &&
        step.operation > FILTER_NOT_EQUAL)
        return refuse(compiler->why, EINVAL, "filter: %s is a %s; its operators are %s",
                      field->name, field->kind == TRACEPOINT_text ? "string" : "number",
                      field->kind == TRACEPOINT_text ? "== != ~" : "== != < <= > >= &");
    error = field->kind == TRACEPOINT_text ? read_text(compiler, step.text)
                                           : read_number_or_field(compiler, field, &step);
    return error ? error : emit(compiler, &step);
}

/* Compiles what follows ! or (. */
static int compile_nested(struct compiler *compiler, bool negated)
{
    int error;

    if (compiler->depth == FILTER_DEPTH_MAX)
        return refuse(compiler->why, EINVAL, "filter: nested more deeply than %d",
                      FILTER_DEPTH_MAX);
    compiler->depth++;
    error = negated ? compile_one(compiler) : compile_either(compiler);
    if (!error && negated)
        error = emit_operation(compiler, FILTER_NOT);
    else if (!error && !accept(compiler, ")"))
        error = refuse_here(compiler, "&&, || or )");
    compiler->depth--;
    return error;
}

static int compile_one(struct compiler *compiler)
{
    if (accept(compiler, "!"))
        return compile_nested(compiler, true);
    if (accept(compiler, "("))
        return compile_nested(compiler, false);
    return compile_comparison(compiler);
}

static int compile_both(struct compiler *compiler)
{
    int error = compile_one(compiler);

    while (!error && accept(compiler, "&&")) {
        error = compile_one(compiler);
        if (!error)
            error = emit_operation(compiler, FILTER_AND);
    }
    return error;
}

static int compile_either(struct compiler *compiler)
{
    int error = compile_both(compiler);

    while (!error && accept(compiler, "||")) {
        error = compile_both(compiler);
        if (!error)
            error = emit_operation(compiler, FILTER_OR);
    }
    return error;
}

int filter_add(struct filter *filter, const char *text, const struct pitot_tracepoint *tracepoint,
               struct refusal *why)
{
    uint8_t before = filter->count;
    struct compiler compiler = {
        .at = text, .filter = filter, .tracepoint = tracepoint, .waiting = before > 0, .why = why};
    int error = compile_either(&compiler);

    skip_blanks(&compiler);
    if (!error && *compiler.at != '\0')
        error = refuse_here(&compiler, "&&, || or the end");
    if (!error && before > 0)
        error = emit_operation(&compiler, FILTER_AND);
    assert(error || (compiler.waiting == 1 && compiler.depth == 0)); /* one result is left */
    if (error)
        filter->count = before;
    return error;
}

/* --- Run at each hit. --- */

static bool less(const struct filter_step *step, uint64_t left, uint64_t right)
{
    if (field_has_sign(&step->field))
        return (int64_t)left < (int64_t)right;
    return left < right;
}

static bool compare_number(const struct filter_step *step, struct trace_hit *hit)
{
    uint64_t value = field_number(&step->field, hit);
    uint64_t with = step->with_field ? field_number(&step->other, hit) : step->number;

    switch (step->operation) {
    case FILTER_EQUAL:
        return value == with;
    case FILTER_NOT_EQUAL:
        return value != with;
    case FILTER_LESS:
        return less(step, value, with);
    case FILTER_LESS_EQUAL:
        return !less(step, with, value);
    case FILTER_GREATER:
        return less(step, with, value);
    case FILTER_GREATER_EQUAL:
        return !less(step, value, with);
    default:
        return value & with;
    }
}

static bool compare_text(const struct filter_step *step, const char *text)
{
    if (step->operation == FILTER_GLOB)
        return glob_match(step->text, text);
    return (strcmp(step->text, text) == 0) == (step->operation == FILTER_EQUAL);
}

static bool compare(const struct filter_step *step, struct trace_hit *hit)
{
    char text[TRACEPOINT_TEXT_SIZE];

    if (step->field.source == FIELD_COMM)
        return compare_text(step, task_name());
    if (!field_is_text(&step->field))
        return compare_number(step, hit);
    field_text(&step->field, hit, text); /* cut as in the record */
    return compare_text(step, text);
}

bool filter_passes(const struct filter *filter, struct trace_hit *hit)
{
    uint32_t results = 1; /* the last result is in the lowest bit */

    for (unsigned i = 0; i < filter->count; i++) {
        const struct filter_step *step = &filter->step[i];

        if (step->operation < FILTER_AND)
            results = results << 1 | compare(step, hit);
        else if (step->operation == FILTER_NOT)
            results ^= 1;
        else if (step->operation == FILTER_AND)
            results = results >> 1 & (results | ~1u);
        else
            results = results >> 1 | (results & 1);
    }
    return results & 1;
}
