#include "src/simt/registers.hpp"

#include <string>
#include <unordered_map>

#include "src/json/strict.hpp"

namespace redbench::simt {
namespace {

using Table = std::unordered_map<std::string, int>;

std::string key_of(const std::string& architecture, const std::string& file, const std::string& kernel) {
  return architecture + '\n' + file + '\n' + kernel;
}

Table read_tables() {
  Table table;
  for (std::size_t i = 0; i < registers_text_count; ++i) {
    const auto& [architecture, text] = registers_texts[i];
    const Json json = parse_strictly(text, std::string("the registers of ") + architecture);
    for (const auto& [file, kernels] : json["files"].items())
      for (const auto& [kernel, registers] : kernels.items())
        table.emplace(key_of(architecture, file, kernel), registers.get<int>());
    for (const auto& [kernel, registers] : json["headers"].items())
      table.emplace(key_of(architecture, "", kernel), registers.get<int>());
  }
  return table;
}

}  // namespace

int compiled_registers(int capability, const KernelSource& kernel) {
  static const Table table = read_tables();
  const auto found = table.find(key_of("sm_" + std::to_string(capability), kernel.file, kernel.name));
  return found == table.end() ? 0 : found->second;
}

}  // namespace redbench::simt
