// What a cell's records hold, with the device's part played by fake clocks.
#include <gtest/gtest.h>

#include "src/cell/cell.hpp"
#include "src/records/check.hpp"
#include "src/records/columns.hpp"
#include "tests/fake_meter.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

/// The cells of a config's only experiment on the host, measured by fake clocks.
class MeasuredCell {
 public:
  explicit MeasuredCell(const std::string& experiment) {
    const std::string path = folder_.write("x.json", R"({"experiments": [{"problem": )" + experiment + "}]}");
    plan_ = make_plan(load_config(path, Target::host, {}, record_columns()), open_.devices());
    meters_.host.use(std::make_unique<FakeStopwatch>(time_, 1000));
    meters_.host.use(fake_movers(time_, rates, moves_));
    options_.measure = few_samples();
  }
  std::vector<Record> records() {
    std::vector<Record> records;
    run_cell(plan_.cells.at(0), meters_, options_,
             {[&](const Case&) { signs_ += 'x'; }, [&] { signs_ += 'i'; },
              [&](Record record) {
                time_.log += 'r';
                signs_ += 'r';
                EXPECT_EQ(mistake_in(record), "");
                records.push_back(std::move(record));
              }});
    return records;
  }

  TemporaryFolder folder_;
  OpenDevices open_{"host"};
  Plan plan_;
  FakeTime time_;
  std::string signs_;  // of life: x as a case begins to execute, i as none does, r with its record
  std::vector<Move> moves_;
  Meters meters_{open_.devices()};
  CellOptions options_;
};

TEST(MeasuredCell, OwnersAreReadBySegreducesCeiling) {
  MeasuredCell cell(R"("segreduce", "variants": "cpu_serial",
                       "axes": {"n": "2^16", "type": "f64", "operator": "min", "segments": "one"})");
  const Record record = cell.records().at(0);
  ASSERT_EQ(record["outcome"], "passed") << record;
  const std::size_t values = 8 << 16, owners = 4 << 16;
  EXPECT_EQ(cell.moves_.at(0).bytes_read(), values + owners);
  EXPECT_EQ(record["bytes_read"], double(values + owners));
  EXPECT_TRUE(record["ceiling_mix_gb_per_s"].is_null());
  EXPECT_NEAR(record["percent_of_ceiling"], 100 * double(values + owners + 8) / 1000 / 2000, 1e-9);
}

TEST(MeasuredCell, ResultsAreWrittenBySegreducesCeiling) {
  MeasuredCell cell(R"("segreduce", "variants": "cpu_serial",
                       "axes": {"n": "2^16", "type": "i32", "operator": "sum", "segments": "fixed:4",
                                "given": "offsets"})");
  const Record record = cell.records().at(0);
  ASSERT_EQ(record["outcome"], "passed") << record;
  const std::size_t values = 4 << 16, offsets = 8 * ((1 << 14) + 1), results = 4 << 14;
  EXPECT_EQ(cell.moves_.at(3).bytes_read(), (values + offsets) / 16 * 16);
  EXPECT_EQ(cell.moves_.at(3).bytes_written(), results);
  EXPECT_NEAR(record["percent_of_ceiling"], 100 * double(values + offsets + results) / 1000 / 800, 1e-9);
}

// A quarter of a label problem's time may be one label's: the words are m, not n.
TEST(MeasuredCell, AHistogramIsHeldAgainstAtomicsOverItsLabels) {
  MeasuredCell cell(
      R"("histogram", "variants": "cpu_serial", "axes": {"n": "2^12", "m": 1000, "type": "u32"})");
  std::vector<Scatter> scatters;
  cell.meters_.host.use(fake_scattered(cell.time_, 8, 2, scatters));
  cell.options_.measure.scattered = true;
  const Record record = cell.records().at(0);
  ASSERT_EQ(record["outcome"], "passed") << record;
  ASSERT_EQ(scatters.size(), 1u);
  EXPECT_EQ(scatters[0].accesses, 4096);
  EXPECT_EQ(scatters[0].words, 1000);
  EXPECT_DOUBLE_EQ(record["percent_of_scattered"], 100 * 4.096 / 2) << "in 1000 ns";
}

// Owners are labels in order, which go nowhere at random.
TEST(MeasuredCell, ASegmentedReductionHasNoScatteredAccesses) {
  MeasuredCell cell(R"("segreduce", "variants": "cpu_serial", "axes": {"n": "2^10", "segments": "one"})");
  cell.options_.measure.scattered = true;
  EXPECT_TRUE(cell.records().at(0)["percent_of_scattered"].is_null());
}

TEST(MeasuredCell, EnergyComesAfterTheLastSampleOfTheCell) {
  MeasuredCell cell(R"("reduce", "variants": "cpu_*", "axes": {"n": "2^10"})");
  cell.options_.measure.energy = true;
  auto nvml = std::make_unique<FakeNvml>();
  nvml->counter = [&cell]() -> std::optional<std::uint64_t> {
    cell.time_.log += 'e';
    return std::nullopt;
  };
  cell.meters_.host.use(std::move(nvml));
  const std::vector<Record> records = cell.records();
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0]["energy_missing"], "NVML has no energy counter for this GPU");
  EXPECT_EQ(cell.time_.log.substr(cell.time_.log.find('e')), "erer") << cell.time_.log;
}

// Of 2 KiB: without ceilings, five empty samples are all that comes before those of the case.
TEST(MeasuredCell, ASampleAtALowClockIsTakenAgain) {
  MeasuredCell cell(R"("reduce", "variants": "cpu_serial", "axes": {"n": "2^9"})");
  cell.time_.mhz = {1, 1, 1, 1, 1, 2000, 1990, 1000, 1980, 1000, 1000, 1000, 1000, 1970, 1985, 1975};
  const Record record = cell.records().at(0);
  ASSERT_EQ(record["outcome"], "passed") << record;
  EXPECT_EQ(record["samples_ns"][0].size(), 7u) << "six, and the last, which is checked";
  EXPECT_EQ(record["samples_repeated"], 4);
  EXPECT_EQ(record["samples_slow"], 1);
  EXPECT_EQ(record["sm_clock_mhz"], 1980);
}

TEST(MeasuredCell, WithoutAClockNothingIsSaidOfIt) {
  MeasuredCell cell(R"("reduce", "variants": "cpu_serial", "axes": {"n": "2^10"})");
  const Record record = cell.records().at(0);
  ASSERT_EQ(record["outcome"], "passed") << record;
  for (const char* field : {"sm_clock_mhz", "samples_repeated", "samples_slow"})
    EXPECT_TRUE(record[field].is_null()) << field;
}

// The zones around one case's scratch memory lie within another's.
TEST(MeasuredCell, CasesOfOneCellHaveEachTheirOwnScratchMemory) {
  MeasuredCell cell(R"("gather", "variants": "cpu_sorted",
                       "axes": {"n": "2^10", "m": 1024, "sort_bits": [2, 9]})");
  const std::vector<Record> records = cell.records();
  ASSERT_EQ(records.size(), 2u);
  EXPECT_NE(records[0]["scratch_bytes"], records[1]["scratch_bytes"]);
  for (const Record& record : records) EXPECT_EQ(record["outcome"], "passed") << record["reason"];
}

TEST(MeasuredCell, ADeviceThatFailsInTheBatchCostsTheCaseItsTime) {
  MeasuredCell cell(R"("reduce", "variants": "cpu_serial", "axes": {"n": "2^10"})");
  cell.options_.measure.energy = true;
  auto nvml = std::make_unique<FakeNvml>();
  nvml->counter = []() -> std::optional<std::uint64_t> { throw DeviceError("the device said no"); };
  cell.meters_.host.use(std::move(nvml));
  const std::vector<Record> records = cell.records();
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0]["outcome"], "failed");
  EXPECT_EQ(records[0]["reason"], "the device said no");
  EXPECT_TRUE(records[0]["time_ns"].is_null());
  EXPECT_TRUE(cell.signs_.ends_with("xir")) << "the batch has ended, too: " << cell.signs_;
}

// To make other values and to put back its own may take long for a large cell: after each a watcher hears
// that no case executes.
TEST(MeasuredCell, OtherValuesAreMadeAndPutBackByNoCase) {
  MeasuredCell cell(R"("reduce", "variants": "cpu_serial", "axes": {"n": "2^9", "type": "f32"})");
  ASSERT_EQ(cell.records().at(0)["outcome"], "passed");
  const std::string start = "ii", first = "xi", made = "i", judged = "xi", put_back = "i", empty = "iiiii";
  EXPECT_TRUE(cell.signs_.starts_with(start + first + made + judged + put_back + empty + "x")) << cell.signs_;
}

// What seems to execute is killed after `hang_s`, which may be less than what comes between two samples.
TEST(MeasuredCell, NoCaseExecutesBetweenSamples) {
  MeasuredCell cell(R"("reduce", "variants": "cpu_serial", "axes": {"n": "2^9"})");
  ASSERT_EQ(cell.records().at(0)["outcome"], "passed");
  const std::string samples = "xixixixixixi", last = "i", poisoned = "xxii", after_timing = "xi";
  EXPECT_TRUE(cell.signs_.ends_with(samples + last + poisoned + after_timing + "r")) << cell.signs_;
}

}  // namespace
}  // namespace redbench
