/* Times 8-bit products with the tile shapes that CUTLASS kernels of serving engines use on Hopper. A configuration is
 * chosen when the file is compiled; CUTLASS is not part of this repository.
 *
 *     nvcc -O3 -DNDEBUG -std=c++17 -arch=sm_90a --expt-relaxed-constexpr -I CUTLASS/include \
 *         -I CUTLASS/tools/util/include -DCONFIG=1 -o build/fp8_tiles kit/fp8_tiles.cu -lcuda
 *     build/fp8_tiles            one graph at a time: kernel,m,n,k,seconds
 *     build/fp8_tiles sustained  after a second of load, from 1,024 rows on
 *
 * Without NDEBUG the checks inside CUTLASS serialise its matrix instructions, and the times are useless. */
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <algorithm>
#include "cutlass/cutlass.h"
#include "cute/tensor.hpp"
#include "cutlass/gemm/device/gemm_universal_adapter.h"
#include "cutlass/gemm/kernel/gemm_universal.hpp"
#include "cutlass/gemm/collective/collective_builder.hpp"
#include "cutlass/epilogue/collective/collective_builder.hpp"
#include "cutlass/util/packed_stride.hpp"
using namespace cute;
#define CHECK(x)                                                                                                       \
    do {                                                                                                               \
        auto e_ = (x);                                                                                                 \
        if (e_ != cudaSuccess) {                                                                                       \
            fprintf(stderr, "%s: %s\n", #x, cudaGetErrorString(e_));                                                   \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)
#if CONFIG == 0
#define NAME     "64x16x256"
#define SWAP     true
#define TILE     Shape<_64, _16, _256>
#define CLUSTER  Shape<_1, _1, _1>
#define SCHEDULE Plain
#elif CONFIG == 1
#define NAME     "64x64x256"
#define SWAP     true
#define TILE     Shape<_64, _64, _256>
#define CLUSTER  Shape<_1, _1, _1>
#define SCHEDULE Plain
#elif CONFIG == 2
#define NAME     "64x128x128"
#define SWAP     false
#define TILE     Shape<_64, _128, _128>
#define CLUSTER  Shape<_2, _1, _1>
#define SCHEDULE Pingpong
#elif CONFIG == 3
#define NAME     "128x128x128"
#define SWAP     false
#define TILE     Shape<_128, _128, _128>
#define CLUSTER  Shape<_2, _1, _1>
#define SCHEDULE Pingpong
#elif CONFIG == 4
#define NAME     "64x16x256c4"
#define SWAP     true
#define TILE     Shape<_64, _16, _256>
#define CLUSTER  Shape<_1, _4, _1>
#define SCHEDULE Plain
#endif
using LAYOUT_D = std::conditional_t<SWAP, cutlass::layout::ColumnMajor, cutlass::layout::RowMajor>;
static const size_t POOL = size_t(1) << 30;
static bool sustained;
static char *weights, *rows, *out, *space;
template <class Tile, class Cluster, class Schedule> struct kernel_of {
    using E = cutlass::float_e4m3_t;
    using D = cutlass::bfloat16_t;
    using Row = cutlass::layout::RowMajor;
    using Col = cutlass::layout::ColumnMajor;
    /* transposed: D^T = W A^T; the left operand has n rows. */
    using Epi = typename cutlass::epilogue::collective::CollectiveBuilder<
        cutlass::arch::Sm90, cutlass::arch::OpClassTensorOp, Tile, Cluster,
        cutlass::epilogue::collective::EpilogueTileAuto, float, float, void, LAYOUT_D, 8, D, LAYOUT_D, 8,
        cutlass::epilogue::TmaWarpSpecialized>::CollectiveOp;
    using Main = typename cutlass::gemm::collective::CollectiveBuilder<
        cutlass::arch::Sm90, cutlass::arch::OpClassTensorOp, E, Row, 16, E, Col, 16, float, Tile, Cluster,
        cutlass::gemm::collective::StageCountAutoCarveout<static_cast<int>(sizeof(typename Epi::SharedStorage))>,
        Schedule>::CollectiveOp;
    using Kernel =
        cutlass::gemm::kernel::GemmUniversal<Shape<int, int, int, int>, Main, Epi, cutlass::gemm::PersistentScheduler>;
    using Gemm = cutlass::gemm::device::GemmUniversalAdapter<Kernel>;
};
template <class G> static double time_s(int m, int n, int k, bool swapped)
{
    using Gemm = typename G::Gemm;
    using Kernel = typename Gemm::GemmKernel;
    const int left = swapped ? n : m, right = swapped ? m : n;
    const size_t bytes = (size_t)n * k;
    const int copies = (int)std::max<size_t>(1, std::min<size_t>(24, POOL / bytes));
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    std::vector<Gemm> list(copies);
    cutlass::KernelHardwareInfo hw;
    hw.device_id = 0;
    hw.sm_count = 132;
    for (int i = 0; i < copies; i++) {
        auto *w = (cutlass::float_e4m3_t *)(weights + i * bytes);
        auto *a = (cutlass::float_e4m3_t *)rows;
        typename Kernel::Arguments args{
            cutlass::gemm::GemmUniversalMode::kGemm,
            {left, right, k, 1},
            {swapped ? w : a, cutlass::make_cute_packed_stride(typename Kernel::StrideA{}, {left, k, 1}),
             swapped ? a : w, cutlass::make_cute_packed_stride(typename Kernel::StrideB{}, {right, k, 1})},
            {{},
             nullptr,
             {},
             (cutlass::bfloat16_t *)out,
             cutlass::make_cute_packed_stride(typename Kernel::StrideD{}, {left, right, 1})},
            hw};
        args.epilogue.thread.alpha = 1.f;
        args.epilogue.thread.beta = 0.f;
        if (Gemm::can_implement(args) != cutlass::Status::kSuccess ||
            list[i].initialize(args, space, stream) != cutlass::Status::kSuccess)
            return -1;
    }
    const int loops = std::max(1, 48 / copies);
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    for (int l = 0; l < loops; l++)
        for (int i = 0; i < copies; i++)
            if (list[i].run(stream) != cutlass::Status::kSuccess) return -2;
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    cudaEvent_t a, b;
    CHECK(cudaEventCreate(&a));
    CHECK(cudaEventCreate(&b));
    std::vector<float> times;
    CHECK(cudaGraphLaunch(exec, stream));
    for (int r = 0; r < 7; r++) {
        CHECK(cudaEventRecord(a, stream));
        CHECK(cudaGraphLaunch(exec, stream));
        CHECK(cudaEventRecord(b, stream));
        CHECK(cudaEventSynchronize(b));
        float ms;
        CHECK(cudaEventElapsedTime(&ms, a, b));
        times.push_back(ms);
    }
    if (sustained) {
        const int again = (int)(1.0 / (times[3] / 1e3)) + 1;
        for (int r = 0; r < again; r++) CHECK(cudaGraphLaunch(exec, stream));
        CHECK(cudaEventRecord(a, stream));
        for (int r = 0; r < again; r++) CHECK(cudaGraphLaunch(exec, stream));
        CHECK(cudaEventRecord(b, stream));
        CHECK(cudaEventSynchronize(b));
        float ms;
        CHECK(cudaEventElapsedTime(&ms, a, b));
        for (auto &t : times) t = ms / again;
    }
    std::sort(times.begin(), times.end());
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
    cudaStreamDestroy(stream);
    return times[3] / 1e3 / (copies * loops);
}
using Plain = cutlass::gemm::KernelTmaWarpSpecializedFP8FastAccum;
using Pingpong = cutlass::gemm::KernelTmaWarpSpecializedPingpongFP8FastAccum;
int main(int argc, char **)
{
    sustained = argc > 1;
    CHECK(cudaMalloc(&weights, POOL));
    CHECK(cudaMalloc(&rows, 1 << 28));
    CHECK(cudaMalloc(&out, 1 << 30));
    CHECK(cudaMalloc(&space, 1 << 26));
    {
        std::vector<unsigned char> h(1 << 24);
        for (auto &x : h) x = (rand() & 0x80) | (0x28 + (rand() & 15));
        for (size_t i = 0; i < POOL; i += h.size())
            CHECK(cudaMemcpy(weights + i, h.data(), h.size(), cudaMemcpyHostToDevice));
        for (size_t i = 0; i < (1 << 28); i += h.size())
            CHECK(cudaMemcpy(rows + i, h.data(), h.size(), cudaMemcpyHostToDevice));
    }
    const int shapes[][2] = {{10240, 8192}, {8192, 8192},  {57344, 8192}, {8192, 28672}, {5120, 8192},  {8192, 4096},
                             {28672, 8192}, {8192, 14336}, {2560, 8192},  {8192, 2048},  {14336, 8192}, {8192, 7168},
                             {1280, 8192},  {8192, 1024},  {7168, 8192},  {8192, 3584},  {1280, 4096},  {1024, 8192},
                             {6144, 4096},  {4096, 4096},  {28672, 4096}, {4096, 14336}};
    const int ms[] = {1,  4,  8,   16,  17,  24,  32,  40,  48,   56,   64,  65,
                      80, 96, 112, 128, 129, 192, 256, 512, 1024, 2048, 8192};
    for (auto &s : shapes)
        for (int m : ms) {
            if (sustained && (m < 1024 || s[0] * (size_t)s[1] < 60000000)) continue;
            if ((CONFIG == 0 || CONFIG == 4) && m > 64) continue;
            if (CONFIG == 1 && m > 128) continue;
            if (CONFIG == 4 && s[0] > 1280) continue;
            const double t = time_s<kernel_of<TILE, CLUSTER, SCHEDULE>>(m, s[0], s[1], SWAP);
            if (t > 0) {
                printf("%s%s,%d,%d,%d,%.4g\n", NAME, sustained ? " sustained" : "", m, s[0], s[1], t);
                fflush(stdout);
            }
        }
}
