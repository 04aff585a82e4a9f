/* The JSON Schema of requests (schema.c). */
#ifndef ORR_SPEC_SCHEMA_H
#define ORR_SPEC_SCHEMA_H

#include <jansson.h>

#include "orrery.h"

enum orr_question {
    ORR_QUESTION_TRAIN,
    ORR_QUESTION_INFER,
    ORR_QUESTION_SEARCH,
    ORR_QUESTION_SERVING,
    ORR_QUESTION_SIZE,
    ORR_N_QUESTIONS
};

#endif
