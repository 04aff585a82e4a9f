/* docs/glossary.md holds the metric lists of training and of inference as Markdown. */
#ifndef ORR_REPORT_GLOSSARY_H
#define ORR_REPORT_GLOSSARY_H

#include "base/text.h"

void orr_glossary(struct orr_text *text);

#endif
