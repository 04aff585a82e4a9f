/* Files that run a plan (launch_files.c). */
#ifndef ORR_REPORT_LAUNCH_FILES_H
#define ORR_REPORT_LAUNCH_FILES_H

#include "orrery.h"

/* Gives every file of a job to `sink`; with `decode`, the files of both pools. Returns false where memory runs out. */
bool orr_launch_files(const struct orr_job *job, const struct orr_job *decode, orr_launch_sink sink, void *context);

#endif
