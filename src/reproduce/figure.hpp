// The papers of configs/, each a folder of it; and the figures of a paper, a config each, as a device can answer them:
// times where it has some, counts where it is a modelled one.
#pragma once

#include <string>
#include <vector>

#include "src/reproduce/precision.hpp"
#include "src/run/job.hpp"

namespace redbench {

/// "all", then the folders of the papers.
std::vector<std::string> paper_names();

/// The papers that a name of paper_names means. Throws UsageError for another, with the nearest.
std::vector<std::string> papers_of(const std::string& name);

/// The paths of a paper's configs, as a user in the working directory would write them where they are there,
/// else those that come with the program; fig4.9 before fig4.10. Throws UsageError where there are none.
std::vector<std::string> configs_of(const std::string& paper);

struct Figure {
  std::string paper, config;               // "martin2012", the path of its file
  std::string name = {};                   // "martin2012/fig4"
  Job job = {};                            // what is run
  std::string left = {};                   // why it is left out; empty where it is run
  std::string mistake = {};                // why it cannot even be planned
  bool is_ladder = false;                  // a plot of it has the steps of a ladder
  std::vector<std::string> machines = {};  // that the cache simulator predicts its cases for
  std::size_t cases = 0, refused = 0;
  std::size_t widest = 0;                // cases of its largest cell
  std::size_t shared = 0;                // cases that another figure measures
  Chosen own = {};                       // the cells of its plan that no figure before it measures
  std::vector<std::size_t> places = {};  // of its cells among those of all figures
  Chosen chosen = {};                    // the cells that are made; empty: all
  double seconds = 0;                    // that the rest takes
};

/// What a device answers of these configs, by their order: nothing is run. Where a cell of one is a part of
/// another's cell, measured alike, it is shared: the wider is to be run first. `kept`: the folder of the
/// papers' folders whose runs are resumed; empty: none are. A run of a config at its own sizes stays at
/// these. `shard`: of all cells together that part alone; empty: all.
std::vector<Figure> plan_figures(const std::vector<std::string>& papers, const std::string& device,
                                 const Precision& precision, const std::string& kept,
                                 const std::string& shard = {});

/// The order in which they are to be run, by their places.
std::vector<std::size_t> widest_first(const std::vector<Figure>& figures);

/// The work of a figure that is run. Throws UsageError.
Work work_of(const Figure& figure);

}  // namespace redbench
