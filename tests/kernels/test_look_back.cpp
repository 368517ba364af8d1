// Look-back where many tiles before a tile have told no more than their own reductions, which on the modelled
// device, whose blocks mostly end one after the other, a scan rarely meets.
#include "tests/simt_support.hpp"

namespace redbench {
namespace {

constexpr int partial = 1, complete = 2;

/// The map that is found before tile `tiles`, of which those in `whole` are complete and all others partial.
std::vector<int> found(int tiles, const std::vector<int>& whole) {
  std::vector<int> status(tiles, partial);
  for (const int tile : whole) status[tile] = complete;
  const std::vector<int> out =
      run_kernel(*modelled(), "maps_before_tile", {.threads = 32}, status, tiles + 4 + 2 * (1 + 2 * tiles));
  return {out[tiles], out[tiles + 1]};
}

/// Tiles from `first` on, one map after the other: x -> a x + b, then x -> (2 i + 3) x + i.
std::vector<int> composed(int first, int tiles) {
  unsigned a = 1, b = 0;
  for (int i = first; i < tiles; ++i) {
    const unsigned factor = 2 * i + 3;
    a *= factor;
    b = b * factor + i;
  }
  return {int(a), int(b)};
}

TEST(LookBack, EndsAtTheLastCompleteTile) {
  for (const int last : {0, 1, 37, 67, 68, 98, 99})
    EXPECT_EQ(found(100, {0, last}), composed(last, 100)) << "complete tile " << last;
}

TEST(LookBack, TakesTilesInOrderFromTheFirstOn) {
  for (const int tiles : {1, 31, 32, 33, 64, 65, 200})
    EXPECT_EQ(found(tiles, {0}), composed(0, tiles)) << tiles << " tiles";
}

}  // namespace
}  // namespace redbench
