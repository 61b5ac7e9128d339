#include <cmath>

#include <catch2/catch.hpp>

#include "examples/chosen.hpp"
#include "report/room.hpp"

using namespace fovea;

namespace {

std::vector<std::size_t> items(const std::vector<Chosen>& chosen, const std::string& group) {
  std::vector<std::size_t> found;
  for (const Chosen& one : chosen)
    if (one.group == group) found.push_back(one.item);
  return found;
}

}  // namespace

TEST_CASE("chosen: the worst, and some from the middle of what is left", "[examples]") {
  const std::vector<double> errors{1, 9, 3, 2, 8, 0, 7, 4};
  const std::vector<Chosen> chosen = choose(errors, {{}, 2, 3});
  CHECK(items(chosen, "worst") == std::vector<std::size_t>{1, 4});
  CHECK(items(chosen, "typical") == std::vector<std::size_t>{7, 3, 5});  // of 7 4 3 2 1 0: errors 4, 2, 0
  CHECK(items(choose(errors, {{}, 0, 1}), "typical") == std::vector<std::size_t>{2});
}

TEST_CASE("chosen: no more than there are, and what is not finite is worst", "[examples]") {
  const std::vector<double> errors{1, std::nan(""), 3};
  CHECK(items(choose(errors, {{}, 2, 5}), "worst") == std::vector<std::size_t>{1, 2});
  CHECK(items(choose(errors, {{}, 2, 5}), "typical") == std::vector<std::size_t>{0});
  CHECK(choose({}, {}).empty());
  CHECK(items(choose(std::vector<double>{5, 5, 5}, {{}, 1, 0}), "worst") == std::vector<std::size_t>{0});
}

TEST_CASE("chosen: errors are measured only to find the worst", "[examples]") {
  std::vector<std::size_t> measured;
  const auto errors_of = [&](std::span<const std::size_t> items) {
    measured.assign(items.begin(), items.end());
    std::vector<double> errors;
    for (const std::size_t item : items) errors.push_back(item == 5 ? 9 : static_cast<double>(item));
    return errors;
  };
  const std::vector<Chosen> chosen = choose(10, 4, {{}, 1, 1}, errors_of);  // of 0, 2, 5, 7
  CHECK(measured == std::vector<std::size_t>{0, 2, 5, 7});
  CHECK(items(chosen, "worst") == std::vector<std::size_t>{5});
  CHECK(items(chosen, "typical") == std::vector<std::size_t>{2});
  measured.clear();
  CHECK(items(choose(10, 4, {{}, 0, 2}, errors_of), "typical") == std::vector<std::size_t>{2, 7});
  CHECK(items(choose(2, 4, {{}, 0, 5}, errors_of), "typical") == std::vector<std::size_t>{0, 1});
  CHECK(choose(0, 4, {{}, 0, 5}, errors_of).empty());
  CHECK(measured.empty());
}

TEST_CASE("chosen: places spread over all items", "[examples]") {
  CHECK(report::spread(10, 4) == std::vector<std::size_t>{0, 2, 5, 7});
  CHECK(report::spread(3, 4) == std::vector<std::size_t>{0, 1, 2});
  CHECK(report::spread(0, 4).empty());
}
