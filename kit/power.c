/* power.csv: board power and SM clock under steady loads. The same loads give the burst and sustained rows of gemm.csv.
 * NVML comes with the driver and is loaded when needed, so that the kit builds without its header. */
#include "kit.h"

#include <dlfcn.h>
#include <string.h>

#define CLOCK_SM 1 /* NVML_CLOCK_SM */

struct meter {
    void *library, *device;
    int (*power_mw)(void *device, unsigned *mw);
    int (*clock_mhz)(void *device, int type, unsigned *mhz);
    double power_sum_w, clock_sum_mhz;
    int n_samples;
};

static void *symbol(const struct meter *meter, const char *name)
{
    void *address = dlsym(meter->library, name);
    if (!address)
        fprintf(stderr, "kit: libnvidia-ml.so.1 has no %s\n", name);
    return address;
}

/* dlsym returns data pointers, and POSIX allows the copy into a function pointer. */
#define LOAD(target, name)                                                                                             \
    do {                                                                                                               \
        void *address = symbol(meter, name);                                                                           \
        memcpy(&(target), &address, sizeof address);                                                                   \
    } while (0)

static bool meter_open(struct meter *meter)
{
    int (*start)(void) = NULL, (*find)(const char *, void **) = NULL;
    char bus[32];
    *meter = (struct meter){.library = dlopen("libnvidia-ml.so.1", RTLD_NOW)};
    if (!meter->library)
        return false;
    LOAD(start, "nvmlInit_v2");
    LOAD(find, "nvmlDeviceGetHandleByPciBusId_v2");
    LOAD(meter->power_mw, "nvmlDeviceGetPowerUsage");
    LOAD(meter->clock_mhz, "nvmlDeviceGetClockInfo");
    if (!start || !find || !meter->power_mw || !meter->clock_mhz)
        return false;
    KIT_CUDA(cudaDeviceGetPCIBusId(bus, sizeof bus, 0));
    return start() == 0 && find(bus, &meter->device) == 0;
}

static void meter_sample(void *context)
{
    struct meter *meter = context;
    unsigned mw = 0, mhz = 0;
    if (meter->power_mw(meter->device, &mw) == 0 && meter->clock_mhz(meter->device, CLOCK_SM, &mhz) == 0) {
        meter->power_sum_w += 1e-3 * mw;
        meter->clock_sum_mhz += mhz;
        meter->n_samples++;
    }
}

static void write_power(FILE *csv, const struct kit *kit, struct meter *meter, const char *load, double per_s)
{
    if (csv && meter->n_samples > 0) {
        fprintf(csv, "%s,%.1f,%.0f,%.4g", load, meter->power_sum_w / meter->n_samples,
                meter->clock_sum_mhz / meter->n_samples, per_s);
        kit_csv_end(csv, kit->source);
    }
    meter->power_sum_w = meter->clock_sum_mhz = 0;
    meter->n_samples = 0;
}

struct copy_job {
    const struct kit *kit;
    const char *from;
};

/* The copy moves 2 GiB: 1 GiB read and 1 GiB written. */
static bool launch_copy(const void *job, int i)
{
    const struct copy_job *copy = job;
    (void)i;
    KIT_CUDA(kit_pointwise(KIT_COPY, copy->from, NULL, copy->kit->output, 1, 1L << 29, copy->kit->stream));
    return true;
}

static const struct load {
    const char *name;
    long m, n, k;
    enum kit_dtype dtype;
} products[] = {
    {"gemm_bf16_8192_flops", 8192, 8192, 8192, KIT_BF16},
    {"gemm_fp8_8192_flops", 8192, 8192, 8192, KIT_FP8},
    {"gemv_bytes", 1, 16384, 16384, KIT_BF16},
    {"gemm_bf16_4096x49152x12288_flops", 4096, 49152, 12288, KIT_BF16},
    {"gemm_fp16_8192_flops", 8192, 8192, 8192, KIT_FP16},
    {"gemm_tf32_8192_flops", 8192, 8192, 8192, KIT_TF32},
    {"gemm_bf16_8192x12288x4096_flops", 8192, 12288, 4096, KIT_BF16},
};

static void measure_product(struct kit *kit, const struct load *load, FILE *gemm_csv, FILE *power_csv,
                            struct meter *meter)
{
    struct kit_gemm gemm;
    if (!kit_gemm_open(kit, &gemm, load->m, load->n, load->k, load->dtype))
        return;
    const bool vector = load->m == 1;
    const double work = vector ? 2.0 * (double)load->n * (double)load->k
                               : 2.0 * (double)load->m * (double)load->n * (double)load->k;
    const double burst_s = kit_time_burst_s(kit, kit_gemm_launch, &gemm, gemm.n_slots);
    const double sustained_s = kit_time_sustained_s(kit, kit_gemm_launch, &gemm, gemm.n_slots,
                                                    power_csv ? meter_sample : NULL, meter);
    if (burst_s > 0 && sustained_s > 0) {
        kit_gemm_row(gemm_csv, kit, &gemm, burst_s, load->name, "burst");
        kit_gemm_row(gemm_csv, kit, &gemm, sustained_s, load->name, "sustained");
        write_power(power_csv, kit, meter, load->name, work / sustained_s);
    }
    kit_gemm_close(&gemm);
}

static void measure_copy(struct kit *kit, FILE *csv, struct meter *meter)
{
    const struct copy_job job = {kit, kit_pool(kit, KIT_BF16)};
    if (!job.from || kit->pool_bytes[KIT_BF16] < (size_t)1 << 30 || kit->output_bytes < (size_t)1 << 30)
        return;
    const double time_s = kit_time_sustained_s(kit, launch_copy, &job, 1, meter_sample, meter);
    write_power(csv, kit, meter, "copy_2GiB_bytes", 2.0 * (double)(1L << 30) / time_s);
}

static void measure_idle(struct kit *kit, FILE *csv, struct meter *meter)
{
    kit_sleep_s(1.5);
    for (int i = 0; i < 10; i++) {
        kit_sleep_s(0.05);
        meter_sample(meter);
    }
    write_power(csv, kit, meter, "idle", 0);
}

void kit_run_power(struct kit *kit)
{
    const size_t n = sizeof products / sizeof *products;
    struct meter meter = {0};
    if (kit->list_only) {
        printf("power idle\npower copy_2GiB_bytes\n");
        for (size_t i = 0; i < n; i++)
            printf("power %s\n", products[i].name);
        return;
    }
    FILE *gemm_csv = kit_csv_open(kit->out_dir, "gemm.csv", KIT_GEMM_HEADER), *power_csv = NULL;
    if (meter_open(&meter))
        power_csv = kit_csv_open(kit->out_dir, "power.csv", "load,power_w,sm_mhz,achieved_per_s,source");
    else
        fprintf(stderr, "kit: no NVML (libnvidia-ml.so.1): power.csv is not written\n");
    if (power_csv) {
        measure_idle(kit, power_csv, &meter);
        measure_copy(kit, power_csv, &meter);
    }
    for (size_t i = 0; i < n && kit_time_left(kit); i++)
        measure_product(kit, &products[i], gemm_csv, power_csv, &meter);
    fclose(gemm_csv);
    if (power_csv)
        fclose(power_csv);
    if (meter.library)
        dlclose(meter.library);
}
