/* What the tower of a model makes of the images, sound or text of a sequence: positions that it reads, and tokens that
 * it adds to the prompt (Eq. 125). */
#include "spec/job.h"

#include "base/number.h"

#include <math.h>

/* A rectangle of tokens or tiles. */
struct grid {
    double rows, columns;
};

static double at_least_one(double x)
{
    return x < 1 ? 1 : x;
}

/* Whole tokens of `side` pixels along `pixels`; halves become even, as in the image processors of Qwen. */
static double whole(const struct orr_tower *tower, double pixels, double side)
{
    return at_least_one(tower->round_up ? ceil(pixels / side) : rint(pixels / side));
}

/* The tokens that an image of any size becomes. */
static struct grid tokens_of(const struct orr_tower *tower, double height, double width)
{
    const double side = (double)(tower->patch * tower->merge);
    if (tower->most_tokens == 0) return (struct grid){whole(tower, height, side), whole(tower, width, side)};
    const double scale = sqrt((double)tower->most_tokens * side * side / (height * width));
    return (struct grid){at_least_one(floor(scale * height / side)), at_least_one(floor(scale * width / side))};
}

/* The tiles that an image is scaled to: those that enlarge it least, else those that shrink it least; of equal ones the
 * fewest. */
static struct grid tiles_of(const struct orr_tower *tower, double height, double width)
{
    const double side = (double)tower->tile, most = (double)tower->max_tiles;
    struct grid best = {1, 1};
    double best_scale = 0;
    for (double rows = 1; rows <= most; rows++) {
        for (double columns = 1; rows * columns <= most; columns++) {
            const double scale = orr_min(rows * side / height, columns * side / width);
            const bool closer = best_scale < 1 ? scale > best_scale : scale >= 1 && scale < best_scale;
            const bool same = !(scale < best_scale) && !(scale > best_scale);
            const bool fewer = same && rows * columns < best.rows * best.columns;
            if (!closer && !fewer) continue;
            best = (struct grid){rows, columns};
            best_scale = scale;
        }
    }
    return best;
}

/* Images of a fixed number of positions, perhaps cut into tiles, to which a small copy of the whole image is added. */
static void resolve_fixed(const struct orr_tower *tower, struct orr_media *media)
{
    const struct grid tiles = tower->tile > 0 ? tiles_of(tower, (double)media->image_height, (double)media->image_width)
                                              : (struct grid){1, 1};
    const int64_t n = (int64_t)(tiles.rows * tiles.columns), parts = n > 1 ? n + 1 : 1;
    media->tower_runs = media->images * parts;
    media->tower_positions = tower->positions;
    media->image_tokens = media->tower_runs * tower->tokens;
    media->cross_keys = tower->tokens == 0 ? media->images * tower->positions : 0;
}

static void resolve_pixels(const struct orr_tower *tower, struct orr_media *media)
{
    const struct grid tokens = tokens_of(tower, (double)media->image_height, (double)media->image_width);
    media->tower_runs = media->images;
    media->tower_positions = (int64_t)(tokens.rows * tokens.columns) * tower->merge * tower->merge;
    media->image_tokens = media->images * (int64_t)(tokens.rows * (tokens.columns + (tower->row_breaks ? 1 : 0)));
}

void orr_media_resolve(const struct orr_model *model, struct orr_media *media)
{
    const struct orr_tower *tower = &model->tower;
    media->encodes = tower->input == ORR_TOWER_IMAGE ? media->images > 0 : tower->input != ORR_TOWER_NONE;
    media->tower_runs = media->tower_positions = media->image_tokens = media->cross_keys = 0;
    if (!media->encodes) return;
    switch (tower->input) {
    case ORR_TOWER_IMAGE:
        if (tower->merge > 0) resolve_pixels(tower, media);
        else resolve_fixed(tower, media);
        if (media->tower_positions < 1) media->tower_positions = 1;
        return;
    case ORR_TOWER_TEXT:
        if (media->encoder_tokens == 0) media->encoder_tokens = tower->positions > 0 ? tower->positions : 1;
        media->tower_runs = 1;
        media->tower_positions = media->cross_keys = media->encoder_tokens;
        return;
    case ORR_TOWER_SOUND:
        if (!(media->audio_s > 0)) media->audio_s = ORR_SOUND_WINDOW_S;
        media->tower_runs = 1;
        media->tower_positions =
            tower->positions > 0 ? tower->positions : 1; /* shorter sound is padded to the window */
        return;
    case ORR_TOWER_NONE: break;
    }
}
