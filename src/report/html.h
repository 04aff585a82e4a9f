/* These are pieces of HTML pages that need no other file. */
#ifndef ORR_REPORT_HTML_H
#define ORR_REPORT_HTML_H

#include "base/text.h"
#include "orrery.h"

/* Adds escaped text, between tags or in an attribute. */
void orr_html_text(struct orr_text *text, const char *raw);
/* Adds escaped text with its line breaks, for <pre>. */
void orr_html_lines(struct orr_text *text, const char *raw);
/* Adds <tag attributes>raw</tag>; `attributes` starts with a space or is empty. */
void orr_html_element(struct orr_text *text, const char *tag, const char *attributes, const char *raw);
/* Adds everything up to and including <body>, with one style for all pages, light and dark. */
void orr_html_head(struct orr_text *text, const char *title);
/* Opens a named picture of that size; small screens scroll it sideways instead of shrinking its labels. */
void orr_html_picture(struct orr_text *text, double width, double height, const char *title);
void orr_html_picture_end(struct orr_text *text);
/* Returns the colour of item i of a list, for --h of the style; neighbours are far apart on the colour circle. */
int orr_html_hue(size_t i);
/* Adds text that is kept as it is, behind a line that opens it. */
void orr_html_folded(struct orr_text *text, const char *title, const char *id, const struct orr_text *content);

/* These make pages of reports that are not about one job. The page starts with a head and its title; it ends with the
 * terminal's text and the folded JSON. The end takes both texts. */
void orr_html_start(struct orr_text *text, const char *title);
void orr_html_finish(struct orr_text *text, struct orr_text *terminal, struct orr_text *json);
/* This is the style of the terminal's text on a page. */
extern const struct orr_style orr_html_style;

#endif
