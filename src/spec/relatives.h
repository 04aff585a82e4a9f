/* How engines descend from one another by "base". */
#ifndef ORR_SPEC_RELATIVES_H
#define ORR_SPEC_RELATIVES_H

#include "orrery.h"

/* The id of an engine (a name or alias of the catalogue), and the id of its base, "" if it has none. A name that the
 * catalogue does not have (a file, for example) is its own id without a base. */
void orr_engine_relation(const struct orr_catalogue *catalogue, const char *name, char id[ORR_ID], char base[ORR_ID]);
/* The same with the parent: what a user would name if there were no such file. It is "parent" of the file, else "base",
 * else the engine itself. */
void orr_engine_parent(const struct orr_catalogue *catalogue, const char *name, char id[ORR_ID], char parent[ORR_ID]);
/* Is an engine the ancestor itself, or based on it over any number of steps? */
bool orr_engine_descends(const struct orr_catalogue *catalogue, const char *name, const char *ancestor);

#endif
