#include "src/new_variant/variant_names.hpp"

#include <re2/re2.h>

#include <algorithm>
#include <cctype>

#include "kernels/operators.hpp"

namespace redbench {
namespace {

/// Words that mean something else in a kernel's file.
struct Words {
  const char* what;
  const char* pattern;
};

constexpr Words taken[] = {
    {"a word of C++",
     "alignas|alignof|and|and_eq|asm|auto|bitand|bitor|bool|break|case|catch|char|char8_t|char16_t|"
     "char32_t|class|compl|concept|const|consteval|constexpr|constinit|const_cast|continue|co_await|"
     "co_return|co_yield|decltype|default|delete|do|double|dynamic_cast|else|enum|explicit|export|"
     "extern|false|final|float|for|friend|goto|if|import|inline|int|long|module|mutable|namespace|new|"
     "noexcept|not|not_eq|nullptr|operator|or|or_eq|override|private|protected|public|register|"
     "reinterpret_cast|requires|return|short|signed|sizeof|static|static_assert|static_cast|struct|"
     "switch|template|this|thread_local|throw|true|try|typedef|typeid|typename|union|unsigned|using|"
     "virtual|void|volatile|wchar_t|while|xor|xor_eq"},
    {"written as macros are, in capitals", "[A-Z][A-Z0-9_]*"},
    {"a name of the C++ library",
     "abort|alloca|assert|errno|exit|main|offsetof|stderr|stdin|stdout|std|strdupa|strndupa|unix|linux|"
     "hto[bl]e(16|32|64)|[bl]e(16|32|64)toh|u?int(_fast|_least)?(8|16|32|64)_t|(max_align|nullptr|"
     "ptrdiff|size|ssize|u?intmax|u?intptr)_t"},
    {"a name of CUDA",
     "threadIdx|blockIdx|blockDim|gridDim|warpSize|dim3|min|max|abs|cooperative_groups|(nv_)?(half|"
     "bfloat16)2?|(u?(char|short|int|long|longlong)|float|double)[1-4]|atomic[A-Z]\\w*|cuda[A-Z]\\w*|"
     "cu[A-Z]\\w*|make_\\w*[1-4]"},
    {"a name of redbench",
     "redbench|on_(cuda|simt|host)|simt|traits|detail|[iu](8|16|32|64)|FloatTraits|IntegerTraits|"
     "names_of|exchange_words|Index|Type|Operator|Order|Step|Parameter|Parameters|Card|Grid|Device|"
     "DeviceFacts|Footprint|KernelCall|LaunchFacts|(Case)?Queue|Target|Instance|Registration|Operands|"
     "Complex|AffineMap|TypeTraits|TypeList|DataTypes|OperatorBase|OperatorTraits|OperatorList|ForType|"
     "Joined|Ordered|Unordered|AllPairs|Arithmetic|Selects|Atomic|(Triple|Seg)?Reduce(Pairs)?|"
     "SegScan(Pairs)?|Histogram(Pairs)?|Multi(scan|reduce)(Pairs)?|Scatter(Pairs)?|Gather(Pairs)?|Pages|"
     "most_of_32_bits|smaller|larger|relaxed_store|launch|persistent_blocks|invoke|refusal|"
     "invoke_kernel|instances?|registration|this_target|(type|operator)_names|operator_traits|traits_of|"
     "name_of|type_of|is_complex|ceil_div|round_up|wrapping_(sum|product)|(lowest|highest)_value|"
     "warp_size|full_mask|dynamic_shared|shuffle(_up|_down|_xor)?|named_barrier_(sync|arrive)|grid_sync"}};

bool is_name(const std::string& stem) {
  static const RE2 name("[A-Za-z](_?[A-Za-z0-9])*_?");
  return stem.size() <= 60 && RE2::FullMatch(stem, name);
}

/// A type, or an operator: that is called as on its axis, and so is its C++ type, with a capital.
bool is_on_an_axis(std::string stem) {
  if (std::ranges::find(type_names, stem) != type_names.end()) return true;
  stem[0] = char(std::tolower(stem[0]));
  return std::ranges::find(operator_names, stem) != operator_names.end();
}

}  // namespace

std::string why_no_variant_name(const std::string& stem) {
  if (!is_name(stem))
    return "`" + stem +
           "` cannot name a C++ struct: letters, digits and single _, a letter first, at most 60";
  for (const Words& words : taken)
    if (RE2::FullMatch(stem, words.pattern)) return "`" + stem + "` is " + words.what;
  if (is_on_an_axis(stem)) return "`" + stem + "` is a name of redbench";
  return {};
}

}  // namespace redbench
