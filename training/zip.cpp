#include "training/zip.hpp"

#include <algorithm>

#include <zip.h>

#include "training/array_values.hpp"
#include "training/require.hpp"

namespace fovea {
namespace {

constexpr std::uint64_t most_inflation = 1032;  // of deflate: 258 bytes take two bits at least
constexpr std::uint64_t piece = 1 << 20;
constexpr std::size_t end_size = 22, locator_size = 20, end64_size = 56, central_size = 46;
constexpr std::size_t most_comment = 65535;

struct Failure : zip_error_t {
  Failure() { zip_error_init(this); }
  ~Failure() { zip_error_fini(this); }
  Failure(const Failure&) = delete;
  Failure& operator=(const Failure&) = delete;
};

// libzip allocates as many members as a ZIP64 record claims before it looks for them.
void check_claimed_members(std::string_view bytes) {
  const std::size_t first = bytes.size() - std::min(bytes.size(), most_comment + end_size);
  for (std::size_t end = bytes.find("PK\5\6", first); end != std::string_view::npos;
       end = bytes.find("PK\5\6", end + 1)) {
    if (end < locator_size || !bytes.substr(end - locator_size).starts_with("PK\6\7")) continue;
    const std::uint64_t at = little_endian(bytes.substr(end - locator_size + 8, 8));
    if (bytes.size() < end64_size || at > bytes.size() - end64_size) continue;  // which libzip refuses
    for (const std::size_t field : {24, 32}) {
      const std::uint64_t members = little_endian(bytes.substr(at + field, 8));
      require(members <= bytes.size() / central_size, "it claims ", members, " members in ", bytes.size(),
              " bytes");
    }
  }
}

// Bytes that libzip reads, and after `zip_close` those that it wrote. Throws when there is no memory.
zip_source_t* source_of(std::string_view bytes, zip_error_t* error) {
  zip_source_t* source = zip_source_buffer_create(bytes.data(), bytes.size(), 0, error);
  require<Error>(source != nullptr, "zip: ", zip_error_strerror(error));
  return source;
}

std::string content_of(zip_source_t* source) {
  std::string bytes;
  zip_stat_t facts;
  const bool opened = zip_source_stat(source, &facts) == 0 && zip_source_open(source) == 0;
  if (opened) {
    bytes.resize(facts.size);
    const zip_int64_t got = zip_source_read(source, bytes.data(), bytes.size());
    zip_source_close(source);
    require<Error>(got == static_cast<zip_int64_t>(bytes.size()), "zip: what was written cannot be read");
  }
  require<Error>(opened, "zip: ", zip_error_strerror(zip_source_error(source)));
  return bytes;
}

}  // namespace

std::string write_zip(const std::vector<ZipMember>& members) {
  if (members.empty()) return std::string("PK\5\6") + std::string(end_size - 4, '\0');  // libzip writes none
  constexpr zip_uint16_t first_day = 1 << 5 | 1;  // 1980-01-01, the first that there is
  Failure error;
  zip_source_t* const source = source_of({}, &error);
  zip_t* const archive = zip_open_from_source(source, ZIP_TRUNCATE, &error);
  if (!archive) zip_source_free(source);
  require<Error>(archive != nullptr, "zip: ", zip_error_strerror(&error));
  zip_source_keep(source);  // beyond zip_close, which takes one reference
  const std::unique_ptr<zip_source_t, void (*)(zip_source_t*)> kept(source, zip_source_free);
  bool fine = true;
  for (const ZipMember& member : members) {
    zip_source_t* const bytes = zip_source_buffer(archive, member.bytes.data(), member.bytes.size(), 0);
    const zip_int64_t place =
        bytes ? zip_file_add(archive, member.name.c_str(), bytes, ZIP_FL_ENC_UTF_8) : -1;
    if (bytes && place < 0) zip_source_free(bytes);
    const auto index = static_cast<zip_uint64_t>(place);
    fine = fine && place >= 0 && zip_set_file_compression(archive, index, ZIP_CM_STORE, 0) == 0 &&
           zip_file_set_dostime(archive, index, 0, first_day, 0) == 0;
  }
  if (!fine || zip_close(archive) != 0) {
    const std::string reason = zip_strerror(archive);
    zip_discard(archive);
    throw Error("zip: " + reason);
  }
  return content_of(source);
}

struct ZipReader::Archive {
  Failure error;
  zip_t* zip = nullptr;
  zip_file_t* member = nullptr;

  ~Archive() {
    close_member();
    if (zip) zip_discard(zip);
  }
  void close_member() {
    if (member) zip_fclose(member);
    member = nullptr;
  }
  zip_stat_t facts(std::uint64_t index) const {
    zip_stat_t found;
    require(zip_stat_index(zip, index, 0, &found) == 0, zip_strerror(zip));
    constexpr zip_uint64_t needed =
        ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD | ZIP_STAT_ENCRYPTION_METHOD;
    require((found.valid & needed) == needed, "its sizes are not known");
    return found;
  }
};

ZipReader::ZipReader(std::string_view bytes) : archive_(std::make_unique<Archive>()) {
  require(!bytes.empty(), "it is empty");
  check_claimed_members(bytes);
  zip_source_t* const source = source_of(bytes, &archive_->error);
  archive_->zip = zip_open_from_source(source, ZIP_RDONLY, &archive_->error);
  if (!archive_->zip) zip_source_free(source);
  require(archive_->zip != nullptr, "it is no ZIP file: ", zip_error_strerror(&archive_->error));
  // Members that lie over each other could be many times as large as the file.
  std::uint64_t left = bytes.size();
  for (std::uint64_t i = 0; i < size(); ++i) {
    const std::uint64_t packed = archive_->facts(i).comp_size;
    require(packed <= left, name(i), ": its ", packed, " bytes are more than the file has left for it");
    left -= packed;
  }
}

ZipReader::~ZipReader() = default;

std::uint64_t ZipReader::size() const {
  return static_cast<std::uint64_t>(zip_get_num_entries(archive_->zip, 0));
}

std::string ZipReader::name(std::uint64_t member) const {
  const char* const found = zip_get_name(archive_->zip, member, ZIP_FL_ENC_GUESS);
  require(found != nullptr, "a member has no name: ", zip_strerror(archive_->zip));
  return found;
}

std::uint64_t ZipReader::open(std::uint64_t member) {
  archive_->close_member();
  const zip_stat_t facts = archive_->facts(member);
  require(facts.encryption_method == ZIP_EM_NONE, "is encrypted");
  const bool stored = facts.comp_method == ZIP_CM_STORE;
  require(stored || facts.comp_method == ZIP_CM_DEFLATE, "is compressed by method ", facts.comp_method,
          "; stored and deflated members are read");
  const bool fits = stored ? facts.size == facts.comp_size : facts.size / most_inflation <= facts.comp_size;
  require(fits, "claims ", facts.size, " bytes in ", facts.comp_size, " bytes");
  archive_->member = zip_fopen_index(archive_->zip, member, 0);
  require(archive_->member != nullptr, zip_strerror(archive_->zip));
  return facts.size;
}

std::string ZipReader::take(std::uint64_t count) {
  std::string bytes;
  while (bytes.size() < count) {
    const std::size_t done = bytes.size();
    bytes.resize(done + std::min(count - done, piece));
    const zip_int64_t got = zip_fread(archive_->member, bytes.data() + done, bytes.size() - done);
    require(got >= 0, zip_file_strerror(archive_->member));
    require(got > 0, "ends after ", done, " of ", count, " bytes");
    bytes.resize(done + static_cast<std::size_t>(got));
  }
  return bytes;
}

void ZipReader::finish() {
  char one = 0;
  const zip_int64_t got = zip_fread(archive_->member, &one, 1);  // at its end the checksum is compared
  require(got >= 0, zip_file_strerror(archive_->member));
  require(got == 0, "is longer than it claims");
}

}  // namespace fovea
