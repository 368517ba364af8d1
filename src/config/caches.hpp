// The key `caches` of a config: what `redbench cachesim` predicts of its cases.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "src/config/shape.hpp"

namespace redbench {

/// `serial`: the thesis' simulator (Eilers 2014, 2.4), one access after the other, no address translation.
/// `translated`: with address translation. `overlapped`: also with independent accesses at the same time.
enum class CacheModel : std::uint8_t { serial, translated, overlapped };
inline constexpr std::array<std::string_view, 3> cache_model_names{"serial", "translated", "overlapped"};

/// Which loop of the simulator a variant runs.
enum class LoopKind : std::uint8_t { simple, presorted, dependent, dependent_presorted };
inline constexpr std::array<std::string_view, 4> loop_kind_names{"simple", "presorted", "dependent",
                                                                 "dependent_presorted"};

struct CachesOptions {
  std::vector<std::string> machines{"host"};
  std::vector<CacheModel> models{CacheModel::serial};
  std::map<std::string, LoopKind> loops;  // by variant, without the problem
  std::int64_t steps = 1 << 20;
};

Shape caches_shape();
/// Reads a value that the shape has checked. Throws UsageError for a variant that does not exist.
CachesOptions read_caches(const Node& node);

}  // namespace redbench
