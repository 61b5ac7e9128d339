#include "examples/cities/catalogue.hpp"
#include "examples/delimited.hpp"
#include "fuzz/fuzz.hpp"

namespace fovea::fuzz {
namespace {

// Goes over all fields, as a reader of a table would.
std::size_t characters(std::string_view bytes, TableFormat format) {
  Delimited table(bytes, "file", format);
  std::size_t count = 0;
  while (table.next()) {
    for (std::size_t column = 0; column < table.columns().size(); ++column) {
      count += table.field(column).size();
      require(!table.place(table.field(column)).empty(), "a field has no place");
    }
  }
  return count;
}

}  // namespace

void run(std::string_view bytes) {
  answer<DataError>([&] { return characters(bytes, {}); });
  const auto fields = answer<DataError>([&] { return characters(bytes, {0, true}); });
  require(!fields || *fields <= bytes.size(), "a table holds more than its file");
  const auto cities = answer<DataError>([&] { return cities::parse_catalogue(bytes, "file"); });
  require(!cities || cities->size() >= 2, "a catalogue of one");
}

}  // namespace fovea::fuzz
