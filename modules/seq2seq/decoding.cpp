#include "modules/seq2seq/decoding.hpp"

#include <algorithm>

#include "core/check.hpp"

namespace fovea::inline FOVEA_REAL {

std::vector<std::int64_t> guesses(const Variable& logits) {
  const std::size_t classes = logits.length(-1), rows = classes ? logits.size() / classes : 0;
  check(classes > 2, "guesses", "logits have shape ", logits.shape(),
        "; expected a token beside padding and begin");
  std::vector<std::int64_t> best(rows);
  for (std::size_t r = 0; r < rows; ++r) {
    const Real* row = logits.value().data() + r * classes;
    best[r] = std::max_element(row + 2, row + classes) - row;
  }
  return best;
}

Variable select_rows(const Variable& x, std::span<const std::size_t> rows) {
  if (!x.defined()) return x;
  Shape shape = x.shape();
  check(!shape.empty(), "select_rows", "a scalar has no rows");
  const std::size_t count = shape[0], length = count ? x.size() / count : 0;
  bool same = rows.size() == count;
  for (std::size_t i = 0; same && i < rows.size(); ++i) same = rows[i] == i;
  if (same) return x;
  shape[0] = rows.size();
  Tensor chosen = uninitialized(shape);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    check(rows[i] < count, "select_rows", "row ", rows[i], " is outside ", x.shape());
    std::copy_n(x.value().data() + rows[i] * length, length, chosen.data() + i * length);
  }
  return Variable(std::move(chosen));
}

std::vector<std::size_t> select_rows(const std::vector<std::size_t>& x, std::span<const std::size_t> rows) {
  std::vector<std::size_t> chosen;
  for (const std::size_t row : rows) chosen.push_back(x.at(row));
  return chosen;
}

}  // namespace fovea::inline FOVEA_REAL
