#include "examples/forecast/series.hpp"

#include <array>
#include <cmath>

#include "core/check.hpp"
#include "fuzz/fuzz.hpp"

namespace fovea::fuzz {

using namespace forecast;

void run(std::string_view bytes) {
  // Which way to read follows from the size, so that the corpus consists of tables as they are.
  constexpr std::array ways{Missing::refuse, Missing::forward, Missing::interpolate};
  SeriesFormat format{.time = "day", .targets = {"*"}};
  format.missing = ways[bytes.size() % ways.size()];
  format.decimal_comma = bytes.size() / ways.size() % 2 == 1;
  const auto series = answer<Error>([&] { return parse_series(bytes, "file", format); });
  if (!series) return;
  require(series->values.size() == series->rows * series->columns(), "a series of odd size");
  for (const double value : series->values) require(std::isfinite(value), "a value that is not finite");
  require(!series->step.text().empty(), "a step without a name");
  (void)series->moment(series->rows);
}

}  // namespace fovea::fuzz
