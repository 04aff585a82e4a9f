/* The files of the explorer that the build put into the library (tools/embed_files.c); none where it was not built. */
#ifndef ORR_REPORT_EXPLORER_H
#define ORR_REPORT_EXPLORER_H

#include "orrery.h"

extern const struct orr_page_file orr_explorer_files[];
extern const size_t orr_n_explorer_files;

#endif
