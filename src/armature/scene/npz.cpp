// The archive of arrays: a ZIP file whose members are stored as they are.
#include <algorithm>
#include <cstring>

#include "armature/base/suggest.hpp"
#include "armature/scene/npy.hpp"
#include "armature/scene/record_file.hpp"

namespace armature::inline v0_2 {
namespace {

constexpr std::uint32_t kZipMember = 0x04034b50, kZipEntry = 0x02014b50, kZipEnd = 0x06054b50;
constexpr std::uint32_t kZip64End = 0x06064b50, kZip64Locator = 0x07064b50;
constexpr std::size_t kMaxArrays = 1024;

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
  const Error none =
      detail::not_whole(file, "begins like an archive but has no directory at its end; it may be cut off");
  for (std::size_t at = tail < kEndSize ? 0 : tail - kEndSize + 1; at-- > 0 && end == bytes.size();) {
    if (detail::number_at<std::uint32_t>(&bytes[at]) == kZipEnd) end = at;
  }
  if (end == bytes.size()) return none;
  Directory directory{detail::number_at<std::uint32_t>(&bytes[end + 16]),
                      detail::number_at<std::uint32_t>(&bytes[end + 12]),
                      detail::number_at<std::uint16_t>(&bytes[end + 10])};
  if (end >= kLocatorSize && detail::number_at<std::uint32_t>(&bytes[end - kLocatorSize]) == kZip64Locator) {
    const auto at = detail::number_at<std::uint64_t>(&bytes[end - kLocatorSize + 8]);
    char end64[kEnd64Size];
    if (size < kEnd64Size || at > size - kEnd64Size) return none;
    if (Status status = file.read(at, end64, kEnd64Size); !status) return status.error();
    if (detail::number_at<std::uint32_t>(end64) != kZip64End) return none;
    directory = {detail::number_at<std::uint64_t>(end64 + 48), detail::number_at<std::uint64_t>(end64 + 40),
                 detail::number_at<std::uint64_t>(end64 + 32)};
  }
  if (directory.at > size || directory.size > size - directory.at) return none;
  if (directory.entries > kMaxArrays || directory.size > (1u << 24)) {
    return detail::not_whole(file, "has more than " + std::to_string(kMaxArrays) + " members");
  }
  return directory;
}

// The sizes and the place that stand in the extra field where 32 bits do not suffice.
void read_zip64(std::string_view extra, std::uint64_t& unpacked, std::uint64_t& packed, std::uint64_t& at) {
  while (extra.size() >= 4) {
    const auto id = detail::number_at<std::uint16_t>(extra.data());
    const std::size_t size = detail::number_at<std::uint16_t>(extra.data() + 2);
    extra.remove_prefix(4);
    if (size > extra.size()) return;
    std::string_view field = extra.substr(0, size);
    for (std::uint64_t* value : {&unpacked, &packed, &at}) {
      if (id != 1 || *value != 0xffffffffu || field.size() < 8) continue;
      *value = detail::number_at<std::uint64_t>(field.data());
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
  const Error broken = detail::not_whole(file, "is an archive whose directory is damaged");
  std::vector<NpyArray> arrays;
  std::string_view rest = bytes;
  for (std::uint64_t n = 0; n < directory->entries; ++n) {
    if (rest.size() < kEntrySize || detail::number_at<std::uint32_t>(rest.data()) != kZipEntry) return broken;
    const auto flags = detail::number_at<std::uint16_t>(&rest[8]), method = detail::number_at<std::uint16_t>(&rest[10]);
    std::uint64_t packed = detail::number_at<std::uint32_t>(&rest[20]),
                  unpacked = detail::number_at<std::uint32_t>(&rest[24]);
    std::uint64_t at = detail::number_at<std::uint32_t>(&rest[42]);
    const std::size_t name_size = detail::number_at<std::uint16_t>(&rest[28]);
    const std::size_t extra_size = detail::number_at<std::uint16_t>(&rest[30]);
    const std::size_t whole = kEntrySize + name_size + extra_size + detail::number_at<std::uint16_t>(&rest[32]);
    if (rest.size() < whole) return broken;
    std::string name(rest.substr(kEntrySize, name_size));
    read_zip64(rest.substr(kEntrySize + name_size, extra_size), unpacked, packed, at);
    rest.remove_prefix(whole);
    if (name.size() < 4 || name.substr(name.size() - 4) != ".npy") continue;
    name.resize(name.size() - 4);
    if (method != 0 || (flags & 1u) != 0) {
      return detail::not_whole(file, "holds " + armature::detail::quoted(name) +
                                         " compressed or encrypted; write it with numpy.savez, not savez_compressed");
    }
    char member[kMemberSize];
    if (file.size() < kMemberSize || at > file.size() - kMemberSize) return broken;
    if (Status status = file.read(at, member, kMemberSize); !status) return status.error();
    if (detail::number_at<std::uint32_t>(member) != kZipMember) return broken;
    const std::uint64_t data = at + kMemberSize + detail::number_at<std::uint16_t>(member + 26) +
                               detail::number_at<std::uint16_t>(member + 28);
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
    for (const std::uint16_t value : {kVersion, std::uint16_t{0}, std::uint16_t{0}, kTime, kDate})
      detail::append_number(shared, value);
    detail::append_number(shared, member.crc);
    detail::append_number(shared, std::uint32_t{0xffffffff});
    detail::append_number(shared, std::uint32_t{0xffffffff});
    detail::append_number(shared, static_cast<std::uint16_t>(member.name.size()));
    std::string head;
    detail::append_number(head, kZipMember);
    head += shared;
    for (const std::uint16_t value : {std::uint16_t{20}}) detail::append_number(head, value);
    head += member.name;
    for (const std::uint16_t value : {std::uint16_t{1}, std::uint16_t{16}}) detail::append_number(head, value);
    detail::append_number(head, member.size);
    detail::append_number(head, member.size);
    if (Status status = file.write_at(member.at, head + member.head); !status) return status;
    detail::append_number(directory, kZipEntry);
    detail::append_number(directory, kVersion);
    directory += shared;
    detail::append_number(directory, std::uint16_t{28});          // extra field
    directory.append(2 + 2 + 2 + 4, '\0');                        // comment, disk, attributes
    detail::append_number(directory, std::uint32_t{0xffffffff});  // the place is in the extra field
    directory += member.name;
    detail::append_number(directory, std::uint16_t{1});
    detail::append_number(directory, std::uint16_t{24});
    for (const std::uint64_t value : {member.size, member.size, member.at}) detail::append_number(directory, value);
  }
  const std::uint64_t size = directory.size(), at = end_ + size;
  const auto count = static_cast<std::uint64_t>(members_.size());
  detail::append_number(directory, kZip64End);
  detail::append_number(directory, std::uint64_t{44});
  detail::append_number(directory, kVersion);
  detail::append_number(directory, kVersion);
  for (const std::uint32_t disk : {0u, 0u}) detail::append_number(directory, disk);
  for (const std::uint64_t value : {count, count, size, end_}) detail::append_number(directory, value);
  detail::append_number(directory, kZip64Locator);
  detail::append_number(directory, std::uint32_t{0});
  detail::append_number(directory, at);
  detail::append_number(directory, std::uint32_t{1});
  detail::append_number(directory, kZipEnd);
  for (const int value : {0, 0}) detail::append_number(directory, static_cast<std::uint16_t>(value));
  detail::append_number(directory, static_cast<std::uint16_t>(count));
  detail::append_number(directory, static_cast<std::uint16_t>(count));
  detail::append_number(directory, static_cast<std::uint32_t>(std::min<std::uint64_t>(size, 0xffffffff)));
  detail::append_number(directory, std::uint32_t{0xffffffff});
  detail::append_number(directory, std::uint16_t{0});
  return file.write_at(end_, directory);
}

}  // namespace armature::inline v0_2
