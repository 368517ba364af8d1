// The processes that mpirun or srun has started as one run, one for each GPU. What they tell each other goes through MPI.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace redbench {

/// Which of how many processes this one is.
struct Launch {
  int count = 1, number = 0;
};
/// As mpirun or srun say it in the environment. Alone where nobody does, and where the device is a single one: then each
/// makes a run of its own. Throws UsageError where this redbench has no MPI to share a run.
Launch launch_of(std::string_view device);

/// "Open MPI v4.1.4"; empty in a build without MPI.
std::string mpi_version();

/// Whether no other call has claimed them: the processes are joined once, by the first one itself or by a worker of it.
bool claim_processes();
/// Waits for the other processes. From here on, this one ends where it waits for one that has ended. `own`: the process
/// that is of the command; of a worker its parent, which still has to end its run where it ends the worker. Throws
/// UsageError where they are not of one host and one command line.
void join_processes(int own);
bool are_processes_joined();
void leave_processes();

/// Some of the joined processes, from the first on; each of them makes one, at the same time.
class ProcessGroup {
 public:
  explicit ProcessGroup(int count);
  /// All.
  ProcessGroup();

  int size() const;
  int number() const;
  /// What each says, by number; waits for all.
  std::vector<std::string> exchange(const std::string& said) const;
  /// `all` has room for `bytes` of each: the first process gets what each has at its own place.
  void gather(std::byte* all, std::size_t bytes) const;
  /// Memory of the host that all share, zero at first. Throws DeviceError, in all.
  std::shared_ptr<void> share_memory(std::size_t bytes) const;

 private:
  std::shared_ptr<struct Communicator> communicator_;
};

}  // namespace redbench
