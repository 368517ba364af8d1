// An NVIDIA GPU, through the CUDA runtime. All work goes to the default stream, except while a graph is
// captured.
#include <cuda_runtime_api.h>
#include <cxxabi.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <limits>
#include <map>
#include <tuple>

#include "src/device/cuda_check.hpp"
#include "src/device/devices.hpp"

namespace redbench {
namespace {

/// "NVIDIA GeForce RTX 3070" -> "rtx3070", "NVIDIA H100 80GB HBM3" -> "h100": the first word with a digit,
/// with the word before it where that is the series.
std::string slug_of(const std::string& name) {
  std::vector<std::string> words{""};
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)))
      words.back() += char(std::tolower(static_cast<unsigned char>(c)));
    else if (!words.back().empty()) words.emplace_back();
  }
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (!std::any_of(word.begin(), word.end(), [](unsigned char c) { return std::isdigit(c); })) continue;
    const bool series = i > 0 && (words[i - 1] == "rtx" || words[i - 1] == "gtx");
    return series ? words[i - 1] + word : word;
  }
  std::string all;
  for (const std::string& word : words) all += word;
  return all.empty() ? "cuda" : all;
}

/// A kernel's name without return type, parameters and redbench's namespaces: "sequential_addressing<Sum<int>
/// >".
std::string kernel_name(const void* function) {
  const char* mangled = nullptr;
  check(cudaFuncGetName(&mangled, function), "asking for a kernel's name");
  int status = 0;
  char* const demangled = abi::__cxa_demangle(mangled, nullptr, nullptr, &status);
  std::string name = demangled ? demangled : mangled;
  std::free(demangled);
  for (const std::string noise : {"redbench::", "on_cuda::", "(anonymous namespace)::", "void "})
    for (std::size_t at; (at = name.find(noise)) != std::string::npos;) name.erase(at, noise.size());
  return name.substr(0, name.find('('));
}

DeviceFacts facts_of(const cudaDeviceProp& properties) {
  DeviceFacts facts;
  facts.name = properties.name;
  facts.capability = properties.major * 10 + properties.minor;
  facts.multiprocessors = properties.multiProcessorCount;
  facts.max_threads_per_block = properties.maxThreadsPerBlock;
  facts.max_blocks = properties.maxBlocksPerMultiProcessor;
  facts.max_warps = properties.maxThreadsPerMultiProcessor / properties.warpSize;
  facts.shared_bytes = properties.sharedMemPerMultiprocessor;
  facts.shared_bytes_per_block = properties.sharedMemPerBlockOptin;
  facts.shared_bytes_reserved = properties.reservedSharedMemPerBlock;
  // Allocation units: CUDA C++ Programming Guide, table of technical specifications, and the occupancy
  // calculator.
  facts.shared_granularity = properties.major >= 8 ? 128 : 256;
  facts.registers = properties.regsPerMultiprocessor;
  facts.register_granularity = 256;
  facts.l2_bytes = std::size_t(properties.l2CacheSize);
  facts.memory_bytes = properties.totalGlobalMem;
  return facts;
}

std::string bus_id_of(int ordinal) {
  char bus[32];
  check(cudaDeviceGetPCIBusId(bus, sizeof bus, ordinal), "asking for the GPU's place on the bus");
  return bus;
}

/// As CUDA_VISIBLE_DEVICES takes it: "GPU-", then groups of 8, 4, 4, 4 and 12 digits.
std::string text_of(const cudaUUID_t& uuid) {
  std::string text = "GPU";
  for (int i = 0; i < 16; ++i) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", unsigned(static_cast<unsigned char>(uuid.bytes[i])));
    text += (i == 0 || (i >= 4 && i <= 10 && i % 2 == 0) ? "-" : "") + std::string(digits);
  }
  return text;
}

struct CaptureStream {
  CaptureStream() { check(cudaStreamCreate(&handle), "creating a stream"); }
  ~CaptureStream() { cudaStreamDestroy(handle); }
  CaptureStream(const CaptureStream&) = delete;
  CaptureStream& operator=(const CaptureStream&) = delete;
  cudaStream_t handle = nullptr;
};

class CudaGraph : public Graph {
 public:
  /// Takes ownership of the graph.
  explicit CudaGraph(cudaGraph_t graph) : graph_(graph) {
    check(cudaGraphGetNodes(graph_, nullptr, &nodes_), "asking for a graph's nodes");
    check(cudaGraphInstantiateWithFlags(&ready_, graph_, 0), "instantiating a graph");
    check(cudaGraphUpload(ready_, nullptr), "uploading a graph");
  }
  ~CudaGraph() override {
    if (ready_) cudaGraphExecDestroy(ready_);
    cudaGraphDestroy(graph_);
  }
  CudaGraph(const CudaGraph&) = delete;
  CudaGraph& operator=(const CudaGraph&) = delete;

  void launch() override { check(cudaGraphLaunch(ready_, nullptr), "launching a graph"); }
  std::size_t nodes() const override { return nodes_; }

 private:
  cudaGraph_t graph_;
  cudaGraphExec_t ready_ = nullptr;
  std::size_t nodes_ = 0;
};

class CudaDevice : public Device {
 public:
  CudaDevice(int ordinal, int number) : ordinal_(ordinal), number_(number) {
    check(cudaSetDevice(ordinal), "opening the GPU");
    cudaDeviceProp properties;
    check(cudaGetDeviceProperties(&properties, ordinal), "asking for the GPU's properties");
    facts_ = facts_of(properties);
    bus_id_ = bus_id_of(ordinal);
  }

  Target target() const override { return Target::cuda; }
  std::string name() const override { return "cuda:" + std::to_string(number_); }
  std::string slug() const override { return slug_of(facts_.name); }
  const DeviceFacts& facts() const override { return facts_; }
  std::string bus_id() const override { return bus_id_; }
  std::size_t free_bytes() const override {
    std::size_t free = 0, total = 0;
    check(cudaMemGetInfo(&free, &total), "asking for free memory");
    return free;
  }

  void* allocate(std::size_t bytes) override {
    void* memory = nullptr;
    check(cudaMalloc(&memory, std::max<std::size_t>(bytes, 1)),
          ("allocating " + std::to_string(bytes) + " bytes").c_str());
    return memory;
  }
  void release(void* memory) override { cudaFree(memory); }
  void upload(void* to, const void* from, std::size_t bytes) override {
    check(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice), "copying to the GPU");
  }
  void download(void* to, const void* from, std::size_t bytes) override {
    check(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost), "copying from the GPU");
  }
  std::shared_ptr<void> pin(void* memory, std::size_t bytes) override {
    if (cudaHostRegister(memory, bytes, cudaHostRegisterDefault) == cudaSuccess)
      return {memory, [](void* pinned) { cudaHostUnregister(pinned); }};
    cudaGetLastError();  // is not of what comes next
    return nullptr;
  }
  void fill(void* memory, unsigned char byte, std::size_t bytes) override {
    check(cudaMemsetAsync(memory, byte, bytes), "filling memory");
  }

  void execute(const KernelCall& call) override {
    const Grid& grid = call.grid;
    if (grid.blocks > std::numeric_limits<int>::max())
      throw DeviceError("launching a kernel: " + std::to_string(grid.blocks) +
                        " blocks are more than 2^31 - 1");
    check(allow_shared(call), "asking for dynamic shared memory");
    const dim3 blocks(unsigned(grid.blocks)), threads(unsigned(grid.threads));
    check(grid.cooperative
              ? cudaLaunchCooperativeKernel(call.function, blocks, threads, call.arguments, grid.shared_bytes,
                                            stream_)
              : cudaLaunchKernel(call.function, blocks, threads, call.arguments, grid.shared_bytes, stream_),
          "launching a kernel");
    tell_launch();
  }

  void execute_library(const Queue::LibraryCall& call, void* temporary, std::size_t bytes) override {
    // CUB takes a null pointer as a query for the size, even where that is 0.
    check(cudaError_t(call(temporary, bytes, stream_)), "calling a library");
    tell_launch();
  }
  std::size_t library_bytes(const Queue::LibraryCall& call) override {
    std::size_t bytes = 0;
    check(cudaError_t(call(nullptr, bytes, nullptr)), "asking a library for its temporary bytes");
    return std::max<std::size_t>(bytes, 1);
  }

  /// Cached, as `run` may ask for its grid inside the timed region.
  LaunchFacts describe(const KernelCall& call) const override {
    const Shape shape{call.function, call.grid.threads, call.grid.shared_bytes};
    auto found = described_.find(shape);
    if (found == described_.end()) found = described_.emplace(shape, ask(call)).first;
    LaunchFacts launch = found->second;
    launch.grid = call.grid;
    return launch;
  }

  std::unique_ptr<Graph> capture(const std::function<void()>& work) override {
    // The capture blocks the default stream: a launch there is an error, and cannot be missed.
    const CaptureStream stream;
    check(cudaStreamBeginCapture(stream.handle, cudaStreamCaptureModeThreadLocal), "capturing a graph");
    stream_ = stream.handle;
    const auto end = [this] {
      cudaGraph_t graph = nullptr;
      const cudaError_t status = cudaStreamEndCapture(stream_, &graph);
      stream_ = nullptr;
      cudaGetLastError();
      return std::pair(graph, status);
    };
    std::string mistake;
    try {
      work();
    } catch (const DeviceError& error) {
      mistake = error.what();
    } catch (...) {
      if (const cudaGraph_t graph = end().first) cudaGraphDestroy(graph);
      throw;
    }
    const auto [graph, status] = end();
    if (mistake.empty() && status != cudaSuccess) mistake = cudaGetErrorString(status);
    if (mistake.empty()) return std::make_unique<CudaGraph>(graph);
    if (graph) cudaGraphDestroy(graph);
    throw Refusal("it cannot be captured in a graph: " + mistake);
  }

  void finish() override {
    check(cudaDeviceSynchronize(), "waiting for the GPU");
    check(cudaGetLastError(), "waiting for the GPU");
  }

  std::vector<std::unique_ptr<Device>> others_of_team(int count) override {
    const int there = cuda_device_count();
    if (ordinal_ != 0 || count > there)
      throw DeviceError(std::to_string(count) + " GPUs from cuda:0 on are asked for, " +
                        std::to_string(there) + " are there");
    std::vector<std::unique_ptr<Device>> others;
    for (int i = 1; i < count; ++i) others.push_back(std::make_unique<CudaDevice>(i, i));
    for (int from = 0; from < count; ++from)
      for (int to = 0; to < count; ++to)
        if (from != to) reach(from, to);
    use_here();
    return others;
  }
  void use_here() override { check(cudaSetDevice(ordinal_), "changing to the GPU"); }

 private:
  using Shape = std::tuple<const void*, int, std::size_t>;

  static void reach(int from, int to) {
    const std::string way = "the memory of cuda:" + std::to_string(to) + " from cuda:" + std::to_string(from);
    int can = 0;
    check(cudaDeviceCanAccessPeer(&can, from, to), ("asking for " + way).c_str());
    if (!can) throw DeviceError("kernels cannot access " + way);
    check(cudaSetDevice(from), "changing to the GPU");
    const cudaError_t status = cudaDeviceEnablePeerAccess(to, 0);
    if (status == cudaErrorPeerAccessAlreadyEnabled) cudaGetLastError();
    else check(status, ("mapping " + way).c_str());
  }

  /// More than 48 KiB of shared memory, static and dynamic together, need the kernel's consent.
  cudaError_t allow_shared(const KernelCall& call) const {
    std::size_t& allowed = allowed_shared_[call.function];
    if (call.grid.shared_bytes <= allowed) return cudaSuccess;
    const cudaError_t status = cudaFuncSetAttribute(
        call.function, cudaFuncAttributeMaxDynamicSharedMemorySize, int(call.grid.shared_bytes));
    if (status == cudaSuccess) allowed = call.grid.shared_bytes;
    return status;
  }

  LaunchFacts ask(const KernelCall& call) const {
    LaunchFacts launch;
    launch.grid = call.grid;
    launch.kernel = kernel_name(call.function);
    cudaFuncAttributes attributes;
    check(cudaFuncGetAttributes(&attributes, call.function), "asking for a kernel's attributes");
    launch.registers = attributes.numRegs;
    launch.static_shared_bytes = attributes.sharedSizeBytes;
    launch.local_bytes = attributes.localSizeBytes;
    model_occupancy(facts_, launch.registers, launch);
    launch.resident_blocks = 0;
    // The plan refuses a block that is too large for the device: no error here.
    if (call.grid.threads > attributes.maxThreadsPerBlock || allow_shared(call) != cudaSuccess) {
      cudaGetLastError();
    } else {
      check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&launch.resident_blocks, call.function,
                                                          call.grid.threads, call.grid.shared_bytes),
            "asking for a kernel's occupancy");
    }
    const int warps = (call.grid.threads + 31) / 32;
    launch.occupancy = double(launch.resident_blocks * warps) / facts_.max_warps;
    return launch;
  }

  const int ordinal_;
  int number_;
  cudaStream_t stream_ = nullptr;  // of launches: the default one, or that which captures
  std::string bus_id_;
  DeviceFacts facts_;
  mutable std::map<const void*, std::size_t> allowed_shared_;
  mutable std::map<Shape, LaunchFacts> described_;
};

}  // namespace

int cuda_device_count() {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) {
    cudaGetLastError();
    return 0;
  }
  return count;
}

std::unique_ptr<Device> make_cuda(int ordinal, int number) {
  return std::make_unique<CudaDevice>(ordinal, number);
}

Board cuda_board(int ordinal) {
  cudaDeviceProp properties;
  check(cudaGetDeviceProperties(&properties, ordinal), "asking for the GPU's properties");
  return {ordinal, "cuda:" + std::to_string(ordinal), properties.name, bus_id_of(ordinal),
          text_of(properties.uuid)};
}

}  // namespace redbench
