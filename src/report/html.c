/* Pieces of HTML, and the plain page over all studies: nothing is fetched, and it is well-formed XML too. */
#include "report/html.h"

static void add_escaped(struct orr_text *text, const char *raw, bool lines)
{
    for (const char *c = raw; *c; c++) {
        switch (*c) {
        case '\n': orr_text_add(text, lines ? "\n" : " "); break;
        case '&': orr_text_add(text, "&amp;"); break;
        case '<': orr_text_add(text, "&lt;"); break;
        case '>': orr_text_add(text, "&gt;"); break;
        case '"': orr_text_add(text, "&quot;"); break;
        case '\'': orr_text_add(text, "&#39;"); break;
        default: orr_text_add(text, "%c", (unsigned char)*c < 0x20 || *c == 0x7f ? ' ' : *c);
        }
    }
}

void orr_html_text(struct orr_text *text, const char *raw)
{
    add_escaped(text, raw, false);
}

void orr_html_lines(struct orr_text *text, const char *raw)
{
    add_escaped(text, raw, true);
}

void orr_html_element(struct orr_text *text, const char *tag, const char *attributes, const char *raw)
{
    orr_text_add(text, "<%s%s>", tag, attributes);
    orr_html_text(text, raw);
    orr_text_add(text, "</%s>", tag);
}

/* ---- page */

static const char HEAD[] = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
                           "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
                           "<title>";

static const char STYLE[] =
    "</title>\n<style>\n"
    ":root{color-scheme:light dark;--back:#fff;--ink:#1b1f24;--soft:#667;--line:#e3e5e8}\n"
    "@media (prefers-color-scheme:dark){:root{--back:#14171a;--ink:#e4e6e8;--soft:#99a;--line:#2c3136}}\n"
    "body{background:var(--back);color:var(--ink);font:15px/1.5 system-ui,sans-serif;max-width:1100px;margin:2em auto;"
    "padding:0 1em}\n"
    "table{border-collapse:collapse;margin:2em 0;display:block;overflow-x:auto}\n"
    "th,td{padding:.15em .7em;border-bottom:1px solid var(--line)}th{text-align:left;font-weight:normal}\n"
    "td{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}.head *{font-weight:bold}\n"
    "p{overflow-wrap:anywhere}td.long{white-space:normal}\n"
    "pre{overflow-x:auto;font-size:12px;line-height:1.4}summary{cursor:pointer;margin:.5em "
    "0}\n</style>\n</head>\n<body>\n";

void orr_html_head(struct orr_text *text, const char *title)
{
    orr_text_add(text, "%s", HEAD);
    orr_html_text(text, title);
    orr_text_add(text, "%s", STYLE);
}
