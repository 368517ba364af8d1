#include "src/records/output_folder.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "src/error.hpp"
#include "src/json/parse.hpp"
#include "src/records/output_file.hpp"
#include "src/records/record_stream.hpp"
#include "src/records/stored_run.hpp"

namespace redbench {
namespace {

namespace fs = std::filesystem;

/// Empty where it is no file.
std::string text_of_file(const std::string& path) {
  std::ifstream file(path);
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return {};
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// In a folder that set_aside has made: what else is called so is the user's.
constexpr const char* set_aside_by_redbench = "set_aside_by_redbench";

/// A discarded value where it is no file, or not JSON.
Json parse_file(const std::string& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return Json::value_t::discarded;
  return parse_json(text_of_file(path));
}

/// The records, tables and plots of the run in a folder that are there.
std::vector<fs::path> result_files(const fs::path& folder) {
  const Json facts = parse_file(folder / "run.json");
  std::vector<fs::path> files{folder / "records.jsonl", folder / OutputFolder::unreadable_name};
  for (const std::string& table : table_files(folder, StoredRun{folder, facts, {}}.name()))
    files.emplace_back(table);
  for (const Json& plot : part_of(part_of(facts, "config"), "plots"))
    for (const char* ending : {".svg", ".png"})
      if (const Json name = part_of(plot, "name"); name.is_string() && name != "")
        files.push_back(folder / "plots" / (fs::path(name.get<std::string>()).filename().string() + ending));
  std::erase_if(files, [](const fs::path& file) { return !fs::exists(file) || fs::is_directory(file); });
  return files;
}

/// By another name of the same file, where the file system has such names.
void copy_to(const fs::path& from, const fs::path& to) {
  fs::create_directories(to.parent_path());
  fs::remove(to);
  std::error_code error;
  fs::create_hard_link(from, to, error);
  if (error) fs::copy_file(from, to);
}

/// And the folders that are empty after that.
void remove_files(const std::vector<fs::path>& files) {
  std::set<fs::path> folders;
  for (const fs::path& file : files) {
    fs::remove(file);
    folders.insert(file.parent_path());
  }
  // The longest paths first: a folder goes before the one that it is in.
  for (auto folder = folders.rbegin(); folder != folders.rend(); ++folder)
    if (fs::is_empty(*folder)) fs::remove(*folder);
}

}  // namespace

OutputFolder::OutputFolder(const std::string& path) : path_(path) {
  const std::string elsewhere = "; choose another folder with --out";
  std::error_code error;
  fs::create_directories(path, error);
  if (error || !fs::is_directory(path))
    throw UsageError(
        path + ": cannot be made: " + (error ? error.message() : "a file of this name is there") + elsewhere);
  // A write that was killed leaves a .part, a run that was killed its lock.
  if (!has_run())
    for (const fs::directory_entry& entry : fs::directory_iterator(path))
      if (const fs::path name = entry.path().filename();
          name.extension() != ".part" && name != FolderLock::file_name)
        throw UsageError(path + ": holds `" + name.string() +
                         "` and no run.json, so it is no run of redbench that may be replaced" + elsewhere);
  if (const std::string compressed = path + "/" + compressed_records_name; fs::exists(compressed))
    throw UsageError(compressed +
                     ": compressed records are neither added to nor replaced: gunzip or move them first" +
                     elsewhere);
  lock_ = std::make_unique<FolderLock>(path);
  if (has_run()) {
    const Json facts = read_run();
    if (!(facts.is_object() && facts.contains("schema") && facts.contains("config")))
      throw UsageError(run_json() + ": not redbench's, so the folder stays as it is" + elsewhere);
  }
  // Writes a file: the permissions of the folder say nothing about root or a full disk.
  const std::string probe = path + "/run.json.part";
  ::unlink(probe.c_str());
  const int file = ::open(probe.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (const int why = errno; file < 0)
    throw UsageError(path + ": cannot be written: " + std::strerror(why) + (why == EMFILE ? "" : elsewhere));
  ::close(file);
  ::unlink(probe.c_str());
}

bool OutputFolder::has_run() const { return fs::exists(run_json()); }

Json OutputFolder::read_run() const { return parse_file(run_json()); }

void OutputFolder::check_results_fit(const std::string& name) const {
  const auto refuse = [](const fs::path& path, const std::string& why) {
    throw UsageError(path.string() + ": is in the way: " + why +
                     "; move it, or choose another folder with --out");
  };
  if (fs::exists(tables()) && !fs::is_directory(tables()))
    refuse(tables(), "the folder of the tables goes there");
  if (fs::is_symlink(tables()))
    refuse(tables(), "it is a link, and the tables of a run are replaced with it");
  if (fs::is_symlink(aside()) ||
      (fs::exists(aside()) && !fs::exists(fs::path(aside()) / set_aside_by_redbench)))
    refuse(aside(), "a run that is replaced is kept there until the new one has ended");
  if (fs::exists(tables()) && ::access(tables().c_str(), W_OK) != 0) refuse(tables(), std::strerror(errno));
  std::vector<std::string> files = table_files(path_, name);
  files.insert(files.begin(), {run_json(), records(), (fs::path(path_) / unreadable_name).string()});
  for (const std::string& file : files)
    if (fs::is_directory(file)) refuse(file, "it is a folder, and a file goes there");
}

void OutputFolder::keep_unreadable(const std::vector<BadLine>& lines) const {
  const std::string path = (fs::path(path_) / unreadable_name).string();
  std::string text = text_of_file(path);
  for (const BadLine& line : lines)
    if (('\n' + text).find('\n' + line.text + '\n') == text.npos) text += line.text + '\n';
  if (!lines.empty()) write_file(path, text);
}

void OutputFolder::set_aside() const {
  const fs::path whole = aside(), part = aside() + ".part";
  std::vector<fs::path> files = result_files(path_);
  if (!fs::exists(whole)) {
    for (const fs::path& file : files) copy_to(file, part / file.lexically_relative(path_));
    copy_to(run_json(), part / "run.json");
    write_file(part / set_aside_by_redbench, "");
    fs::rename(part, whole);
  }
  remove_files(files);
}

void OutputFolder::remove_aside() const {
  if (fs::is_symlink(aside()) || !fs::exists(fs::path(aside()) / set_aside_by_redbench)) return;
  std::vector<fs::path> files = result_files(aside());
  for (const char* name : {"run.json", set_aside_by_redbench}) files.push_back(fs::path(aside()) / name);
  remove_files(files);
}

TablePaths table_paths(const std::string& folder, const std::string& name) {
  const fs::path tables = fs::path(folder) / "tables";
  const std::string stem = (tables / fs::path(name).filename()).string();
  return {stem + ".csv", stem + "_cases.csv", stem + ".md", stem + ".json",
          (tables / "report.json").string()};
}

std::vector<std::string> table_files(const std::string& folder, const std::string& name) {
  const TablePaths paths = table_paths(folder, name);
  return {paths.csv, paths.cases_csv, paths.markdown, paths.json, paths.report};
}

std::string results_folder(const std::string& device_slug, const std::string& config_name) {
  return "results/" + device_slug + "/" + config_name;
}

}  // namespace redbench
