// What a tile finds before it, among tiles that have told different things.
#include "kernels/parts/look_back.hpp"
#include "tests/simt/kernels.hpp"

namespace redbench {
namespace {

/// Tile i tells the map x -> (2 i + 3) x + i and status in[i]; out[n] and out[n + 1] are the map before tile n. The
/// states lie behind that.
TEST_KERNEL(maps_before_tile) {
  const TileStates<AffineMap> states{reinterpret_cast<TileStates<AffineMap>::Word*>(out + n + n % 2 + 2)};
  for (int i = threadIdx.x; i < n; i += warp_size) states.tell(i, u32(in[i]), {2 * u32(i) + 3, u32(i)});
  __syncwarp();
  const AffineMap before = reduce_earlier<Affine>(states, n, 20);
  if (threadIdx.x == 0) {
    out[n] = int(before.a);
    out[n + 1] = int(before.b);
  }
}

}  // namespace
}  // namespace redbench
