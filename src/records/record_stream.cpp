#include "src/records/record_stream.hpp"

#include <zlib.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "src/error.hpp"

namespace redbench {

std::string records_of(const std::string& folder) {
  const std::string plain = folder + "/" + records_name, compressed = folder + "/" + compressed_records_name;
  std::error_code error;
  return !std::filesystem::exists(plain, error) && std::filesystem::exists(compressed, error) ? compressed
                                                                                              : plain;
}

/// zlib gives a file that is not compressed as it is.
class RecordStream::Buffer : public std::streambuf {
 public:
  explicit Buffer(const std::string& path) : file_(gzopen(path.c_str(), "rbe")) {
    if (!file_) throw UsageError(path + ": cannot be read: " + std::strerror(errno));
    gzbuffer(file_, unsigned(text_.size()));
  }
  ~Buffer() override { gzclose(file_); }

 protected:
  int_type underflow() override {
    const int count = gzread(file_, text_.data(), unsigned(text_.size()));
    int code = Z_OK;
    const char* const message = gzerror(file_, &code);
    if (code != Z_OK) throw UsageError(message);  // it begins with the path
    setg(text_.data(), text_.data(), text_.data() + count);
    return count == 0 ? traits_type::eof() : traits_type::to_int_type(text_[0]);
  }
  pos_type seekpos(pos_type to, std::ios_base::openmode) override {
    setg(nullptr, nullptr, nullptr);
    return gzseek(file_, z_off_t(to), SEEK_SET);
  }

 private:
  gzFile file_;
  std::array<char, 1 << 16> text_;
};

RecordStream::RecordStream(const std::string& path)
    : std::istream(nullptr), buffer_(std::make_unique<Buffer>(path)) {
  rdbuf(buffer_.get());
  exceptions(badbit);  // lets through what the buffer throws
}

RecordStream::~RecordStream() = default;

}  // namespace redbench
