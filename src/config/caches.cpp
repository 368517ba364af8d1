#include "src/config/caches.hpp"

#include "src/config/axes.hpp"

namespace redbench {

Shape caches_shape() {
  const CachesOptions none;
  return object(
      {{"machines", one_or_more(text()),
        "`host`, which is probed; a file of `configs/devices/caches/` by its name; or the path of "
        "another, `./mine.json`",
        none.machines},
       {"models",
        one_or_more(one_of(strings(cache_model_names))),
        "`serial`: the thesis' simulator, one access after the other; `translated`: with pages and "
        "their TLB; `overlapped`: with these, and accesses that do not wait for each other at a time",
        {cache_model_names[0]}},
       {"loops",
        open_object({}, one_of(strings(loop_kind_names)).schema),
        "by variant, which loop it runs: `simple`, `presorted`, `dependent` or "
        "`dependent_presorted`; others are not predicted",
        {},
        true},
       {"steps", whole(1, std::int64_t(1) << 40),
        "most steps of a loop that are simulated and counted; of a longer one as many more come "
        "before them, and the rest is taken to be alike",
        none.steps}});
}

CachesOptions read_caches(const Node& node) {
  CachesOptions options;
  if (node.has("machines")) {
    options.machines.clear();
    for (const Node& name : node["machines"].one_or_more()) options.machines.push_back(name.text());
  }
  if (node.has("models")) {
    options.models.clear();
    for (const Node& name : node["models"].one_or_more())
      options.models.push_back(CacheModel(name.choice(strings(cache_model_names))));
  }
  options.steps = node.value().value("steps", options.steps);
  for (const auto& [variant, kind] : by_variant(node["loops"]))
    options.loops[variant] = LoopKind(kind.choice(strings(loop_kind_names)));
  return options;
}

}  // namespace redbench
