#pragma once

#include <algorithm>

#include "core/attention/stream.hpp"

// How an attention is cut into tiles and tasks. All of it depends on shapes alone.
// What is the driver's own lives in `streaming`: a Task and a Buffer are something else to everybody above.

namespace fovea::inline FOVEA_REAL::streaming {

constexpr std::size_t query_tile = 96;  // whole blocks of 6 or 12 rows, see tile_product
constexpr std::size_t key_tile = 64;
constexpr std::size_t least_chunk_tiles = 3;  // each chunk packs the keys anew

constexpr std::size_t parts_of(std::size_t n, std::size_t size) { return (n + size - 1) / size; }
constexpr std::size_t padded(std::size_t n, std::size_t to = tile_lanes) { return parts_of(n, to) * to; }
/// Keys that each tile has room for: short sequences need less than key_tile.
constexpr std::size_t tile_columns(std::size_t keys) { return std::min(key_tile, padded(keys)); }

/// A query: number `i` of its item.
struct QueryRow {
  std::size_t item, i;
};

/// A group is the queries that meet the same keys: those of one item, or of all items where they share keys
/// and values. The rows of a group are divided into chunks; a task is one chunk of one group and head.
struct Division {
  std::size_t groups, rows, queries, chunks, chunk_rows;

  Division(const Attention& a, std::size_t tasks_wanted) : queries(a.queries) {
    const bool shared = a.key.item_step == 0 && (!a.value || a.value.item_step == 0);
    groups = shared ? std::min<std::size_t>(a.items, 1) : a.items;
    rows = shared ? a.items * a.queries : a.queries;
    const std::size_t tiles = parts_of(rows, query_tile), apart = std::max<std::size_t>(groups * a.heads, 1);
    const std::size_t chunk_tiles = parts_of(tiles, std::max<std::size_t>(1, parts_of(tasks_wanted, apart)));
    chunk_rows = std::max(chunk_tiles, least_chunk_tiles) * query_tile;
    chunks = parts_of(rows, chunk_rows);
  }

  QueryRow row(std::size_t group, std::size_t r) const {
    return rows == queries ? QueryRow{group, r} : QueryRow{r / queries, r % queries};
  }
};

struct Task {
  std::size_t group, head, chunk;
  std::size_t begin, end;  // rows

  /// Queries that a tile needs room for.
  std::size_t tile_rows() const { return std::min(query_tile, end - begin); }
};

inline std::size_t task_count(const Attention& a, const Division& d) { return d.groups * a.heads * d.chunks; }

inline Task task(const Attention& a, const Division& d, std::size_t number) {
  const std::size_t chunk = number % d.chunks, head = number / d.chunks % a.heads,
                    group = number / d.chunks / a.heads, begin = chunk * d.chunk_rows;
  return {group, head, chunk, begin, std::min(begin + d.chunk_rows, d.rows)};
}

/// Passes of one item, of one head, whose queries come one by one.
template <class Pass>
struct OneItem {
  Division division;
  Task task;
  Pass pass;

  template <class... Rest>
  OneItem(const Attention& attention, std::size_t item, const Rest&... rest)
      : division(attention, 1), task{item, 0, 0, 0, 1}, pass(attention, division, task, rest...) {
    division.rows = division.queries;  // a row is a query of the item, also where there is not a key
  }
  void run(std::size_t query) {
    task.begin = query;
    task.end = query + 1;
    pass.run();
  }
};

/// Keys of one tile.
inline Span keys_of(std::size_t tile, std::size_t keys) {
  return {tile * key_tile, std::min((tile + 1) * key_tile, keys)};
}

}  // namespace fovea::inline FOVEA_REAL::streaming
