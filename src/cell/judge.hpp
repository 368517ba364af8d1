// Whether the cases of a cell that run on one device are right: each is run on shared buffers and held
// against the exact answer.
#pragma once

#include "src/cell/buffers.hpp"
#include "src/cell/cell.hpp"
#include "src/cell/validate.hpp"

namespace redbench {

struct Judgement {
  Outcome outcome = Outcome::passed;
  std::string reason;
  Check check;
  std::vector<LaunchCounters> counters;  // by launch; empty where nothing was counted
  Json trace;                            // of the record; null without
};

class Judge {
 public:
  /// `lost` is called of a case after which the device fails every later call, before that is thrown on.
  using Lost = std::function<void(const Case&, const Judgement&)>;

  Judge(const Cell& cell, Device& device, const std::vector<const Case*>& cases, Inputs& inputs,
        ExactAnswer& answer, const CellOptions& options, const CellEvents& events, Lost lost);

  CellBuffers& buffers() { return buffers_; }
  /// Why the cell's memory is not in the pages that the cases' cards ask for, all of them for the same; empty
  /// where it is. To be asked first, as it fills the scratch memory.
  std::string wrong_pages();
  /// Where the case's scratch memory is; touches nothing.
  std::vector<void*> scratch_of(const Case& one) const;

  void execute(const Case& one, const std::vector<void*>& scratch);
  void execute_on(const Case& one, const std::vector<void*>& scratch, const Operands& operands);

  /// Of each case, before time is taken.
  std::vector<Judgement> before_timing();
  /// What the last sample has left.
  Judgement last_sample(const Case& one);
  /// One more sample, which does not count, on the scratch memory that the one before left: a result that is
  /// not written in every sample does not show in what the last one left. `sample` is given what poisons the
  /// result.
  Judgement poisoned_sample(const Case& one, const std::function<void(const std::function<void()>&)>& sample);
  Judgement after_timing(const Case& one);

  /// After an error: a device that is lost (CUDA's sticky errors) fails every later call, so the case's
  /// records are written before the cell is given up.
  void survive_or_leave(const Case& one, const Judgement& verdict);

 private:
  bool inputs_are_small() const;
  Judgement judge(const Case& one, ExactAnswer& answer, bool check_inputs,
                  const std::function<void(Judgement&)>& run);
  Judgement judge_first(const Case& one, bool check_inputs);
  Judgement judge_plainly(const Case& one, ExactAnswer& answer, int round, bool check_inputs);
  std::vector<LaunchCounters> execute_counted(const Case& one, const std::vector<void*>& scratch);
  std::vector<void*> poisoned_scratch(const Case& one, int round);
  void blame_for_written_inputs(std::vector<Judgement>& verdicts);
  void judge_other_values(std::vector<Judgement>& verdicts);
  void judge_on_exact(std::vector<Judgement>& verdicts);
  void judge_planted(std::vector<Judgement>& verdicts);
  void judge_again(const InputSpec& input, const std::string& what, std::vector<Judgement>& verdicts);
  void with_values(HostBuffer values, const std::function<void()>& work);

  const Cell& cell_;
  Device& device_;
  const std::vector<const Case*>& cases_;
  Inputs& inputs_;
  ExactAnswer& answer_;
  const CellOptions& options_;
  const CellEvents& events_;
  Lost lost_;
  const Pages pages_;
  CellBuffers buffers_;
  GuardedMemory scratch_;
};

}  // namespace redbench
