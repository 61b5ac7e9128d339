#include "training/array_view.hpp"

#include <algorithm>

#include "core/number.hpp"
#include "training/array_values.hpp"
#include "training/require.hpp"

namespace fovea {
namespace {

constexpr std::string_view transposition = "^T";

// Reads what stands between the brackets.
bool read_rows(std::string_view text, ArrayView& view) {
  const std::size_t sign = text.find_first_of("/:");
  const auto first = number_in(text.substr(0, sign));
  if (!first) return false;
  view.first = *first;
  if (sign == std::string_view::npos) {
    view.rows = ArrayView::Rows::one;
    view.second = view.first + 1;
    return view.second != 0;
  }
  view.rows = text[sign] == '/' ? ArrayView::Rows::part : ArrayView::Rows::range;
  view.second = number_in(text.substr(sign + 1)).value_or(0);
  return view.first < view.second;
}

struct Range {
  std::uint64_t begin = 0, end = 0;
};

Range rows_of(const ArrayView& view, std::uint64_t rows) {
  if (view.rows == ArrayView::Rows::all) return {0, rows};
  if (view.rows != ArrayView::Rows::part) {
    require<ConfigError>(view.second <= rows, view.text(), ": there are ", rows, " rows");
    return {view.first, view.second};
  }
  require<ConfigError>(rows % view.second == 0, view.text(), ": ", rows, " rows are not ", view.second,
                       " equal parts");
  const std::uint64_t each = rows / view.second;
  return {view.first * each, (view.first + 1) * each};
}

std::uint64_t row_size(const Entry& array) {
  return volume_of({array.shape.begin() + 1, array.shape.end()}).value_or(0);
}

Entry::Values between(const Entry::Values& values, std::uint64_t begin, std::uint64_t end) {
  return std::visit(
      [&](const auto& all) {
        using List = std::decay_t<decltype(all)>;
        const auto at = [&](std::uint64_t place) { return all.begin() + static_cast<std::ptrdiff_t>(place); };
        return Entry::Values(List(at(begin), at(end)));
      },
      values);
}

void append(Entry& to, const Entry& more) {
  std::visit(
      [&](auto& values) {
        const auto& added = std::get<std::decay_t<decltype(values)>>(more.values);
        values.insert(values.end(), added.begin(), added.end());
      },
      to.values);
  to.shape[0] += more.shape[0];
}

bool same_rows(const Entry& a, const Entry& b) {
  return a.values.index() == b.values.index() &&
         std::equal(a.shape.begin() + 1, a.shape.end(), b.shape.begin() + 1, b.shape.end());
}

// How many rows the pieces make together, if they fit.
std::uint64_t rows_together(const std::vector<Piece>& pieces) {
  std::uint64_t rows = 0;
  for (const auto& [view, seen] : pieces) {
    if (view.rows == ArrayView::Rows::part) return seen.shape[0] * view.second;
    rows = std::max(rows, view.rows == ArrayView::Rows::all ? seen.shape[0] : view.second);
  }
  return rows;
}

// Views of the array `name` by their rows, of which there are so many: ConfigError unless each is shown once.
void check_each_row_once(const std::string& name, const std::vector<ArrayView>& sorted, std::uint64_t rows) {
  const bool turned = sorted.at(0).transposed;
  std::uint64_t done = 0;
  for (const ArrayView& view : sorted) {
    const auto [begin, end] = rows_of(view, rows);
    require<ConfigError>(
        begin == done, view.text(),
        begin < done ? ": another line has these rows too" : ": no line has the rows before these");
    require<ConfigError>(view.transposed == turned, view.text(), ": another line takes rows of ", name,
                         turned ? ", not" : ", now", " transposed");
    done = end;
  }
  require<ConfigError>(done == rows, name, ": no line has its rows ", done, " to ", rows,
                       "; each row belongs to one line");
}

}  // namespace

ArrayView ArrayView::parse(std::string_view text) {
  ArrayView view;
  if (text.ends_with(']')) {
    const std::size_t open = text.rfind('[');
    const bool known =
        open != std::string_view::npos && read_rows(text.substr(open + 1, text.size() - open - 2), view);
    require<ConfigError>(known, "\"", text,
                         "\" ends in rows that are not understood; expected [PART/PARTS], [BEGIN:END] or "
                         "[ROW]");
    text = text.substr(0, open);
  }
  view.transposed = text.ends_with(transposition);
  if (view.transposed) text.remove_suffix(transposition.size());
  view.name = text;
  return view;
}

std::string ArrayView::text() const {
  const std::string array = name + std::string(transposed ? transposition : "");
  if (rows == Rows::all) return array;
  if (rows == Rows::one) return join(array, "[", first, "]");
  return join(array, "[", first, rows == Rows::part ? "/" : ":", second, "]");
}

Entry seen_by(const ArrayView& view, const Entry& array) {
  Entry seen = view.transposed ? transposed(array) : array;
  if (view.rows == ArrayView::Rows::all) return seen;
  require<ConfigError>(!seen.shape.empty(), view.text(), ": a single number has no rows");
  const auto [begin, end] = rows_of(view, seen.shape[0]);
  const std::uint64_t row = row_size(seen);
  seen.values = between(seen.values, begin * row, end * row);
  seen.shape[0] = end - begin;
  if (view.rows == ArrayView::Rows::one) seen.shape.erase(seen.shape.begin());
  return seen;
}

void check_all_shown(const Entry& array, std::vector<ArrayView> views) {
  if (views.size() == 1 && views[0].rows == ArrayView::Rows::all) return;
  require<ConfigError>(!array.shape.empty(), views.at(0).text(), ": a single number has no rows");
  const std::uint64_t rows = views[0].transposed ? array.shape.back() : array.shape.front();
  std::stable_sort(views.begin(), views.end(), [&](const ArrayView& a, const ArrayView& b) {
    return rows_of(a, rows).begin < rows_of(b, rows).begin;
  });
  check_each_row_once(array.name, views, rows);
}

Entry assembled(const std::string& name, std::vector<Piece> pieces) {
  const bool turned = pieces.at(0).view.transposed;
  Entry whole;
  if (pieces.size() == 1 && pieces[0].view.rows == ArrayView::Rows::all) {
    whole = std::move(pieces[0].seen);
  } else {
    for (auto& [view, seen] : pieces) {
      if (view.rows == ArrayView::Rows::one) seen.shape.insert(seen.shape.begin(), 1);
      require<ConfigError>(!seen.shape.empty(), view.text(), ": a single number has no rows");
    }
    const std::uint64_t rows = rows_together(pieces);
    std::stable_sort(pieces.begin(), pieces.end(), [&](const Piece& a, const Piece& b) {
      return rows_of(a.view, rows).begin < rows_of(b.view, rows).begin;
    });
    std::vector<ArrayView> views;
    for (const Piece& piece : pieces) views.push_back(piece.view);
    check_each_row_once(name, views, rows);
    for (const auto& [view, seen] : pieces) {
      const auto [begin, end] = rows_of(view, rows);
      require<ConfigError>(end - begin == seen.shape[0], view.text(), " is given ", seen.shape[0], " rows");
      if (begin == 0) {
        whole = seen;
        continue;
      }
      require<ConfigError>(same_rows(whole, seen), view.text(),
                           ": its rows are of another length or kind than those before");
      append(whole, seen);
    }
  }
  if (turned) whole = transposed(whole);
  whole.name = name;
  return whole;
}

}  // namespace fovea
