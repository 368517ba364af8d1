#include "src/simt/thread_shadow.hpp"

#include <bit>

namespace redbench::simt {
namespace {

constexpr std::size_t most_kept_pages = 8192;  // of a block's shadow, for the next: 120 MB

}  // namespace

/// Words of an earlier block need no reset: they are of an earlier phase.
void ThreadShadow::start_block() {
  if (words_.pages() > most_kept_pages) words_.clear();
}

template <class Visit>
std::optional<ThreadShadow::Earlier> ThreadShadow::visit(const Access& access, std::size_t place,
                                                         Visit visit) {
  const auto refresh = [this](ShadowWord& word) {
    // What was done in an earlier phase is ordered before all of this one.
    if (word.phase == clocks_.phase()) return;
    word = {};
    word.phase = clocks_.phase();
  };
  const auto copied = [this](const ShadowWord& whole) {
    ShadowWord word = whole;
    word.reads = copy(whole.reads);
    word.atomics = copy(whole.atomics);
    return word;
  };
  return words_.visit(place, access.bytes, refresh, copied, visit);
}

std::optional<ThreadShadow::Earlier> ThreadShadow::enter(unsigned thread, const Access& access,
                                                         std::size_t place) {
  const Epoch own{clocks_.clock_of(thread), std::uint16_t(thread), CodeSite(access.where)};
  const bool as_atomic = access.relaxed && access.kind == AccessKind::write;
  const AccessKind kind = as_atomic ? AccessKind::atomic : access.kind;
  return visit(access, place, [&](ShadowWord& word) { return enter(word, kind, own); });
}

std::optional<ThreadShadow::Earlier> ThreadShadow::writer_before(unsigned thread, const Access& access,
                                                                 std::size_t place) {
  return visit(access, place,
               [&](ShadowWord& word) { return racing(word.write, AccessKind::write, thread); });
}

std::optional<ThreadShadow::Earlier> ThreadShadow::enter(ShadowWord& word, AccessKind kind, Epoch own) {
  if (const auto earlier = racing(word.write, AccessKind::write, own.thread)) return earlier;
  if (kind != AccessKind::read)
    if (const auto earlier = racing(word.reads, AccessKind::read, own.thread)) return earlier;
  if (kind != AccessKind::atomic)
    if (const auto earlier = racing(word.atomics, AccessKind::atomic, own.thread)) return earlier;
  switch (kind) {
    case AccessKind::read:
      add(word.reads, own);
      break;
    case AccessKind::atomic:
      add(word.atomics, own);
      break;
    case AccessKind::write:
      word.write = own;
      for (Epochs* const earlier : {&word.reads, &word.atomics}) {
        earlier->only = {};
        if (earlier->many) many_[earlier->many - 1]->warps = 0;  // kept for those to come
      }
      break;
  }
  return std::nullopt;
}

std::optional<ThreadShadow::Earlier> ThreadShadow::racing(Epoch earlier, AccessKind kind, unsigned thread) {
  if (!earlier.clock || clocks_.knows(thread, earlier.thread, earlier.clock)) return std::nullopt;
  return Earlier{kind, earlier.thread, earlier.clock, earlier.site.where()};
}

std::optional<ThreadShadow::Earlier> ThreadShadow::racing(const Epochs& earlier, AccessKind kind,
                                                          unsigned thread) {
  if (!earlier.many) return racing(earlier.only, kind, thread);
  const ThreadEpochs& many = *many_[earlier.many - 1];
  for (unsigned warps = many.warps; warps; warps &= warps - 1) {
    const unsigned warp = unsigned(std::countr_zero(warps));
    for (unsigned lanes = many.lanes[warp]; lanes; lanes &= lanes - 1) {
      const unsigned other = warp * warp_lanes + unsigned(std::countr_zero(lanes));
      const auto& [clock, site] = many.of[other];
      if (const auto found = racing(Epoch{clock, std::uint16_t(other), site}, kind, thread)) return found;
    }
  }
  return std::nullopt;
}

void ThreadShadow::add(Epochs& epochs, Epoch epoch) {
  const bool is_full = many_phase_ == clocks_.phase() && many_used_ == most_many_;
  if (!epochs.many && (!epochs.only.clock || epochs.only.thread == epoch.thread || is_full)) {
    epochs.only = epoch;
    return;
  }
  const auto put = [](ThreadEpochs& many, Epoch last) {
    const unsigned warp = last.thread / warp_lanes;
    if (!(many.warps >> warp & 1)) many.lanes[warp] = 0;
    many.warps |= 1u << warp;
    many.lanes[warp] |= 1u << last.thread % warp_lanes;
    many.of[last.thread] = {last.clock, last.site};
  };
  if (!epochs.many) {
    ThreadEpochs& many = new_many(epochs);
    many.warps = 0;
    put(many, epochs.only);
  }
  put(*many_[epochs.many - 1], epoch);
}

/// Reuses those of earlier phases.
ThreadShadow::ThreadEpochs& ThreadShadow::new_many(Epochs& epochs) {
  if (many_phase_ != clocks_.phase()) many_used_ = 0;
  many_phase_ = clocks_.phase();
  if (many_used_ == many_.size()) many_.push_back(std::make_unique_for_overwrite<ThreadEpochs>());
  epochs.many = ++many_used_;
  return *many_[epochs.many - 1];
}

ThreadShadow::Epochs ThreadShadow::copy(const Epochs& epochs) {
  Epochs result = epochs;
  if (epochs.many) {  // rare: a word that is then accessed in part
    ThreadEpochs& many = new_many(result);
    many = *many_[epochs.many - 1];
  }
  return result;
}

}  // namespace redbench::simt
