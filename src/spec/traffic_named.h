/* Traffic of the catalogue by its name (data/traffic/). */
#ifndef ORR_SPEC_TRAFFIC_NAMED_H
#define ORR_SPEC_TRAFFIC_NAMED_H

#include "orrery.h"

ORR_NODISCARD enum orr_err orr_traffic_read(const struct orr_catalogue *catalogue, const char *id_or_file,
                                            struct orr_traffic *traffic, struct orr_error *error);

#endif
