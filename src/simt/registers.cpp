#include "src/simt/registers.hpp"

#include <map>
#include <string>
#include <tuple>

#include "src/json/strict.hpp"

namespace redbench::simt {
namespace {

/// By architecture, file and kernel.
using Table = std::map<std::tuple<std::string, std::string, std::string>, int>;

Table read_tables() {
  Table table;
  for (std::size_t i = 0; i < registers_text_count; ++i) {
    const auto& [architecture, text] = registers_texts[i];
    const Json json = parse_strictly(text, std::string("the registers of ") + architecture);
    for (const auto& [file, kernels] : json["files"].items())
      for (const auto& [kernel, registers] : kernels.items())
        table[{architecture, file, kernel}] = registers.get<int>();
    for (const auto& [kernel, registers] : json["headers"].items())
      table[{architecture, "", kernel}] = registers.get<int>();
  }
  return table;
}

}  // namespace

int compiled_registers(int capability, const KernelSource& kernel) {
  static const Table table = read_tables();
  const auto found = table.find({"sm_" + std::to_string(capability), kernel.file, kernel.name});
  return found == table.end() ? 0 : found->second;
}

}  // namespace redbench::simt
