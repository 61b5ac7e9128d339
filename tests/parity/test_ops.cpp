#include <cmath>

#include <catch2/catch.hpp>

#include "autograd/declared_ops.hpp"
#include "autograd/linear_attention.hpp"
#include "autograd/ops.hpp"
#include "autograd/rotation.hpp"
#include "compare.hpp"
#include "parity/fixture.hpp"

using namespace fovea;

namespace {

std::function<Outputs(Case&)> of_x(Variable (*op)(const Variable&)) {
  return [op](Case& c) { return op(c["x"]); };
}

std::function<Outputs(Case&)> of_a_and_b(Variable (*op)(const Variable&, const Variable&)) {
  return [op](Case& c) { return op(c["a"], c["b"]); };
}

std::vector<Variable> parts(Case& c) { return {c["a"], c["b"], c["c"]}; }

std::optional<Keep> kept(const Case& c) {
  if (!c.has("keep")) return {};
  return c.keep("keep");
}

std::optional<std::int64_t> padding(const Case& c) {
  if (!c.settings.count("padding")) return {};
  return c.integer("padding");
}

std::function<Outputs(Case&)> along_axis(Variable (*op)(const Variable&, int, bool),
                                         Variable (*of_all)(const Variable&)) {
  return [op, of_all](Case& c) {
    return c.settings.count("axis") ? op(c["x"], c.integer("axis"), c.number("keep") != 0) : of_all(c["x"]);
  };
}

Outputs cross_entropy_of(Case& c) {
  CrossEntropyOptions options{padding(c), static_cast<Real>(c.number("smoothing", 0))};
  if (c.settings.count("weights")) {
    for (double weight : c.list("weights")) options.class_weights.push_back(static_cast<Real>(weight));
  }
  const Ids targets = c.ids("targets");
  const Variable each = cross_entropy(c["logits"], targets, options);
  if (c.name.find(": mean") == std::string::npos) return each;
  return scale(sum(each), static_cast<Real>(1 / target_weight(targets, options)));
}

Outputs random_features_of(Case& c) {
  const std::vector<Variable> made =
      random_features(c["x"], share(c.inputs.at("directions").tensor()), c.count("heads"));
  return std::map<std::string, Variable>{{"features", made[0]}, {"log_scale", made[1]}};
}

Outputs linear_attention_of(Case& c) {
  Mask mask = c.integer("causal") ? Mask::causal() : Mask();
  if (c.settings.count("lengths")) mask = mask & Mask::key_lengths(c.counts("lengths"));
  return linear_attention(c["query"], c["key"], c["values"], mask, c.count("heads"),
                          c.has("log_scale") ? c["log_scale"] : Variable());
}

Variable given(Case& c, const char* name) { return c.has(name) ? c[name] : Variable(); }

RecurrenceOptions recurrence_options(const Case& c) {
  if (!c.settings.count("lengths")) return {};
  return {c.counts("lengths"), c.number("reverse") != 0};
}

Outputs lstm_of(Case& c) {
  const Recurrence y =
      lstm(c["inputs"], c["weight"], given(c, "hidden"), given(c, "cell"), recurrence_options(c));
  return std::map<std::string, Variable>{{"outputs", y.outputs}, {"hidden", y.hidden}, {"cell", y.cell}};
}

Outputs lstm_layer_of(Case& c) {
  const Recurrence y = lstm_layer(c["x"], c["input_weight"], c["weight"], c["bias"], c["hidden"], c["cell"]);
  return std::map<std::string, Variable>{{"outputs", y.outputs}, {"hidden", y.hidden}, {"cell", y.cell}};
}

Outputs attentive_lstm_of(Case& c) {
  const Mask mask = c.settings.count("lengths") ? Mask::key_lengths(c.counts("lengths")) : Mask();
  const Recurrence y =
      attentive_lstm(c["inputs"], {c["weight"], c["context_weight"], c["query_weight"], c["v"]}, c["keys"],
                     c["values"], c["hidden"], c["cell"], mask);
  return std::map<std::string, Variable>{
      {"outputs", y.outputs}, {"contexts", y.contexts}, {"hidden", y.hidden}, {"cell", y.cell}};
}

Outputs gru_of(Case& c) {
  const Recurrence y = gru(c["inputs"], c["weight"], c["bias"], given(c, "hidden"), recurrence_options(c));
  return std::map<std::string, Variable>{{"outputs", y.outputs}, {"hidden", y.hidden}};
}

const Recipes ops = {
    {"add", of_a_and_b(add)},
    {"sub", of_a_and_b(sub)},
    {"mul", of_a_and_b(mul)},
    {"div", of_a_and_b(div)},
    {"neg", of_x(neg)},
    {"scale", [](Case& c) { return scale(c["x"], c.real("factor")); }},
    {"exp", of_x(exp)},
    {"log", of_x(log)},
    {"sqrt", of_x(sqrt)},
    {"tanh", of_x(tanh)},
    {"sigmoid", of_x(sigmoid)},
    {"relu", of_x(relu)},
    {"abs", of_x(abs)},
    {"pow", [](Case& c) { return pow(c["x"], c.real("exponent")); }},
    {"gelu", of_x(gelu)},
    {"softplus", of_x(softplus)},
    {"max", along_axis(max, nullptr)},
    {"where", [](Case& c) { return where(c.keep("condition"), c["input"], c["other"]); }},
    {"matmul",
     [](Case& c) {
       return matmul(c["a"], c["b"], c.number("transpose_a", 0) != 0, c.number("transpose_b", 0) != 0);
     }},
    {"weighted_sum", [](Case& c) { return weighted_sum(c["weights"], c["values"]); }},
    {"dot_attention",
     [](Case& c) { return dot_attention(c["query"], c["keys"], c["values"], Real(0.5)).context; }},
    {"packed_attention",
     [](Case& c) {
       const Real scale = 1 / std::sqrt(Real(3));
       return packed_attention(c["packed"], scale, {{}, {}, 0, nullptr, {}, 2}).context;
     }},
    {"additive_attention",
     [](Case& c) { return additive_attention(c["a"], c["b"], c["v"], c["values"]).context; }},
    {"additive_scores", [](Case& c) { return additive_scores(c["a"], c["b"], c["v"]); }},
    {"elu_plus_one", of_x(elu_plus_one)},
    {"random_features", random_features_of},
    {"linear_attention", linear_attention_of},
    {"lstm", lstm_of},
    {"lstm_layer", lstm_layer_of},
    {"attentive_lstm", attentive_lstm_of},
    {"gru", gru_of},
    {"linear",
     [](Case& c) { return linear(c["input"], c["weight"], c.has("bias") ? c["bias"] : Variable()); }},
    {"sum", along_axis(sum, sum)},
    {"mean", along_axis(mean, mean)},
    {"reshape",
     [](Case& c) {
       const auto shape = c.counts("shape");
       return reshape(c["x"], Shape(shape.begin(), shape.end()));
     }},
    {"rotate_pairs",
     [](Case& c) { return rotate_pairs(c["x"], c.count("heads"), c.count("first"), c.number("base")); }},
    {"permute", [](Case& c) { return permute(c["x"], c.counts("axes")); }},
    {"slice", [](Case& c) { return slice(c["x"], c.integer("axis"), c.count("begin"), c.count("end")); }},
    {"concat", [](Case& c) { return concat(parts(c), c.integer("axis")); }},
    {"split",
     [](Case& c) {
       const std::vector<Variable> of = split(c["x"], c.integer("axis"), c.count("parts"));
       return std::map<std::string, Variable>{{"a", of[0]}, {"b", of[1]}, {"c", of[2]}};
     }},
    {"stack", [](Case& c) { return stack(parts(c), c.integer("axis")); }},
    {"gather", [](Case& c) { return gather(c["weight"], c.ids("input"), padding(c)); }},
    {"embedding_bag",
     [](Case& c) {
       const Bag kind = c.name == "embedding_bag: mean" ? Bag::mean : Bag::sum;
       return embedding_bag(c["table"], c.ids("ids"), c.counts("offsets"), kind);
     }},
    {"dropout",
     [](Case& c) {
       Rng rng(1);
       return dropout(c["x"], c.number("rate"), rng);
     }},
    {"softmax", [](Case& c) { return softmax(c["x"], c.integer("axis")); }},
    {"log_softmax", [](Case& c) { return log_softmax(c["x"], c.integer("axis")); }},
    {"masked_softmax", [](Case& c) { return masked_softmax(c["x"], c.keep("keep")); }},
    {"sparsemax", [](Case& c) { return sparsemax(c["x"], kept(c)); }},
    {"top_k_softmax",
     [](Case& c) { return top_k_softmax(c["x"], static_cast<std::size_t>(c.integer("k")), kept(c)); }},
    {"layer_norm", [](Case& c) { return layer_norm(c["x"], c["gain"], c["bias"], c.real("eps")); }},
    {"norm", of_x(norm)},
    {"l2_normalize", [](Case& c) { return l2_normalize(c["x"], c.real("eps")); }},
    {"entropy", [](Case& c) { return entropy(c["p"]); }},
};

const Recipes losses = {
    {"nll", [](Case& c) { return nll(c["log_p"], c.ids("targets"), padding(c)); }},
    {"cross_entropy", cross_entropy_of},
    {"mse", [](Case& c) { return mse(c["prediction"], c["target"]); }},
    {"mae", [](Case& c) { return mae(c["prediction"], c["target"]); }},
    {"huber", [](Case& c) { return huber(c["prediction"], c["target"], c.real("delta")); }},
    {"pinball", [](Case& c) { return pinball(c["prediction"], c["target"], c.real("quantile")); }},
    {"binary_cross_entropy", [](Case& c) { return binary_cross_entropy(c["logits"], c["target"]); }},
};

}  // namespace

TEST_CASE("every declared op has a case made by PyTorch", "[parity]") {
  std::set<std::string> covered = subjects(read_fixture("ops"));
  covered.merge(subjects(read_fixture("losses")));
  CHECK(difference(declared_ops(), covered,
                   "has no case: write it in tests/parity/recipes and run tests/parity/make_fixtures.py",
                   "has a case and is not declared in autograd/ops.hpp") == "");
}

TEST_CASE("ops agree with PyTorch, values and gradients", "[parity]") {
  check_parity(read_fixture("ops"), ops);
}

TEST_CASE("losses agree with PyTorch, values and gradients", "[parity]") {
  check_parity(read_fixture("losses"), losses);
}
