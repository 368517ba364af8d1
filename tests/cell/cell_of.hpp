// A cell of host cases, with variants made by the test: each does one thing, right or wrong.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "src/cell/cell.hpp"
#include "src/error.hpp"
#include "src/inputs/problem.hpp"
#include "src/records/check.hpp"
#include "tests/fake_meter.hpp"

namespace redbench {

inline int runs = 0;  // of the variant under test

inline i32 sum_of(const Operands& x) {
  const i32* const values = static_cast<const i32*>(x.values);
  return std::accumulate(values, values + x.n, i32(0), [](i32 a, i32 b) { return i32(u32(a) + u32(b)); });
}

inline void right(Queue& queue, const Operands& x) {
  queue.on_host([&] { *static_cast<i32*>(x.result) = sum_of(x); });
}
inline void zero(Queue& queue, const Operands& x) {
  queue.on_host([&] { *static_cast<i32*>(x.result) = 0; });
}
inline void writes_input(Queue& queue, const Operands& x) {
  queue.on_host([&] {
    *static_cast<i32*>(x.result) = sum_of(x);
    static_cast<i32*>(const_cast<void*>(x.values))[x.n - 1] ^= 1;
  });
}
inline void fails(Queue& queue, const Operands&) {
  queue.on_host([] { throw DeviceError("the device said no"); });
}

/// An operator's reduction in order without the values first, ..., end - 1, n where negative from the end.
template <class Op, Index first, Index end>
void skips(Queue& queue, const Operands& x) {
  using T = typename Op::Value;
  queue.chain(x.n);
  queue.on_host([&] {
    const auto at = [&](Index i) { return i < 0 ? x.n + i : i; };
    T all = Op::identity();
    for (Index i = 0; i < x.n; ++i)
      if (i < at(first) || i >= (end == 0 ? x.n : at(end)))
        all = Op()(all, static_cast<const T*>(x.values)[i]);
    *static_cast<T*>(x.result) = all;
  });
}
using Algorithm = void (*)(Queue&, const Operands&);

/// A cell of host cases, and what comes of it.
class CellOf {
 public:
  explicit CellOf(const std::vector<Algorithm>& runs_of_cases, Index n = 1000, Operator op = Operator::sum,
                  Type type = Type::i32)
      : host_(make_host()), runs_(runs_of_cases) {
    cell_.problem = find_problem("reduce");
    cell_.input = {type, op, n, Json{{"values", "uniform"}}, 1, cell_.problem->pair(type, op)};
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      variants_.push_back(Variant{"reduce/case" + std::to_string(i), "reduce", {}, "", "hash", {}});
      instances_.push_back({type, op, runs_[i], {}});
    }
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      variants_[i].instances[std::size_t(Target::host)] = {instances_[i]};
      Case one{&variants_[i],  "host", cell_.input, {},
               &instances_[i], {},     {},          cell_.problem->sizes(cell_.input)};
      CaseQueue queue(*host_, one.parameters, one.footprint);
      Operands operands;
      operands.n = n;
      runs_[i](queue, operands);
      cell_.cases.push_back(one);
    }
    options_.measure.min_samples = 6;
    options_.measure.max_samples = 8;
    options_.measure.timeout_s = 1e6;  // on a slow machine, too, samples end by their number
  }

  std::vector<Record> records() {
    runs = 0;
    std::vector<Record> records;
    Meters meters({*host_, *host_});
    FakeTime time;
    meters.host.use(std::make_unique<FakeStopwatch>(time, 1000));
    run_cell(cell_, meters, options_,
             {[](const Case&) {}, [] {},
              [&](Record record) {
                EXPECT_EQ(mistake_in(record), "");
                records.push_back(std::move(record));
              }});
    std::sort(records.begin(), records.end(),
              [](const Record& a, const Record& b) { return a["key"] < b["key"]; });
    return records;
  }
  Record only() {
    const std::vector<Record> all = records();
    EXPECT_EQ(all.size(), 1u);
    return all.at(0);
  }

  CellOptions options_;
  Cell cell_;

 private:
  std::unique_ptr<Device> host_;
  std::vector<Algorithm> runs_;
  std::vector<Variant> variants_;
  std::vector<Instance> instances_;
};

}  // namespace redbench
