// Plots of a config, compared with the records that it can have: mistakes are found before anything runs.
#include "tests/config/config_support.hpp"

namespace redbench {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class Plots : public ConfigFile {
 protected:
  /// A plot with these members besides, or instead.
  static std::string with_plot(const std::string& members) {
    Json plot{{"name", "a"}, {"x", "n"}, {"y", "time_ns"}};
    plot.update(Json::parse("{" + members + "}"));
    return with_plots(Json::array({plot}).dump());
  }
  static std::string with_plots(const std::string& plots) {
    return R"({"experiments": [{"problem": "reduce", "variants": ["harris3", "tb2"], "axes": {"n": 64}},
                               {"problem": "segreduce", "variants": ["tb2"], "axes": {"n": 64}}],
               "plots": )" +
           plots + "}";
  }
  Json plot(const std::string& members) { return load(with_plot(members)).resolved["plots"][0]; }
};

TEST_F(Plots, Mistakes) {
  const std::string slides = R"("published": {"file": "results/papers/slides.csv", "where": {"figure": )";
  folder_.write("own.csv", "figure,variant,time\r\nfigur,x,1\n");
  for (const std::string& members : std::vector<std::string>{
           // Columns that no record has; `layout` is of triple_reduce alone.
           R"("x": "blok")", R"("series": ["variant", "segmens"])", R"("where": {"tipe": "i32"})",
           R"("x": "layout")", R"("y": "n")", R"("y": ["time_ns", "bandwidth"])",
           // Values that a column does not take.
           R"("where": {"n": "16Mb"})", R"("where": {"type": "i33"})", R"("where": {"mode": "hot"})",
           R"("where": {"segments": "fixd:3"})", R"("where": {"variant": ["tb2", "haris3"]})",
           R"("where": {"block": 100})", R"("where": {"device": []})", R"("where": {"device": {"x": 1}})",
           slides + "[null]}}", slides + R"("table", "n": "16Mb"}})",
           // Names of figures, groups, files of published numbers.
           R"("name": "../a")", R"("series": ["variant"], "groups": [["harris1"], ["haris2, warm"]])",
           R"("groups": [["a", "b"], ["a"]])", R"("published": {"file": "results/papers/slide.csv"})"})
    add(members, error(with_plot(members)));
  const std::string second = R"({"name": "a", "x": "n", "y": "time_ns"})";
  add("two plots of one name", error(with_plots("[" + second + ", " + second + "]")));
  const std::string own =
      R"("published": {"file": ")" + folder_.path() + R"(/own.csv", "where": {"figur": "t"}})";
  add("published.where.figur of a file whose first line has `figure`", error(with_plot(own)));
  const std::string base =
      R"({"experiments": [{"problem": "reduce", "variants": ["harris3"], "axes": {"n": 1}}])";
  add("a patch", error(base + R"(, "on_cuda": {"plots": [{"name": "a", "x": "m", "y": "time_ns"}]}})"));
  add("--set plots[0].x=blok", error(with_plot(""), set("plots[0].x=blok")));
  expect_golden("config/plots.txt", mistakes_);
  EXPECT_TRUE(
      load(base + R"(, "plots": [{"name": "a", "x": "n", "y": "time_ns"}], "on_simt": {"plots": null}})")
          .plots.empty());
}

TEST_F(Plots, ColumnsAndValuesThatRecordsMayHave) {
  for (const char* column : {"n", "operator", "values", "segments", "block", "variant", "problem", "mode",
                             "device", "time_ns", "sectors", "global_load_sectors"})
    EXPECT_NO_THROW(plot(std::string(R"("x": ")") + column + '"')) << column;
  EXPECT_EQ(plot(R"("where": {"n": "2^10"})")["where"]["n"], 1024);
  EXPECT_EQ(plot(R"("where": {"n": "[1Ki:3Ki:1Ki]", "block": ["2^7", 64], "variant": "harris3"})")["where"],
            Json({{"n", {1024, 2048, 3072}}, {"block", {128, 64}}, {"variant", "harris3"}}));
  const std::string slides =
      R"("published": {"file": "results/papers/slides.csv", "where": {"n": ["2^10", "1Mi"]}})";
  EXPECT_EQ(plot(slides)["published"]["where"]["n"], Json({1024, 1 << 20}));
  // A variant may be one that is not listed, or that -b leaves out.
  EXPECT_NO_THROW(plot(R"("where": {"variant": ["harris1", "reduce/harris2"], "block": 512})"));
  EXPECT_NO_THROW(load(with_plot(R"("x": "block", "where": {"variant": "harris3"})"),
                       {.sets = {"experiments[0].variants=[\"cub\"]"}, .variants = "segreduce"}));
  EXPECT_NO_THROW(plot(R"("series": ["variant"], "groups": [["harris1", "harris2, warm"], ["tb2"]])"));
  EXPECT_NO_THROW(plot(R"("series": ["segments"], "groups": [["fixed:3"]])"));
  std::filesystem::create_directories(folder_.path() + "/configs/here/data");
  std::filesystem::copy(fixture("i32.npy"), folder_.path() + "/configs/here/data/v.npy");
  EXPECT_EQ(plot(R"("where": {"values": {"file": "data/v.npy"}})")["where"]["values"]["file"],
            folder_.path() + "/configs/here/data/v.npy")
      << "found as files of axes are";
}

TEST(PlotsOnTheCommandLine, PublishedNumbersAreFoundFromAnyFolderBeforeAnythingRuns) {
  const TemporaryFolder folder;
  const std::string table = REDBENCH_SOURCE_DIR "/configs/slides/table.json -d simt --set plots[0].";
  EXPECT_EQ(redbench("plan " + table + "published.file=results/papers/slides.csv", folder.path()).exit_code,
            exit_fine);
  folder.write("own.csv", "figure,variant\n");
  EXPECT_EQ(redbench("plan " + table + "published.file=own.csv", folder.path()).exit_code, exit_fine);
  const Answer answer = redbench("run " + table + "y=tim_ns --out out", folder.path());
  EXPECT_EQ(answer.exit_code, exit_usage);
  EXPECT_THAT(answer.text, HasSubstr("$.plots[0].y (--set plots[0].y=tim_ns): unknown name `tim_ns`"));
  EXPECT_FALSE(std::filesystem::exists(folder.path() + "/out"));
}

}  // namespace
}  // namespace redbench
