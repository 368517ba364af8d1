// Whether the cases of a cell that run on one device are right: each is run on shared buffers, and its result
// compared with the exact answer.
#pragma once

#include "src/cell/buffers.hpp"
#include "src/cell/cell.hpp"
#include "src/cell/validate.hpp"

namespace redbench {

struct Judgement {
  Outcome outcome = Outcome::passed;
  std::string reason = {};
  Check check = {};
  std::vector<LaunchCounters> counters = {};  // by launch; empty where nothing was counted
  Json trace = {};                            // the record's field; null where nothing was traced
};

/// The cases of a cell that run on one device and in one kind of pages. A case's place in `cases` is not its
/// Case::number, which counts all cases of the cell.
struct CasesOnDevice {
  const Cell& cell;
  Device& device;
  const std::vector<const Case*>& cases;
  Inputs& inputs;
  ExactAnswer& answer;
  const CellOptions& options;
  const CellEvents& events;
};

class Judge {
 public:
  /// Called with the case that lost the device (CUDA's sticky errors) before DeviceError is thrown.
  using Lost = std::function<void(const Case&, const Judgement&)>;

  Judge(const CasesOnDevice& on, Lost lost);

  CellBuffers& buffers() { return buffers_; }
  /// Why the cell's memory is not in the pages that the cards of its cases ask for, the same for all; empty
  /// where it is.
  std::string wrong_pages();
  /// Where the case's scratch memory is; touches nothing.
  std::vector<void*> scratch_of(const Case& case_) const { return scratch_.places(case_.footprint.scratch); }

  void execute(const Case& case_, const std::vector<void*>& scratch) {
    execute_on(case_, scratch, buffers_.operands());
  }
  void execute_on(const Case& case_, const std::vector<void*>& scratch, const Operands& operands);

  /// A judgement of each case, before any is timed.
  std::vector<Judgement> before_timing();
  /// Judges the result that the last sample has left.
  Judgement last_sample(const Case& case_) { return judge(case_, on_.answer, 1, false, {}); }
  /// Judges the result of one more sample, which does not count, on a poisoned result and the scratch memory
  /// that the sample before left: a variant that does not write its result in every run would otherwise pass
  /// with the result of an earlier one. `sample` takes a sample of the case, whose result is poisoned before.
  /// In mode warm it calls its argument after the run that warms the caches, to poison the result again.
  Judgement poisoned_sample(const Case& case_,
                            const std::function<void(const std::function<void()>&)>& sample);
  /// Judges one more run, with other poison in the scratch memory than before timing.
  Judgement after_timing(const Case& case_);

  /// Makes the buffers anew after an error. A device that is lost fails every later call: then the case is
  /// reported, and DeviceError thrown.
  void recover(const Case& case_, const Judgement& judgement);

 private:
  Judgement judge(const Case& case_, ExactAnswer& answer, int round, bool check_inputs,
                  const std::function<void(Judgement&)>& run);
  Judgement judge_first(const Case& case_, bool check_inputs);
  Judgement judge_plainly(const Case& case_, ExactAnswer& answer, int round, bool check_inputs);
  std::vector<LaunchCounters> execute_counted(const Case& case_, const std::vector<void*>& scratch);
  void blame_for_written_inputs(std::vector<Judgement>& judgements);
  void judge_other_values(std::vector<Judgement>& judgements);
  void judge_on_exact(std::vector<Judgement>& judgements);
  void judge_planted(std::vector<Judgement>& judgements);
  void judge_again(const InputSpec& input, const std::string& what, std::vector<Judgement>& judgements);
  void with_values(HostBuffer values, const std::function<void()>& work);

  const CasesOnDevice on_;
  Lost lost_;
  const Pages pages_;
  CellBuffers buffers_;
  GuardedMemory scratch_;
  const bool inputs_are_small_;
};

}  // namespace redbench
