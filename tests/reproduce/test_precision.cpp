// What a precision changes in a config: its bounds, on each kind of device.
#include "src/reproduce/precision.hpp"

#include <gmock/gmock.h>

#include "src/records/columns.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class Precisions : public testing::Test {
 protected:
  Config config(const std::string& problem, const std::string& axes, const std::string& measure = "{}") {
    const std::string text = R"({"experiments": [{"problem": ")" + problem +
                             R"(", "variants": "*", "axes": )" + axes + R"(}], "measure": )" + measure + "}";
    return load_config(folder_.write("x.json", text), Target::cuda, {}, record_columns());
  }
  TemporaryFolder folder_;
};

TEST_F(Precisions, EachKindOfDeviceHasItsOwnMostElements) {
  const Precision own{"own", "", {}, {.modelled = 1, .host = 2, .labelled = 3}, 0};
  struct {
    Target target;
    std::string problem;
    int n;
    std::vector<std::string> axes;
  } const cases[] = {{Target::simt, "reduce", 2, {"n=1"}}, {Target::simt, "reduce", 1, {}},
                     {Target::host, "reduce", 3, {"n=2"}}, {Target::host, "reduce", 2, {}},
                     {Target::cuda, "reduce", 9, {}},      {Target::cuda, "multireduce", 4, {"n=3"}},
                     {Target::cuda, "multireduce", 3, {}}, {Target::simt, "multireduce", 4, {"n=1"}}};
  for (const auto& [target, problem, n, axes] : cases) {
    const std::string m = problem == "reduce" ? "" : ", \"m\": 16";
    EXPECT_EQ(overrides_of(own, config(problem, fmt::format("{{\"n\": {}{}}}", n, m)), target).axes, axes)
        << int(target) << ' ' << problem << ' ' << n;
  }
  EXPECT_THAT(overrides_of(own, config("reduce", R"({"n": [8, 9]})"), Target::simt).axes, IsEmpty())
      << "only an n that all cases have is bounded";
}

TEST_F(Precisions, WhatAConfigHasLessOfStays) {
  const Config more = config("reduce", R"({"n": 1})",
                             R"({"forks": 5, "min_samples": 20, "max_samples": 200, "timeout_s": 3})"),
               less = config("reduce", R"({"n": 1})",
                             R"({"forks": 1, "min_samples": 2, "max_samples": 5, "timeout_s": 0.05})");
  const auto sets = [](const char* precision, const Config& config) {
    return overrides_of(precision_named(precision), config, Target::cuda).sets;
  };
  EXPECT_THAT(sets("default", more),
              ElementsAre("measure.forks=1", "measure.max_samples=100", "measure.timeout_s=0.25"));
  EXPECT_THAT(sets("quick", more), ElementsAre("measure.forks=1", "measure.min_samples=3",
                                               "measure.max_samples=10", "measure.timeout_s=0.1"));
  EXPECT_THAT(sets("paper", more), IsEmpty());
  for (const char* name : {"default", "quick"}) EXPECT_THAT(sets(name, less), IsEmpty()) << name;
  EXPECT_EQ(
      usage_error([] { precision_named("papr"); }),
      "--precision papr: there is no such; did you mean `paper`?; there are `default`, `paper` or `quick`");
}

}  // namespace
}  // namespace redbench
