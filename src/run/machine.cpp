#include "src/run/machine.hpp"

#include <sys/utsname.h>
#include <unistd.h>

#include <fmt/format.h>

#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "src/json/parse.hpp"
#include "src/measure/nvml.hpp"
#include "src/text/number.hpp"
#include "src/text/sha256.hpp"

namespace redbench {
namespace {

namespace fs = std::filesystem;

std::string text_of_file(const fs::path& path) {
  std::ifstream file(path);
  std::string text;
  std::getline(file, text, '\0');  // no iterator: that throws where a process of /proc has ended meanwhile
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

/// Tells two machines apart without naming either: machine-id(5) asks that an id be hashed with the name of
/// the program. Null where there is no id.
Json hash_of(const std::string& id) {
  if (id.empty()) return nullptr;
  constexpr std::size_t shown_digits = 16;
  return sha256("redbench " + id).substr(0, shown_digits);
}

/// What a virtual machine says of its maker; empty on a machine of its own.
std::string hypervisor(const fs::path& root) {
  const std::string cpu = text_of_file(root / "proc/cpuinfo");
  if (cpu.find(" hypervisor") == std::string::npos) return {};
  const std::string maker = text_of_file(root / "sys/class/dmi/id/sys_vendor");
  return maker.empty() ? "one that does not name itself" : maker;
}

bool has_entries(const fs::path& folder) {
  std::error_code error;
  return fs::exists(folder, error) && !fs::is_empty(folder, error);
}

/// Processes of this name but for this one.
int other_processes(const fs::path& root, const std::string& name) {
  int count = 0;
  std::error_code error;
  const std::string own = std::to_string(::getpid());
  for (const fs::directory_entry& entry : fs::directory_iterator(root / "proc", error)) {
    const std::string number = entry.path().filename();  // "self" is no other process
    if (number.find_first_not_of("0123456789") == number.npos && number != own)
      count += text_of_file(entry.path() / "comm") == name;
  }
  return count;
}

void copy(Json& to, const Json& from, std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (const auto found = from.find(name); found != from.end()) to[name] = *found;
}

}  // namespace

Json told_by_nvml(const std::string& bus_id) {
  const std::unique_ptr<Nvml> nvml = open_nvml(bus_id);
  return nvml->missing().empty() ? nvml->board() : Json::object();
}

Json board_facts(const std::string& bus_id, const Json& told) {
  if (bus_id.empty()) return nullptr;
  Json board{{"pci", bus_id}, {"uuid_hash", hash_of(told.value("uuid", ""))}};
  copy(board, told, {"vbios", "power_limit_mw", "ecc", "mig", "persistence", "nvlinks"});
  return board;
}

std::vector<int> cores_near(const std::string& bus_id, const std::string& root) {
  constexpr int most = 8191;
  std::string address = bus_id;
  for (char& digit : address) digit = char(std::tolower(static_cast<unsigned char>(digit)));
  const fs::path file = fs::path(root) / "sys/bus/pci/devices" / address / "local_cpulist";
  return parse_number_list(text_of_file(file), most).value_or(std::vector<int>());
}

Json hash_of_other_board(const std::vector<Json>& sessions, const Json& board) {
  const Json here = part_of(board, "uuid_hash");
  for (const Json& session : sessions)
    if (Json there = part_of(part_of(session, "board"), "uuid_hash");
        there != here && !there.is_null() && !here.is_null())
      return there;
  return nullptr;
}

std::string why_not_shared(const std::vector<Board>& boards,
                           const std::function<Json(const std::string&)>& told) {
  std::map<std::string, std::string> names;  // by address
  for (const Board& board : boards) {
    if (board.bus_id.empty()) continue;
    const auto [known, is_new] = names.emplace(board.bus_id, board.name);
    if (!is_new) return fmt::format("{} and {} are one GPU", known->second, board.name);
    if (told(board.bus_id).value("mig", 0) == 1)
      return fmt::format("{0} is divided into MIG instances, of which a process sees one; -d {0} runs on it",
                         board.name);
  }
  return {};
}

Json host_facts(const Device& host, const Json& told, const std::string& root) {
  utsname system{};
  ::uname(&system);
  Json facts{{"cpu", host.facts().name},
             {"cores", host.facts().multiprocessors},
             {"last_level_cache_bytes", host.facts().l2_bytes},
             {"memory_bytes", host.facts().memory_bytes},
             {"system", std::string(system.sysname) + " " + system.release},
             {"machine_hash", hash_of(text_of_file(fs::path(root) / "etc/machine-id"))},
             {"hypervisor", hypervisor(root)},
             {"iommu", has_entries(fs::path(root) / "sys/class/iommu")}};
  copy(facts, told, {"gpus"});
  return facts;
}

Json surroundings(const Json& told, const std::string& root) {
  Json facts{{"other_runs", other_processes(root, "redbench")}};
  copy(facts, told, {"processes", "processes_elsewhere", "pcie_generation", "pcie_width"});
  return facts;
}

}  // namespace redbench
