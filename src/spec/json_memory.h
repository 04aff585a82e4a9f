/* Failures of jansson's allocations are noted (base/memory.h). */
#ifndef ORR_SPEC_JSON_MEMORY_H
#define ORR_SPEC_JSON_MEMORY_H

/* Give jansson the allocator, unless the program gave it one. Called where a catalogue is opened. */
void orr_json_memory(void);

#endif
