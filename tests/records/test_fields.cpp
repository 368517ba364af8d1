// The rows of a record's fields: what is generated from them.
#include "src/records/columns.hpp"
#include "src/records/fields.hpp"
#include "src/registry.hpp"

#include <gmock/gmock.h>

#include <set>

#include "src/records/field_docs.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

TEST(Fields, AParameterIsCalledAsNoOtherColumn) {
  check_parameters(variants());
  const auto with = [](std::string_view name) {
    Variant variant = *find_variant("segreduce/matrix");
    variant.card.parameters = {{{.name = name, .fallback = 1, .minimum = 1, .maximum = 2}}};
    return std::vector{variant};
  };
  for (const char* taken : {"n", "type", "segments", "mode", "variant", "time_ns"})
    EXPECT_EQ(usage_error([&] { check_parameters(with(taken)); }),
              std::string("kernels/segreduce/matrix.cu: card.parameters: `") + taken +
                  "` is the name of an axis, or of a field of records");
  check_parameters(with("labels"));  // an axis of another problem
}

TEST(Fields, AParameterIsThereOnceAndTakesItsFallback) {
  Variant variant = *find_variant("segreduce/matrix");
  const Parameter block{.name = "block", .fallback = 64, .minimum = 32, .maximum = 64};
  for (const auto& [parameters, message] :
       {std::pair(std::vector{block, block}, "`block` is there twice"),
        {{{.name = "block", .fallback = 2048, .minimum = 32, .maximum = 1024}},
         "`block` is 2048 where nobody sets it, and takes 32 to 1024"}}) {
    variant.card.parameters = {};
    std::ranges::copy(parameters, variant.card.parameters.begin());
    EXPECT_THAT(usage_error([&] { check_parameters({variant}); }), testing::HasSubstr(message));
  }
}

TEST(Fields, EachNameOnceWithAMeaning) {
  for (const std::vector<Field>* fields : {&case_fields(), &launch_fields(), &counter_fields()}) {
    std::set<std::string> names;
    for (const Field& field : *fields) {
      EXPECT_TRUE(names.insert(field.name).second) << field.name;
      EXPECT_FALSE(field.meaning.empty()) << field.name;
      EXPECT_EQ(field.meaning.find('|'), std::string::npos) << field.name;
      EXPECT_GT(field.scale, 0) << field.name;
    }
  }
  const std::vector<std::string> columns = column_names();
  EXPECT_EQ(std::set<std::string>(columns.begin(), columns.end()).size(), columns.size())
      << "fields and counters are columns of one table";
}

TEST(Fields, PageAndSchemaAreGeneratedFromThem) {
  EXPECT_NE(text_in(REDBENCH_SOURCE_DIR "/docs/reference/records.md").find("\n" + fields_markdown()),
            std::string::npos)
      << "docs/reference/records.md: replace its tables by what `redbench fields` prints";
  EXPECT_EQ(text_in(REDBENCH_SOURCE_DIR "/results/record.schema.json"), record_schema_json().dump(1) + "\n")
      << "run: redbench fields --schema > results/record.schema.json";
}

}  // namespace
}  // namespace redbench
