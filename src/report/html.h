/* Pieces of HTML: escaped text, elements, and the head of a page without scripts. */
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
/* Adds everything up to and including <body>, with one style for plain pages, light and dark. */
void orr_html_head(struct orr_text *text, const char *title);

#endif
