#include "src/device/processes.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <utility>

#include "src/device/devices.hpp"
#include "src/error.hpp"
#include "src/text/number.hpp"

#ifdef REDBENCH_WITH_MPI
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <fstream>
#include <iterator>
#include <numeric>
#endif

namespace redbench {
namespace {

#ifdef REDBENCH_WITH_MPI
constexpr bool with_mpi = true;
#else
constexpr bool with_mpi = false;
#endif

/// Of a variable; -1 where there is none.
int number_in(const char* variable) {
  const char* const text = std::getenv(variable);
  return text ? parse_number<int>(text).value_or(-1) : -1;
}

}  // namespace

Launch launch_of(std::string_view device) {
  if (!names_boards(device)) return {};
  // Open MPI's mpirun; MPICH's and Intel's, srun --mpi=pmi2; srun --mpi=pmix.
  for (const auto& [count_in, rank_in] : {std::pair("OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"),
                                          {"PMI_SIZE", "PMI_RANK"},
                                          {"SLURM_STEP_NUM_TASKS", "PMIX_RANK"}}) {
    const Launch launch{number_in(count_in), number_in(rank_in)};
    if (launch.count < 2 || launch.number < 0 || launch.number >= launch.count) continue;
    if (with_mpi) return launch;
    throw UsageError(
        fmt::format("one of {} processes that share a run, for which this redbench is built without MPI "
                    "(redbench doctor says how to get it)",
                    launch.count));
  }
  return {};
}

bool claim_processes() {
  static bool claimed = false;
  return !std::exchange(claimed, true);
}

#ifdef REDBENCH_WITH_MPI

struct Communicator {
  MPI_Comm handle = MPI_COMM_WORLD;
};

namespace {

using Clock = std::chrono::steady_clock;

std::vector<pid_t> watched;  // by number, once all have joined

/// A run that another command shares would be half of each.
void check_is_one_command(const ProcessGroup& all, pid_t own) {
  std::ifstream file(fmt::format("/proc/{}/cmdline", own), std::ios::binary);
  std::string line(std::istreambuf_iterator<char>(file), {});
  std::ranges::replace(line, '\0', ' ');
  const std::vector<std::string> each = all.exchange(line);
  for (const std::string& other : each)
    if (other != each[0])
      throw UsageError(fmt::format(
          "processes that share a run have one command line; these have `{}` and `{}`", each[0], other));
}

void end_where_one_has_ended() {
  for (std::size_t i = 0; i < watched.size(); ++i) {
    if (::kill(watched[i], 0) == 0 || errno != ESRCH) continue;
    fmt::print(stderr, "redbench: process {} of the {} that share the run has ended\n", i, watched.size());
    std::_Exit(exit_failed);
  }
}

/// Others may take hours: after a time that no sample takes it frees its core.
void wait(MPI_Request& request) {
  const Clock::time_point begun = Clock::now();
  for (int done = 0, naps = 0; MPI_Test(&request, &done, MPI_STATUS_IGNORE), !done;) {
    if (Clock::now() - begun < std::chrono::milliseconds(50)) continue;
    ::usleep(100);
    if (++naps % 2000 == 0) end_where_one_has_ended();
  }
}

/// What is of one host: memory, and the numbers of processes.
void check_is_one_host(int count) {
  MPI_Comm of_host;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &of_host);
  int here = 0;
  MPI_Comm_size(of_host, &here);
  MPI_Comm_free(&of_host);
  if (here != count)
    throw UsageError(
        fmt::format("of {} processes that share a run {} are on this host; all have to be", count, here));
}

}  // namespace

std::string mpi_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(text, &length);
  const std::string version(text, std::size_t(length));
  return version.substr(0, version.find_first_of(",\n"));
}

void join_processes(int own) {
  MPI_Init(nullptr, nullptr);
  const ProcessGroup all;
  check_is_one_host(all.size());
  check_is_one_command(all, own);
  std::vector<pid_t> known;
  for (const std::string& number : all.exchange(std::to_string(own))) known.push_back(std::stoi(number));
  watched = known;
}

bool are_processes_joined() { return !watched.empty(); }

void leave_processes() {
  watched.clear();
  MPI_Finalize();
}

ProcessGroup::ProcessGroup() : communicator_(std::make_shared<Communicator>()) {}

ProcessGroup::ProcessGroup(int count) : ProcessGroup() {
  MPI_Group all, some;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  int range[1][3] = {{0, count - 1, 1}};
  MPI_Group_range_incl(all, 1, range, &some);
  communicator_ = {new Communicator, [](Communicator* made) {
                     MPI_Comm_free(&made->handle);
                     delete made;
                   }};
  MPI_Comm_create_group(MPI_COMM_WORLD, some, 0, &communicator_->handle);
  MPI_Group_free(&some);
  MPI_Group_free(&all);
}

int ProcessGroup::size() const {
  int size = 0;
  MPI_Comm_size(communicator_->handle, &size);
  return size;
}

int ProcessGroup::number() const {
  int number = 0;
  MPI_Comm_rank(communicator_->handle, &number);
  return number;
}

std::vector<std::string> ProcessGroup::exchange(const std::string& said) const {
  const MPI_Comm all = communicator_->handle;
  const auto count = std::size_t(size());
  std::vector<std::string> each(count);
  std::vector<int> bytes(count), places(count);
  const int own = int(said.size());
  MPI_Request request;
  MPI_Iallgather(&own, 1, MPI_INT, bytes.data(), 1, MPI_INT, all, &request);
  wait(request);
  std::exclusive_scan(bytes.begin(), bytes.end(), places.begin(), 0);
  std::string text(std::size_t(places.back() + bytes.back()), '\0');
  if (text.empty()) return each;
  MPI_Allgatherv(said.data(), own, MPI_BYTE, text.data(), bytes.data(), places.data(), MPI_BYTE, all);
  for (std::size_t i = 0; i < count; ++i)
    each[i] = text.substr(std::size_t(places[i]), std::size_t(bytes[i]));
  return each;
}

void ProcessGroup::gather(std::byte* all, std::size_t bytes) const {
  const int own = number(), count = int(bytes);
  const void* const from = own == 0 ? MPI_IN_PLACE : all + std::size_t(own) * bytes;
  MPI_Gather(from, count, MPI_BYTE, all, count, MPI_BYTE, 0, communicator_->handle);
}

std::shared_ptr<void> ProcessGroup::share_memory(std::size_t bytes) const {
  const std::string name = exchange(fmt::format("/redbench-{}", ::getpid()))[0];
  const bool is_first = number() == 0;
  void* memory = MAP_FAILED;
  const auto map = [&](int more_flags) {
    const int file = ::shm_open(name.c_str(), O_RDWR | more_flags, 0600);
    if (file < 0) return;
    if (!is_first || ::ftruncate(file, off_t(bytes)) == 0)
      memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    ::close(file);
  };
  if (is_first) map(O_CREAT | O_EXCL);
  exchange("");  // it is there
  if (!is_first) map(0);
  std::shared_ptr<void> owner;
  if (memory != MAP_FAILED) owner = {memory, [bytes](void* mapped) { ::munmap(mapped, bytes); }};
  const std::vector<std::string> failed = exchange(owner ? "" : "failed");
  if (is_first) ::shm_unlink(name.c_str());
  if (std::ranges::count(failed, "") != std::ptrdiff_t(failed.size()))
    throw DeviceError("making memory that processes share failed");
  return owner;
}

#else

struct Communicator {};

std::string mpi_version() { return {}; }
void join_processes(int) {}
bool are_processes_joined() { return false; }
void leave_processes() {}
ProcessGroup::ProcessGroup() = default;
ProcessGroup::ProcessGroup(int) {}
int ProcessGroup::size() const { return 1; }
int ProcessGroup::number() const { return 0; }
std::vector<std::string> ProcessGroup::exchange(const std::string& said) const { return {said}; }
void ProcessGroup::gather(std::byte*, std::size_t) const {}
std::shared_ptr<void> ProcessGroup::share_memory(std::size_t) const { return nullptr; }

#endif

}  // namespace redbench
