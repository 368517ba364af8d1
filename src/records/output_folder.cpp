#include "src/records/output_folder.hpp"

#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "src/error.hpp"
#include "src/records/record.hpp"

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

}  // namespace redbench
