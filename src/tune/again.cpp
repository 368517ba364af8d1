#include "src/tune/again.hpp"

#include <algorithm>

#include "src/tune/candidates.hpp"

namespace redbench {

std::vector<Search> thinned(const std::vector<Search>& done, int multiprocessors) {
  std::vector<TunedPoint> found;
  for (const Search& search : done)
    if (search.untimed.empty()) found.push_back(search.point);
  std::vector<Search> again;
  for (const Search& search : done) {
    const std::size_t all = candidates(search.variant->card, multiprocessors, most_candidates).size();
    if (search.tried >= all || !search.untimed.empty()) continue;
    Search& more = again.emplace_back(search);
    set_known(more, found);
    if (!search.keeps_file) continue;
    more.elsewhere.push_back(more.known);
    more.known = search.known;
    more.known_tried = search.known_tried;
  }
  return again;
}

bool take(std::vector<Search>& done, const Search& search) {
  const auto before =
      std::ranges::find(done, key_of(search.point), [](const Search& other) { return key_of(other.point); });
  if (before == done.end()) done.push_back(search);
  else if (search.keeps_file || !search.untimed.empty()) return false;
  else *before = search;
  return true;
}

}  // namespace redbench
