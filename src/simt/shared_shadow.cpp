#include "src/simt/shared_shadow.hpp"

#include <algorithm>
#include <bit>

#include "kernels/rounding.hpp"

namespace redbench::simt {
namespace {

/// Code of the program lies within 2 GiB of itself.
const char code_anchor = 0;
std::int32_t site_of(const void* where) {
  return std::int32_t(reinterpret_cast<std::intptr_t>(where) - reinterpret_cast<std::intptr_t>(&code_anchor));
}
const void* where_of(std::int32_t site) {
  return reinterpret_cast<const void*>(reinterpret_cast<std::intptr_t>(&code_anchor) + site);
}

}  // namespace

void SharedShadow::start_block(std::size_t bytes) {
  words_.resize(ceil_div(bytes, word_bytes));
  written_.assign(bytes, 0);
}

bool SharedShadow::is_written(std::size_t offset, std::size_t bytes) const {
  return std::all_of(&written_[offset], &written_[offset] + bytes,
                     [](std::uint8_t byte) { return byte != 0; });
}

void SharedShadow::set_written(std::size_t offset, std::size_t bytes) {
  std::fill_n(&written_[offset], bytes, 1);
}

/// What was done in an earlier phase is ordered before all of this one.
void SharedShadow::refresh(ShadowWord& word) {
  if (word.phase == clocks_.phase()) return;
  word = {};
  word.phase = clocks_.phase();
}

std::optional<SharedShadow::Earlier> SharedShadow::enter(unsigned thread, const Access& access,
                                                         std::size_t offset) {
  const std::int32_t site = site_of(access.where);
  const AccessKind kind = access.relaxed ? AccessKind::atomic : access.kind;
  const std::size_t end = offset + access.bytes;
  for (std::size_t at = offset; at < end;) {
    const std::size_t word = at / word_bytes, word_end = std::min((word + 1) * word_bytes, end);
    refresh(words_[word]);
    if (word_end - at == word_bytes && !words_[word].in_bytes) {
      if (const auto earlier = enter(words_[word], thread, kind, site)) return earlier;
    } else {
      ShadowWord* const of_byte = bytes_of(word);
      for (std::size_t byte = at; byte < word_end; ++byte)
        if (const auto earlier = enter(of_byte[byte % word_bytes], thread, kind, site)) return earlier;
    }
    at = word_end;
  }
  return std::nullopt;
}

/// The shadows of a word's bytes. Those of a word that was accessed as a whole so far begin as copies of its
/// own.
SharedShadow::ShadowWord* SharedShadow::bytes_of(std::size_t word) {
  bytes_.resize(std::max(bytes_.size(), words_.size() * word_bytes));
  ShadowWord* const of_byte = &bytes_[word * word_bytes];
  ShadowWord& whole = words_[word];
  if (whole.in_bytes) return of_byte;
  for (std::size_t i = 0; i < word_bytes; ++i) {
    of_byte[i] = whole;
    of_byte[i].reads = copy(whole.reads);
    of_byte[i].atomics = copy(whole.atomics);
  }
  whole.in_bytes = true;
  return of_byte;
}

std::optional<SharedShadow::Earlier> SharedShadow::enter(ShadowWord& word, unsigned thread, AccessKind kind,
                                                         std::int32_t site) {
  if (const auto earlier = racing(word.write, AccessKind::write, thread)) return earlier;
  if (kind != AccessKind::read)
    if (const auto earlier = racing(word.reads, AccessKind::read, thread)) return earlier;
  if (kind != AccessKind::atomic)
    if (const auto earlier = racing(word.atomics, AccessKind::atomic, thread)) return earlier;
  const Epoch own{clocks_.clock_of(thread), std::uint16_t(thread), site};
  switch (kind) {
    case AccessKind::read:
      add(word.reads, own);
      break;
    case AccessKind::atomic:
      add(word.atomics, own);
      break;
    case AccessKind::write:
      word.write = own;
      word.reads = word.atomics = {};
      break;
  }
  return std::nullopt;
}

std::optional<SharedShadow::Earlier> SharedShadow::racing(Epoch earlier, AccessKind kind, unsigned thread) {
  if (!earlier.clock || clocks_.knows(thread, earlier.thread, earlier.clock)) return std::nullopt;
  return Earlier{kind, earlier.thread, where_of(earlier.site)};
}

std::optional<SharedShadow::Earlier> SharedShadow::racing(const Epochs& earlier, AccessKind kind,
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

void SharedShadow::add(Epochs& epochs, Epoch epoch) {
  if (!epochs.many && (!epochs.only.clock || epochs.only.thread == epoch.thread)) {
    epochs.only = epoch;
    return;
  }
  const auto put = [](ThreadEpochs& many, Epoch one) {
    const unsigned warp = one.thread / warp_lanes;
    if (!(many.warps >> warp & 1)) many.lanes[warp] = 0;
    many.warps |= 1u << warp;
    many.lanes[warp] |= 1u << one.thread % warp_lanes;
    many.of[one.thread] = {one.clock, one.site};
  };
  if (!epochs.many) {
    ThreadEpochs& many = new_many(epochs);
    many.warps = 0;
    put(many, epochs.only);
  }
  put(*many_[epochs.many - 1], epoch);
}

/// Those of an earlier phase are used again.
SharedShadow::ThreadEpochs& SharedShadow::new_many(Epochs& epochs) {
  if (many_phase_ != clocks_.phase()) many_used_ = 0;
  many_phase_ = clocks_.phase();
  if (many_used_ == many_.size()) many_.push_back(std::make_unique_for_overwrite<ThreadEpochs>());
  epochs.many = ++many_used_;
  return *many_[epochs.many - 1];
}

SharedShadow::Epochs SharedShadow::copy(const Epochs& epochs) {
  Epochs result = epochs;
  if (epochs.many) {
    ThreadEpochs& many = new_many(result);
    many = *many_[epochs.many - 1];
  }
  return result;
}

}  // namespace redbench::simt
