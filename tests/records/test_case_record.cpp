// Every field that a case's record takes from its plan, each with a value of its own.
#include <gtest/gtest.h>

#include "src/build_facts.hpp"
#include "src/records/provenance.hpp"
#include "src/records/record.hpp"
#include "tests/fake_device.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

/// A GPU by its target alone.
class FakeGpu : public FakeDevice {
 public:
  FakeGpu() { facts_.name = "NVIDIA Fake"; }
  Target target() const override { return Target::cuda; }
};

struct Planned {
  Planned() {
    one.variant = find_variant("reduce/harris3");
    one.device = "cuda:3";
    one.input.n = 4096;
    one.input.type = Type::f32;
    one.input.op = Operator::max;
    one.input.seed = 77;
    one.input.axes = {{"values", "exact"}};
    one.parameters = {{"block", 128}};
    one.sizes.bytes_read = 1000;
    one.sizes.bytes_written = 20;
    one.footprint.chain = 9;
    one.footprint.scratch = {100, 300};
    LaunchFacts launch;
    launch.kernel = "tree";
    launch.grid = {.blocks = 11,
                   .threads = 64,
                   .shared_bytes = 512,
                   .cooperative = true,
                   .bytes_read = 700,
                   .bytes_written = 30};
    launch.registers = 25;
    launch.static_shared_bytes = 48;
    launch.local_bytes = 16;
    launch.resident_blocks = 5;
    launch.occupancy = 0.75;
    launch.limiter = "registers";
    one.footprint.launches = {launch};
    cell.problem = find_problem("reduce");
    cell.input = one.input;
  }
  Cell cell;
  Case one;
};

TEST(CaseRecord, EachFieldIsThatOfThePlan) {
  const Planned planned;
  const FakeGpu gpu;
  const Record record = case_record(planned.cell, planned.one, gpu, Mode::warm, Outcome::failed, "it was so");
  const Json expected{{"schema", record_schema},
                      {"session", 0},
                      {"key", planned.one.key()},
                      {"mode", "warm"},
                      {"seed", 77},
                      {"device", "cuda:3"},
                      {"hardware", "NVIDIA Fake"},
                      {"source_hash", planned.one.variant->code_hash},
                      {"measured_by", measured_by[std::size_t(Target::cuda)]},
                      {"measuring_hash", measuring_hash[std::size_t(Target::cuda)]},
                      {"built_by", build_facts.built_by[std::size_t(Target::cuda)]},
                      {"variant", "reduce/harris3"},
                      {"problem", "reduce"},
                      {"n", 4096},
                      {"type", "f32"},
                      {"operator", "max"},
                      {"axes", {{"values", "exact"}}},
                      {"parameters", {{"block", 128}}},
                      {"outcome", "failed"},
                      {"reason", "it was so"},
                      {"bytes_read", 1000.0},
                      {"bytes_written", 20.0},
                      {"chain", 9},
                      {"scratch_bytes", 256 + 512},
                      {"library", false}};
  for (const auto& [field, value] : expected.items()) EXPECT_EQ(record[field], value) << field;
  for (const auto& [field, value] : record.items())
    EXPECT_TRUE(value.is_null() || field == "launches" || expected.contains(field))
        << field << " is to be tested";
  ASSERT_EQ(record["launches"].size(), 1u);
  const Json launch{{"kernel", "tree"},       {"blocks", 11},         {"threads", 64},
                    {"shared_bytes", 560},    {"cooperative", true},  {"registers", 25},
                    {"local_bytes", 16},      {"resident_blocks", 5}, {"occupancy", 0.75},
                    {"limiter", "registers"}, {"bytes_read", 700.0},  {"bytes_written", 30.0}};
  for (const auto& [field, value] : launch.items()) EXPECT_EQ(record["launches"][0][field], value) << field;
  for (const auto& [field, value] : record["launches"][0].items())
    EXPECT_TRUE(value.is_null() || launch.contains(field)) << field << " is to be tested";
}

TEST(CaseRecord, WhatIsNotKnownIsNull) {
  Planned planned;
  planned.one.footprint.chain = 0;
  planned.one.footprint.library = true;
  planned.one.footprint.launches[0].registers = 0;
  const FakeDevice host;
  const Record record = case_record(planned.cell, planned.one, host, Mode::cold, Outcome::passed);
  for (const char* field : {"chain", "reason", "kernel_file", "time_ns", "counters", "input_files"})
    EXPECT_TRUE(record[field].is_null()) << field;
  EXPECT_EQ(record["library"], true);
  EXPECT_TRUE(record["launches"][0]["registers"].is_null());
  EXPECT_TRUE(record["launches"][0]["local_bytes"].is_null()) << "the modelled compiler tells of none";
}

// The counts at which something begins to be known.
TEST(CaseRecord, OneOfAThingIsKnown) {
  Planned planned;
  planned.one.footprint.chain = 1;
  planned.one.footprint.launches[0].registers = 1;
  const Record record = case_record(planned.cell, planned.one, FakeGpu(), Mode::cold, Outcome::passed);
  EXPECT_EQ(record["chain"], 1);
  EXPECT_EQ(record["launches"][0]["registers"], 1);
}

TEST(CaseRecord, TheExitCodeIsThatOfTheWorstOutcome) {
  const auto code = [](const std::vector<Outcome>& outcomes) {
    std::vector<Record> records;
    for (const Outcome outcome : outcomes) records.push_back({{"outcome", name_of(outcome)}});
    return exit_code_of(records);
  };
  EXPECT_EQ(code({Outcome::passed, Outcome::unsupported}), exit_fine);
  EXPECT_EQ(code({Outcome::failed, Outcome::passed}), exit_failed);
  EXPECT_EQ(code({Outcome::passed, Outcome::timeout}), exit_failed);
  EXPECT_EQ(code({Outcome::failed, Outcome::wrong, Outcome::timeout}), exit_wrong);
}

}  // namespace
}  // namespace redbench
