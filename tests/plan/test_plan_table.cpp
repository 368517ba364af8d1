// The table that `redbench plan` and --dry-run print.
#include "src/plan/plan.hpp"
#include "tests/golden.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

LaunchFacts launch(Index blocks, int threads, std::size_t shared, double occupancy) {
  LaunchFacts facts;
  facts.grid.blocks = blocks;
  facts.grid.threads = threads;
  facts.grid.shared_bytes = shared;
  facts.static_shared_bytes = 8;
  facts.occupancy = occupancy;
  return facts;
}

/// Launches that are alike and that differ, more than are shown, a library's alone and after others, none, a
/// refusal that would move the cursor, and an axis that one cell alone has.
TEST(PlanTable, ShowsEachLaunchOrOneForAllThatAreAlike) {
  Case case_;
  case_.variant = find_variant("reduce/harris3");
  case_.input.n = 4096;
  case_.parameters = {{"block", 64}, {"long_name", 7}};
  case_.sizes.values = 3 << 10;
  case_.sizes.result = 512;
  Cell cell{find_problem("reduce"), case_.input, {}};
  const auto add = [&](std::vector<LaunchFacts> launches, bool library = false) {
    case_.footprint = {};
    case_.footprint.launches = std::move(launches);
    case_.footprint.library_calls.resize(library);
    cell.cases.push_back(case_);
  };
  add({launch(9, 256, 1024, 1)});
  add({launch(4, 256, 16, 0.5), launch(4, 256, 16, 0.5)});
  add({launch(9, 256, 0, 0.5), launch(1, 64, 16, 0.25)});
  add(std::vector<LaunchFacts>(6, launch(2, 32, 0, 1)));
  add(std::vector<LaunchFacts>(7, launch(2, 32, 0, 1)));
  add({launch(9, 256, 0, 1)}, true);
  add({}, true);
  add({});
  case_.footprint.scratch = {1, std::size_t(3) << 40};
  case_.refusal = "too \033[2Jlarge";
  cell.cases.push_back(case_);
  case_.refusal = "";
  case_.parameters.clear();
  Cell other{find_problem("reduce"), case_.input, {case_}};
  other.input.axes["labels"] = other.cases[0].input.axes["labels"] = Json{{"file", "a/x.npy"}};
  expect_golden("plan/table.txt", format_plan(Plan{{cell, other}}, 5000) + format_plan(Plan{{other}}, 0.99));
}

// A name, a file by its path alone, and any other one member of text by its name; all else as JSON.
TEST(AxisText, IsShortForNamesAndPaths) {
  for (const auto& [json, text] : {std::pair(R"("uniform")", "uniform"),
                                   {"5", "5"},
                                   {"null", "null"},
                                   {R"({"file": "a/x.npy"})", "a/x.npy"},
                                   {R"({"owners": "y.npy"})", "owners:y.npy"},
                                   {R"({"file": 7})", R"({"file":7})"},
                                   {R"({"file": "x", "more": "y"})", R"({"file":"x","more":"y"})"},
                                   {R"(["x"])", R"(["x"])"},
                                   {"{}", "{}"}})
    EXPECT_EQ(axis_text(Json::parse(json)), text);
}

}  // namespace
}  // namespace redbench
