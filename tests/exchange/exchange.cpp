#include <functional>
#include <iostream>

#include "core/draw.hpp"
#include "modules/attention/attend.hpp"
#include "modules/attention/bias.hpp"
#include "modules/recurrent.hpp"
#include "modules/transformer.hpp"
#include "training/arrays.hpp"
#include "training/checkpoint.hpp"
#include "training/name_map.hpp"

// Runs a module with another program's weights, or hands it its own; round_trip.py is that program.

using namespace fovea;

namespace {

// As round_trip.py has them.
constexpr std::size_t width = 8, heads = 2, inner = 12, inputs = 5, hidden = 6, reach = 3;

struct Additive {
  AdditiveScore score;
  RelativeBias bias;
  FIELDS(score, bias)
};

class Exchange {
 public:
  Exchange(bool take, std::string weights, const std::string& map, const std::string& in)
      : take_(take), weights_(std::move(weights)), inputs_(read_arrays(in).read) {
    if (map != "-") map_ = NameMap::read(map);
  }

  /// Gives `module` the weights of the file, or writes its own.
  template <class Module>
  void weigh(Module& module) const {
    Checkpoint other;
    other.origin = weights_;
    if (take_) {
      other.entries.add_under("param/", map_.to_ours(read_arrays(weights_).read));
      load_model(other, parameters(module), {});
    } else {
      add_model(other.entries, parameters(module), {});
      write_arrays(weights_, map_.to_theirs(other.entries.under("param/")));
    }
  }

  Variable input(const std::string& name) const {
    const Entry& entry = inputs_.at(name);
    const auto& values = inputs_.values<float>(name);
    Tensor result = uninitialized(Shape(entry.shape.begin(), entry.shape.end()));
    std::copy(values.begin(), values.end(), result.data());
    return result;
  }
  std::vector<std::size_t> lengths() const {
    std::vector<std::size_t> counts;
    for (const float value : inputs_.values<float>("lengths"))
      counts.push_back(static_cast<std::size_t>(value));
    return counts;
  }

  void output(const std::string& name, const Variable& y) {
    const Tensor& value = y.value();
    outputs_.add(name, {value.shape().begin(), value.shape().end()},
                 std::vector<float>(value.data(), value.data() + value.size()));
  }
  void finish(const std::string& out) const { write_arrays(out, outputs_); }

 private:
  bool take_;
  std::string weights_;
  NameMap map_;
  Entries inputs_, outputs_;
};

Rng rng(7);

void multi_head(Exchange& with) {
  MultiHead module(width, heads, rng);
  with.weigh(module);
  Pass pass;
  const Attended y = module(with.input("x"), with.input("memory"), with.input("memory"), pass,
                            {.mask = Mask::key_lengths(with.lengths()), .want = {.weights = true}});
  with.output("context", y.context);
  with.output("weights", y.weights);
}

void recurrent(Cell cell, Exchange& with) {
  Recurrent module(cell, inputs, hidden, rng, {.layers = 2, .bidirectional = true});
  with.weigh(module);
  Pass pass;
  const RecurrentResult y = module(with.input("x"), pass, with.lengths());
  with.output("outputs", y.outputs);
  with.output("hidden", y.state.hidden);
  if (cell == Cell::lstm) with.output("cell", y.state.cell);
}

const TransformerSettings settings{
    .width = width, .heads = heads, .inner = inner, .norm_first = false, .dropout = 0};

void encoder_layer(Exchange& with) {
  EncoderLayer module(settings, rng);
  with.weigh(module);
  Pass pass;
  with.output("y", module(with.input("x"), Mask::key_lengths(with.lengths()), pass));
}

void decoder_layer(Exchange& with) {
  DecoderLayer module(settings, rng);
  with.weigh(module);
  Pass pass;
  with.output("y", module(with.input("x"), with.input("memory"), Mask::causal(),
                          Mask::key_lengths(with.lengths()), pass));
}

void additive(Exchange& with) {
  Additive module{AdditiveScore(width, inputs, hidden, rng), RelativeBias(reach)};
  module.bias.table.set(normal(rng, Shape{2 * reach + 1}, 0, 1));  // they start at zero
  with.weigh(module);
  const Variable query = with.input("query"), keys = with.input("keys");
  Pass pass;
  const Attended y =
      attend(module.score, query, keys, keys, pass,
             {.want = {.weights = true}, .bias = module.bias(query.shape()[1], keys.shape()[1])});
  with.output("context", y.context);
  with.output("weights", y.weights);
}

const std::map<std::string, std::function<void(Exchange&)>> modules{
    {"multi_head", multi_head},
    {"lstm", [](Exchange& with) { recurrent(Cell::lstm, with); }},
    {"gru", [](Exchange& with) { recurrent(Cell::gru, with); }},
    {"encoder_layer", encoder_layer},
    {"decoder_layer", decoder_layer},
    {"additive", additive},
};

}  // namespace

int main(int count, const char* const* words) {
  const std::vector<std::string> given(words + 1, words + count);
  if (given.size() != 6 || !modules.contains(given[0]) || (given[1] != "take" && given[1] != "give")) {
    std::cerr << "usage: exchange MODULE take|give WEIGHTS MAP|- INPUTS.npz OUTPUTS.npz\nmodules:";
    for (const auto& [name, run] : modules) std::cerr << ' ' << name;
    std::cerr << '\n';
    return 2;
  }
  try {
    Exchange with(given[1] == "take", given[2], given[3], given[4]);
    modules.at(given[0])(with);
    with.finish(given[5]);
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "exchange: " << error.what() << '\n';
    return 1;
  }
}
