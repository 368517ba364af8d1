// The papers of configs/: each a folder of it, a config for each of its figures and tables.
#pragma once

#include <string>
#include <vector>

namespace redbench {

/// "all", then the folders of the papers.
std::vector<std::string> paper_names();

/// The papers that a name of paper_names means. Throws UsageError for another, with the nearest.
std::vector<std::string> papers_of(const std::string& name);

/// The paths of a paper's configs, as a user in the working directory would write them where they are there,
/// else those that come with the program; fig4.9 before fig4.10. Throws UsageError where there are none.
std::vector<std::string> configs_of(const std::string& paper);

}  // namespace redbench
