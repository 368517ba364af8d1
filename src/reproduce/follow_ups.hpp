// What is made of the records of a reproduction: predictions, plots, claims, reports. Each by a program of
// its own.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/reproduce/figure.hpp"

namespace redbench {

/// What must be there before a step begins: those of one stage are made at the same time.
enum class Stage : std::uint8_t { probe, draw, judge, report };

/// A step after the runs.
struct FollowUp {
  Stage stage;
  std::string what;     // "the claims"
  std::string command;  // of a shell
  std::string file;     // that it leaves; empty: several
  std::string remedy;   // where it fails
};

/// The steps for figures whose folders hold a run, in the order of their stages. `root`: the folder of
/// the papers' folders; `model`: the modelled device that counts the steps of ladders.
std::vector<FollowUp> follow_ups_of(const std::vector<Figure>& made, const std::vector<std::string>& papers,
                                    const std::string& root, const std::string& model);

}  // namespace redbench
