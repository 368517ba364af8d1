// A part of a plan, for one of several machines: whole cells, as the variants of a cell are sampled in the same
// rounds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/plan/plan.hpp"

namespace redbench {

/// The K-th of N parts, from 1.
struct Shard {
  std::size_t number, of;
};

/// "2/8". Throws UsageError.
Shard parse_shard(const std::string& text);

/// The part, from 1, of each of these cells by what it weighs (cell_weights): the heaviest first, each to the
/// part that has least. No part has more than an equal share and its lightest cell together.
std::vector<std::size_t> parts_of(const std::vector<std::uint64_t>& weights, std::size_t count);

/// Which cells of a plan are made; empty: all.
using Chosen = std::vector<bool>;

/// `shard`: as --shard gives it; empty: the whole plan.
Chosen cells_of_shard(const std::string& shard, const Plan& plan, const MeasureOptions& measure, bool timing);

Plan chosen_part(const Plan& plan, const Chosen& chosen);

}  // namespace redbench
