// Cells of tables by their headings, and numbers of a paper.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "src/tables/published.hpp"
#include "src/tables/tables.hpp"
#include "tests/programs.hpp"

namespace redbench {

using Texts = std::vector<std::string>;

inline std::string no_column(const std::string& heading) { return "no column `" + heading + "`"; }

/// The cell of a row under a heading, wherever the column stands.
inline std::string cell(const Table& table, std::size_t row, const std::string& heading) {
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    if (table.columns[i].name == heading) return table.rows.at(row)[i];
  return no_column(heading);
}

/// Numbers of the figure t in a paper's file with these lines; `axis` is the column after the operator.
inline std::vector<PublishedNumber> published(const std::string& lines, const std::string& axis = "block") {
  const TemporaryFolder folder;
  const std::string header =
      "figure,variant,device,n,type,operator," + axis + ",quantity,unit,relation,value,source\n";
  return read_published(folder.write("paper.csv", header + lines), "t");
}

}  // namespace redbench
