#include <numeric>

#include "modules/attention/attend.hpp"
#include "properties/property.hpp"

using namespace fovea;

namespace {

// Sizes, inputs and a score of any kind.
struct Setting {
  std::size_t batch = any_of("batch", 1, 3), queries = any_of("queries", 1, 4), keys = any_of("keys", 1, 5);
  std::size_t width = any_of("width", 1, 4), out = any_of("value width", 1, 3);
  Variable q = any_leaf("query", {batch, queries, width}), k = any_leaf("keys", {batch, keys, width}),
           v = any_leaf("values", {batch, keys, out});
  Score score = any_score();

  Score any_score() const {
    static const std::vector<std::string> names = {"dot",      "scaled_dot", "general",
                                                   "additive", "cosine",     "additive_norm"};
    Rng rng(5);
    return make_score(names[any_of("score", 0, names.size() - 1)], width, width, any_of("hidden", 1, 4), rng);
  }
  std::vector<Variable> inputs() const { return {q, k, v}; }
};

Attended run(const Score& score, const Variable& q, const Variable& k, const Variable& v, Mask mask = {},
             Variable bias = {}) {
  Pass pass;
  return attend(score, q, k, v, pass, {std::move(mask), 0, {true, true, true}, std::move(bias)});
}

Mask any_mask(const std::string& name, std::size_t batch, std::size_t queries, std::size_t keys) {
  const auto lengths = [&](std::size_t most) {
    std::vector<std::size_t> result;
    for (std::size_t b = 0; b < batch; ++b) result.push_back(any_of(name + ": a length", 0, most));
    return result;
  };
  const auto ids = [&](const std::string& what, std::size_t length, std::size_t most) {
    std::vector<std::int64_t> values;
    for (std::size_t n = 0; n < batch * length; ++n)
      values.push_back(static_cast<std::int64_t>(any_of(name + ": " + what, 0, most)));
    return Ids({batch, length}, values);
  };
  switch (any_of(name + ": kind", 0, 13)) {
    case 0:
      return {};
    case 1:
      return Mask::key_lengths(lengths(keys));
    case 2:
      return Mask::query_lengths(lengths(queries));
    case 3:
      return Mask::causal();
    case 4:
      return Mask::causal(static_cast<std::int64_t>(any_of(name + ": offset + 3", 0, 6)) - 3);
    case 5:
      return Mask::window(any_of(name + ": before", 0, 3), any_of(name + ": after", 0, 3));
    case 6:
      return Mask::global_tokens({any_of(name + ": position", 0, std::min(queries, keys) - 1)});
    case 7:
      return Mask::strided(any_of(name + ": stride", 1, 3));
    case 8:
      return Mask::blocks(any_of(name + ": block", 1, 3));
    case 9:
      return Mask::first_tokens(any_of(name + ": first", 0, 7));
    case 10:
      return Mask::groups(ids("a query's id", queries, 2), ids("a key's id", keys, 2));
    case 11:
      return Mask::other_groups(ids("a query's id", queries, 1), ids("a key's id", keys, 1));
    case 12:
      return Mask::reordered(any_bool(name + ": strided") ? Mask::strided(2) : Mask::window(1, 2),
                             ids("a query's place", queries, queries - 1),
                             ids("a key's place", keys, keys - 1));
    default:
      return Mask::keep(any_keep(name, {batch, queries, keys}));
  }
}

}  // namespace

TEST_CASE("adding a constant to all scores of a query changes nothing", "[properties]") {
  hold("attend", [] {
    const Setting s;
    const Mask mask = any_mask("mask", s.batch, s.queries, s.keys);
    const Variable bias = any_leaf("constant", {s.batch, s.queries, 1});
    const Attended plain = run(s.score, s.q, s.k, s.v, mask),
                   raised = run(s.score, s.q, s.k, s.v, mask, bias);
    demand_same(raised.context, plain.context, s.inputs(), "context", 10);
    demand_same(raised.weights, plain.weights, s.inputs(), "weights", 10);
    demand_same(raised.entropy, plain.entropy, s.inputs(), "entropy", 20);
  });
}

TEST_CASE("permuting keys and values permutes the weights and leaves the context", "[properties]") {
  hold("attend", [] {
    const Setting s;
    const std::vector<std::size_t> order = any_order("order", s.keys);
    const Keep keep = any_keep("keep", {s.batch, 1, s.keys});
    std::vector<unsigned char> moved;
    for (std::size_t b = 0; b < s.batch; ++b) {
      for (std::size_t j : order) moved.push_back(keep.values[b * s.keys + j]);
    }
    const Attended plain = run(s.score, s.q, s.k, s.v, Mask::keep(keep));
    const Attended permuted =
        run(s.score, s.q, picked(s.k, 1, order), picked(s.v, 1, order), Mask::keep(Keep(keep.shape, moved)));
    demand_same(permuted.context, plain.context, s.inputs(), "context", 10);
    demand_same(permuted.weights, picked(plain.weights, 2, order), s.inputs(), "weights", 10);
    demand_same(permuted.entropy, plain.entropy, s.inputs(), "entropy", 20);
  });
}

TEST_CASE("masking keys equals removing them", "[properties]") {
  hold("attend", [] {
    const Setting s;
    const Keep keep = any_keep("keep", {1, 1, s.keys}, true);
    std::vector<std::size_t> kept;
    for (std::size_t j = 0; j < s.keys; ++j) {
      if (keep.values[j]) kept.push_back(j);
    }
    const Attended masked = run(s.score, s.q, s.k, s.v, Mask::keep(keep));
    const Attended removed = run(s.score, s.q, picked(s.k, 1, kept), picked(s.v, 1, kept));
    demand_same(masked.context, removed.context, s.inputs(), "context", 10);
    demand_same(picked(masked.weights, 2, kept), removed.weights, s.inputs(), "weights", 10);
    demand_same(masked.entropy, removed.entropy, s.inputs(), "entropy", 20);
  });
}

TEST_CASE("a padded batch equals its items alone", "[properties]") {
  hold("attend", [] {
    const Setting s;
    std::vector<std::size_t> lengths;
    for (std::size_t b = 0; b < s.batch; ++b) lengths.push_back(any_of("a length", 0, s.keys));
    const Attended whole = run(s.score, s.q, s.k, s.v, Mask::key_lengths(lengths));
    for (std::size_t b = 0; b < s.batch; ++b) {
      const auto item = [b](const Variable& x) { return slice(x, 0, b, b + 1); };
      const Attended alone =
          run(s.score, item(s.q), slice(item(s.k), 1, 0, lengths[b]), slice(item(s.v), 1, 0, lengths[b]));
      demand_same(item(whole.context), alone.context, s.inputs(), "context", 1);
      demand_same(slice(item(whole.weights), 2, 0, lengths[b]), alone.weights, s.inputs(), "weights", 1);
      demand_same(item(whole.entropy), alone.entropy, s.inputs(), "entropy", 2);
    }
  });
}

TEST_CASE("a prepared key serves as well as a fresh one", "[properties]") {
  hold("attend_prepared", [] {
    const Setting s;
    Pass pass;
    const Attended fresh = run(s.score, s.q, s.k, s.v);
    const Attended prepared = attend_prepared(s.score, s.q, prepare(s.score, s.k), s.v, pass);
    demand_same(prepared.context, fresh.context, s.inputs(), "context", 0);
  });
}

TEST_CASE("masks obey the laws of sets", "[properties]") {
  hold("expand", [] {
    const std::size_t batch = any_of("batch", 1, 3), queries = any_of("queries", 1, 5),
                      keys = any_of("keys", 1, 5);
    const auto mask = [&](const std::string& name) { return any_mask(name, batch, queries, keys); };
    const Mask a = mask("a"), b = mask("b"), c = mask("c");
    const auto same = [&](const Mask& x, const Mask& y, const std::string& law) {
      demand(x.expand(batch, queries, keys).values == y.expand(batch, queries, keys).values, law);
    };
    same((a & b) | (a & c), a & (b | c), "& distributes over |");
    same((a | b) & (a | c), a | (b & c), "| distributes over &");
    same(a & a, a, "a & a is a");
    same(a | a, a, "a | a is a");
    same(a & b, b & a, "& commutes");
    same(a | b, b | a, "| commutes");
    same((a & b) & c, a & (b & c), "& is associative");
    same(a & (a | b), a, "& absorbs");
    same(a & Mask(), a, "everything is neutral for &");
    same(a | Mask(), Mask(), "everything absorbs |");
  });
}

TEST_CASE("a mask's rows and covers say what its expansion says", "[properties]") {
  hold("view", [] {
    const std::size_t batch = any_of("batch", 1, 2), queries = any_of("queries", 1, 6),
                      keys = any_of("keys", 1, 6);
    const Mask a = any_mask("a", batch, queries, keys), b = any_mask("b", batch, queries, keys);
    const Mask mask = any_bool("joined by &") ? a & b : a | b;
    const MaskView view = mask.view(batch, queries, keys);
    const Keep whole = mask.expand(batch, queries, keys);
    const std::size_t q0 = any_of("first query", 0, queries - 1),
                      q1 = any_of("end of queries", q0 + 1, queries);
    const std::size_t k0 = any_of("first key", 0, keys - 1), k1 = any_of("end of keys", k0 + 1, keys);
    for (std::size_t item = 0; item < batch; ++item) {
      std::size_t allowed = 0;
      for (std::size_t i = q0; i < q1; ++i) {
        std::vector<unsigned char> row(k1 - k0);
        view.row(item, i, {k0, k1}, row.data());
        for (std::size_t j = k0; j < k1; ++j) {
          const unsigned char expected = whole.values[(item * queries + i) * keys + j];
          demand(row[j - k0] == expected, "a row");
          allowed += expected;
        }
      }
      const MaskView::Cover cover = view.cover(item, {q0, q1}, {k0, k1});
      demand(cover != MaskView::Cover::none || allowed == 0, "none is certain");
      demand(cover != MaskView::Cover::all || allowed == (q1 - q0) * (k1 - k0), "all is certain");
    }
  });
}
