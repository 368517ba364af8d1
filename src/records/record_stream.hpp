// The file of a run's records as text, whether or not it is compressed.
#pragma once

#include <istream>
#include <memory>
#include <string>

namespace redbench {

inline constexpr const char* records_name = "records.jsonl";
/// By `gzip -n`: about a seventh of the bytes. Such a run is read as any other and not written to.
inline constexpr const char* compressed_records_name = "records.jsonl.gz";

/// records.jsonl of a run's folder, or records.jsonl.gz where only that is there.
std::string records_of(const std::string& folder);

/// Places are those of the text. A damaged file throws UsageError as it is read.
class RecordStream : public std::istream {
 public:
  /// Throws UsageError where the file cannot be opened.
  explicit RecordStream(const std::string& path);
  ~RecordStream() override;

  /// Of the file, which is smaller than its text where it is compressed.
  double bytes_read() const;

 private:
  class Buffer;
  std::unique_ptr<Buffer> buffer_;
};

}  // namespace redbench
