#include "src/records/output_folder.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <tuple>

#include "src/error.hpp"

namespace redbench {
namespace {

namespace fs = std::filesystem;

bool is_run(const Json& facts) {
  return facts.is_object() && facts.contains("schema") && facts.contains("config");
}

Json parse_file(const std::string& path) {
  std::ifstream file(path);
  return Json::parse(file, nullptr, false);
}

/// What is in the way of a run in this folder, or empty.
std::string foreign_entry(const fs::path& path) {
  if (fs::exists(path / "run.json")) return {};
  for (const fs::directory_entry& entry : fs::directory_iterator(path))
    if (entry.path().extension() != ".part")
      return entry.path().filename();  // a write that was killed leaves a .part
  return {};
}

/// A text of the facts, or of what is within them; empty where there is none.
std::string text_of(const Json& facts, const char* name) {
  const auto found = facts.find(name);
  return found != facts.end() && found->is_string() ? found->get<std::string>() : "";
}

}  // namespace

OutputFolder::OutputFolder(const std::string& path) : path_(path) {
  const std::string elsewhere = "; choose another folder with --out";
  std::error_code error;
  fs::create_directories(path, error);
  if (error || !fs::is_directory(path))
    throw UsageError(
        path + ": cannot be made: " + (error ? error.message() : "a file of this name is there") + elsewhere);
  if (const std::string entry = foreign_entry(path); !entry.empty())
    throw UsageError(path + ": holds `" + entry +
                     "` and no run.json, so it is no run of redbench that may be replaced" + elsewhere);
  if (fs::exists(run_json()) && !is_run(parse_file(run_json())))
    throw UsageError(run_json() + ": not redbench's, so the folder stays as it is" + elsewhere);
  // A file, as the permissions of a folder do not tell what root or a full disk may do.
  const std::string probe = path + "/run.json.part";
  if (std::FILE* const file = std::fopen(probe.c_str(), "w")) std::fclose(file);
  else throw UsageError(path + ": cannot be written: " + std::strerror(errno) + elsewhere);
  ::unlink(probe.c_str());
}

bool OutputFolder::has_run() const { return fs::exists(run_json()) && fs::exists(records()); }

Json OutputFolder::read_run() const { return parse_file(run_json()); }

void OutputFolder::clear() const {
  // run.json goes last: what remains after a clear that was killed is still known as a run.
  for (const char* name : {"records.jsonl", "tables", "plots", "run.json"})
    fs::remove_all(fs::path(path_) / name);
}

std::string results_folder(const std::string& device_slug, const std::string& config_name) {
  return "results/" + device_slug + "/" + config_name;
}

std::string StoredRun::name() const {
  const std::string name = text_of(facts, "name");
  return name.empty() ? fs::path(path).filename().string() : name;
}

std::string StoredRun::title() const {
  const std::string title = facts.contains("config") ? text_of(facts["config"], "title") : "";
  return title.empty() ? name() : title;
}

std::string StoredRun::date() const { return text_of(facts, "started").substr(0, 10); }

StoredRun read_stored_run(const std::string& folder) {
  StoredRun run{fs::path(folder).lexically_normal().string(), parse_file(folder + "/run.json"), {}};
  if (!run.facts.is_object()) throw UsageError(folder + "/run.json: missing, or not redbench's");
  run.records = in_plan_order(read_records(folder + "/records.jsonl"));
  return run;
}

std::vector<Record> in_plan_order(const std::vector<Record>& records) {
  std::map<std::tuple<std::string, std::string, std::string>, std::size_t> last;
  for (std::size_t i = 0; i < records.size(); ++i)
    last[{records[i]["key"], records[i]["mode"], records[i]["device"]}] = i;
  std::vector<Record> sorted;
  for (std::size_t i = 0; i < records.size(); ++i)
    if (last[{records[i]["key"], records[i]["mode"], records[i]["device"]}] == i)
      sorted.push_back(records[i]);
  const auto place = [](const Record& record) {
    const Json& number = record["case"];
    return std::pair(number.is_null() ? std::uint64_t(0) : number.get<std::uint64_t>(),
                     record["mode"].get<std::string>());
  };
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](const Record& a, const Record& b) { return place(a) < place(b); });
  return sorted;
}

std::vector<std::string> runs_below(const std::string& folder) {
  if (!fs::is_directory(folder)) throw UsageError(folder + ": no such folder; `redbench run` makes results/");
  if (fs::exists(fs::path(folder) / "records.jsonl")) return {folder};
  std::vector<std::string> runs;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder))
    if (entry.path().filename() == "records.jsonl") runs.push_back(entry.path().parent_path().string());
  if (runs.empty()) throw UsageError(folder + ": no run here or below (records.jsonl)");
  std::sort(runs.begin(), runs.end());
  return runs;
}

}  // namespace redbench
