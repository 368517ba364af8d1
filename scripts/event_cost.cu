// What two CUDA events add to the time between them: samples of nothing, of empty kernels and of kernels of known length,
// whose own %globaltimer spans stand beside the events' time. scripts/event_cost.sh runs it under several conditions.
//
//   event_cost CONDITION [--peers] >> event_cost.csv
//
// Columns: condition, how the sample was taken, what was between the events, its planned length, and the quartiles over
// the samples of the events' time and of the span from the first block's first instruction to the last block's last
// (0 where no kernel tells it), in nanoseconds.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>

namespace {

void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "event_cost: %s: %s\n", what, cudaGetErrorString(error));
  std::exit(2);
}

using Stamp = unsigned long long;

__device__ Stamp global_timer() {
  Stamp ns;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(ns));
  return ns;
}

/// Occupies the GPU until the host releases it, as src/measure/launch_gap.cu does.
__global__ void wait_for_host(volatile int* released) {
  const Stamp start = global_timer();
  while (!*released && global_timer() - start < 2'000'000'000) {
  }
  while (global_timer() - start < 10'000) {
  }
}

__global__ void nothing() {}

/// Each block tells when it began and ended, and stays for at least `ns` in between.
__global__ void stay(Stamp ns, Stamp* stamps) {
  const Stamp start = global_timer();
  Stamp now = start;
  while (now - start < ns) now = global_timer();
  if (threadIdx.x == 0) {
    stamps[2 * blockIdx.x] = start;
    stamps[2 * blockIdx.x + 1] = now;
  }
}

/// Cycles of a system-wide fence after a store to the host's memory, and after one to the GPU's own.
__global__ void fences(volatile int* host, volatile int* own, long long* cycles) {
  for (int i = 0; i < 64; ++i) {
    const long long start = clock64();
    *host = i;
    __threadfence_system();
    const long long middle = clock64();
    *own = i;
    __threadfence_system();
    cycles[2 * i] = middle - start;
    cycles[2 * i + 1] = clock64() - middle;
  }
}

__global__ void overwrite(int* buffer, int count, int value) {
  for (int i = int(blockIdx.x * blockDim.x + threadIdx.x); i < count; i += int(gridDim.x * blockDim.x))
    buffer[i] = value;
}

struct Quartiles {
  double low, middle, high;
};
Quartiles quartiles_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto at = [&](double share) { return values[std::size_t(share * double(values.size() - 1) + 0.5)]; };
  return {at(0.25), at(0.5), at(0.75)};
}

constexpr int samples = 101, most_blocks = 2 * 132, most_kernels = 4;

/// How a sample is taken.
struct How {
  const char* name;
  bool held;           // everything is enqueued before the GPU goes on
  bool flushed;        // L2 is overwritten before, and empty kernels fill the queue
  bool own_stream;     // a stream that does not synchronise with the default one
  unsigned int flags;  // of the events
};
constexpr How ways[] = {{"held", true, false, false, cudaEventDefault},
                        {"held_flushed", true, true, false, cudaEventDefault},
                        {"not_held", false, false, false, cudaEventDefault},
                        {"held_own_stream", true, false, true, cudaEventDefault},
                        {"held_blocking_events", true, false, false, cudaEventBlockingSync}};

class Probe {
 public:
  explicit Probe(const char* condition) : condition_(condition) {
    void* memory = nullptr;
    check(cudaHostAlloc(&memory, 2 * sizeof(int), cudaHostAllocMapped), "allocating the flag");
    released_ = static_cast<volatile int*>(memory);
    check(cudaMalloc(&stamps_, sizeof(Stamp) * 2 * most_blocks * most_kernels), "allocating stamps");
    check(cudaMalloc(&buffer_, buffer_words * sizeof(int)), "allocating the buffer");
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "making a stream");
  }

  void run() {
    for (const How& how : ways) {
      measure(how, "nothing", 0, 0, 0, [](cudaStream_t) {});
      for (int kernels = 1; kernels <= most_kernels; ++kernels)
        measure(how,
                kernels == 1   ? "empty"
                : kernels == 2 ? "empty_x2"
                : kernels == 3 ? "empty_x3"
                               : "empty_x4",
                0, 0, 0, [kernels](cudaStream_t stream) {
                  for (int i = 0; i < kernels; ++i) nothing<<<1, 1, 0, stream>>>();
                });
      for (const int blocks : {1, 132, 264})
        for (const Stamp ns : {0, 1000, 2000, 5000, 10000, 20000})
          measure(how,
                  blocks == 1     ? "stay_1"
                  : blocks == 132 ? "stay_132"
                                  : "stay_264",
                  ns, blocks, 1,
                  [this, blocks, ns](cudaStream_t stream) { stay<<<blocks, 256, 0, stream>>>(ns, stamps_); });
      for (const Stamp ns : {0, 5000})
        measure(how, "stay_132_x2", ns, 132, 2, [this, ns](cudaStream_t stream) {
          for (int i = 0; i < 2; ++i) stay<<<132, 256, 0, stream>>>(ns, stamps_ + 2 * most_blocks * i);
        });
    }
    graphs();
    time_fences();
  }

 private:
  static constexpr int buffer_words = 32 << 20;
  using Work = std::function<void(cudaStream_t)>;

  void measure(const How& how, const char* what, Stamp planned, int blocks, int kernels, const Work& work) {
    cudaEvent_t start, stop;
    check(cudaEventCreateWithFlags(&start, how.flags), "making an event");
    check(cudaEventCreateWithFlags(&stop, how.flags), "making an event");
    cudaStream_t stream = how.own_stream ? stream_ : cudaStream_t(nullptr);
    std::vector<double> events, spans;
    for (int i = -5; i < samples; ++i) {  // the first five warm up
      if (how.flushed) {
        overwrite<<<1024, 256, 0, stream>>>(buffer_, buffer_words, i);
        for (int k = 0; k < 8; ++k) nothing<<<1, 1, 0, stream>>>();
      }
      check(cudaDeviceSynchronize(), "waiting before a sample");
      *released_ = 0;
      if (how.held) wait_for_host<<<1, 1, 0, stream>>>(released_);
      check(cudaEventRecord(start, stream), "recording an event");
      work(stream);
      check(cudaEventRecord(stop, stream), "recording an event");
      *released_ = 1;
      check(cudaGetLastError(), "launching");
      check(cudaDeviceSynchronize(), "running a sample");
      float ms = 0;
      check(cudaEventElapsedTime(&ms, start, stop), "reading the events");
      if (i < 0) continue;
      events.push_back(double(ms) * 1e6);
      spans.push_back(kernels ? span_of(blocks, kernels) : 0);
    }
    print(how.name, what, planned, events, spans);
    cudaEventDestroy(start);
    cudaEventDestroy(stop);
  }

  double span_of(int blocks, int kernels) const {
    std::vector<Stamp> stamps(2 * most_blocks * most_kernels);
    check(cudaMemcpy(stamps.data(), stamps_, stamps.size() * sizeof(Stamp), cudaMemcpyDeviceToHost),
          "copying stamps");
    Stamp first = ~Stamp(0), last = 0;
    for (int k = 0; k < kernels; ++k)
      for (int b = 0; b < blocks; ++b) {
        first = std::min(first, stamps[std::size_t(2 * (most_blocks * k + b))]);
        last = std::max(last, stamps[std::size_t(2 * (most_blocks * k + b) + 1)]);
      }
    return double(last - first);
  }

  /// A captured graph of one kernel, as mode graph launches it.
  void graphs() {
    for (const Stamp ns : {0, 5000}) {
      cudaGraph_t graph;
      cudaGraphExec_t exec;
      check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "capturing");
      stay<<<132, 256, 0, stream_>>>(ns, stamps_);
      check(cudaStreamEndCapture(stream_, &graph), "capturing");
      check(cudaGraphInstantiate(&exec, graph, 0), "instantiating");
      for (const How& how : {ways[0], ways[3]})
        measure(how, "graph_stay_132", ns, 132, 1,
                [exec](cudaStream_t stream) { check(cudaGraphLaunch(exec, stream), "launching a graph"); });
      cudaGraphExecDestroy(exec);
      cudaGraphDestroy(graph);
    }
  }

  void time_fences() {
    long long* cycles = nullptr;
    check(cudaMalloc(&cycles, sizeof(long long) * 128), "allocating");
    fences<<<1, 1>>>(released_ + 1, buffer_, cycles);
    std::array<long long, 128> all{};
    check(cudaMemcpy(all.data(), cycles, sizeof all, cudaMemcpyDeviceToHost), "copying");
    for (int which = 0; which < 2; ++which) {
      std::vector<double> values;
      for (std::size_t i = std::size_t(which); i < all.size(); i += 2) values.push_back(double(all[i]));
      print("cycles", which ? "fence_after_own_store" : "fence_after_host_store", 0, values, {0});
    }
    cudaFree(cycles);
  }

  void print(const char* how, const char* what, Stamp planned, const std::vector<double>& events,
             const std::vector<double>& spans) {
    const Quartiles e = quartiles_of(events), s = quartiles_of(spans);
    std::printf("%s,%s,%s,%llu,%.0f,%.0f,%.0f,%.0f,%.0f,%.0f\n", condition_, how, what, planned, e.low,
                e.middle, e.high, s.low, s.middle, s.high);
  }

  const char* condition_;
  volatile int* released_ = nullptr;
  Stamp* stamps_ = nullptr;
  int* buffer_ = nullptr;
  cudaStream_t stream_ = nullptr;
};

/// Lets every GPU of the host read this one's memory, and the other way round.
void enable_peers() {
  int count = 0;
  check(cudaGetDeviceCount(&count), "counting GPUs");
  for (int i = 0; i < count; ++i)
    for (int j = 0; j < count; ++j) {
      if (i == j) continue;
      check(cudaSetDevice(i), "choosing a GPU");
      if (cudaDeviceEnablePeerAccess(j, 0) != cudaSuccess)
        std::fprintf(stderr, "event_cost: no peer access\n");
    }
  check(cudaSetDevice(0), "choosing a GPU");
}

/// Keeps one GPU busy, or only holds a context, until it is killed: a neighbour.
void neighbour(int device, bool busy) {
  check(cudaSetDevice(device), "choosing a GPU");
  int* buffer = nullptr;
  check(cudaMalloc(&buffer, std::size_t(256) << 20), "allocating");
  for (;;) {
    if (busy) overwrite<<<1024, 256>>>(buffer, 64 << 20, 1);
    check(cudaDeviceSynchronize(), "being busy");
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2)
    return std::fprintf(stderr,
                        "usage: event_cost CONDITION [--peers] | event_cost --neighbour GPU idle|busy\n"),
           2;
  if (!std::strcmp(argv[1], "--neighbour")) neighbour(std::atoi(argv[2]), !std::strcmp(argv[3], "busy"));
  if (argc > 2 && !std::strcmp(argv[2], "--peers")) enable_peers();
  Probe(argv[1]).run();
}
