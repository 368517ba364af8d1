// What may be profiled: a config's cases or a variant's own, on a device that counts.
#include <gtest/gtest.h>

#include "src/config/nearest_config.hpp"
#include "src/run/job.hpp"
#include "tests/run_support.hpp"

namespace redbench {
namespace {

Job profile(const std::string& config, const std::string& device = "simt:gtx480",
            const std::vector<std::string>& sets = {}) {
  Job job;
  job.kind = Job::Kind::profile;
  job.request.config = config;
  job.request.device = device;
  job.request.overrides.sets = sets;
  return job;
}

TEST(ProfileJobs, AreOfAVariantOrAFile) {
  const Work variant = make_work(profile("reduce/harris3"));
  EXPECT_EQ(variant.config.name, "profile/reduce/harris3");
  EXPECT_TRUE(variant.config.measure.counters);
  for (const Cell& cell : variant.plan.cells)
    for (const Case& one : cell.cases) EXPECT_EQ(one.variant->name, "reduce/harris3");
  const TemporaryFolder folder;
  const std::string path = folder.write("mine.json", config_text("[10, 20]"));
  // It counts, whatever else is asked for.
  const Work file = make_work(profile(path, "simt:gtx480", {"measure.counters=false", "measure.hang_s=7"}));
  EXPECT_EQ(file.config.name, "profile/mine");
  EXPECT_EQ(file.config.path, path);
  EXPECT_TRUE(file.config.measure.counters);
  EXPECT_EQ(file.options.measure.hang_s, 7);
  EXPECT_FALSE(file.options.timing);
  EXPECT_EQ(file.plan.cases(), 4u);
  EXPECT_EQ(file.schedule_seeds, (std::vector<std::uint64_t>{0, 0}));
}

TEST(ProfileJobs, AreRefusedWhereThereIsNothingToCount) {
  const auto refusal = [](const std::string& config, const std::string& device = "simt:gtx480") {
    return usage_error([&] { make_work(profile(config, device)); });
  };
  EXPECT_EQ(refusal("reduce/harris3", "host"), "the host counts nothing; -d simt does");
  EXPECT_EQ(refusal("reduce/cpu_serial"), "reduce/cpu_serial: a CPU algorithm has no kernel to count");
  const std::string last = "; redbench list names the variants";
  EXPECT_EQ(refusal("reduce/haris3"),
            "reduce/haris3: neither a variant nor a file; did you mean `reduce/harris3`?" + last);
  EXPECT_EQ(refusal("nowhere/quik.json"),
            "nowhere/quik.json: neither a variant nor a file" + nearest_config("nowhere/quik.json") + last);
}

}  // namespace
}  // namespace redbench
