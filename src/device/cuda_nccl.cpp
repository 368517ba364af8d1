// NCCL's collective calls (kernels/gpus/nccl.hpp), and the communicators that they share.
#include "kernels/gpus/nccl.hpp"

#include <fmt/format.h>

#include "src/device/devices.hpp"

#ifdef REDBENCH_WITH_NCCL
#include <nccl.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <numeric>
#include <vector>

#include "src/device/cuda_check.hpp"
#include "src/device/team.hpp"

namespace redbench {
namespace {

std::mutex mutex;
// By the GPUs' ordinals; communicators by rank, of those that are here. They are never destroyed: a worker process ends
// without destructors when no cell is left for it, and what it has on a GPU goes with it.
std::map<std::vector<int>, std::vector<ncclComm_t>> made;

std::string text_of(ncclResult_t status, const char* call) {
  return fmt::format("{}: {} ({})", call, ncclGetErrorString(status), ncclGetLastError(nullptr));
}

void check_made(ncclResult_t status, const char* call) {
  if (status != ncclSuccess) throw DeviceError(text_of(status, call));
}

/// After an error of a call, communicators may wait for each other for ever, and others would be made in the time of the
/// next sample. So it ends the process, which fails this case alone: the next one makes them before it measures.
void check_call(ncclResult_t status, const char* call) {
  if (status == ncclSuccess) return;
  fmt::print(stderr, "{}\n", text_of(status, call));
  std::_Exit(exit_failed);
}

/// Null where none are made.
ncclComm_t made_for(const std::vector<int>& gpus, int rank) {
  const std::lock_guard lock(mutex);
  const auto found = made.find(gpus);
  return found == made.end() ? nullptr : found->second[std::size_t(rank)];
}

/// No multicast of NVLink: on shared hosts it can put GPUs out of service. For one thread alone.
void forbid_multicast() { ::setenv("NCCL_NVLS_ENABLE", "0", 1); }

void make_communicators(const std::vector<int>& gpus) {
  forbid_multicast();
  std::vector<ncclComm_t> communicators(gpus.size());
  check_made(ncclCommInitAll(communicators.data(), int(gpus.size()), gpus.data()), "ncclCommInitAll");
  const std::lock_guard lock(mutex);
  made[gpus] = communicators;
}

/// That of this process's rank. Either all processes store theirs or none does.
void make_communicator(const std::vector<int>& gpus, Team& team) {
  forbid_multicast();
  team.agree({});
  const ProcessGroup& processes = *team.processes();
  const int rank = processes.number();
  ncclUniqueId id{};
  const bool tells = rank == 0 && ncclGetUniqueId(&id) == ncclSuccess;
  const std::string told = processes.exchange(tells ? std::string(id.internal, sizeof id.internal) : "")[0];
  if (told.size() != sizeof id.internal) throw DeviceError("ncclGetUniqueId gives none");
  std::memcpy(id.internal, told.data(), sizeof id.internal);
  std::vector<ncclComm_t> communicators(gpus.size());
  const ncclResult_t status = ncclCommInitRank(&communicators[std::size_t(rank)], int(gpus.size()), id, rank);
  team.agree(status == ncclSuccess ? "" : text_of(status, "ncclCommInitRank"));
  made[gpus] = communicators;
}

/// The calling rank's. The first run of a case on these GPUs, which is not timed, makes all, when the ranks have met: so
/// either all find theirs or none does.
ncclComm_t communicator(const Rank& rank) {
  int here = 0;
  check(cudaGetDevice(&here), "asking for the GPU");
  std::vector<int> gpus(std::size_t(rank.count), here);
  if (rank.count > 1) std::iota(gpus.begin(), gpus.end(), 0);  // as CudaDevice::others_of_team takes them
  if (const ncclComm_t found = made_for(gpus, rank.number)) return found;
  Team* const team = this_team();
  if (team && team->processes()) make_communicator(gpus, *team);
  else if (team) team->meet([&] { make_communicators(gpus); });
  else make_communicators(gpus);
  check(cudaSetDevice(here), "changing to the GPU");
  return made_for(gpus, rank.number);
}

ncclDataType_t data_type(Type type) {
  switch (type) {
    case Type::i32:
      return ncclInt32;
    case Type::i64:
      return ncclInt64;
    case Type::u32:
      return ncclUint32;
    case Type::f32:
      return ncclFloat32;
    case Type::f64:
      return ncclFloat64;
    case Type::u8:
      return ncclUint8;
    case Type::f16:
      return ncclFloat16;
    case Type::i8:
      return ncclInt8;
    case Type::bf16:
      return ncclBfloat16;
    default:
      throw DeviceError("NCCL has no such type");  // CallsNccl refuses it
  }
}

ncclRedOp_t operation(Operator op) {
  switch (op) {
    case Operator::sum:
      return ncclSum;
    case Operator::min:
      return ncclMin;
    case Operator::max:
      return ncclMax;
    case Operator::product:
      return ncclProd;
    default:
      throw DeviceError("NCCL has no such operator");
  }
}

}  // namespace

void gpus::call_nccl(Queue& queue, Collective collective, Type type, Operator op, const void* from, void* to,
                     Index count) {
  const Rank rank = this_rank();
  queue.library([&](void* temporary, std::size_t& bytes, void* stream_of_queue) {
    bytes = 0;
    if (temporary == nullptr) return int(cudaSuccess);  // planning
    const ncclComm_t comm = communicator(rank);
    const auto stream = static_cast<cudaStream_t>(stream_of_queue);
    const auto size = std::size_t(count);
    const ncclDataType_t data = data_type(type);
    const ncclRedOp_t operation_ = operation(op);
    switch (collective) {
      case Collective::all_reduce:
        check_call(ncclAllReduce(from, to, size, data, operation_, comm, stream), "ncclAllReduce");
        break;
      case Collective::reduce:
        check_call(ncclReduce(from, to, size, data, operation_, 0, comm, stream), "ncclReduce");
        break;
      case Collective::reduce_scatter:
        check_call(ncclReduceScatter(from, to, size, data, operation_, comm, stream), "ncclReduceScatter");
        break;
    }
    return int(cudaSuccess);
  });
}

std::string nccl_version() {
  int version = 0;
  if (ncclGetVersion(&version) != ncclSuccess) return {};
  return fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

}  // namespace redbench

#else
namespace redbench {

void gpus::call_nccl(Queue& queue, Collective, Type, Operator, const void*, void*, Index) {
  queue.refuse("this redbench is built without NCCL (redbench doctor says how to get it)");
}

std::string nccl_version() { return {}; }

}  // namespace redbench
#endif
