#include "src/why/source_lines.hpp"

#include <algorithm>
#include <fstream>

#include "src/own_files.hpp"

namespace redbench {
namespace {

std::vector<std::string> read_lines(const std::string& file) {
  std::vector<std::string> lines;
  std::ifstream stream(own_files() / file);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

}  // namespace

std::string SourceLines::line(const std::string& file, int number) {
  const auto [place, is_new] = files_.try_emplace(file);
  if (is_new) place->second = read_lines(file);
  if (number < 1 || number > int(place->second.size())) return "";
  const std::string& text = place->second[std::size_t(number) - 1];
  return text.substr(std::min(text.find_first_not_of(" \t"), text.size()));
}

}  // namespace redbench
