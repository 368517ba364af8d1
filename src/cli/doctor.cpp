// redbench doctor: for each device whether it works here, what is missing, and how to get it.
#include <fmt/format.h>
#include <omp.h>
#include <re2/re2.h>
#include <unistd.h>

#include <filesystem>
#include <sstream>

#ifdef REDBENCH_WITH_CUDA
#include <cuda_runtime_api.h>
#endif

#include "src/build_facts.hpp"
#include "src/cachesim/cachesim.hpp"
#include "src/cli/commands.hpp"
#include "src/cli/flags.hpp"
#include "src/device/devices.hpp"
#include "src/device/gpu_diagnosis.hpp"
#include "src/device/processes.hpp"
#include "src/error.hpp"
#include "src/json/parse.hpp"
#include "src/measure/nvml.hpp"
#include "src/own_files.hpp"
#include "src/run/machine.hpp"
#include "src/shell.hpp"
#include "src/simt/model.hpp"
#include "src/simt/source.hpp"
#include "src/tables/text.hpp"
#include "src/text/natural_order.hpp"

namespace redbench {
namespace {

namespace fs = std::filesystem;

void ok(std::string_view what, const std::string& found) {
  print_wrapped(fmt::format("ok       {:<12} {}\n", what, found));
}
void missing(std::string_view what, const std::string& cost, const std::string& remedy) {
  print_wrapped(fmt::format("missing  {:<12} {}: {}\n", what, cost, remedy));
}
/// `found` is empty where it is missing.
void report(std::string_view what, const std::string& found, const std::string& cost,
            const std::string& remedy) {
  if (!found.empty()) ok(what, found);
  else missing(what, cost, remedy);
}

std::string gibibytes(std::uintmax_t bytes) {
  return fmt::format("{:.1f} GiB", double(bytes) / double(1 << 30));
}

std::string gibibytes_or_less(std::uintmax_t bytes) {
  return bytes % (1 << 20) != 0 ? fmt::format("{} KiB", bytes >> 10) : fmt::format("{} MiB", bytes >> 20);
}

void report_build() {
  const std::string compiler = fmt::format("{}, {}", build_facts.compiler, build_facts.flags);
  if (std::string_view(build_facts.build_type) == "Release")
    ok("redbench", fmt::format("{}, {}", build_facts.version, compiler));
  else
    missing("redbench", compiler,
            "times of this build cannot be compared; configure with -DCMAKE_BUILD_TYPE=Release");
  report("commit", std::string_view(build_commit) == "unknown" ? "" : build_commit,
         "records do not name their source",
         "build in a clone, with git, or with REDBENCH_COMMIT in the environment");
  report("files", own_files().string(), "no configs and kernel sources of redbench's own",
         "cmake --install puts them beside the program");
}

#ifdef REDBENCH_WITH_CUDA
/// "power limit 700 W, ECC 1, MIG 0, NVLinks up 18, ...": what NVML tells.
std::string text_of_board(const Json& told) {
  std::vector<std::string> parts;
  for (const auto& [name, what] : {std::pair("vbios", "VBIOS"),
                                   {"power_limit_mw", "power limit (mW)"},
                                   {"ecc", "ECC"},
                                   {"mig", "MIG"},
                                   {"persistence", "persistence"},
                                   {"nvlinks", "NVLinks up"},
                                   {"pcie_generation", "PCIe generation"},
                                   {"pcie_width", "PCIe width"},
                                   {"gpus", "GPUs of the host"},
                                   {"processes", "other processes on it"},
                                   {"processes_elsewhere", "processes on its neighbours"}})
    if (const Json value = part_of(told, name); !value.is_null())
      parts.push_back(
          fmt::format("{} {}", what, value.is_string() ? value.get<std::string>() : line_of(value)));
  return fmt::format("{}", fmt::join(parts, ", "));
}

GpuSurvey::Gpu survey_gpu(int ordinal) {
  GpuSurvey::Gpu gpu;
  gpu.name = fmt::format("cuda:{}", ordinal);
  try {
    const std::unique_ptr<Device> device = make_cuda(ordinal, ordinal);
    const DeviceFacts& facts = device->facts();
    gpu.capability = facts.capability;
    gpu.description = fmt::format("{}, compute capability {:.1f}, {} multiprocessors, {} of {} free",
                                  facts.name, facts.capability / 10.0, facts.multiprocessors,
                                  gibibytes(device->free_bytes()), gibibytes(facts.memory_bytes));
    gpu.no_nvml = open_nvml(device->bus_id())->missing();
    gpu.board = text_of_board(told_by_nvml(device->bus_id()));
  } catch (const DeviceError& error) {
    gpu.error = error.what();
  }
  return gpu;
}

void survey_runtime(GpuSurvey& survey) {
  survey.built_in = true;
  survey.toolkit = build_facts.cuda_compiler;
  survey.architectures = build_facts.cuda_architectures;
  cudaRuntimeGetVersion(&survey.runtime_cuda);
  if (cudaDriverGetVersion(&survey.driver_cuda) != cudaSuccess) survey.driver_cuda = 0;
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess) {
    survey.error = cudaGetErrorString(status);
    cudaGetLastError();
    count = 0;
  }
  for (int i = 0; i < count; ++i) survey.gpus.push_back(survey_gpu(i));
}
#else
void survey_runtime(GpuSurvey&) {}
#endif

/// The path of a program; empty where there is none.
std::string path_of(const std::string& program) {
  return first_line_of(fmt::format("command -v {} 2>/dev/null", program));
}

void report_gpus() {
  GpuSurvey survey;
  survey.nvcc = path_of("nvcc");
  if (survey.nvcc.empty()) survey.nvcc = path_of("/usr/local/cuda/bin/nvcc");
  survey_machine(survey);
  survey_runtime(survey);
  for (const Finding& finding : judge_gpus(survey))
    if (finding.ok) ok(finding.what, finding.text);
    else missing(finding.what, finding.text, finding.remedy);
  const auto works = [](const GpuSurvey::Gpu& gpu) { return gpu.error.empty(); };
  if (const auto count = std::ranges::count_if(survey.gpus, works); count > 1)
    ok("GPUs", fmt::format("{}: -d cuda:all shares a run's cells among those of one model", count));
}

void report_simt() {
  const std::vector<std::string> names = simt::model_names();
  report("simt", names.empty() ? "" : fmt::format("simt:{}", fmt::join(names, " simt:")), "no modelled GPU",
         "configs/devices/*.json were not there when redbench was configured");
  if (!has_debug_information())
    missing("simt symbols", "no source lines, and static shared memory is not counted",
            "this program is stripped; take build/redbench, or install it without --strip");
}

/// The caches, from the one that a core asks first.
void report_caches(bool measured) {
  if (measured) {
    for (const auto& [what, found] : describe(probe_host())) ok(what, found);
    return;
  }
  std::vector<std::string> sizes;
  for (const ReportedCache& cache : reported_caches())
    sizes.push_back(fmt::format("L{} {}", cache.level, gibibytes_or_less(cache.bytes)));
  report("caches",
         sizes.empty()
             ? ""
             : fmt::format("{}, as the system reports; doctor --caches measures", fmt::join(sizes, ", ")),
         "the system reports no sizes", "doctor --caches measures what it can");
}

/// A run writes records of a few MiB, below the working directory where no --out says otherwise.
void report_disk() {
  constexpr std::uintmax_t enough = std::uintmax_t(1) << 28;
  std::error_code error;
  const fs::path folder = fs::current_path(error);
  const fs::space_info space = fs::space(folder, error);
  if (error || ::access(".", W_OK) != 0)
    missing("disk", folder.string() + " cannot be written", "run elsewhere, or with --out DIR");
  else if (space.available < enough)
    missing("disk", fmt::format("{} free in {}", gibibytes(space.available), folder.string()),
            "results need a few MiB each; run elsewhere, or with --out DIR");
  else ok("disk", fmt::format("{} free in {}", gibibytes(space.available), folder.string()));
}

/// What a program or a library of this machine says of its version; empty where it is not there.
std::string version_here(const std::string& name) {
  const std::string boost = "echo BOOST_LIB_VERSION | g++ -include boost/version.hpp -E -P -x c++ - | tr _ .";
  const std::string command = name == "g++"       ? "g++ -dumpfullversion"
                              : name == "cmake"   ? "cmake --version"
                              : name == "python3" ? shell_quoted(own_python()) + " --version"
                              : name == "boost"   ? boost
                                                  : "pkg-config --modversion " + name;
  const std::string line = first_line_of("{ " + command + "; } 2>/dev/null");
  std::string version;
  re2::RE2::PartialMatch(line, "([0-9]+(?:\\.[0-9]+)*)", &version);
  return version;
}

/// What `make` needs, on a machine where somebody may want to build.
void report_build_requirements() {
  std::vector<std::string> found, lacking;
  std::istringstream least_versions(build_facts.least_versions);
  if (path_of("pkg-config").empty()) {  // the versions of libraries are not known
    lacking.emplace_back("no pkg-config");
    least_versions.str("");
  }
  for (std::string line; std::getline(least_versions, line, ';');) {
    const std::size_t space = line.find(' ');
    const std::string name = line.substr(0, space), least = line.substr(space + 1), here = version_here(name);
    if (here.empty()) lacking.push_back("no " + name);
    else if (natural_less(here, least)) lacking.push_back(name + " " + here + ", older than " + least);
    else found.push_back(name + " " + here);
  }
  report("to build", lacking.empty() ? fmt::format("{}", fmt::join(found, ", ")) : "",
         fmt::format("{}", fmt::join(lacking, ", ")),
         "make tools installs what Debian 12 and 13 and Ubuntu 24.04 have");
}

int doctor(bool measures_caches) {
  report_build();
  report_build_requirements();
  report_gpus();
  report("NCCL", nccl_version(), "the variants nccl_* are refused",
         "a build with CUDA takes an installed one, or cmake -DREDBENCH_NCCL=FOLDER that of PyPI's "
         "nvidia-nccl-cu13 (docs/installing.md)");
  report("MPI", mpi_version(), "no process of its own for each GPU of a case",
         "Debian's libopenmpi-dev and openmpi-bin, then build again (docs/cluster.md)");
  report_simt();
  const std::unique_ptr<Device> host = make_host();
  ok("host", fmt::format("{}, {} OpenMP threads, {} of {} free", host->facts().name, omp_get_max_threads(),
                         gibibytes(host->free_bytes()), gibibytes(host->facts().memory_bytes)));
  report_caches(measures_caches);
  report_disk();
  const std::string lacks = missing_for_scripts();
  report("plots", lacks.empty() ? own_python() : "", lacks, remedy_for_scripts());
  report("ncu", path_of("ncu"), "no counters from a GPU", "Nsight Compute brings it; simt counts without");
  return exit_fine;
}

}  // namespace

void add_doctor(CLI::App& app, int& exit_code) {
  const auto caches = std::make_shared<bool>(false);
  CLI::App& command = add_command(
      app,
      {.name = "doctor",
       .what = "which devices work here, what is missing, and how to get it",
       .about = "Checks what redbench can use on this machine: the build, GPUs with driver and toolkit, "
                "modelled devices, the CPU and its caches, disk, Python for plots, Nsight Compute. Each line "
                "is `ok` with what was found, or `missing` with what that costs and how to get it.",
       .exits = {{exit_fine, "whatever is missing"}},
       .examples = {{"redbench doctor", "in a second"},
                    {"redbench doctor --caches",
                     "the sizes and latencies of this CPU's caches, measured in half a minute"}},
       .see = "README.md, docs/caches.md (The probe)"},
      exit_code, [caches] { return doctor(*caches); });
  add_flag(command, "--caches", *caches,
           "measures the host's caches, TLB and latencies, too, in half a minute, and says what is not sure");
}

}  // namespace redbench
