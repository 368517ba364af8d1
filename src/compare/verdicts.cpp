#include "src/compare/verdicts.hpp"

#include <algorithm>
#include <cmath>

namespace redbench {

double rejection_limit(std::vector<double> p, double rate) {
  std::ranges::sort(p);
  for (std::size_t i = p.size(); i > 0; --i)
    if (p[i - 1] <= rate * double(i) / double(p.size())) return p[i - 1];
  return -1;
}

std::vector<Judged> judge(const std::vector<std::optional<Difference>>& differences,
                          double threshold_percent) {
  const double threshold = std::log1p(threshold_percent / 100);
  // A ratio within the threshold is no finding: its p, however small, must not raise the limit of others.
  const auto p_of = [threshold](const Difference& difference) {
    return std::abs(difference.log_ratio) <= threshold ? 1 : difference.p();
  };
  std::vector<double> p;
  for (const std::optional<Difference>& difference : differences)
    if (difference) p.push_back(p_of(*difference));
  const double limit = rejection_limit(p, false_discoveries);
  const double rejected = double(std::ranges::count_if(p, [&](double value) { return value <= limit; }));
  std::vector<Judged> all(differences.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!differences[i]) continue;
    const Difference& difference = *differences[i];
    if (limit < 1 && p_of(difference) <= limit) {
      all[i] = {difference.log_ratio < 0 ? Verdict::faster : Verdict::slower,
                difference.interval(false_discoveries * rejected / double(p.size()))};
      continue;
    }
    all[i].interval = difference.interval(false_discoveries);
    if (!difference.of_one_process() && -threshold <= all[i].interval.low &&
        all[i].interval.high <= threshold)
      all[i].verdict = Verdict::same;
  }
  return all;
}

}  // namespace redbench
