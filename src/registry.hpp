// Every variant, by name. Filled by REDBENCH_VARIANT in the kernel files: before main, or as they are loaded
// (src/plugins/).
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/variant.hpp"

namespace redbench {

inline constexpr std::array<std::string_view, 3> target_names{"cuda", "simt", "host"};
/// In the order of Reproducible.
inline constexpr std::array<std::string_view, 3> reproducible_names{"always", "exact", "never"};

/// "simt" of "simt:h200": what stands before the colon.
std::string_view kind_of_device(std::string_view device);
/// None for what is no device.
std::optional<Target> target_of_device(std::string_view device);

struct Variant {
  std::string name;        // "reduce/harris3"
  std::string problem;     // "reduce"
  std::string short_name;  // "harris3"
  Card card;
  std::string source;  // path of the kernel's file in the repository; absolute where it is from outside
  // Of that file and of every header that it includes from kernels/ or beside it (cmake/source_hashes.py).
  std::string code_hash, byte_hash;
  std::array<std::vector<Instance>, 3> instances;  // by Target; empty where the variant is not built for one

  /// From a folder of REDBENCH_KERNELS or --kernels.
  bool is_outside() const { return source.starts_with('/'); }
  bool built_for(Target target) const { return !instances[std::size_t(target)].empty(); }
  /// A CPU algorithm: it runs on the host whichever device a run asks for.
  bool on_host() const { return built_for(Target::host); }
  /// Whether each run gives the same bits, of an operator that is exact or rounds.
  bool gives_same_bits(bool exact) const {
    return card.reproducible == Reproducible::always || (card.reproducible == Reproducible::exact && exact);
  }
  /// By which a record of that target knows its kernel: of the code's tokens; on simt, whose records name
  /// source lines, of the bytes.
  const std::string& source_hash(Target target) const {
    return target == Target::simt ? byte_hash : code_hash;
  }
  /// Null where the pair is not one of the problem's.
  const Instance* instance(Target target, Type type, Operator op) const;
  /// The first pair that it takes; null where it refuses them all.
  const Instance* first_taken(Target target) const;
};

/// All variants in the order of their names, numbers by value (harris2 before harris10). Never empty: a
/// program without variants stops at start.
const std::vector<Variant>& variants();

/// Of a variant's name, without its problem: "harris3".
inline std::string short_name(const std::string& variant) { return variant.substr(variant.find('/') + 1); }

std::vector<std::string> variant_names();
/// Of one problem, without it.
std::vector<std::string> short_variant_names(std::string_view problem);

/// Those that kernel files have registered so far, in no order and without their sources.
const std::vector<Variant>& registered_variants();

/// That of a name; null where there is none. Who loads a kernel file says here where its code is, before variants() is
/// called.
Variant* find_registered(std::string_view name);

/// Null where there is none of that name.
const Variant* find_variant(std::string_view name);

/// "; did you mean `reduce/harris3`?" for a name with or without its problem, `others` being names that may
/// be meant as well; empty where none is near.
std::string nearest_variant(std::string_view name, const std::vector<std::string>& others = {});

}  // namespace redbench
