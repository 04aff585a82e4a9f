/* Pieces of HTML pages that need nothing else. */
#ifndef ORR_REPORT_HTML_H
#define ORR_REPORT_HTML_H

#include "base/text.h"
#include "orrery.h"

/* Text between tags or in an attribute: escaped. */
void orr_html_text(struct orr_text *text, const char *raw);
/* The same with its line breaks, for <pre>. */
void orr_html_lines(struct orr_text *text, const char *raw);
/* <tag attributes>raw</tag>; `attributes` starts with a space or is empty. */
void orr_html_element(struct orr_text *text, const char *tag, const char *attributes, const char *raw);
/* Everything up to and with <body>: one style for all pages, light and dark. */
void orr_html_head(struct orr_text *text, const char *title);
/* A picture of that size with a name; small screens scroll it sideways in place of shrinking its labels. */
void orr_html_picture(struct orr_text *text, double width, double height, const char *title);
void orr_html_picture_end(struct orr_text *text);
/* Colour of the i-th of a list, for --h of the style: neighbours are far apart on the colour circle. */
int orr_html_hue(size_t i);
/* Text that is kept as it is, behind a line to open it. */
void orr_html_folded(struct orr_text *text, const char *title, const char *id, const struct orr_text *content);

/* Pages of reports that are not of one job: the head with its title; at the end the terminal's text, the JSON folded.
 * Takes both texts. */
void orr_html_start(struct orr_text *text, const char *title);
void orr_html_finish(struct orr_text *text, struct orr_text *terminal, struct orr_text *json);
/* What the terminal's text of a page looks like. */
extern const struct orr_style orr_html_style;

#endif
