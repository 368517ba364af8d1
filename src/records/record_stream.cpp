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
    if (path.ends_with(".gz") && gzdirect(file_)) {
      gzclose(file_);
      throw UsageError(path + ": is no gzip file");
    }
  }
  ~Buffer() override { gzclose(file_); }

  double bytes_read() const { return double(gzoffset(file_)); }

 protected:
  int_type underflow() override {
    const int count = gzread(file_, text_.data(), unsigned(text_.size()));
    int code = Z_OK;
    const char* const message = gzerror(file_, &code);
    if (code != Z_OK) throw UsageError(message);  // it begins with the path
    end_ += count;
    setg(text_.data(), text_.data(), text_.data() + count);
    return count == 0 ? traits_type::eof() : traits_type::to_int_type(text_[0]);
  }
  /// Within the buffer where that has the place: to go back is to inflate from the file's first byte.
  pos_type seekpos(pos_type to, std::ios_base::openmode) override {
    if (const std::streamoff back = end_ - std::streamoff(to); back >= 0 && back <= egptr() - eback()) {
      setg(eback(), egptr() - back, egptr());
      return to;
    }
    setg(nullptr, nullptr, nullptr);
    end_ = gzseek(file_, z_off_t(to), SEEK_SET);
    return end_;
  }

 private:
  gzFile file_;
  std::streamoff end_ = 0;  // of the text in the buffer
  std::array<char, 1 << 16> text_;
};

RecordStream::RecordStream(const std::string& path)
    : std::istream(nullptr), buffer_(std::make_unique<Buffer>(path)) {
  rdbuf(buffer_.get());
  exceptions(badbit);  // lets through what the buffer throws
}

RecordStream::~RecordStream() = default;

double RecordStream::bytes_read() const { return buffer_->bytes_read(); }

}  // namespace redbench
