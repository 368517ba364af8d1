#include "src/run/run_facts.hpp"

#include <ctime>
#include <fstream>

#include "src/build_facts.hpp"
#include "src/device/devices.hpp"
#include "src/device/processes.hpp"
#include "src/records/record.hpp"
#include "src/run/machine.hpp"
#include "src/text/first_line.hpp"

namespace redbench {
namespace {

Json device_json(const Device& device) {
  const DeviceFacts& facts = device.facts();
  return {{"name", device.name()},
          {"slug", device.slug()},
          {"description", facts.name},
          {"capability", facts.capability / 10.0},
          {"multiprocessors", facts.multiprocessors},
          {"max_threads_per_block", facts.max_threads_per_block},
          {"max_blocks", facts.max_blocks},
          {"max_warps", facts.max_warps},
          {"shared_bytes", facts.shared_bytes},
          {"shared_bytes_per_block", facts.shared_bytes_per_block},
          {"shared_bytes_reserved", facts.shared_bytes_reserved},
          {"shared_granularity", facts.shared_granularity},
          {"registers", facts.registers},
          {"register_granularity", facts.register_granularity},
          {"banks", facts.banks},
          {"l2_bytes", facts.l2_bytes},
          {"memory_bytes", facts.memory_bytes}};
}

/// Sets the commit of the source, and whether files differed from it (null where that is not known).
void add_commit(Json& facts) {
  std::string commit = build_commit;
  constexpr std::string_view dirty_mark = "-dirty";
  const bool dirty = commit.ends_with(dirty_mark);
  facts["dirty"] = commit == "unknown" ? Json() : Json(dirty);
  if (dirty) commit.resize(commit.size() - dirty_mark.size());
  facts["commit"] = commit;
}

}  // namespace

std::vector<std::string> own_command_line() {
  std::ifstream file("/proc/self/cmdline");
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  return words;
}

Json run_facts(const Work& work) {
  Json config = work.config.resolved;
  config.erase("measure");
  return {{"schema", record_schema},         {"name", work.config.name},
          {"title", work.config.title},      {"config_path", work.config.path},
          {"config", std::move(config)},     {"device", device_json(*work.devices->kernels)},
          {"inputs", work.inputs.digests()}, {"sessions", Json::array()}};
}

Json session_facts(const Work& work, const Board* board) {
  std::vector<std::string> command = own_command_line();
  if (!command.empty()) command[0].erase(0, command[0].rfind('/') + 1);
  const std::string bus_id = board ? board->bus_id : work.devices->kernels->bus_id();
  const Json told = told_by_nvml(bus_id);
  Json facts{{"started", utc_now()},
             {"ended", nullptr},
             {"measure", work.config.resolved["measure"]},
             {"command_line", std::move(command)},
             {"driver", first_line("/proc/driver/nvidia/version")},
             {"build",
              {{"version", build_facts.version},
               {"type", build_facts.build_type},
               {"compiler", build_facts.compiler},
               {"flags", build_facts.flags},
               {"cuda_toolkit", build_facts.cuda_compiler},
               {"cuda_flags", build_facts.cuda_flags},
               {"cuda_architectures", build_facts.cuda_architectures},
               {"nccl", nccl_version()}}},
             {"board", board_facts(bus_id, told)},
             {"host", host_facts(work.devices->devices().host, told)},
             {"surroundings", surroundings(told)}};
  add_commit(facts);
  if (!work.shard.empty()) facts["shard"] = work.shard;
  if (board) facts["gpu"] = board->number;
  if (work.devices->processes > 1) {
    facts["processes"] = work.devices->processes;
    facts["build"]["mpi"] = mpi_version();
  }
  return facts;
}

std::vector<Json> sessions_here(const Work& work) {
  std::vector<Json> sessions;
  for (const Board& board : work.devices->boards) sessions.push_back(session_facts(work, &board));
  if (sessions.empty()) sessions.push_back(session_facts(work));
  return sessions;
}

std::string text_of_facts(const Json& facts) {
  return facts.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

std::string shown_config(const Json& facts) {
  const auto text = [&](const char* name) {
    const auto found = facts.find(name);
    return found != facts.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  const std::string path = text("config_path"), title = text("title");
  if (path.empty()) return title.empty() ? "another config" : title;
  return title.empty() ? path : path + " (" + title + ")";
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

}  // namespace redbench
