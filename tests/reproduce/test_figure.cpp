// The figures of a paper as they are planned: what of each config a device answers, and what the plan says of
// it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "src/records/columns.hpp"
#include "src/reproduce/figure.hpp"
#include "tests/compare_support.hpp"
#include "tests/golden.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

using testing::ElementsAre;

constexpr const char* device = "simt:gtx480";

/// In a folder whose configs/ come before those of the program.
class Figures : public testing::Test {
 protected:
  Figures() { std::filesystem::current_path(folder_.path()); }
  ~Figures() override { std::filesystem::current_path(before_); }

  void write(const std::string& name, const Json& variants, const Json& axes, const Json& measure,
             const Json& more = Json::object(), const std::string& problem = "reduce") const {
    Json config{{"experiments", {{{"problem", problem}, {"variants", variants}, {"axes", axes}}}},
                {"measure", measure}};
    config.update(more);
    folder_.write("configs/p/" + name + ".json", config.dump());
  }
  static Json counters() { return {{"counters", true}}; }
  /// At most 70 samples, 2Ki elements on a modelled device and 4Ki on the host.
  static Precision bounded(double most_s = 0) {
    return {"own", "", {{"max_samples", 70}}, {.modelled = 2048, .host = 4096}, most_s};
  }
  static std::string described(const Figure& figure) {
    const Overrides& changed = figure.job.request.overrides;
    return fmt::format("{} {}: {} cases, {} refused, {} shared, {} wide, {} [{}] [{}] [{}]{}{}{}{}{}",
                       figure.paper, figure.name, figure.cases, figure.refused, figure.shared, figure.widest,
                       figure.job.kind == Job::Kind::profile ? "profile" : "run",
                       fmt::join(changed.axes, " "), fmt::join(changed.sets, " "), changed.variants,
                       figure.seconds > 0 ? "" : " no time", figure.is_ladder ? " ladder" : "",
                       fmt::join(figure.machines, " "), figure.left.empty() ? "" : " left: ", figure.left);
  }

  TemporaryFolder folder_;
  std::filesystem::path before_ = std::filesystem::current_path();
};

// All configs of a folder are planned; what another measures alike is shared with it.
TEST_F(Figures, OfAModelledDeviceAreCountsLaunchesAndTheHostsTimes) {
  const Json n{{"n", "1Ki"}}, large{{"n", "8Ki"}};
  write("a_both", {"cpu_serial", "harris2"}, large, Json::object());
  write("b_counts", "harris1", large, counters());
  write("c_host", "cpu_serial", large, {{"mode", "warm"}});
  write("d_launches", "harris3", {{"n", {"4Ki", "8Ki"}}}, {{"per_launch", true}, {"max_samples", 71}});
  write("e_mixed", {"cpu_serial", "harris1"}, n, counters());
  write("f_narrow", "harris5", n, counters());
  write("g_wide", {"harris5", "harris6"}, n, counters());
  write("h_none", {"harris7", "shuffle_block_atomic"}, {{"n", "1Ki"}, {"block", 32}}, counters());
  write("i_some", {"harris1", "shuffle_block_atomic"}, {{"n", 512}}, counters());
  write("j_times", "harris4", n, {{"max_samples", 100}});
  write("k_caches", "cpu_sequential", {{"n", "1Ki"}, {"m", 16}}, {{"mode", "warm"}, {"max_samples", 70}},
        {{"caches", {{"machines", {"old", "host"}}, {"loops", Json::object()}}},
         {"plots", {{{"name", "y"}, {"x", "n"}, {"y", "time_ns"}, {"ladder", true}}}}},
        "multireduce");
  folder_.write("configs/p/l_broken.json", "{");
  write("m_one", {"harris2", "harris4"}, n, counters());
  write("n_half_of_it", {"harris2", "harris6"}, n, counters());
  write("o_otherwise", "harris5", n, {{"counters", true}, {"max_samples", 60}});
  const std::vector<Figure> figures = plan_figures({"p"}, device, bounded(), "");
  std::string all;
  for (const Figure& figure : figures) all += described(figure) + '\n';
  expect_golden("reproduce/figures.txt", all);
  for (const Figure& figure : figures)
    EXPECT_EQ(figure.mistake.empty(), figure.name != "configs/p/l_broken.json") << figure.mistake;
  EXPECT_THAT(widest_first(figures), ElementsAre(4, 6, 7, 8, 12, 13, 0, 1, 2, 3, 5, 10, 14, 9, 11));
  EXPECT_EQ(work_of(figures[1]).config.name, "p/b_counts");
}

TEST_F(Figures, OneThatTakesTooLongIsLeftAndSharesNothing) {
  write("narrow", "harris5", {{"n", "1Ki"}}, counters());
  write("wide", {"harris5", "harris6"}, {{"n", "1Ki"}}, counters());
  std::vector<std::string> all;
  for (const Figure& figure : plan_figures({"p"}, device, bounded(1e-12), ""))
    all.push_back(described(figure));
  const std::string left =
      " profile [] [measure.max_samples=70] [] no time left: about less than a second here; "
      "--precision paper takes it";
  EXPECT_THAT(all, ElementsAre("p p/narrow: 1 cases, 0 refused, 0 shared, 1 wide," + left,
                               "p p/wide: 2 cases, 0 refused, 0 shared, 2 wide," + left));
}

// A run of the config as it is written goes on at its own sizes; another is none of it.
TEST_F(Figures, ARunThatIsThereKeepsItsSizes) {
  for (const char* name : {"there", "other", "none"}) write(name, "harris1", {{"n", "8Ki"}}, counters());
  const auto keep = [&](const char* name, const Json& experiments) {
    Json facts = run_of(name, {}).facts;
    facts["config"] = {{"experiments", experiments}};
    folder_.write("out/p/" + std::string(name) + "/run.json", facts.dump());
  };
  const Json read =
      load_config("configs/p/there.json", Target::simt, {}, record_columns()).resolved["experiments"];
  Json other = read;
  other[0]["axes"]["n"] = {4096};
  keep("there", read);
  keep("other", other);
  const auto axes = [](const std::string& kept) {
    std::vector<std::string> all;
    for (const Figure& figure : plan_figures({"p"}, device, bounded(), kept))
      all.push_back(fmt::format("{} {}", figure.name, fmt::join(figure.job.request.overrides.axes, " ")));
    return all;
  };
  EXPECT_THAT(axes("out"), ElementsAre("p/none n=2048", "p/other n=2048", "p/there "));
  EXPECT_THAT(axes(""), ElementsAre("p/none n=2048", "p/other n=2048", "p/there n=2048"));
}

}  // namespace
}  // namespace redbench
