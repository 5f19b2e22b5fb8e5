#include "armature/scene/record_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "armature/base/suggest.hpp"
#include "armature/scene/file_errors.hpp"

namespace armature {
namespace {

constexpr std::string_view kMagic = "armature checkpoint 1\n";

struct RecordHead {
  std::uint32_t size = 0;
  std::uint32_t crc = 0;
};

// Eight tables, so that eight bytes are folded in at once.
using CrcTables = std::array<std::array<std::uint32_t, 256>, 8>;
CrcTables make_crc_tables() {
  CrcTables tables{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1u) != 0 ? 0xEDB88320u : 0u);
    tables[0][i] = crc;
  }
  for (std::size_t t = 1; t < 8; ++t) {
    for (std::size_t i = 0; i < 256; ++i) tables[t][i] = (tables[t - 1][i] >> 8) ^ tables[0][tables[t - 1][i] & 0xff];
  }
  return tables;
}

bool put(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

// Fewer bytes than asked for at the end of the file; negative on errors.
ssize_t get(int descriptor, char* to, std::size_t size) {
  std::size_t got = 0;
  while (got < size) {
    const ssize_t more = ::read(descriptor, to + got, size - got);
    if (more < 0 && errno == EINTR) continue;
    if (more < 0) return -1;
    if (more == 0) break;
    got += static_cast<std::size_t>(more);
  }
  return static_cast<ssize_t>(got);
}

std::string head_of(std::uint64_t fingerprint) {
  std::string head(kMagic);
  head.append(reinterpret_cast<const char*>(&fingerprint), sizeof fingerprint);
  return head;
}

}  // namespace

std::uint32_t crc32(std::string_view bytes, std::uint32_t crc) {
  static const CrcTables tables = make_crc_tables();
  crc = ~crc;
  while (bytes.size() >= 8) {
    unsigned char b[8];
    std::memcpy(b, bytes.data(), 8);
    crc = tables[7][b[0] ^ (crc & 0xff)] ^ tables[6][b[1] ^ (crc >> 8 & 0xff)] ^ tables[5][b[2] ^ (crc >> 16 & 0xff)] ^
          tables[4][b[3] ^ (crc >> 24)] ^ tables[3][b[4]] ^ tables[2][b[5]] ^ tables[1][b[6]] ^ tables[0][b[7]];
    bytes.remove_prefix(8);
  }
  for (const char c : bytes) crc = (crc >> 8) ^ tables[0][(crc ^ static_cast<unsigned char>(c)) & 0xff];
  return ~crc;
}

Status RecordFile::open(const std::string& path, std::uint64_t fingerprint,
                        const std::function<Status(std::string_view)>& each) {
  if (has_zero_byte(path)) return zero_byte_error(path);
  path_ = path;
  file_ = FileHandle(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0666));
  if (file_.get() < 0) return file_error("opened", path);
  if (::flock(file_.get(), LOCK_EX | LOCK_NB) != 0) {
    return Error{"Another run is writing to the checkpoint " + armature::quoted(path) + "."};
  }
  const off_t size = ::lseek(file_.get(), 0, SEEK_END);
  if (size < 0 || ::lseek(file_.get(), 0, SEEK_SET) != 0) return file_error("read", path);
  const std::string head = head_of(fingerprint);
  std::string bytes(head.size(), '\0');
  const ssize_t got = get(file_.get(), bytes.data(), bytes.size());
  if (got < 0) return file_error("read", path);
  bytes.resize(static_cast<std::size_t>(got));
  if (head.compare(0, bytes.size(), bytes) != 0) {
    return Error{armature::quoted(path) +
                 " is the checkpoint of another run (other model, options or input): finish that one, delete the file, "
                 "or name another checkpoint."};
  }
  off_t whole = bytes.size() == head.size() ? static_cast<off_t>(head.size()) : 0;  // 0: killed while it began
  RecordHead record;
  while (whole > 0 && get(file_.get(), reinterpret_cast<char*>(&record), sizeof record) == sizeof record &&
         record.size <= static_cast<std::uint64_t>(size - whole)) {
    bytes.resize(record.size);
    if (get(file_.get(), bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size()) ||
        crc32(bytes) != record.crc) {
      break;
    }
    if (Status status = each(bytes); !status) return status;
    whole += static_cast<off_t>(sizeof record + bytes.size());
  }
  if (::ftruncate(file_.get(), whole) != 0 || ::lseek(file_.get(), whole, SEEK_SET) != whole) {
    return file_error("written", path);
  }
  if (whole == 0 && !put(file_.get(), head)) return file_error("written", path);
  return {};
}

Status RecordFile::append(std::string_view record) {
  const RecordHead head{static_cast<std::uint32_t>(record.size()), crc32(record)};
  if (record.size() > 0xffffffffu) return Error{"A piece of the job is too large for the checkpoint."};
  const bool written =
      put(file_.get(), {reinterpret_cast<const char*>(&head), sizeof head}) && put(file_.get(), record);
  return written ? Status() : file_error("written", path_);
}

void RecordFile::remove() {
  if (file_.get() >= 0) ::unlink(path_.c_str());
  file_ = FileHandle();
}

}  // namespace armature
