// The archive of arrays: a ZIP file whose members are stored as they are.
#include <algorithm>
#include <cstring>

#include "armature/base/suggest.hpp"
#include "armature/scene/npy.hpp"
#include "armature/scene/record_file.hpp"

namespace armature {
namespace {

constexpr std::uint32_t kZipMember = 0x04034b50, kZipEntry = 0x02014b50, kZipEnd = 0x06054b50;
constexpr std::uint32_t kZip64End = 0x06064b50, kZip64Locator = 0x07064b50;
constexpr std::size_t kMaxArrays = 1024;

Error not_whole(const RandomFile& file, const std::string& what) {
  return Error{"The file " + armature::quoted(file.path()) + " " + what + "."};
}

template <class T>
T number_at(const char* bytes) {
  T value{};
  std::memcpy(&value, bytes, sizeof value);
  return value;
}
template <class T>
void put(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

struct Directory {
  std::uint64_t at = 0, size = 0, entries = 0;
};

Result<Directory> find_directory(const RandomFile& file) {
  constexpr std::size_t kEndSize = 22, kLocatorSize = 20, kEnd64Size = 56;
  const std::uint64_t size = file.size();
  const auto tail = static_cast<std::size_t>(std::min<std::uint64_t>(size, 65535 + kEndSize));
  std::string bytes(tail, '\0');
  if (Status status = file.read(size - tail, bytes.data(), tail); !status) return status.error();
  std::size_t end = bytes.size();
  const Error none = not_whole(file, "begins like an archive but has no directory at its end; it may be cut off");
  for (std::size_t at = tail < kEndSize ? 0 : tail - kEndSize + 1; at-- > 0 && end == bytes.size();) {
    if (number_at<std::uint32_t>(&bytes[at]) == kZipEnd) end = at;
  }
  if (end == bytes.size()) return none;
  Directory directory{number_at<std::uint32_t>(&bytes[end + 16]), number_at<std::uint32_t>(&bytes[end + 12]),
                      number_at<std::uint16_t>(&bytes[end + 10])};
  if (end >= kLocatorSize && number_at<std::uint32_t>(&bytes[end - kLocatorSize]) == kZip64Locator) {
    const auto at = number_at<std::uint64_t>(&bytes[end - kLocatorSize + 8]);
    char end64[kEnd64Size];
    if (size < kEnd64Size || at > size - kEnd64Size) return none;
    if (Status status = file.read(at, end64, kEnd64Size); !status) return status.error();
    if (number_at<std::uint32_t>(end64) != kZip64End) return none;
    directory = {number_at<std::uint64_t>(end64 + 48), number_at<std::uint64_t>(end64 + 40),
                 number_at<std::uint64_t>(end64 + 32)};
  }
  if (directory.at > size || directory.size > size - directory.at) return none;
  if (directory.entries > kMaxArrays || directory.size > (1u << 24)) {
    return not_whole(file, "has more than " + std::to_string(kMaxArrays) + " members");
  }
  return directory;
}

// The sizes and the place that stand in the extra field where 32 bits do not suffice.
void read_zip64(std::string_view extra, std::uint64_t& unpacked, std::uint64_t& packed, std::uint64_t& at) {
  while (extra.size() >= 4) {
    const auto id = number_at<std::uint16_t>(extra.data());
    const std::size_t size = number_at<std::uint16_t>(extra.data() + 2);
    extra.remove_prefix(4);
    if (size > extra.size()) return;
    std::string_view field = extra.substr(0, size);
    for (std::uint64_t* value : {&unpacked, &packed, &at}) {
      if (id != 1 || *value != 0xffffffffu || field.size() < 8) continue;
      *value = number_at<std::uint64_t>(field.data());
      field.remove_prefix(8);
    }
    extra.remove_prefix(size);
  }
}

}  // namespace

Result<std::vector<NpyArray>> read_npz_heads(const RandomFile& file) {
  constexpr std::size_t kEntrySize = 46, kMemberSize = 30;
  const Result<Directory> directory = find_directory(file);
  if (!directory) return directory.error();
  std::string bytes(static_cast<std::size_t>(directory->size), '\0');
  if (Status status = file.read(directory->at, bytes.data(), bytes.size()); !status) return status.error();
  const Error broken = not_whole(file, "is an archive whose directory is damaged");
  std::vector<NpyArray> arrays;
  std::string_view rest = bytes;
  for (std::uint64_t n = 0; n < directory->entries; ++n) {
    if (rest.size() < kEntrySize || number_at<std::uint32_t>(rest.data()) != kZipEntry) return broken;
    const auto flags = number_at<std::uint16_t>(&rest[8]), method = number_at<std::uint16_t>(&rest[10]);
    std::uint64_t packed = number_at<std::uint32_t>(&rest[20]), unpacked = number_at<std::uint32_t>(&rest[24]);
    std::uint64_t at = number_at<std::uint32_t>(&rest[42]);
    const std::size_t name_size = number_at<std::uint16_t>(&rest[28]);
    const std::size_t extra_size = number_at<std::uint16_t>(&rest[30]);
    const std::size_t whole = kEntrySize + name_size + extra_size + number_at<std::uint16_t>(&rest[32]);
    if (rest.size() < whole) return broken;
    std::string name(rest.substr(kEntrySize, name_size));
    read_zip64(rest.substr(kEntrySize + name_size, extra_size), unpacked, packed, at);
    rest.remove_prefix(whole);
    if (name.size() < 4 || name.substr(name.size() - 4) != ".npy") continue;
    name.resize(name.size() - 4);
    if (method != 0 || (flags & 1u) != 0) {
      return not_whole(file, "holds " + armature::quoted(name) +
                                 " compressed or encrypted; write it with numpy.savez, not savez_compressed");
    }
    char member[kMemberSize];
    if (file.size() < kMemberSize || at > file.size() - kMemberSize) return broken;
    if (Status status = file.read(at, member, kMemberSize); !status) return status.error();
    if (number_at<std::uint32_t>(member) != kZipMember) return broken;
    const std::uint64_t data =
        at + kMemberSize + number_at<std::uint16_t>(member + 26) + number_at<std::uint16_t>(member + 28);
    if (packed != unpacked || data > file.size() || packed > file.size() - data) return broken;
    Result<NpyArray> array = read_npy_head(file, std::move(name), data, data + packed);
    if (!array) return array.error();
    arrays.push_back(std::move(*array));
  }
  return arrays;
}

NpzWriter::NpzWriter(const std::vector<Array>& arrays) {
  constexpr std::uint64_t kMemberSize = 30 + 20;  // with the ZIP64 field
  for (const Array& array : arrays) {
    Member member;
    member.name = array.name + ".npy";
    member.head = npy_head(array.dtype, array.shape);
    member.size = array.item;
    for (const std::int64_t n : array.shape) member.size *= static_cast<std::uint64_t>(n);
    member.size += member.head.size();
    member.at = end_;
    member.data = end_ + kMemberSize + member.name.size();
    member.written = member.head.size();
    member.crc = crc32(member.head);
    end_ = member.data + member.size;
    members_.push_back(std::move(member));
  }
}

Status NpzWriter::write(OutputFile& file, std::size_t array, std::string_view bytes) {
  Member& member = members_[array];
  if (bytes.size() > member.size - member.written) return Error{"More rows than the array was made for."};
  const std::uint64_t at = member.data + member.written;
  member.crc = crc32(bytes, member.crc);
  member.written += bytes.size();
  return file.write_at(at, bytes);
}

Status NpzWriter::finish(OutputFile& file) {
  // 1980-01-01: the same arrays give the same bytes.
  constexpr std::uint16_t kVersion = 45, kTime = 0, kDate = (1 << 5) | 1;
  std::string directory;
  for (const Member& member : members_) {
    if (member.written != member.size) return Error{"Fewer rows than the array was made for."};
    std::string shared;
    for (const std::uint16_t value : {kVersion, std::uint16_t{0}, std::uint16_t{0}, kTime, kDate}) put(shared, value);
    put(shared, member.crc);
    put(shared, std::uint32_t{0xffffffff});
    put(shared, std::uint32_t{0xffffffff});
    put(shared, static_cast<std::uint16_t>(member.name.size()));
    std::string head;
    put(head, kZipMember);
    head += shared;
    for (const std::uint16_t value : {std::uint16_t{20}}) put(head, value);
    head += member.name;
    for (const std::uint16_t value : {std::uint16_t{1}, std::uint16_t{16}}) put(head, value);
    put(head, member.size);
    put(head, member.size);
    if (Status status = file.write_at(member.at, head + member.head); !status) return status;
    put(directory, kZipEntry);
    put(directory, kVersion);
    directory += shared;
    put(directory, std::uint16_t{28});          // extra field
    directory.append(2 + 2 + 2 + 4, '\0');      // comment, disk, attributes
    put(directory, std::uint32_t{0xffffffff});  // the place is in the extra field
    directory += member.name;
    put(directory, std::uint16_t{1});
    put(directory, std::uint16_t{24});
    for (const std::uint64_t value : {member.size, member.size, member.at}) put(directory, value);
  }
  const std::uint64_t size = directory.size(), at = end_ + size;
  const auto count = static_cast<std::uint64_t>(members_.size());
  put(directory, kZip64End);
  put(directory, std::uint64_t{44});
  put(directory, kVersion);
  put(directory, kVersion);
  for (const std::uint32_t disk : {0u, 0u}) put(directory, disk);
  for (const std::uint64_t value : {count, count, size, end_}) put(directory, value);
  put(directory, kZip64Locator);
  put(directory, std::uint32_t{0});
  put(directory, at);
  put(directory, std::uint32_t{1});
  put(directory, kZipEnd);
  for (const int value : {0, 0}) put(directory, static_cast<std::uint16_t>(value));
  put(directory, static_cast<std::uint16_t>(count));
  put(directory, static_cast<std::uint16_t>(count));
  put(directory, static_cast<std::uint32_t>(std::min<std::uint64_t>(size, 0xffffffff)));
  put(directory, std::uint32_t{0xffffffff});
  put(directory, std::uint16_t{0});
  return file.write_at(end_, directory);
}

}  // namespace armature
