// Plots of a config, held against the records that it can have: mistakes are found before anything runs.
#include "src/config/rows.hpp"
#include "tests/config/config_support.hpp"

namespace redbench {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class Plots : public ConfigFile {
 protected:
  static std::string with_plots(const std::string& plots) {
    return R"({"experiments": [{"problem": "reduce", "variants": ["harris3", "tb2"], "axes": {"n": 64}},
                               {"problem": "segreduce", "variants": ["tb2"], "axes": {"n": 64}}], "plots": )" +
           plots + "}";
  }
  /// A plot with these members besides, or instead.
  static std::string with_plot(const std::string& members) {
    Json plot{{"name", "a"}, {"x", "n"}, {"y", "time_ns"}};
    plot.update(Json::parse("{" + members + "}"));
    return with_plots(Json::array({plot}).dump());
  }
  /// What is wrong with that plot, after its path.
  std::string mistake(const std::string& members) {
    const std::string message = error(with_plot(members)), before = "x.json: $.plots[0].";
    EXPECT_THAT(message, StartsWith(before));
    return message.substr(before.size());
  }
  Json plot(const std::string& members) { return load(with_plot(members)).resolved["plots"][0]; }
};

TEST_F(Plots, ColumnsThatNoRecordHas) {
  EXPECT_EQ(mistake(R"("x": "blok")"), "x: no record has a column `blok`; did you mean `block`?");
  EXPECT_EQ(mistake(R"("series": ["variant", "segmens"])"),
            "series[1]: no record has a column `segmens`; did you mean `segments`?");
  EXPECT_EQ(mistake(R"("where": {"tipe": "i32"})"),
            "where.tipe: no record has a column `tipe`; did you mean `type`?");
  EXPECT_EQ(mistake(R"("x": "layout")"), "x: no record has a column `layout`");  // of triple_reduce alone
  EXPECT_THAT(mistake(R"("y": "n")"), StartsWith("y: unknown name `n`; allowed are `time_ns`"));
  EXPECT_THAT(mistake(R"("y": ["time_ns", "bandwidth"])"), StartsWith("y[1]: unknown name `bandwidth`"));
}

TEST_F(Plots, ColumnsOfEveryKind) {
  for (const char* column : {"n", "operator", "values", "segments", "block", "variant", "problem", "mode",
                             "device", "time_ns", "sectors", "global_load_sectors"})
    EXPECT_NO_THROW(plot(std::string(R"("x": ")") + column + '"')) << column;
}

TEST_F(Plots, ValuesThatAColumnDoesNotTake) {
  EXPECT_THAT(mistake(R"("where": {"n": "16Mb"})"), StartsWith("where.n: `16Mb` is not a size"));
  EXPECT_THAT(mistake(R"("where": {"n": [1, "2^41"]})"), StartsWith("where.n[1]: 2^41 is too large"));
  EXPECT_THAT(mistake(R"("where": {"type": "i33"})"),
              StartsWith("where.type: unknown name `i33`; allowed are"));
  EXPECT_THAT(mistake(R"("where": {"operator": ["sum", "mim"]})"), HasSubstr("did you mean `min`?"));
  EXPECT_THAT(mistake(R"("where": {"mode": "hot"})"), StartsWith("where.mode: unknown name `hot`"));
  EXPECT_THAT(mistake(R"("where": {"values": "unifrom"})"), HasSubstr("did you mean `uniform`?"));
  EXPECT_THAT(mistake(R"("where": {"segments": "fixd:3"})"), StartsWith("where.segments: "));
  EXPECT_EQ(mistake(R"("where": {"variant": ["tb2", "haris3"]})"),
            "where.variant[1]: there is no variant `haris3`; did you mean `harris3`?");
  EXPECT_THAT(mistake(R"("where": {"block": 100})"),
              StartsWith("where.block: no listed variant takes block = 100"));
  EXPECT_THAT(mistake(R"("where": {"device": []})"), StartsWith("where.device: the list is empty"));
  EXPECT_THAT(mistake(R"("where": {"device": [["simt"]]})"),
              StartsWith("where.device[0]: expected a string or"));
  // Of a column that is no axis, too: make_plots.py refuses the run of such a config, by the schema.
  for (const char* value : {"null", R"({"x": 1})", R"({"file": 1})"}) {
    const std::string column = std::string(R"("where": {"device": )") + value + "}";
    EXPECT_THAT(mistake(column), StartsWith("where.device")) << value;
    EXPECT_THAT(mistake(R"("published": {"file": "results/papers/slides.csv", "where": {"figure": [)" +
                        std::string(value) + "]}}"),
                StartsWith("published.where.figure[0]"))
        << value;
  }
  EXPECT_THAT(mistake(R"("published": {"file": "results/papers/slides.csv", "where": {"figure": []}})"),
              StartsWith("published.where.figure: the list is empty"));
}

TEST_F(Plots, SizesAreUnderstoodAsOnAxes) {
  EXPECT_EQ(plot(R"("where": {"n": "2^10"})")["where"]["n"], 1024);
  EXPECT_EQ(plot(R"("where": {"n": "[1Ki:3Ki:1Ki]", "block": ["2^7", 64], "variant": "harris3"})")["where"],
            Json({{"n", {1024, 2048, 3072}}, {"block", {128, 64}}, {"variant", "harris3"}}));
}

TEST_F(Plots, AVariantMayBeOneThatIsNotListed) {
  EXPECT_NO_THROW(plot(R"("where": {"variant": ["harris1", "reduce/harris2"], "block": 512})"));
  const std::string text = with_plot(R"("x": "block", "where": {"variant": "harris3"})");
  EXPECT_NO_THROW(
      load(text, {.axes = {}, .sets = {"experiments[0].variants=[\"cub\"]"}, .variants = "segreduce"}));
}

TEST_F(Plots, FilesOfValuesAreFoundAsThoseOfAxes) {
  std::filesystem::create_directories(folder_.path() + "/configs/here/data");
  std::filesystem::copy(fixture("i32.npy"), folder_.path() + "/configs/here/data/v.npy");
  const std::string found = folder_.path() + "/configs/here/data/v.npy";
  EXPECT_EQ(plot(R"("where": {"values": {"file": "data/v.npy"}})")["where"]["values"]["file"], found);
}

TEST_F(Plots, NamesOfFiles) {
  for (const char* name : {"../a", "a/b", ".a", "", "a b", "ä"})
    EXPECT_THAT(mistake(std::string(R"("name": ")") + name + '"'), StartsWith("name: expected a file's name"))
        << name;
  EXPECT_THAT(mistake(R"("name": ")" + std::string(101, 'a') + '"'),
              StartsWith("name: expected a file's name"));
  EXPECT_NO_THROW(plot(R"("name": "fig4.2-b_c")"));
  EXPECT_EQ(
      error(with_plots(R"([{"name": "a", "x": "n", "y": "time_ns"}, {"name": "b", "x": "n", "y": "time_ns"},
                                 {"name": "a", "x": "n", "y": "time_ns"}])")),
      "x.json: $.plots[2].name: $.plots[0].name has this name, too");
}

TEST_F(Plots, Groups) {
  EXPECT_NO_THROW(plot(R"("series": ["variant"], "groups": [["harris1", "harris2, warm"], ["tb2"]])"));
  EXPECT_NO_THROW(plot(R"("series": ["segments"], "groups": [["fixed:3"]])"));
  EXPECT_EQ(mistake(R"("series": ["variant"], "groups": [["harris1"], ["haris2, warm"]])"),
            "groups[1][0]: there is no variant `haris2`; did you mean `harris2`?");
  EXPECT_EQ(mistake(R"("groups": [["a", "b"], ["a"]])"),
            "groups[1][0]: `a` is in a group already: $.plots[0].groups[0][0]");
}

TEST_F(Plots, PublishedNumbers) {
  EXPECT_NO_THROW(
      plot(R"("published": {"file": "results/papers/slides.csv", "where": {"figure": "table"}})"));
  EXPECT_EQ(mistake(R"("published": {"file": "results/papers/slide.csv"})"),
            "published.file: there is no file `results/papers/slide.csv`; did you mean "
            "`results/papers/slides.csv`?");
  EXPECT_THAT(mistake(R"("published": {"file": ")" + std::string(300, 'r') + R"("})"),
              StartsWith("published.file: there is no file `rrr"))
      << "longer than a name may be";
  EXPECT_THAT(mistake(R"("published": {"file": "results"})"),
              StartsWith("published.file: there is no file `results`"));
  folder_.write("own.csv", "figure,variant,time\r\nfigur,x,1\n");
  EXPECT_EQ(
      mistake(R"("published": {"file": ")" + folder_.path() + R"(/own.csv", "where": {"figur": "table"}})"),
      "published.where.figur: unknown key; allowed are `figure`, `variant` or `time`; did you mean `figure`?")
      << "the first line's names alone";
}

TEST_F(Plots, OfAPatchAndFromTheCommandLine) {
  const std::string base =
      R"("experiments": [{"problem": "reduce", "variants": ["harris3"], "axes": {"n": 1}}])";
  EXPECT_THAT(error("{" + base + R"(, "on_cuda": {"plots": [{"name": "a", "x": "m", "y": "time_ns"}]}})"),
              StartsWith("x.json: $.on_cuda.plots[0].x: no record has a column `m`"));
  EXPECT_THAT(error(with_plot(""), {.axes = {}, .sets = {"plots[0].x=blok"}, .variants = {}}),
              StartsWith("x.json: $.plots[0].x (--set plots[0].x=blok): no record has a column `blok`"));
  EXPECT_TRUE(load("{" + base +
                   R"(, "plots": [{"name": "a", "x": "n", "y": "time_ns"}], "on_simt": {"plots": null}})")
                  .plots.empty());
}

// Of an experiment's rows, quantities and what tells rows apart are columns whatever problems there are.
TEST(RowColumns, AreThoseOfRecordsAndOfTheProblems) {
  const Origins origins{"x.json", {}};
  const Json value = 7;
  const Node node(value, "$.x", origins);
  const std::vector<const Problem*> none, one{find_problem("reduce")};
  const Columns columns{{"speed", "n"}, {"colour", "speed"}};
  const RowColumns plain(none, columns, "");
  EXPECT_EQ(plain.names(), (std::vector<std::string>{"speed", "n", "colour"})) << "each once";
  EXPECT_NO_THROW(plain.check("speed", node));
  EXPECT_NO_THROW(plain.check("colour", node));
  EXPECT_EQ(usage_error([&] { plain.check("colours", node); }),
            "x.json: $.x: no record has a column `colours`; did you mean `colour`?");
  const std::vector<std::string> names = RowColumns(one, columns, "").names();
  EXPECT_EQ(std::vector<std::string>(names.begin(), names.begin() + 4),
            (std::vector<std::string>{"n", "type", "operator", "values"}));
  EXPECT_EQ(std::vector<std::string>(names.end() - 2, names.end()),
            (std::vector<std::string>{"speed", "colour"}));
}

TEST(PlotsOnTheCommandLine, PublishedNumbersAreFoundFromAnyFolder) {
  const TemporaryFolder folder;
  const std::string plan =
      "plan " REDBENCH_SOURCE_DIR "/configs/slides/table.json -d simt --set plots[0].published.file=";
  EXPECT_EQ(redbench(plan + "results/papers/slides.csv", folder.path()).exit_code, exit_fine);
  EXPECT_EQ(redbench(plan + "own.csv", folder.path()).exit_code, exit_usage);
  folder.write("own.csv", "figure,variant\n");
  EXPECT_EQ(redbench(plan + "own.csv", folder.path()).exit_code, exit_fine);
}

TEST(PlotsOnTheCommandLine, AreCheckedBeforeAnythingRuns) {
  const TemporaryFolder folder;
  for (const std::string command : {"run", "plan", "profile"}) {
    const std::string out = command == "plan" ? "" : " --out " + folder.path() + "/out";
    const Answer answer =
        redbench(command + " configs/martin2012/table1.json -d simt --set plots[0].y=tim_ns" + out);
    EXPECT_EQ(answer.exit_code, exit_usage) << command;
    EXPECT_THAT(answer.text, HasSubstr("$.plots[0].y (--set plots[0].y=tim_ns): unknown name `tim_ns`"))
        << command;
    EXPECT_FALSE(std::filesystem::exists(folder.path() + "/out"));
  }
}

}  // namespace
}  // namespace redbench
