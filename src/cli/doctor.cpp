// redbench doctor: what this machine has, and what it lacks.
#include <fmt/format.h>
#include <omp.h>

#include <filesystem>

#ifdef REDBENCH_WITH_CUDA
#include <cuda_runtime_api.h>
#endif

#include "src/build_facts.hpp"
#include "src/cli/commands.hpp"
#include "src/cli/flags.hpp"
#include "src/error.hpp"
#include "src/shell.hpp"
#include "src/simt/device_models.hpp"
#include "src/version.hpp"

namespace redbench {
namespace {

namespace fs = std::filesystem;

void ok(std::string_view what, const std::string& found) { fmt::print("ok       {:<12} {}\n", what, found); }
void missing(std::string_view what, const std::string& cost, const std::string& remedy) {
  fmt::print("missing  {:<12} {}: {}\n", what, cost, remedy);
}

std::string gibibytes(std::size_t bytes) {
  return fmt::format("{:.1f} GiB", double(bytes) / double(1 << 30));
}

void report_build() {
  ok("redbench", version_text());
  ok("source", build_facts.source_dir);
  const std::string compiler = fmt::format("{}, {}", build_facts.compiler, build_facts.flags);
  if (std::string_view(build_facts.build_type) == "Release") ok("compiler", compiler);
  else
    missing("compiler", compiler,
            "times of this build cannot be compared; configure with -DCMAKE_BUILD_TYPE=Release");
}

#ifdef REDBENCH_WITH_CUDA
std::string cuda_version(int number) { return fmt::format("{}.{}", number / 1000, number % 1000 / 10); }

void report_cuda() {
  ok("nvcc", fmt::format("{} for sm_{}, {}", build_facts.cuda_compiler, build_facts.cuda_architectures,
                         build_facts.cuda_flags));
  int driver = 0, runtime = 0;
  cudaRuntimeGetVersion(&runtime);
  ok("CUDA runtime", cuda_version(runtime));
  if (cudaDriverGetVersion(&driver) == cudaSuccess && driver > 0)
    ok("GPU driver", "for CUDA " + cuda_version(driver));
  else missing("GPU driver", "no times from a GPU", "install NVIDIA's driver; nvidia-smi must work");
  const int count = cuda_device_count();
  if (count == 0) missing("GPU", "no times from a GPU", "simt models one, host times the CPU algorithms");
  for (int i = 0; i < count; ++i) {
    const std::unique_ptr<Device> device = make_cuda(i);
    const DeviceFacts& facts = device->facts();
    ok(fmt::format("cuda:{}", i),
       fmt::format("{}, compute capability {:.1f}, {} multiprocessors, {} of {} free", facts.name,
                   facts.capability / 10.0, facts.multiprocessors, gibibytes(device->free_bytes()),
                   gibibytes(facts.memory_bytes)));
  }
}
#else
void report_cuda() {
  missing("CUDA", "no times from a GPU", "where nvcc is, configure with -DREDBENCH_CUDA=ON");
}
#endif

void report_models() {
  std::string names;
  for (std::size_t i = 0; i < simt::device_model_count; ++i)
    names += fmt::format("{}simt:{}", i ? " " : "", simt::device_models[i].name);
  if (simt::device_model_count > 0) ok("simt", names);
  else
    missing("simt", "no modelled GPU", "configs/devices/*.json were not there when redbench was configured");
}

void report_host() {
  const std::unique_ptr<Device> host = make_host();
  ok("host", fmt::format("{}, {} OpenMP threads, {} of {} free", host->facts().name, omp_get_max_threads(),
                         gibibytes(host->free_bytes()), gibibytes(host->facts().memory_bytes)));
}

void report_python() {
  const fs::path own = fs::path(build_facts.source_dir) / ".venv" / "bin" / "python";
  const std::string python = fs::exists(own) ? own.string() : "python3";
  const std::string version = first_line_of(shell_quoted(python) +
                                            " -c 'import sys, matplotlib; print(sys.version.split()[0], "
                                            "\"matplotlib\", matplotlib.__version__)' 2>/dev/null");
  if (!version.empty()) ok("python", fmt::format("{} ({})", version, python));
  else missing("python", "no figures", "make demo sets up .venv from scripts/requirements.txt");
}

void report_program(const char* name, const std::string& cost, const std::string& remedy) {
  const std::string path = first_line_of(fmt::format("command -v {} 2>/dev/null", name));
  if (!path.empty()) ok(name, path);
  else missing(name, cost, remedy);
}

int doctor() {
  report_build();
  report_cuda();
  report_models();
  report_host();
  report_python();
  report_program("git", "records without the commit of their source", "install git");
  report_program("ncu", "no counters from a GPU", "Nsight Compute brings it; simt counts without");
  return exit_fine;
}

}  // namespace

void add_doctor(CLI::App& app, int& exit_code) {
  add_command(app, "doctor", "what this machine has, what it lacks, and what to do about it",
              "  redbench doctor", exit_code, doctor);
}

}  // namespace redbench
