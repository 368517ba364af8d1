// Names of kernels, the same on the modelled device as under nvcc.
#pragma once

#include <string>

namespace redbench::simt {

/// The name that a symbol has in the source, or the symbol where it has none. f16 is `__half`: what g++ calls
/// it, `_Float16`, libstdc++ learnt to read late.
std::string demangled(std::string symbol);

/// "void redbench::(anonymous namespace)::tree<redbench::on_simt::Sum<int> >(int const*)" ->
/// "tree<Sum<int>>".
std::string short_name(std::string name);

}  // namespace redbench::simt
