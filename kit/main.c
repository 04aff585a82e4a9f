/* kit: time single kernels on one NVIDIA GPU and write CSV files that `orrery calibrate` reads. */
#include "kit.h"

#include <stdlib.h>
#include <string.h>

static const struct kind {
    const char *name;
    void (*run)(struct kit *kit);
    double share; /* share of the time budget; what a kind does not use goes to the kinds after it */
} kinds[] = {
    {"gemm", kit_run_gemm, 0.52}, {"bmm", kit_run_bmm, 0.08},     {"pointwise", kit_run_pointwise, 0.17},
    {"adam", kit_run_adam, 0.05}, {"power", kit_run_power, 0.18},
};
#define N_KINDS (sizeof kinds / sizeof *kinds)

static const char usage[] =
    "usage: kit [--seconds N] [--only gemm,bmm,pointwise,adam,power] [--out DIR] [--source TEXT] [--list] [--check]\n"
    "  --seconds N    stop after about N seconds; the cases measured by then are spread over the whole list\n"
    "  --only KINDS   only these kinds, separated by commas\n"
    "  --out DIR      folder of the CSV files, which are appended to (default: .)\n"
    "  --source TEXT  last column of every row (default: \"GPU name, CUDA version, kit 1\")\n"
    "  --list         print the cases in the order they are measured; needs no GPU\n"
    "  --check        compare the kernels with plain C first; exit 1 if one is wrong\n"
    "GPU 0 of CUDA_VISIBLE_DEVICES is measured. See README.md beside the source.\n";

/* The kinds named in a list, as bits. */
static unsigned parse_only(const char *list)
{
    unsigned bits = 0;
    while (*list) {
        const size_t length = strcspn(list, ",");
        size_t i = 0;
        while (i < N_KINDS && (strlen(kinds[i].name) != length || strncmp(kinds[i].name, list, length) != 0))
            i++;
        if (i == N_KINDS)
            kit_fail("--only: no kind \"%.*s\" (gemm, bmm, pointwise, adam, power)", (int)length, list);
        bits |= 1u << i;
        list += length + (list[length] == ',');
    }
    return bits;
}

static double parse_seconds(const char *text)
{
    char *end;
    const double seconds = strtod(text, &end);
    if (*end || end == text || !(seconds > 0))
        kit_fail("--seconds: \"%s\" is not a positive number", text);
    return seconds;
}

static void run_kinds(struct kit *kit, unsigned only, double seconds)
{
    const double end_s = kit_now_s() + seconds;
    double shares = 0;
    for (size_t i = 0; i < N_KINDS; i++)
        shares += only >> i & 1 ? kinds[i].share : 0;
    for (size_t i = 0; i < N_KINDS; i++) {
        if (!(only >> i & 1))
            continue;
        const double start_s = kit_now_s();
        kit->deadline_s = start_s + (end_s - start_s) * kinds[i].share / shares;
        shares -= kinds[i].share;
        kinds[i].run(kit);
        if (!kit->list_only)
            fprintf(stderr, "kit: %s took %.1f s\n", kinds[i].name, kit_now_s() - start_s);
    }
}

int main(int argc, char **argv)
{
    struct kit kit = {.out_dir = "."};
    unsigned only = (1u << N_KINDS) - 1;
    double seconds = 1e9;
    bool check = false;
    for (int i = 1; i < argc; i++) {
        const char *option = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (!strcmp(option, "--list")) kit.list_only = true;
        else if (!strcmp(option, "--check")) check = true;
        else if (!strcmp(option, "--help")) return fputs(usage, stdout), 0;
        else if (!strcmp(option, "--seconds") && value) seconds = parse_seconds(value), i++;
        else if (!strcmp(option, "--only") && value) only = parse_only(value), i++;
        else if (!strcmp(option, "--out") && value) kit.out_dir = value, i++;
        else if (!strcmp(option, "--source") && value) snprintf(kit.source, sizeof kit.source, "%s", value), i++;
        else return fprintf(stderr, "kit: unknown option or missing value: %s\n%s", option, usage), 2;
    }
    const double start_s = kit_now_s();
    if (!kit.list_only)
        kit_device_open(&kit);
    const bool good = !check || kit.list_only || kit_check(&kit);
    if (good)
        run_kinds(&kit, only, seconds - (kit_now_s() - start_s));
    if (!kit.list_only)
        kit_device_close(&kit);
    return good ? 0 : 1;
}
