/* Pieces of HTML pages that need nothing else. */
#ifndef ORR_REPORT_HTML_H
#define ORR_REPORT_HTML_H

#include "base/text.h"

/* Text between tags or in an attribute: escaped. */
void orr_html_text(struct orr_text *text, const char *raw);
/* The same with its line breaks, for <pre>. */
void orr_html_lines(struct orr_text *text, const char *raw);
/* <tag attributes>raw</tag>; `attributes` starts with a space or is empty. */
void orr_html_element(struct orr_text *text, const char *tag, const char *attributes, const char *raw);
/* Everything up to and with <body>: one style for all pages, light and dark. */
void orr_html_head(struct orr_text *text, const char *title);

#endif
