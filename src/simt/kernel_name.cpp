#include "src/simt/kernel_name.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <regex>
#include <string_view>

namespace redbench::simt {
namespace {

void erase_all(std::string& text, std::string_view word) {
  for (std::size_t at; (at = text.find(word)) != text.npos;) text.erase(at, word.size());
}

}  // namespace

std::string demangled(std::string symbol) {
  for (std::size_t at; (at = symbol.find("DF16_")) != symbol.npos;) symbol.replace(at, 5, "Dh");
  char* const text = abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, nullptr);
  static const std::regex half(R"(\bhalf\b)");
  const std::string name = text ? std::regex_replace(text, half, "__half") : symbol;
  std::free(text);
  return name;
}

std::string short_name(std::string name) {
  erase_all(name, "(anonymous namespace)::");
  int depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {  // cut the parameters
    depth += (name[i] == '<') - (name[i] == '>');
    if (name[i] == '(' && depth == 0) name.resize(i);
  }
  if (name.ends_with('>') || name.find(' ') < name.find('<')) {  // cut the return type
    std::size_t start = 0;
    depth = 0;
    for (std::size_t i = 0; i < name.size(); ++i) {
      depth += (name[i] == '<') - (name[i] == '>');
      if (name[i] == ' ' && depth == 0) start = i + 1;
    }
    name.erase(0, start);
  }
  erase_all(name, "redbench::");
  erase_all(name, "on_simt::");
  for (std::size_t at; (at = name.find("> >")) != name.npos;) name.erase(at + 1, 1);
  return name;
}

}  // namespace redbench::simt
