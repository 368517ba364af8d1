#include "src/reference/exact_answer.hpp"

#include <algorithm>
#include <cstring>

#include "src/parallel.hpp"

namespace redbench {
namespace {

constexpr Index block_size = Index(1) << 18;
constexpr double most_kept_bytes = double(Index(256) << 20);
constexpr std::size_t most_right_bytes = std::size_t(512) << 20;

template <class Word>
bool has_ones(const HostBuffer& exact) {
  const Word* const words = exact.as<Word>();
  const Index count = Index(exact.bytes / sizeof(Word));
  bool found = false;
#pragma omp parallel for simd reduction(| : found) if (exact.bytes > 65536) num_threads(thread_count())
  for (Index i = 0; i < count; ++i) found |= words[i] == Word(~Word(0));
  return found;
}

}  // namespace

ExactAnswer::ExactAnswer(const Pair& pair, std::unique_ptr<Reference> reference)
    : pair_(pair), reference_(std::move(reference)) {}

bool ExactAnswer::is_kept(const Expected& block) const {
  const double bytes =
      double(pair_.result->components) * (sizeof(std::pair<double, double>) + sizeof(double)) + sizeof(Index);
  return block.wide.empty() || double(reference_->results()) * bytes <= most_kept_bytes;
}

bool ExactAnswer::is_kept() const { return Index(kept_.size()) * block_size >= reference_->results(); }

const ExactAnswer::Right* ExactAnswer::found_right(const void* results, Index chain) const {
  const auto same = [&](const Right& right) {
    return right.chain == chain && equal_bytes(right.results.data.get(), results, right.results.bytes);
  };
  const auto found = std::find_if(right_.begin(), right_.end(), same);
  return found == right_.end() ? nullptr : &*found;
}

void ExactAnswer::remember_right(const void* results, Index chain, double error, double bound) {
  const std::size_t bytes = std::size_t(reference_->results()) * pair_.result->bytes;
  if (is_kept() || bytes > most_right_bytes) return;
  if ((right_.size() + 1) * bytes > most_right_bytes) right_.erase(right_.begin());
  Right right{.results = HostBuffer(bytes), .chain = chain, .error = error, .bound = bound};
  std::memcpy(right.results.data.get(), results, bytes);
  right_.push_back(std::move(right));
}

void ExactAnswer::each_block(const std::function<bool(Index first, const Expected&)>& visit) {
  const Index results = reference_->results();
  for (Index first = 0, number = 0; first < results; first += block_size, ++number) {
    if (number < Index(kept_.size())) {
      if (!visit(first, kept_[std::size_t(number)])) return;
      continue;
    }
    // The reference continues behind the last block that is kept, or starts again.
    Expected block = reference_->block(first, std::min(block_size, results - first));
    const bool wanted = visit(first, block);
    if (is_kept(block)) kept_.push_back(std::move(block));
    if (!wanted) return;
  }
}

bool ExactAnswer::has_all_ones() {
  if (has_all_ones_) return *has_all_ones_;
  const std::size_t component = pair_.result->component_bytes;
  const auto search = component == 1   ? has_ones<u8>
                      : component == 2 ? has_ones<std::uint16_t>
                                       : has_ones<u32>;
  bool found = false;
  each_block([&](Index, const Expected& block) {
    found = search(block.exact);
    return !found && block.wide.empty();
  });
  has_all_ones_ = found;
  return found;
}

}  // namespace redbench
