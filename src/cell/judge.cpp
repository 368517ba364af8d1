#include "src/cell/judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <utility>

#include "src/cell/counted.hpp"
#include "src/device/team.hpp"
#include "src/error.hpp"
#include "src/reference/planted.hpp"

namespace redbench {
namespace {

// Larger inputs are compared once for all cases: to copy them back after each would take longer than the
// case.
constexpr std::size_t small_inputs = std::size_t(16) << 20;

std::size_t largest_scratch(const std::vector<const Case*>& cases) {
  std::size_t largest = 0;
  for (const Case* case_ : cases)
    largest = std::max(largest, GuardedMemory::room_for(case_->footprint.scratch));
  return largest;
}

std::vector<std::string> scratch_names(const Case& case_) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::max<std::size_t>(1, case_.footprint.scratch.size()); ++i)
    names.push_back(fmt::format("scratch {}", i));
  return names;
}

}  // namespace

Judge::Judge(const CasesOnDevice& on, Lost lost)
    : on_(on),
      lost_(std::move(lost)),
      pages_(on.cases[0]->variant->card.pages),
      buffers_(on.device, on.inputs, on.cases[0]->sizes.result, pages_),
      scratch_(on.device, largest_scratch(on.cases), pages_),
      inputs_are_small_(buffers_.input_bytes() <= small_inputs) {}

std::string Judge::wrong_pages() {
  if (pages_ == Pages::any) return {};
  const std::string why = buffers_.wrong_pages();
  scratch_.cut({}, 0);
  return why.empty() ? scratch_.wrong_pages() : why;
}

std::vector<Judgement> Judge::before_timing() {
  std::vector<Judgement> judgements;
  for (const Case* case_ : on_.cases) judgements.push_back(judge_first(*case_, inputs_are_small_));
  if (!inputs_are_small_) blame_for_written_inputs(judgements);
  if (on_.options.timing && on_.options.other_values) judge_other_values(judgements);
  return judgements;
}

Judgement Judge::poisoned_sample(const Case& case_,
                                 const std::function<void(const std::function<void()>&)>& sample) {
  return judge(case_, on_.answer, 1, false, [&](Judgement&) {
    scratch_.guard(case_.footprint.scratch);
    sample([&] { buffers_.poison_result(result_poison(on_.answer, 1)); });
  });
}

Judgement Judge::after_timing(const Case& case_) {
  return judge_plainly(case_, on_.answer, 1, inputs_are_small_);
}

void Judge::execute_on(const Case& case_, const std::vector<void*>& scratch, const Operands& operands) {
  const RankScope alone(on_.device);
  CaseQueue queue(on_.device, case_.parameters, case_.footprint, scratch);
  case_.instance->run(queue, operands);
}

/// Executes the case and counts what it does, where that is asked for and the device can.
std::vector<LaunchCounters> Judge::execute_counted(const Case& case_, const std::vector<void*>& scratch) {
  const auto work = [&] { execute(case_, scratch); };
  if (on_.options.measure.counters && on_.device.profiler())
    return on_.device.profiler()->count(traced_warp(on_.options.measure), work);
  work();
  return {};
}

/// Compares what `run` leaves in a poisoned result with the exact answer; without `run`, what the sample
/// before has left. `run` cuts the scratch memory.
Judgement Judge::judge(const Case& case_, ExactAnswer& answer, int round, bool check_inputs,
                       const std::function<void(Judgement&)>& run) {
  Judgement judgement;
  try {
    if (run) {
      const unsigned char poison = result_poison(answer, round);
      on_.events.running(case_);
      buffers_.poison_result(poison);
      run(judgement);
      on_.device.finish();
    }
    const HostBuffer& result = buffers_.download_result();
    std::string damage = buffers_.damage();
    if (run && damage.empty()) damage = scratch_.damage(scratch_names(case_));
    on_.events.alive();
    judgement.check = check_result(*case_.input.pair, answer, result.data.get(), case_.footprint.chain);
    if (damage.empty() && check_inputs && !buffers_.inputs_intact()) damage = "writes its inputs";
    if (!damage.empty()) buffers_.restore();
    judgement.reason = damage.empty() ? judgement.check.what : damage;
    if (!damage.empty() || !judgement.check.right) judgement.outcome = Outcome::wrong;
  } catch (const DeviceError& error) {
    judgement = {.outcome = Outcome::failed, .reason = error.what()};
    recover(case_, judgement);
  }
  return judgement;
}

Judgement Judge::judge_first(const Case& case_, bool check_inputs) {
  return judge(case_, on_.answer, 0, check_inputs, [&](Judgement& judgement) {
    judgement.counters =
        execute_counted(case_, scratch_.cut(case_.footprint.scratch, scratch_poison(*case_.input.pair, 0)));
    judgement.trace = trace_of(on_.options.measure, case_, judgement.counters);
  });
}

Judgement Judge::judge_plainly(const Case& case_, ExactAnswer& answer, int round, bool check_inputs) {
  return judge(case_, answer, round, check_inputs, [&](Judgement&) {
    execute(case_, scratch_.cut(case_.footprint.scratch, scratch_poison(*case_.input.pair, round)));
  });
}

void Judge::recover(const Case& case_, const Judgement& judgement) {
  try {
    on_.device.finish();
    buffers_.restore();
  } catch (const DeviceError& error) {
    lost_(case_, judgement);
    throw;
  }
  on_.events.alive();
}

/// Compares the inputs once for all cases; only where they were written are the cases run one by one.
void Judge::blame_for_written_inputs(std::vector<Judgement>& judgements) {
  if (buffers_.inputs_intact()) return;
  buffers_.restore();
  for (std::size_t i = 0; i < on_.cases.size(); ++i)
    if (judgements[i].outcome == Outcome::passed || judgements[i].outcome == Outcome::wrong)
      judgements[i] = judge_first(*on_.cases[i], true);
}

/// Validates on other values of the same n, where the cell's own may hide an error: a rounded sum can lack a
/// value and stay within its error bound, and min, max, product and `right` depend on few of many values.
void Judge::judge_other_values(std::vector<Judgement>& judgements) {
  const bool adds = traits_of(on_.cell.input.op).arithmetic == Arithmetic::addition;
  if (adds && on_.cases[0]->sizes.rounded_terms > 0) judge_on_exact(judgements);
  else if (hides_values(on_.cell.input)) judge_planted(judgements);
}

void Judge::judge_on_exact(std::vector<Judgement>& judgements) {
  InputSpec exact = on_.cell.input;
  exact.axes["values"] = "exact";
  with_values(on_.cell.problem->make(exact).values,
              [&] { judge_again(exact, "on exact values", judgements); });
}

/// Plants one value among identities, at one place after the other. `right` gets a second value just before
/// it, so that its result shows a wrong order.
void Judge::judge_planted(std::vector<Judgement>& judgements) {
  const Pair& pair = *on_.cell.input.pair;
  InputSpec planted = on_.cell.input;
  planted.axes["values"] = "uniform";  // values of a file may round
  const std::size_t element = pair.value->bytes;
  const HostBuffer value = planted_value(pair, on_.cell.input.seed), identity = identities(pair, element);
  const HostBuffer before = other_planted_value(pair, on_.cell.input.seed, value);
  // The fewest and the most blocks among which a first launch shares the values out.
  std::set<Index> blocks;
  for (const Case* case_ : on_.cases)
    if (!case_->footprint.launches.empty() && case_->footprint.launches[0].grid.blocks > 1)
      blocks.insert(case_->footprint.launches[0].grid.blocks);
  std::vector<Index> shares;
  if (!blocks.empty()) shares = {*blocks.begin(), *blocks.rbegin()};
  const auto put = [&](Index place, const HostBuffer& planted_there) {
    std::memcpy(on_.inputs.values.data.get() + std::size_t(place) * element, planted_there.data.get(),
                element);
    buffers_.restore_values(std::size_t(place) * element, element);
  };
  with_values(identities(pair, on_.inputs.values.bytes), [&] {
    for (const Index place :
         planting_places(Index(on_.inputs.values.bytes / element), on_.cell.input.seed, shares)) {
      const bool ordered = traits_of(pair.op).selects == Selects::by_place && place > 0;
      put(place, value);
      if (ordered) put(place - 1, before);
      judge_again(planted,
                  fmt::format("with {}{} as value {} among identities",
                              ordered ? pair.value->text(before.data.get()) + " before " : "",
                              pair.value->text(value.data.get()), place),
                  judgements);
      put(place, identity);
      if (ordered) put(place - 1, identity);
    }
  });
}

/// Calls `work` while the cell has other values.
void Judge::with_values(HostBuffer values, const std::function<void()>& work) {
  std::swap(on_.inputs.values, values);
  buffers_.restore();
  work();
  std::swap(on_.inputs.values, values);
  buffers_.restore();
  on_.events.alive();
}

/// Judges the cases that have passed so far on the inputs as they are now.
void Judge::judge_again(const InputSpec& input, const std::string& what, std::vector<Judgement>& judgements) {
  ExactAnswer answer(*input.pair, on_.cell.problem->reference(input, on_.inputs));
  on_.events.alive();
  for (std::size_t i = 0; i < on_.cases.size(); ++i) {
    if (judgements[i].outcome != Outcome::passed) continue;
    const Judgement again = judge_plainly(*on_.cases[i], answer, 0, false);
    if (again.outcome != Outcome::passed)
      judgements[i] = {.outcome = again.outcome, .reason = what + ": " + again.reason};
  }
}

}  // namespace redbench
