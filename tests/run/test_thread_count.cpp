// How many threads a job may be asked to have.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>

#include "src/run/job.hpp"
#include "tests/run_support.hpp"

namespace redbench {
namespace {

// The bug: the most that was said to be allowed was refused, or one more was taken.
TEST(ThreadCounts, GoUpTo1024OrFourForEachCore) {
  const TemporaryFolder folder;
  const Job job{
      .kind = Job::Kind::profile,
      .request = {
          .config = folder.write("c.json", config_text("[33]")), .device = "simt:gtx480", .overrides = {}}};
  const int before = omp_get_max_threads();
  const int cores = make_work(job).devices->devices().host.facts().multiprocessors;
  const int most = std::max(1024, 4 * cores);
  for (const int count : {1, 2, most}) {
    omp_set_num_threads(count);
    EXPECT_EQ(make_work(job).plan.cells.size(), 1u) << count;
  }
  omp_set_num_threads(most + 1);
  const std::string refusal = usage_error([&] { make_work(job); });
  omp_set_num_threads(before);
  EXPECT_EQ(refusal,
            fmt::format("OMP_NUM_THREADS: {} threads; 1 to {} are allowed on this machine's {} cores",
                        most + 1, most, cores));
}

}  // namespace
}  // namespace redbench
