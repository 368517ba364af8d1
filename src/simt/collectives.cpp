// Warp collectives: each lane stores its value; the last lane of a mask to arrive computes all results and
// resumes the others. Lanes that have ended count as arrived, without a value.

#include <fmt/format.h>

#include <algorithm>

#include "src/simt/switching.hpp"
#include "src/simt/watch.hpp"

namespace redbench::simt {
namespace {

/// The result of a shuffle from a lane outside the collective, which CUDA leaves undefined: no plausible
/// value.
constexpr std::uint64_t undefined_value = 0xa5a5a5a5a5a5a5a5;

/// The lane that a shuffle reads from, by PTX's shfl.sync with segments of `width` lanes.
int shuffle_source(WarpOp op, int lane, int argument, int width) {
  const int first = lane & ~(width - 1), last = first + width - 1;
  switch (op) {
    case WarpOp::shuffle:
      return first | (argument & (width - 1));
    case WarpOp::shuffle_up:
      return lane - argument >= first ? lane - argument : lane;
    case WarpOp::shuffle_down:
      return lane + argument <= last ? lane + argument : lane;
    default:
      return (lane ^ argument) <= last ? lane ^ argument : lane;
  }
}

struct Values {
  const std::uint64_t* of;  // by lane
  unsigned arrived;
};

template <class T, class Combine>
std::uint64_t fold(const Values& values, Combine combine) {
  T result = T(values.of[std::countr_zero(values.arrived)]);
  for_lanes(values.arrived & (values.arrived - 1),
            [&](int lane) { result = combine(result, T(values.of[lane])); });
  return std::uint32_t(result);
}

unsigned lanes_equal_to(const Values& values, std::uint64_t value) {
  unsigned equal = 0;
  for_lanes(values.arrived, [&](int lane) { equal |= unsigned(values.of[lane] == value) << lane; });
  return equal;
}

/// The result that is the same for all lanes.
std::uint64_t common_result(WarpOp op, const Values& values) {
  const auto smaller = [](auto a, auto b) { return std::min(a, b); };
  const auto larger = [](auto a, auto b) { return std::max(a, b); };
  switch (op) {
    case WarpOp::ballot:
      return values.arrived & ~lanes_equal_to(values, 0);
    case WarpOp::all:
      return lanes_equal_to(values, 0) == 0;
    case WarpOp::any:
      return lanes_equal_to(values, 0) != values.arrived;
    case WarpOp::match_all: {
      const unsigned equal = lanes_equal_to(values, values.of[std::countr_zero(values.arrived)]);
      return equal == values.arrived ? equal : 0;
    }
    case WarpOp::reduce_add:
      return fold<std::uint32_t>(values, std::plus<>());
    case WarpOp::reduce_and:
      return fold<std::uint32_t>(values, std::bit_and<>());
    case WarpOp::reduce_or:
      return fold<std::uint32_t>(values, std::bit_or<>());
    case WarpOp::reduce_xor:
      return fold<std::uint32_t>(values, std::bit_xor<>());
    case WarpOp::reduce_min:
      return fold<std::uint32_t>(values, smaller);
    case WarpOp::reduce_max:
      return fold<std::uint32_t>(values, larger);
    case WarpOp::reduce_min_signed:
      return fold<std::int32_t>(values, smaller);
    case WarpOp::reduce_max_signed:
      return fold<std::int32_t>(values, larger);
    default:
      return 0;
  }
}

bool is_width(unsigned width) { return std::has_single_bit(width) && width <= warp_lanes; }
bool is_shuffle(WarpOp op) { return op >= WarpOp::shuffle && op <= WarpOp::shuffle_xor; }

}  // namespace

/// Whether all of the group have arrived; if so, every lane has its result and the group is closed.
bool BlockRunner::complete(Warp& warp, Group& group) {
  if ((group.mask & warp.live) != group.arrived) return false;
  if (running.watch && group.arrived)
    running.watch->warp_met(unsigned(&warp - warps_.data()), group.arrived, warp.live, group.op);
  std::uint64_t of[warp_lanes];
  const Values values{of, group.arrived};
  for_lanes(group.arrived, [&](int lane) { of[lane] = thread_of(warp, lane).value; });

  if (is_shuffle(group.op)) {
    for_lanes(group.arrived, [&](int lane) {
      const std::uint64_t argument = thread_of(warp, lane).argument;
      const int source = shuffle_source(group.op, lane, int(std::uint32_t(argument)), int(argument >> 32));
      const bool takes_part = unsigned(source) < warp_lanes && group.arrived >> source & 1;
      thread_of(warp, lane).result = takes_part ? of[source] : undefined_value;
    });
  } else if (group.op == WarpOp::match_any) {
    for_lanes(group.arrived,
              [&](int lane) { thread_of(warp, lane).result = lanes_equal_to(values, of[lane]); });
  } else if (group.arrived) {
    const std::uint64_t result = common_result(group.op, values);
    for_lanes(group.arrived, [&](int lane) { thread_of(warp, lane).result = result; });
  }
  group = warp.groups[--warp.groups_open];
  return true;
}

/// The warp that ran last goes first, because its stacks are in the cache; but not for ever, or a warp that
/// spins would keep the others from what it waits for.
void BlockRunner::make_ready(Warp& warp, unsigned lanes) {
  constexpr unsigned groups_in_a_row = 64;  // more than a block reduction or scan has
  if (++groups_freed_ % groups_in_a_row == 0)
    for_lanes(lanes, [&](int lane) { ready_.push_back(&thread_of(warp, lane)); });
  else
    for (; lanes; lanes &= ~(0x80000000u >> std::countl_zero(lanes)))
      ready_.push_front(&thread_of(warp, 31 - std::countl_zero(lanes)));
}

void BlockRunner::recheck_collectives(Warp& warp) {
  for (int i = warp.groups_open; i-- > 0;) {
    const unsigned arrived = warp.groups[i].arrived;
    if (complete(warp, warp.groups[i])) make_ready(warp, arrived);
  }
}

void BlockRunner::fail_collective(WarpOp op, unsigned mask, std::uint64_t argument) {
  const Thread& self = current();
  fail(self.where, [&] {
    if (!(mask >> lane_of(self) & 1))
      return fmt::format("{} with mask {:#010x}, in which the caller's lane {} is not", name_of(op), mask,
                         lane_of(self));
    return fmt::format("{} with width {}, which is no power of two up to 32", name_of(op),
                       int(argument >> 32));
  });
}

void BlockRunner::fail_mismatch(WarpOp op, unsigned mask, const Thread& other) {
  fail(current().where, [&] {
    return fmt::format(
        "mismatched collective: {} with mask {:#010x}, while thread {} of the warp waits in {}", name_of(op),
        mask, other.number, describe_wait(other));
  });
}

std::uint64_t BlockRunner::collective(WarpOp op, unsigned mask, std::uint64_t value, std::uint64_t argument,
                                      const void* where) {
  Thread& self = current();
  Warp& warp = warp_of(self);
  const unsigned own = 1u << lane_of(self);
  self.where = where;
  if (!(mask & own) || (is_shuffle(op) && !is_width(unsigned(argument >> 32))))
    fail_collective(op, mask, argument);

  if (running.watch)
    running.watch->meets(self, op == WarpOp::sync ? Meeting::warp_barrier : Meeting::warp_exchange, where);

  Group* group = nullptr;
  for (int i = 0; i < warp.groups_open; ++i) {
    Group& other = warp.groups[i];
    const bool same = other.mask == mask && other.op == op;
    if (same) group = &other;
    // Lanes that wait for each other under another mask or in another operation would wait forever.
    if (!same && other.mask & own && other.arrived & mask)
      fail_mismatch(op, mask, thread_of(warp, std::countr_zero(other.arrived & mask)));
  }
  if (!group) {
    group = &warp.groups[warp.groups_open++];
    *group = {mask, 0, op};
  }
  group->arrived |= own;
  self.op = op;
  self.mask = mask;
  self.value = value;
  self.argument = argument;
  const unsigned arrived = group->arrived;
  if (complete(warp, *group)) make_ready(warp, arrived & ~own);
  else suspend(self, Wait::collective);
  return self.result;
}

}  // namespace redbench::simt
