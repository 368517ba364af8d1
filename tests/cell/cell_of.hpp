// A cell whose cases a test makes, each right or wrong in one way, and what run_cell makes of it.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "src/cell/cell.hpp"
#include "src/error.hpp"
#include "src/inputs/problem.hpp"
#include "src/records/check.hpp"
#include "tests/fake_meter.hpp"

namespace redbench {

inline int runs = 0;  // of the variants under test, since the last call of CellOf::records

inline i32 sum_of(const Operands& x) {
  const u32* const values = static_cast<const u32*>(x.values);
  return i32(std::accumulate(values, values + x.n, u32(0)));
}

inline void right(Queue& queue, const Operands& x) {
  queue.on_host([&] {
    ++runs;
    *static_cast<i32*>(x.result) = sum_of(x);
  });
}
inline void zero(Queue& queue, const Operands& x) {
  queue.on_host([&] { *static_cast<i32*>(x.result) = 0; });
}
inline void writes_input(Queue& queue, const Operands& x) {
  right(queue, x);
  queue.on_host([&] { static_cast<i32*>(const_cast<void*>(x.values))[x.n - 1] ^= 1; });
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

/// Cases reduce/case0, reduce/case1, ... of one input, timed by a clock on which each run takes 1000 ns.
class CellOf {
 public:
  explicit CellOf(const std::vector<Algorithm>& algorithms, Index n = 1000, Operator op = Operator::sum,
                  Type type = Type::i32)
      : CellOf(nullptr, algorithms, n, op, type) {}
  /// On this device, with this card.
  CellOf(Device* device, const std::vector<Algorithm>& algorithms, Index n = 1000,
         Operator op = Operator::sum, Type type = Type::i32, const Card& card = {})
      : device_(device ? *device : *host_), variants_(algorithms.size()) {
    cell_.problem = find_problem("reduce");
    cell_.input = {type, op, n, Json{{"values", "uniform"}}, 1, cell_.problem->pair(type, op)};
    for (const Algorithm algorithm : algorithms) instances_.push_back({type, op, algorithm, {}});
    Operands operands;
    operands.n = n;
    for (std::size_t i = 0; i < algorithms.size(); ++i) {
      variants_[i].name = "reduce/case" + std::to_string(i);
      variants_[i].problem = "reduce";
      variants_[i].code_hash = "hash";
      variants_[i].card = card;
      variants_[i].instances[std::size_t(device_.target())] = {instances_[i]};
      Case& case_ = cell_.cases.emplace_back();
      case_.number = i;
      case_.variant = &variants_[i];
      case_.device = device_.name();
      case_.input = cell_.input;
      case_.instance = &instances_[i];
      case_.sizes = cell_.problem->sizes(cell_.input);
      CaseQueue queue(device_, case_.parameters, case_.footprint);
      algorithms[i](queue, operands);
    }
    options_.measure.min_samples = 6;
    options_.measure.max_samples = 8;
    options_.measure.timeout_s = 1e6;  // on a slow machine, too, samples end by their number
    use<FakeStopwatch>(1000);
  }

  template <class Clock, class... Arguments>
  void use(Arguments&&... arguments) {
    for (Meter* meter : {&meters_.kernels, &meters_.host})
      meter->use(std::make_unique<Clock>(time_, arguments...));
  }

  /// By variant and mode; each record is one that redbench reads.
  std::vector<Record> records() {
    runs = 0;
    signs_.clear();
    std::vector<Record> records;
    run_cell(
        cell_, meters_, options_,
        {[&](const Case& case_) { sign('x', "runs: " + case_.variant->name); }, [&] { sign('i', "idle"); },
         [&](const Case& case_, Mode mode, Record record) {
           EXPECT_EQ(why_not_a_record(record), "");
           EXPECT_EQ(record["key"], case_.key());
           EXPECT_EQ(record["mode"], mode_names[std::size_t(mode)]);
           sign('r', fmt::format("{} {} {}: {}", record["variant"].get<std::string>(),
                                 record["mode"].get<std::string>(), record["outcome"].get<std::string>(),
                                 record["reason"].dump()));
           records.push_back(std::move(record));
         }});
    std::ranges::stable_sort(records, {}, [](const Record& record) { return record["key"]; });
    return records;
  }
  Record only() {
    const std::vector<Record> all = records();
    EXPECT_EQ(all.size(), 1u);
    return all.at(0);
  }
  /// "passed", or the outcome and its reason, of each record.
  std::vector<std::string> outcomes() {
    std::vector<std::string> all;
    for (const Record& record : records())
      all.push_back(record["outcome"].get<std::string>() +
                    (record["reason"].is_null() ? "" : ": " + record["reason"].get<std::string>()));
    return all;
  }

  CellOptions options_;
  Cell cell_;
  FakeTime time_;
  std::string signs_;  // x as a case begins to execute, i as none does, r with its record
  std::function<void(const std::string&)> heard_ = [](const std::string&) {};  // the signs in words

 private:
  void sign(char letter, const std::string& words) {
    signs_ += letter;
    heard_(words);
  }

  const std::unique_ptr<Device> host_ = make_host();
  Device& device_;
  std::vector<Variant> variants_;
  std::vector<Instance> instances_;

 public:
  Meters meters_{{device_, device_}};
};

}  // namespace redbench
