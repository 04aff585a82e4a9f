/* Pages of reports as files: every page has the command line that makes it again. */
#include <stdlib.h>
#include <string.h>

#include "options.h"

enum { WORDS_MAX = 2 }; /* "technology optimise train" has two behind its name */

/* Add a word of a command line as a shell needs it, escaped for an attribute of HTML. */
static void add_word(struct orr_text *text, const char *word)
{
    static const char PLAIN[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:,=@%+~-";
    const bool quoted = !*word || word[strspn(word, PLAIN)];
    cli_text_add(text, " %s", quoted ? "&#39;" : "");
    for (const char *c = word; *c; c++) {
        if (*c == '\'') cli_text_add(text, "&#39;\\&#39;&#39;"); /* the quotes end, a quote follows, they begin again */
        else if (strchr("&<>\"", *c) || (unsigned char)*c < ' ') cli_text_add(text, "&#%d;", *c);
        else cli_text_add(text, "%c", *c);
    }
    if (quoted) cli_text_add(text, "&#39;");
}

/* Add the command without the option that asks for the page. The arguments continue those of the program: before them
 * stands the name of the command, perhaps with words that belong to it, as in "search train". */
static void add_command(struct orr_text *text, const struct cli_args *args, const char *command)
{
    cli_text_add(text, "<meta name=\"command\" content=\"orrery %s", command);
    int n = 0;
    while (n < WORDS_MAX && strcmp(args->argv[-n - 1], command) != 0) n++;
    for (; n > 0; n--) add_word(text, args->argv[-n]);
    for (int i = 0; i < args->argc; i++) {
        if (strcmp(args->argv[i], "--html") == 0) i++;
        else if (strncmp(args->argv[i], "--html=", 7) != 0) add_word(text, args->argv[i]);
    }
    cli_text_add(text, "\">\n");
}

enum cli_status cli_write_html(const struct cli_args *args, const char *command, char *page)
{
    static const char END[] = "</head>"; /* the library writes it before any text of a reader */
    struct orr_text text = {0};
    const char *end = page ? strstr(page, END) : NULL;
    if (!end) {
        free(page);
        return cli_fail_memory();
    }
    cli_text_append(&text, page, (size_t)(end - page));
    add_command(&text, args, command);
    cli_text_append(&text, end, strlen(end));
    free(page);
    return cli_write_file(args->html, text.data);
}

enum cli_status cli_write_page(const struct cli_args *args, const char *command, const char *title, char *terminal,
                               char *json)
{
    char *page = terminal && json ? orr_page(title, terminal, json) : NULL;
    free(terminal);
    free(json);
    return cli_write_html(args, command, page);
}

bool cli_html_only(const struct cli_args *args)
{
    return args->html && strcmp(args->html, "-") == 0;
}
