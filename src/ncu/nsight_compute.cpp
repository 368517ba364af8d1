#include "src/ncu/nsight_compute.hpp"

#include <fmt/format.h>
#include <re2/re2.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "src/error.hpp"
#include "src/run/run_facts.hpp"
#include "src/shell.hpp"
#include "src/simt/counters.hpp"
#include "src/text/csv.hpp"
#include "src/text/number.hpp"

namespace redbench {
namespace {

namespace fs = std::filesystem;

constexpr const char* under_ncu = "REDBENCH_UNDER_NCU";

/// A counter is the sum over these operations of a metric of ncu.
struct Metric {
  Counter counter;
  const char* pattern;
  std::vector<const char*> operations;

  std::vector<std::string> columns() const {
    std::vector<std::string> names;
    for (const char* operation : operations) names.push_back(fmt::format(fmt::runtime(pattern), operation));
    return names;
  }
};

const std::vector<Metric>& metrics() {
  using enum Counter;
  constexpr const char *requests = "l1tex__t_requests_pipe_lsu_mem_global_op_{}.sum",
                       *sectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_{}.sum",
                       *instructions = "smsp__sass_inst_executed_op_shared_{}.sum",
                       *wavefronts = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{}.sum",
                       *conflicts = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{}.sum";
  static const std::vector<Metric> all{
      {global_load_requests, requests, {"ld"}},
      {global_load_sectors, sectors, {"ld"}},
      {global_store_requests, requests, {"st"}},
      {global_store_sectors, sectors, {"st"}},
      {global_atomic_requests, requests, {"red", "atom"}},
      {global_atomic_sectors, sectors, {"red", "atom"}},
      {shared_load_requests, instructions, {"ld"}},
      {shared_load_wavefronts, wavefronts, {"ld"}},
      {shared_load_conflicts, conflicts, {"ld"}},
      {shared_store_requests, instructions, {"st"}},
      {shared_store_wavefronts, wavefronts, {"st"}},
      {shared_store_conflicts, conflicts, {"st"}},
      {shared_atomic_requests, instructions, {"atom"}},
      {shared_atomic_wavefronts, wavefronts, {"atom"}},
      {shared_atomic_conflicts, conflicts, {"atom"}},
      {branches, "smsp__inst_executed_op_{}.sum", {"branch"}},
      {divergent_branches, "smsp__sass_branch_targets_threads_{}.sum", {"divergent"}}};
  return all;
}

std::vector<std::string> all_columns() {
  std::vector<std::string> names;
  for (const Metric& metric : metrics()) std::ranges::move(metric.columns(), std::back_inserter(names));
  return names;
}

class TemporaryFile {
 public:
  TemporaryFile() : path_((fs::temp_directory_path() / "redbench-XXXXXX").string()) {
    const int file = ::mkstemp(path_.data());
    if (file < 0) throw UsageError(path_ + ": cannot be made: " + std::strerror(errno));
    ::close(file);
  }
  ~TemporaryFile() { ::unlink(path_.c_str()); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const std::string& path() const { return path_; }
  std::string text() const {
    std::ifstream file(path_);
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  std::string path_;
};

/// The errors that ncu reports between the rows of its table: ": ==ERROR== ...".
std::string errors_in(const std::string& text) {
  std::string errors;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("==ERROR==")) errors += ": " + line;
  return errors;
}

/// "1,234" is 1234; text that is no number ("n/a") gives null.
Json number_of(std::string text) {
  std::erase(text, ',');
  const auto value = parse_number<double>(text);
  return value && *value >= 0 ? Json(std::uint64_t(*value)) : Json();
}

/// Null where either is not known.
Json sum_of(const Json& a, const Json& b) {
  return a.is_null() || b.is_null() ? Json() : Json(a.get<std::uint64_t>() + b.get<std::uint64_t>());
}

/// "void redbench::<unnamed>::tree<redbench::Sum<int>>(const int *, long)" is tree.
std::string function_of(std::string kernel) {
  static const RE2 unnamed(R"(<unnamed>|\(anonymous namespace\)|\{anonymous\})");
  RE2::GlobalReplace(&kernel, unnamed, "");
  std::string name = kernel.substr(0, kernel.find_first_of("<("));
  if (name.starts_with("void ")) name.erase(0, 5);
  name = name.substr(name.rfind(':') + 1);  // npos + 1 is 0
  const std::size_t end = name.find_last_not_of(' ');
  return name.substr(0, end == std::string::npos ? 0 : end + 1);
}

MeasuredLaunch launch_of(const std::map<std::string, std::string>& row) {
  MeasuredLaunch launch{function_of(row.at("Kernel Name")), Json::object()};
  for (const std::string_view name : counter_names) launch.counters[std::string(name)] = nullptr;
  for (const Metric& metric : metrics()) {
    Json sum = 0;
    for (const std::string& column : metric.columns()) sum = sum_of(sum, number_of(row.at(column)));
    launch.counters[std::string(counter_names[std::size_t(metric.counter)])] = sum;
  }
  return launch;
}

}  // namespace

std::string find_ncu() {
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (const fs::path ncu = fs::path(folder) / "ncu"; ::access(ncu.c_str(), X_OK) == 0) return ncu;
  return "";
}

bool is_under_ncu() { return std::getenv(under_ncu) != nullptr; }

std::vector<MeasuredLaunch> run_again_under(const std::string& ncu) {
  const TemporaryFile table;
  std::vector<std::string> words{"--log-file", table.path(), "--metrics",
                                 fmt::format("{}", fmt::join(all_columns(), ",")),
                                 fs::read_symlink("/proc/self/exe").string()};
  const std::vector<std::string> own = own_command_line();
  words.insert(words.end(), own.begin() + 1, own.end());
  // The kernels run in a worker process: all processes are counted.
  std::string command = fmt::format(
      "{}=1 {} --target-processes all --clock-control none --csv --page raw --print-units base "
      "--force-overwrite",
      under_ncu, shell_quoted(ncu));
  for (const std::string& word : words) command += ' ' + shell_quoted(word);
  const int code = status_of(command + " >/dev/null");
  const std::string text = table.text();
  if (code == exit_fine || code == exit_failed || code == exit_wrong) return read_ncu_table(text, ncu);
  throw UsageError(fmt::format("{} ended with {}{}", ncu, code, errors_in(text)));
}

std::vector<MeasuredLaunch> read_ncu_table(const std::string& text, const std::string& path) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with('"')) rows.push_back(csv_fields(line));
  if (rows.empty() || !std::ranges::count(rows[0], "Kernel Name"))
    throw UsageError(path + ": no table of ncu's page `raw`: it starts with a row that has a `Kernel Name`");
  const std::vector<std::string>& names = rows[0];
  for (const std::string& column : all_columns())
    if (!std::ranges::count(names, column)) throw UsageError(fmt::format("{}: no column {}", path, column));
  std::vector<MeasuredLaunch> launches;
  for (std::size_t i = 2; i < rows.size(); ++i) {
    if (rows[i].size() != names.size())
      throw UsageError(
          fmt::format("{}: a row of {} fields under a header of {}", path, rows[i].size(), names.size()));
    std::map<std::string, std::string> row;
    for (std::size_t k = 0; k < names.size(); ++k) row[names[k]] = rows[i][k];
    launches.push_back(launch_of(row));
  }
  return launches;
}

std::string add_measured_counters(std::vector<Record>& records, const std::vector<MeasuredLaunch>& launches) {
  auto next = launches.begin();
  for (Record& record : records) {
    if (record["outcome"] != name_of(Outcome::passed) || record["launches"].empty()) continue;
    Json counted = record["launches"], total;
    for (Json& launch : counted) {
      const std::string kernel = function_of(launch["kernel"]);
      next = std::ranges::find(next, launches.end(), kernel, &MeasuredLaunch::kernel);
      if (next == launches.end())
        return fmt::format("{}: ncu has no launch of {} for it", record["key"].get<std::string>(), kernel);
      launch["counters"] = next->counters;
      launch["lines"] = Json::array();
      if (total.is_null()) total = next->counters;
      else
        for (Json::iterator sum = total.begin(); sum != total.end(); ++sum)
          *sum = sum_of(*sum, next->counters[sum.key()]);
      ++next;
    }
    record["counters"] = std::move(total);
    record["launches"] = std::move(counted);
  }
  return "";
}

}  // namespace redbench
