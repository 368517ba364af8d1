// A run's records by experiment and device.
#include <gmock/gmock.h>

#include "src/tables/run_tables.hpp"
#include "tests/record_support.hpp"

namespace redbench {
namespace {

using testing::ElementsAre;
using Texts = std::vector<std::string>;

/// A run whose config has these experiments.
StoredRun run_of(const Json& experiments, const std::vector<Record>& records) {
  return {"", {{"name", "x"}, {"config", {{"title", "A run"}, {"experiments", experiments}}}}, records};
}

Json experiment_of(const std::string& title, const Json& variants, const Json& axes) {
  Json all{{"n", {1024}}, {"type", {"i32"}}, {"operator", {"sum"}}};
  all.update(axes);
  return {{"title", title}, {"problem", "reduce"}, {"variants", variants}, {"axes", all}};
}

Record on_host(Record record) {
  record["device"] = "host";
  record["hardware"] = "Xeon";
  return record;
}

Texts headings(const StoredRun& run) {
  Texts all;
  for (const Section& section : sections_of(run))
    all.push_back(section.heading() + " " + std::to_string(section.records.size()));
  return all;
}

TEST(Sections, AnExperimentOnADeviceEach) {
  Record file = record_of("reduce/harris3");
  file["axes"] = {{"values", {{"file", "x.npy"}}}};
  const Json experiments{experiment_of("Uniform", {"harris3", "cpu_serial"}, Json::object()),
                         experiment_of("A file", {"harris3"}, {{"values", {{{"file", "x.npy"}}}}})};
  EXPECT_THAT(headings(run_of(experiments,
                              {on_host(record_of("reduce/cpu_serial")), file, record_of("reduce/harris3")})),
              ElementsAre("Uniform: NVIDIA Test (cuda:0) 1", "Uniform: Xeon (host) 1",
                          "A file: NVIDIA Test (cuda:0) 1"));
}

TEST(Sections, WhatAnExperimentDoesNotSayIsAtItsDefault) {
  Record other = record_of("reduce/harris3");
  other["parameters"]["block"] = 512;
  const Json experiments{experiment_of("Defaults", {"harris3"}, Json::object()),
                         experiment_of("Blocks", {"harris3"}, {{"block", {256, 512}}})};
  EXPECT_THAT(headings(run_of(experiments, {record_of("reduce/harris3"), other})),
              ElementsAre("Defaults: NVIDIA Test (cuda:0) 1", "Blocks: NVIDIA Test (cuda:0) 1"))
      << "the first that asks for a case has it";
}

TEST(Sections, ARecordThatNoExperimentAsksForIsShown) {
  EXPECT_THAT(headings(run_of(Json::array({experiment_of("One", {"harris1"}, Json::object())}),
                              {record_of("reduce/harris3")})),
              ElementsAre("Cases of no experiment of this config: NVIDIA Test (cuda:0) 1"));
  EXPECT_THAT(headings({"", Json::object(), {record_of("reduce/harris3")}}),
              ElementsAre("NVIDIA Test (cuda:0) 1"));
}

// Of the axes that every record has, and of the problem, any may be another than the experiment's.
TEST(Sections, ARecordIsOfTheExperimentThatHasItInEveryAxis) {
  Json other_problem = experiment_of("Scan", {"harris3"}, Json::object());
  other_problem["problem"] = "scan";
  const Json experiments{
      7,
      other_problem,
      experiment_of("Large", {"harris3"}, {{"n", {2048, 4096}}}),
      experiment_of("Floats", {"harris3"}, {{"type", {"f32"}}}),
      experiment_of("Least", {"harris3"}, {{"operator", {"min"}}}),
      experiment_of("Others", {"harris1"}, Json::object()),
      {{"title", 5}, {"problem", "reduce"}, {"variants", {"harris3"}}, {"axes", {{"n", {512}}}}},
      {{"problem", "reduce"}, {"variants", {"harris3"}}, {"axes", {{"n", {256}}}}}};
  Record floats = record_of("reduce/harris3"), least = record_of("reduce/harris3"),
         none = record_of("reduce/harris3");
  floats["type"] = "f32";
  least["operator"] = "min";
  none["type"] = "f64";
  EXPECT_THAT(
      headings(run_of(experiments, {none, record_of("reduce/harris3", 256), record_of("reduce/harris3", 512),
                                    least, floats, record_of("reduce/harris3", 4096)})),
      ElementsAre("Large: NVIDIA Test (cuda:0) 1", "Floats: NVIDIA Test (cuda:0) 1",
                  "Least: NVIDIA Test (cuda:0) 1", "NVIDIA Test (cuda:0) 1", "NVIDIA Test (cuda:0) 1",
                  "Cases of no experiment of this config: NVIDIA Test (cuda:0) 1"))
      << "a title that is no text is none";
}

// Its parameters are of no axis.
TEST(Sections, ATunedRecordIsOfTheExperimentThatAsksForTunedOnes) {
  Record tuned = record_of("reduce/harris3");
  tuned["parameters"]["block"] = 512;
  tuned["tuned"] = true;
  Json both = experiment_of("Both", {"harris3"}, Json::object());
  both["parameters"] = {"printed", "tuned"};
  const Json experiments{experiment_of("Printed", {"harris3"}, Json::object()), both};
  EXPECT_THAT(headings(run_of(experiments, {record_of("reduce/harris3"), tuned})),
              ElementsAre("Printed: NVIDIA Test (cuda:0) 1", "Both: NVIDIA Test (cuda:0) 1"));
}

}  // namespace
}  // namespace redbench
