// Numbers that papers print: how their files are read, and of which records they are.
#include "src/tables/published.hpp"

#include <gtest/gtest.h>

#include "tests/record_support.hpp"
#include "tests/support.hpp"
#include "tests/tables/table_support.hpp"

namespace redbench {
namespace {

TEST(Published, MistakesAreNamedByLine) {
  for (const auto& [line, expected] :
       {std::pair("t,reduce/a,G,16Mi,i32,sum,,time,ms,=,fast,T1\n",
                  "2: value: a number is expected, not `fast`"),
        {"t,reduce/a,G,16Mi,i32,sum,,time,ms,=,12x,T1\n", "2: value: a number is expected, not `12x`"},
        {"t,reduce/a,G,16Mi,i32,sum,,time,ms,=,,T1\n", "2: value: a number is expected, not ``"},
        {"t,reduce/a,G,16Mi,i32,sum,,time,ms,=,1\n", "2: 11 fields; the header has 12"},
        {"t,reduce/a,G,16Mi,i32,sum,,time,ms,is,1,T1\n",
         "2: relation: `=`, `~`, `<`, `<=`, `>` or `>=` is expected, not `is`"},
        {"t,reduce/a,G,16M,i32,sum,,time,ms,=,1,T1\n", "2: n: `16M` is not a size"},
        {"t,reduce/a,G,1,i32,sum,,time,ms,=,1,\n", "2: source: where in the paper is the number?"}}) {
    const std::string message = usage_error([&, text = line] { published(text); });
    EXPECT_NE(message.find(std::string("paper.csv:") + expected), std::string::npos) << message;
  }
  const TemporaryFolder folder;
  const std::string path = folder.write("paper.csv", "figure,variant\n");
  EXPECT_EQ(usage_error([&] { read_published(path, "t"); }), path + ":1: no column `device`");
}

TEST(Published, FieldsAreQuotedAsInCsvAndUnitsAreThoseOfTheRecord) {
  const std::vector<PublishedNumber> numbers = published(
      "t,reduce/a,\"the \"\"old\"\" GPU, of 2010\",16,i32,sum,\"\",time,us,=,5,\"Table 1, \"\"left\"\"\"\r\n"
      "u,reduce/a,another figure,16,i32,sum,,time,ms,=,7,Table 1\n"
      "t,reduce/a,G,1Ki,i32,sum,,time,ns,~,6,Table 1\n"
      "t,reduce/a,of no field,1Ki,i32,sum,,loudness,GB/s,=,4,T1\n"
      "t,reduce/a,of no unit,1Ki,i32,sum,,time,,=,4,T1\n");
  ASSERT_EQ(numbers.size(), 2u);
  EXPECT_EQ(numbers[0].device, "the \"old\" GPU, of 2010");
  EXPECT_EQ(numbers[0].value, 5000) << "in ns";
  EXPECT_EQ(numbers[0].text(), "5") << "as it is printed";
  EXPECT_EQ(numbers[0].axes.size(), 3u) << "an empty field in quotes is empty";
  EXPECT_EQ(numbers[1].value, 6);
  EXPECT_EQ(numbers[1].text(), "~ 0.006");
}

// An axis that is a number agrees by its value, however the paper writes it.
TEST(Published, ANumberIsOfTheRecordsThatAgreeInEveryAxis) {
  const Record record = timed("reduce/a", 1 << 20, 2000, 1990, 2010);  // in blocks of 256
  for (const auto& [line, is_of] : {std::pair("t,reduce/a,G,1048576,i32,sum,2^8,time,ms,=,1,T1\n", true),
                                    {"t,reduce/a,G,2^20,i32,sum,256,time,ms,=,1,T1\n", true},
                                    {"t,reduce/a,G,,,,,time,ms,=,1,T1\n", true},
                                    {"t,reduce/a,G,1Mi,i32,sum,128,time,ms,=,1,T1\n", false},
                                    {"t,reduce/a,G,1Mi,i32,sum,any,time,ms,=,1,T1\n", false},
                                    {"t,reduce/a,G,1Mi,i32,sum,[256:512:256],time,ms,=,1,T1\n", false},
                                    {"t,reduce/a,G,1Mi,i33,sum,256,time,ms,=,1,T1\n", false},
                                    {"t,reduce/b,G,1Mi,i32,sum,256,time,ms,=,1,T1\n", false}})
    EXPECT_EQ(published(line).at(0).is_of(record), is_of) << line;
  Record without = record;
  without["parameters"] = Json::object();
  EXPECT_FALSE(published("t,reduce/a,G,1Mi,i32,sum,256,time,ms,=,1,T1\n").at(0).is_of(without))
      << "no such axis";
}

TEST(Published, TheSlidesNumbersAsPrinted) {
  std::vector<std::pair<std::string, std::string>> printed;
  for (const PublishedNumber& number : published_for("slides/table"))
    printed.emplace_back(number.variant, number.text());
  EXPECT_EQ(printed, (std::vector<std::pair<std::string, std::string>>{{"reduce/harris1", "5280"},
                                                                       {"reduce/harris2", "2520"},
                                                                       {"reduce/harris3", "1880"},
                                                                       {"reduce/harris4", "990"},
                                                                       {"reduce/harris5", "650"},
                                                                       {"reduce/cpu_openmp", "2340"}}));
  EXPECT_TRUE(published_for("quick").empty());
  EXPECT_TRUE(published_for("nobody/fig1").empty());
}

// The bug: a paper's counts stood in its file alone.
TEST(Published, ACountIsOfALaunchWhereItsLaunchIsGiven) {
  const std::vector<PublishedNumber> numbers =
      published("t,reduce/a,G,1Ki,f32,min,2,divergent_branches,%,=,0.56,T1\n", "launch");
  ASSERT_EQ(numbers.size(), 1u);
  EXPECT_EQ(numbers[0].part, PublishedPart::launch);
  EXPECT_EQ(numbers[0].launch, 2);
  EXPECT_EQ(numbers[0].text(), "0.56");
  EXPECT_EQ(published("t,reduce/a,G,1Ki,f32,min,,divergent_branches,%,=,0.56,T1\n", "launch")[0].part,
            PublishedPart::whole);
  EXPECT_TRUE(published("t,reduce/a,G,1Ki,f32,min,,transfers,transfers,=,3,T1\n", "level").empty());
  EXPECT_TRUE(published("t,reduce/a,G,1Ki,f32,min,2,time,ms,=,3,T1\n", "level").empty());
}

TEST(Published, ANumberIsNotOfATunedRecord) {
  Record record = record_of("reduce/a");
  const PublishedNumber number = published("t,reduce/a,G,1Ki,i32,sum,256,time,ms,=,1,T1\n").at(0);
  EXPECT_TRUE(number.is_of(record));
  record["tuned"] = true;
  EXPECT_FALSE(number.is_of(record)) << "though its parameters are the paper's";
}

}  // namespace
}  // namespace redbench
