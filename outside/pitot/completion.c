/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * completion_print of options.h. After -- both shells complete QEMU's own command.
 *
 * Sources: bash(1), "Programmable Completion"; zshcompsys(1), _arguments.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "outside/pitot/options.h"

static bool has(const struct options *command, const struct option *row)
{
    return (row->commands & command->command) != 0;
}

static void print_names(const struct option *row, const char *after)
{
    for (size_t i = 0; i < 2 && row->names[i]; i++)
        printf("%s%s", row->names[i], after);
}

/* --- bash --- */

/* An option of several commands takes a value in all of them or in none. */
static void print_bash(const struct options *const *commands, size_t count)
{
    printf("# Completion of pitot for bash: pitot --completion bash\n"
           "_pitot()\n{\n"
           "    local word=${COMP_WORDS[COMP_CWORD]} options= i\n"
           "    COMPREPLY=()\n"
           "    for ((i = 2; i < COMP_CWORD; i++)); do\n"
           "        if [[ ${COMP_WORDS[i]} == -- ]]; then\n"
           "            ! declare -F _command_offset >/dev/null || _command_offset $((i + 1))\n"
           "            return\n"
           "        fi\n"
           "    done\n"
           "    case ${COMP_CWORD}:${COMP_WORDS[1]} in\n"
           "    1:*) options='");
    for (size_t i = 0; i < count; i++)
        printf("%s ", commands[i]->name);
    printf("help --version' ;;\n    2:help) options='");
    for (size_t i = 0; i < count; i++)
        printf("%s%s", i ? " " : "", commands[i]->name);
    printf("' ;;\n");
    for (size_t i = 0; i < count; i++) {
        printf("    *:%s)\n        case ${COMP_WORDS[COMP_CWORD - 1]} in\n        ",
               commands[i]->name);
        for (const struct option *row = commands[i]->row; row->names[0]; row++)
            if (has(commands[i], row) && row->value)
                print_names(row, "|");
        printf("=) return ;;\n        esac\n        options='");
        for (const struct option *row = commands[i]->row; row->names[0]; row++)
            if (has(commands[i], row))
                print_names(row, " ");
        printf("--help' ;;\n");
    }
    printf("    esac\n"
           "    [[ $COMP_CWORD != 1 && $word != -* && ${COMP_WORDS[1]} != help ]] ||\n"
           "        mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$word\")\n"
           "}\n"
           "complete -o default -F _pitot pitot\n");
}

/* --- zsh --- */

/* A text within single quotes, in which _arguments reads brackets and colons. */
static void print_zsh_text(const char *text)
{
    for (; *text; text++) {
        if (*text == '\'') {
            printf("'\\''");
            continue;
        }
        if (strchr("[]:\\", *text))
            putchar('\\');
        putchar(*text);
    }
}

/* '(-e --event)'{-e,--event}'[help]:EVENT:_files' */
static void print_zsh_option(const struct option *row)
{
    printf("            %s", row->again == OPTION_ADDS ? "'*'" : "");
    if (row->names[1])
        printf("{%s,%s}", row->names[0], row->names[1]);
    else
        printf("%s", row->names[0]);
    printf("'[");
    print_zsh_text(row->help);
    printf("]");
    if (row->value) {
        printf(":");
        print_zsh_text(row->value);
        printf(":_files");
    }
    printf("' \\\n");
}

static void print_zsh(const struct options *const *commands, size_t count)
{
    printf("#compdef pitot\n# Completion of pitot for zsh: pitot --completion zsh\n"
           "_pitot()\n{\n"
           "    local -a commands=(\n");
    for (size_t i = 0; i < count; i++) {
        printf("        '%s:", commands[i]->name);
        print_zsh_text(commands[i]->summary);
        printf("'\n");
    }
    printf("        'help:the options of a command'\n    )\n"
           "    if ((CURRENT == 2)); then\n"
           "        _describe command commands\n"
           "        return\n"
           "    fi\n"
           "    if ((${words[(i)--]} < CURRENT)); then\n"
           "        shift ${words[(i)--]} words\n"
           "        ((CURRENT = $#words))\n"
           "        _normal\n"
           "        return\n"
           "    fi\n"
           "    shift words\n"
           "    ((CURRENT--))\n"
           "    case ${words[1]} in\n"
           "    help) _describe command commands ;;\n");
    for (size_t i = 0; i < count; i++) {
        printf("    %s)\n        _arguments \\\n", commands[i]->name);
        for (const struct option *row = commands[i]->row; row->names[0]; row++)
            if (has(commands[i], row))
                print_zsh_option(row);
        printf("            '--help[the options]' '*:argument:_files'\n        ;;\n");
    }
    printf("    esac\n}\n_pitot \"$@\"\n");
}

int completion_print(const char *shell, const struct options *const *commands, size_t count)
{
    if (strcmp(shell, "bash") == 0)
        print_bash(commands, count);
    else if (strcmp(shell, "zsh") == 0)
        print_zsh(commands, count);
    else
        return -EINVAL;
    return 0;
}
