// Shadow memory: what is known of each 4-byte word that is accessed, and of each byte of a word that is
// accessed in part.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>

namespace redbench::simt {

inline const char in_the_program = 0;

/// A place in the code of the program or plugin that holds the running launch's kernel, in 4 bytes.
class CodeSite {
 public:
  CodeSite() = default;
  explicit CodeSite(const void* where) : distance_(std::int32_t(number(where) - number(base))) {}
  const void* where() const { return reinterpret_cast<const void*>(number(base) + distance_); }

  /// Where that was loaded (KernelSource::base). All launches of a case have one.
  inline static std::atomic<const void*> base = &in_the_program;

 private:
  static std::intptr_t number(const void* where) { return reinterpret_cast<std::intptr_t>(where); }
  std::int32_t distance_ = 0;
};

/// `Word` has a flag `in_bytes`: it is out of use, and each byte of it has a Word of its own.
template <class Word>
class ShadowPages {
 public:
  static constexpr std::size_t word_bytes = 4, page_bytes = 1024;

  std::size_t pages() const { return pages_.size(); }
  void clear() {
    pages_.clear();
    recent_ = {};
  }

  /// Calls visit(Word&) for the shadow of each word of the `bytes` bytes at `at`, or of each of its bytes,
  /// until one gives something. `refresh(Word&)` comes before a word is looked at; the bytes of a word that
  /// was accessed as a whole so far begin as copy(Word).
  template <class Refresh, class Copy, class Visit>
  auto visit(std::size_t at, std::size_t bytes, Refresh refresh, Copy copy,
             Visit visit) -> decltype(visit(std::declval<Word&>())) {
    for (const std::size_t end = at + bytes; at < end;) {
      const std::size_t number = at / word_bytes, word_end = std::min((number + 1) * word_bytes, end);
      Page& page = page_of(at / page_bytes);
      Word& whole = page.words[number % page_words];
      refresh(whole);
      if (word_end - at == word_bytes && !whole.in_bytes) {
        if (const auto found = visit(whole)) return found;
      } else {
        Word* const of_byte = page.bytes_of(number % page_words);
        if (!whole.in_bytes)
          for (std::size_t i = 0; i < word_bytes; ++i) of_byte[i] = copy(whole);
        whole.in_bytes = true;
        for (; at < word_end; ++at)
          if (const auto found = visit(of_byte[at % word_bytes])) return found;
      }
      at = word_end;
    }
    return {};
  }

 private:
  static constexpr std::size_t page_words = page_bytes / word_bytes;
  struct Page {
    std::array<Word, page_words> words{};
    std::unique_ptr<Word[]> bytes;  // null until a word is accessed in part
    Word* bytes_of(std::size_t word) {
      if (!bytes) bytes = std::make_unique<Word[]>(page_bytes);
      return &bytes[word * word_bytes];
    }
  };

  Page& page_of(std::size_t number) {
    Recent& recent = recent_[number % recent_.size()];
    if (recent.page && recent.number == number) return *recent.page;
    std::unique_ptr<Page>& page = pages_[number];
    if (!page) page = std::make_unique<Page>();
    recent = {number, page.get()};
    return *page;
  }

  struct Recent {
    std::size_t number = 0;
    Page* page = nullptr;
  };
  std::array<Recent, 64> recent_{};  // so that a page in use is not searched for
  std::unordered_map<std::size_t, std::unique_ptr<Page>> pages_;
};

}  // namespace redbench::simt
