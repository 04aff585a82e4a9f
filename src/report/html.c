/* HTML pages of reports need no other file: nothing is fetched, and every page is well-formed XML too. */
#include "report/html.h"

#include <stdlib.h>

#include "base/plain.h"

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
    ":root{color-scheme:light dark;--back:#fff;--ink:#1b1f24;--soft:#667;--line:#e3e5e8;--band:#cfe3d4;--l:42%}\n"
    "@media (prefers-color-scheme:dark){:root{--back:#14171a;--ink:#e4e6e8;--soft:#99a;--line:#2c3136;--band:#24402c;"
    "--l:64%}}\n"
    "body{background:var(--back);color:var(--ink);font:15px/1.5 system-ui,sans-serif;max-width:1100px;margin:2em auto;"
    "padding:0 1em}\n"
    ".panels{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(400px,100%),1fr));gap:1em}\n"
    "svg{width:100%;font-size:11px}svg text{fill:var(--soft)}.grid{stroke:var(--line);fill:none}\n"
    "@media (max-width:640px){.picture{overflow-x:auto;min-width:0}.picture svg{min-width:var(--w)}}\n"
    ".band{fill:var(--band)}.equal{stroke:var(--soft);fill:none}\n"
    ".curve{stroke:hsl(210 65% var(--l));stroke-width:1.8;fill:none}\n"
    ".mark{fill:hsl(var(--h) 65% var(--l));fill-opacity:.65}\n"
    ".mark:hover{stroke:var(--ink);stroke-width:1.5;fill-opacity:1}\n"
    "#row{position:sticky;top:0;background:var(--back);min-height:4.5em;white-space:pre-line;border-bottom:1px solid "
    "var(--line)}\n"
    ".legend label{display:inline-block;margin-right:1.2em}\n"
    ".legend i{display:inline-block;width:.7em;height:.7em;border-radius:50%;background:hsl(var(--h) 65% var(--l))}\n"
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

void orr_html_picture(struct orr_text *text, double width, double height, const char *title)
{
    orr_text_add(text, "<div class=\"picture\">\n<svg style=\"--w:%gpx\" viewBox=\"0 0 %g %g\" role=\"img\">\n", width,
                 width, height);
    orr_html_element(text, "title", "", title);
    orr_text_add(text, "\n");
}

void orr_html_picture_end(struct orr_text *text)
{
    orr_text_add(text, "</svg>\n</div>\n");
}

int orr_html_hue(size_t i)
{
    return (int)(210 + 137 * i) % 360;
}

void orr_html_folded(struct orr_text *text, const char *title, const char *id, const struct orr_text *content)
{
    text->failed |= content->failed;
    orr_text_add(text, "<details>\n<summary>%s</summary>\n<pre id=\"%s\">", title, id);
    orr_html_lines(text, content->data ? content->data : "");
    orr_text_add(text, "</pre>\n</details>\n");
}

/* ---- pages of other reports */

const struct orr_style orr_html_style = {.width = 120};

void orr_html_start(struct orr_text *text, const char *title)
{
    orr_html_head(text, title);
    orr_html_element(text, "h1", "", title);
    orr_text_add(text, "<p>Orrery %s</p>\n", orr_version());
}

static void add_report(struct orr_text *text, const char *terminal, const struct orr_text *json)
{
    orr_text_add(text, "<pre id=\"report\">");
    orr_html_lines(text, terminal);
    orr_text_add(text, "</pre>\n");
    orr_html_folded(text, "The result as JSON", "result", json);
    orr_text_add(text, "</body>\n</html>\n");
}

void orr_html_finish(struct orr_text *text, struct orr_text *terminal, struct orr_text *json)
{
    text->failed |= terminal->failed;
    add_report(text, terminal->data ? terminal->data : "", json);
    free(terminal->data);
    free(json->data);
}

char *orr_page(const char *title, const char *terminal, const char *json)
{
    ORR_PLAIN_NUMBERS;
    struct orr_text text = {0}, data = {0};
    orr_html_start(&text, title);
    orr_text_add(&data, "%s", json);
    add_report(&text, terminal, &data);
    free(data.data);
    return orr_text_take(&text);
}
