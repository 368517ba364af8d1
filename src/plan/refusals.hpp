// Why a case cannot run, in a sentence; empty where it can.
#pragma once

#include <string>

#include "src/plan/plan.hpp"

namespace redbench {

/// Why the variant cannot take the case at all, whatever its launches.
std::string variant_refusal(const Case& c, const Problem& problem, const Devices& devices);

/// Runs the case on a planning queue, which notes its launches and scratch memory, and checks them.
std::string footprint_refusal(Case& c, const Devices& devices);

std::size_t input_bytes(const InputSizes& sizes);

}  // namespace redbench
