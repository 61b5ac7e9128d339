#include "autograd/op_rows.hpp"
#include "autograd/rotation.hpp"

namespace fovea::inline FOVEA_REAL {
namespace {

// All results in one, so that a sample can look at each.
Variable flat(const std::vector<Variable>& results) {
  std::vector<Variable> parts;
  for (const Variable& result : results) parts.push_back(reshape(result, {result.size()}));
  return concat(parts, 0);
}

}  // namespace

std::vector<OpRow> layout_rows() {
  return {
      OpRow{"sum",
            {{{random({3, 4})}, [](In in) { return sum(in[0]); }},
             {{random({2, 3, 4})}, [](In in) { return sum(in[0], 1); }},
             {{random({2, 3, 4})}, [](In in) { return sum(in[0], -1, true); }},
             {{random({0, 3})}, [](In in) { return sum(in[0], 0); }}},
            {{[] {
                return sum(t({2, 2}, {1, 2, 3, 4}));
              },
              scalar(10)},
             {[] {
                return sum(t({2, 2}, {1, 2, 3, 4}), 0);
              },
              tensor({2}, {4, 6})},
             {[] {
                return sum(t({2, 2}, {1, 2, 3, 4}), 1, true);
              },
              tensor({2, 1}, {3, 7})}},
            {{[] {
                sum(Variable(random({2, 3})), 2);
              },
              {"[sum]", "axis 2", "[2, 3]"}}}},
      OpRow{"mean",
            {{{random({3, 4})}, [](In in) { return mean(in[0]); }},
             {{random({2, 3, 4})}, [](In in) { return mean(in[0], -2); }},
             {{random({0, 3})}, [](In in) { return mean(in[0]); }}},
            {{[] {
                return mean(t({2, 2}, {1, 2, 3, 4}));
              },
              scalar(2.5)},
             {[] {
                return mean(t({2, 2}, {1, 2, 3, 4}), 0);
              },
              tensor({2}, {2, 3})},
             {[] {
                return mean(Variable(random({0, 3})));
              },
              scalar(0)}},
            {{[] {
                mean(Variable(random({2, 3})), -3);
              },
              {"[mean]", "axis -3", "[2, 3]"}}}},
      OpRow{"rotate_pairs",
            {{{random({2, 3, 8})}, [](In in) { return rotate_pairs(in[0], 2); }},
             {{random({1, 2, 2})}, [](In in) { return rotate_pairs(in[0], 1, 5, 100); }}},
            {{[] {
                return rotate_pairs(t({1, 1, 2}, {1, 2}), 1);
              },
              tensor({1, 1, 2}, {1, 2})}},
            {{[] {
                rotate_pairs(Variable(random({1, 2, 6})), 2);
              },
              {"[rotate_pairs]", "[1, 2, 6]", "even"}}}},
      OpRow{"reshape",
            {{{random({2, 6})},
              [](In in) {
                return reshape(in[0], {3, 4});
              }}},
            {{[] {
                return reshape(t({2, 2}, {1, 2, 3, 4}), {4});
              },
              tensor({4}, {1, 2, 3, 4})}},
            {{[] {
                reshape(random({2, 3}), {4});
              },
              {"[reshape]", "[2, 3]", "[4]", "6"}}}},
      OpRow{"permute",
            {{{random({2, 3, 4})},
              [](In in) {
                return permute(in[0], {2, 0, 1});
              }},
             {{random({2, 3})},
              [](In in) {
                return permute(in[0], {1, 0});
              }}},
            {{[] {
                return permute(t({2, 3}, {1, 2, 3, 4, 5, 6}), {1, 0});
              },
              tensor({3, 2}, {1, 4, 2, 5, 3, 6})}},
            {{[] {
                permute(random({2, 3}), {0, 0});
              },
              {"[permute]", "[0, 0]", "[2, 3]"}},
             {[] {
                permute(random({2, 3}), {0});
              },
              {"[permute]", "once"}},
             {[] {
                permute(random({2, 3}), {0, 2});
              },
              {"[permute]", "[0, 2]"}}}},
      OpRow{"slice",
            {{{random({4, 3})}, [](In in) { return slice(in[0], 0, 1, 3); }},
             {{random({2, 5, 2})}, [](In in) { return slice(in[0], -2, 2, 5); }},
             {{random({2, 3})}, [](In in) { return slice(in[0], 1, 1, 1); }}},
            {{[] {
                return slice(t({2, 3}, {1, 2, 3, 4, 5, 6}), 1, 1, 3);
              },
              tensor({2, 2}, {2, 3, 5, 6})}},
            {{[] {
                slice(random({2, 3}), 1, 2, 4);
              },
              {"[slice]", "2", "4", "[2, 3]"}},
             {[] {
                slice(random({2, 3}), 2, 0, 1);
              },
              {"[slice]", "axis 2"}}}},
      OpRow{"concat",
            {{{random({2, 3}), random({2, 1}, 2), random({2, 2}, 3)},
              [](In in) {
                return concat({in.begin(), in.end()}, -1);
              }},
             {{random({2, 3}), random({0, 3}, 2)},
              [](In in) {
                return concat({in.begin(), in.end()}, 0);
              }}},
            {{[] {
                return concat({t({1, 2}, {1, 2}), t({1, 1}, {3})}, 1);
              },
              tensor({1, 3}, {1, 2, 3})}},
            {{[] {
                concat({random({2, 3}), random({3, 3})}, 1);
              },
              {"[concat]", "[2, 3]", "[3, 3]"}},
             {[] { concat({}, 0); }, {"[concat]", "nothing"}}}},
      OpRow{"split",
            {{{random({6, 2})}, [](In in) { return flat(split(in[0], 0, 3)); }},
             {{random({2, 4, 2})}, [](In in) { return flat(split(in[0], -2, 2)); }},
             {{random({0, 4})}, [](In in) { return flat(split(in[0], 1, 2)); }}},
            {{[] {
                return split(t({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8}), 1, 2)[1];
              },
              tensor({2, 2}, {3, 4, 7, 8})},
             {[] {
                return split(t({2, 2}, {1, 2, 3, 4}), 0, 1)[0];
              },
              tensor({2, 2}, {1, 2, 3, 4})}},
            {{[] {
                split(random({2, 3}), 1, 2);
              },
              {"[split]", "[2, 3]", "2 parts"}},
             {[] {
                split(random({2, 3}), 2, 1);
              },
              {"[split]", "axis 2"}},
             {[] {
                split(random({2, 3}), 1, 0);
              },
              {"[split]", "0 parts"}}},
            {},
            true},
      OpRow{"stack",
            {{{random({2, 3}), random({2, 3}, 2)},
              [](In in) {
                return stack({in.begin(), in.end()}, 1);
              }},
             {{random({})},
              [](In in) {
                return stack({in[0], in[0]}, 0);
              }}},
            {{[] {
                return stack({t({2}, {1, 2}), t({2}, {3, 4})}, 1);
              },
              tensor({2, 2}, {1, 3, 2, 4})},
             {[] {
                return stack({t({2}, {1, 2}), t({2}, {3, 4})}, -2);
              },
              tensor({2, 2}, {1, 2, 3, 4})}},
            {{[] {
                stack({random({2}), random({3})}, 0);
              },
              {"[stack]", "[2]", "[3]"}},
             {[] { stack({}, 0); }, {"[stack]", "nothing"}},
             {[] { stack({random({2})}, 2); }, {"[stack]", "axis 2"}}},
            "concat"},
      OpRow{"gather",
            {{{random({4, 3})},
              [](In in) {
                return gather(in[0], Ids({2, 3}, {0, 3, 3, 1, 0, 3}));
              }},
             {{random({4, 3})}, [](In in) { return gather(in[0], Ids({0}, {})); }}},
            {{[] {
                return gather(t({2, 2}, {1, 2, 3, 4}), Ids({1, 0}));
              },
              tensor({2, 2}, {3, 4, 1, 2})}},
            {{[] {
                gather(random({4, 3}), Ids({2, 2}, {0, 1, 2, 4}));
              },
              {"[gather]", "id 4", "[1, 1]", "4 rows"}},
             {[] {
                gather(random({4, 3}), Ids({0, -1}));
              },
              {"[gather]", "id -1", "[1]"}},
             {[] { gather(random({4}), Ids({0})); }, {"[gather]", "[4]"}}}},
      OpRow{"embedding_bag",
            {{{random({4, 3})},
              [](In in) {
                return embedding_bag(in[0], Ids({0, 3, 3, 1}), {0, 2, 2, 4}, Bag::mean);
              }},
             {{random({4, 3})},
              [](In in) {
                return embedding_bag(in[0], Ids({0, 3, 3, 1}), {0, 3, 4}, Bag::sum);
              }}},
            {{[] {
                return embedding_bag(t({2, 1}, {1, 3}), Ids({0, 1, 1}), {0, 2, 2, 3}, Bag::mean);
              },
              tensor({3, 1}, {2, 0, 3})},
             {[] {
                return embedding_bag(t({2, 1}, {1, 3}), Ids({0, 1, 1}), {0, 3}, Bag::sum);
              },
              tensor({1, 1}, {7})}},
            {{[] {
                embedding_bag(random({4, 3}), Ids({0, 4}), {0, 2}, Bag::sum);
              },
              {"[embedding_bag]", "id 4"}},
             {[] {
                embedding_bag(random({4, 3}), Ids({0, 1}), {0, 1}, Bag::sum);
              },
              {"[embedding_bag]", "offsets", "2"}},
             {[] {
                embedding_bag(random({4, 3}), Ids({0, 1}), {0, 2, 1, 2}, Bag::sum);
              },
              {"offset 2", "smaller"}}}},
  };
}

}  // namespace fovea::inline FOVEA_REAL
