/* Pieces of physics that can be taken out of a job, and the errors without each of them. */
#ifndef ORR_VALIDATE_ABLATE_H
#define ORR_VALIDATE_ABLATE_H

#include "validate/validate.h"

/* Take the pieces of the mask (bit i is the i-th of orr_piece_name) out of a job that has been read. Only constants of
 * the chip, links, engine and calibration change, and the same functions price the job. */
void orr_ablate(uint32_t pieces, struct orr_job *job);

/* Read a list such as "tiles,power" into a mask. */
enum orr_err orr_pieces_parse(const char *names, uint32_t *pieces, struct orr_error *error);

size_t orr_n_pieces(void);

/* One validation of the rows with all pieces, then one of the same rows without each piece. */
#define ORR_MAX_PIECES 31
struct orr_ablation {
    size_t n;
    struct orr_validation *validations[ORR_MAX_PIECES + 1];
};

#endif
