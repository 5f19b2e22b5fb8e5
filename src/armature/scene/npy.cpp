#include "armature/scene/npy.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <map>

#include "armature/base/number.hpp"
#include "armature/base/suggest.hpp"
#include "armature/scene/file_errors.hpp"

namespace armature::inline v0_2 {
namespace {

constexpr std::string_view kNpyMagic{"\x93NUMPY", 6};

// --- the head of an array: a dict of Python as text ------------------------------------------------------------------

class HeadText {
 public:
  explicit HeadText(std::string_view text) : text_(text) {}

  /// {'descr': '<f8', 'fortran_order': False, 'shape': (10, 7), }
  bool read(NpyArray& array) {
    bool dtype = false, order = false, shape = false;
    if (!symbol('{')) return false;
    while (!symbol('}')) {
      std::string key;
      if (!string(key) || !symbol(':')) return false;
      if (key == "descr" && !dtype) {
        dtype = string(array.dtype);
        if (!dtype) return false;
      } else if (key == "fortran_order" && !order) {
        order = true;
        array.fortran_order = word("True");
        if (!array.fortran_order && !word("False")) return false;
      } else if (key == "shape" && !shape) {
        shape = tuple(array.shape);
        if (!shape) return false;
      } else {
        return false;
      }
      if (!symbol(',') && !ahead('}')) return false;
    }
    return dtype && order && shape;
  }

 private:
  void skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  bool ahead(char c) {
    skip();
    return at_ < text_.size() && text_[at_] == c;
  }
  bool symbol(char c) {
    if (!ahead(c)) return false;
    ++at_;
    return true;
  }
  bool word(std::string_view w) {
    skip();
    if (text_.substr(at_, w.size()) != w) return false;
    at_ += w.size();
    return true;
  }
  bool string(std::string& out) {
    skip();
    if (at_ >= text_.size() || (text_[at_] != '\'' && text_[at_] != '"')) return false;
    const std::size_t end = text_.find(text_[at_], at_ + 1);
    if (end == std::string_view::npos) return false;
    out = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return true;
  }
  bool tuple(std::vector<std::int64_t>& out) {
    if (!symbol('(')) return false;
    while (!symbol(')')) {
      skip();
      std::int64_t n = 0;
      const std::size_t begin = at_;
      for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
        if (n > (std::numeric_limits<std::int64_t>::max() - 9) / 10) return false;
        n = 10 * n + (text_[at_] - '0');
      }
      if (at_ == begin || out.size() == 8) return false;
      out.push_back(n);
      if (!symbol(',') && !ahead(')')) return false;
    }
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

std::size_t size_of_item(std::string_view dtype) {
  static const std::map<std::string_view, std::size_t> kSizes = {{"<f8", 8}, {"<f4", 4}, {"<i8", 8}, {"<i4", 4},
                                                                 {"<i2", 2}, {"|i1", 1}, {"<u8", 8}, {"<u4", 4},
                                                                 {"<u2", 2}, {"|u1", 1}, {"|b1", 1}};
  const auto found = kSizes.find(dtype);
  return found == kSizes.end() ? 0 : found->second;
}

double to_double(std::string_view dtype, const char* bytes) {
  switch (dtype[1]) {
    case 'f':
      return dtype[2] == '8' ? detail::number_at<double>(bytes) : static_cast<double>(detail::number_at<float>(bytes));
    case 'i':
      return dtype[2] == '8'   ? static_cast<double>(detail::number_at<std::int64_t>(bytes))
             : dtype[2] == '4' ? static_cast<double>(detail::number_at<std::int32_t>(bytes))
             : dtype[2] == '2' ? static_cast<double>(detail::number_at<std::int16_t>(bytes))
                               : static_cast<double>(detail::number_at<std::int8_t>(bytes));
    default:
      return dtype[2] == '8'   ? static_cast<double>(detail::number_at<std::uint64_t>(bytes))
             : dtype[2] == '4' ? static_cast<double>(detail::number_at<std::uint32_t>(bytes))
             : dtype[2] == '2' ? static_cast<double>(detail::number_at<std::uint16_t>(bytes))
                               : static_cast<double>(detail::number_at<std::uint8_t>(bytes));
  }
}

}  // namespace

Error detail::not_whole(const RandomFile& file, const std::string& what) {
  return Error{"The file " + armature::detail::quoted(file.path()) + " " + what + "."};
}

Result<RandomFile> RandomFile::open(const std::string& path) {
  Result<OpenFile> file = open_regular(path, std::numeric_limits<std::size_t>::max());
  if (!file) return file.error();
  RandomFile opened;
  opened.path_ = path;
  opened.file_ = std::move(*file);
  struct stat info {};
  if (::fstat(opened.file_.handle.get(), &info) != 0) return file_error("opened", path);
#ifdef __linux__
  opened.written_ = std::int64_t{info.st_mtim.tv_sec} * 1000000000 + info.st_mtim.tv_nsec;
#else
  opened.written_ = std::int64_t{info.st_mtime} * 1000000000;
#endif
  return opened;
}

Status RandomFile::read(std::uint64_t offset, char* to, std::size_t size) const {
  while (size > 0) {
    const ssize_t got =
        ::pread(file_.handle.get(), to, std::min<std::size_t>(size, 1u << 30), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return file_error("read", path_);
    if (got == 0) return Error{"The file " + armature::detail::quoted(path_) + " ends earlier than it should."};
    to += got;
    offset += static_cast<std::uint64_t>(got);
    size -= static_cast<std::size_t>(got);
  }
  return {};
}

Result<NpyArray> read_npy_head(const RandomFile& file, std::string name, std::uint64_t begin, std::uint64_t end) {
  NpyArray array;
  array.name = std::move(name);
  const std::string which =
      array.name.empty() ? "" : "holds an array " + armature::detail::quoted(array.name) + " that ";
  char start[12];
  if (end - begin < sizeof start) return detail::not_whole(file, which + "is too short for an array");
  if (Status status = file.read(begin, start, sizeof start); !status) return status.error();
  const int version = start[6];
  if (std::string_view(start, 6) != kNpyMagic || version < 1 || version > 3) {
    return detail::not_whole(file, which + "is not an array of NumPy, versions 1 to 3");
  }
  const std::size_t fixed = version == 1 ? 10 : 12;
  const std::uint64_t length =
      version == 1 ? detail::number_at<std::uint16_t>(start + 8) : detail::number_at<std::uint32_t>(start + 8);
  if (length > (1u << 20) || length > end - begin - fixed)
    return detail::not_whole(file, which + "ends before its head does");
  std::string text(static_cast<std::size_t>(length), '\0');
  if (Status status = file.read(begin + fixed, text.data(), text.size()); !status) return status.error();
  if (!HeadText(text).read(array)) {
    return detail::not_whole(file, which + "has a head that tells no type, order and shape of plain numbers");
  }
  array.offset = begin + fixed + length;
  std::uint64_t bytes = std::max<std::size_t>(1, array.item_size());
  bool any = true;
  for (const std::int64_t n : array.shape) {
    any = any && n > 0;
    const auto times = static_cast<std::uint64_t>(std::max<std::int64_t>(1, n));
    if (bytes > (std::uint64_t{1} << 62) / times) return detail::not_whole(file, which + "has a shape that overflows");
    bytes *= times;
  }
  if (any && bytes > end - array.offset) return detail::not_whole(file, which + "is shorter than its shape says");
  return array;
}

std::int64_t NpyArray::width() const {
  std::int64_t width = 1;
  for (std::size_t i = 1; i < shape.size(); ++i) width *= shape[i];
  return width;
}

Status NpyArray::read(const RandomFile& file, std::int64_t first, std::int64_t count, double* to) const {
  const std::size_t item = item_size();
  if (item == 0) {
    return Error{"The file " + armature::detail::quoted(file.path()) + " holds numbers of type " +
                 armature::detail::quoted(dtype) + "; convert them with .astype('<f8')."};
  }
  const std::int64_t columns = width();
  if (count <= 0 || columns <= 0) return {};
  const bool by_columns = fortran_order && columns > 1;
  // In Fortran's order the rows of a column lie side by side; of arrays with more axes the first index runs first, too.
  const std::int64_t runs = by_columns ? columns : 1, length = by_columns ? count : count * columns;
  std::string bytes;
  for (std::int64_t run = 0; run < runs; ++run) {
    const std::uint64_t begin =
        offset + item * static_cast<std::uint64_t>(by_columns ? run * rows() + first : first * columns);
    if (dtype == "<f8" && !by_columns) {
      return file.read(begin, reinterpret_cast<char*>(to), item * static_cast<std::size_t>(length));
    }
    bytes.resize(item * static_cast<std::size_t>(length));
    if (Status status = file.read(begin, bytes.data(), bytes.size()); !status) return status;
    // A column's number in Fortran's order, told in C's.
    std::int64_t column = 0;
    if (by_columns) {
      std::int64_t rest = run, stride = columns;
      for (std::size_t axis = 1; axis < shape.size(); ++axis) {
        stride /= shape[axis];
        column += rest % shape[axis] * stride;
        rest /= shape[axis];
      }
    }
    for (std::int64_t i = 0; i < length; ++i) {
      to[by_columns ? i * columns + column : i] = to_double(dtype, &bytes[item * static_cast<std::size_t>(i)]);
    }
  }
  return {};
}

std::size_t NpyArray::item_size() const { return size_of_item(dtype); }

Status NpyArray::read_bytes(const RandomFile& file, std::int64_t first, std::int64_t count, std::string& to) const {
  to.resize(item_size() * static_cast<std::size_t>(count));
  return file.read(offset + item_size() * static_cast<std::uint64_t>(first), to.data(), to.size());
}

std::string npy_number_text(std::string_view dtype, const char* bytes) {
  if (dtype == "<i8") return std::to_string(detail::number_at<std::int64_t>(bytes));
  if (dtype == "<u8") return std::to_string(detail::number_at<std::uint64_t>(bytes));
  return format_number(to_double(dtype, bytes));
}

Result<std::vector<NpyArray>> read_npy_heads(const RandomFile& file) {
  char start[6];
  if (file.size() < sizeof start) return detail::not_whole(file, "is too short for an array of NumPy");
  if (Status status = file.read(0, start, sizeof start); !status) return status.error();
  if (std::string_view(start, 4) == "PK\x03\x04") return read_npz_heads(file);
  Result<NpyArray> array = read_npy_head(file, "", 0, file.size());
  if (!array) return array.error();
  return std::vector<NpyArray>{std::move(*array)};
}

std::string npy_head(std::string_view dtype, const std::vector<std::int64_t>& shape) {
  std::string text = "{'descr': '" + std::string(dtype) + "', 'fortran_order': False, 'shape': (";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    text += (i > 0 ? ", " : "") + std::to_string(shape[i]) + (shape.size() == 1 ? "," : "");
  }
  text += "), }";
  constexpr std::size_t kAlign = 64;
  text.append(kAlign - (10 + text.size() + 1) % kAlign, ' ');
  text += '\n';
  std::string head(kNpyMagic);
  head += '\x01';
  head += '\0';
  const auto length = static_cast<std::uint16_t>(text.size());
  head.append(reinterpret_cast<const char*>(&length), sizeof length);
  return head + text;
}

}  // namespace armature::inline v0_2
