#include "training/checkpoint.hpp"

#include <algorithm>
#include <map>

#include "optim/glob.hpp"
#include "training/matching.hpp"

namespace fovea::inline FOVEA_REAL {
namespace {

Entry::Values values_of(const Tensor& tensor) {
  return std::vector<Real>(tensor.data(), tensor.data() + tensor.size());
}

std::vector<std::uint64_t> lengths(const Shape& shape) { return {shape.begin(), shape.end()}; }

void copy_values(const Entry& entry, Tensor& to) {
  std::visit(
      [&](const auto& values) {
        if constexpr (std::is_arithmetic_v<typename std::decay_t<decltype(values)>::value_type>) {
          std::transform(values.begin(), values.end(), to.data(),
                         [](auto x) { return static_cast<Real>(x); });
        }
      },
      entry.values);
}

Tensor tensor_of(const Entry& entry) {
  Tensor result = uninitialized(Shape(entry.shape.begin(), entry.shape.end()));
  copy_values(entry, result);
  return result;
}

void check_fits(const Matching& matching, const Checkpoint& from,
                std::initializer_list<std::string_view> prefixes, std::string_view known = {}) {
  const std::string faults = matching.faults(from.entries, prefixes, known);
  if (!faults.empty()) throw CheckpointError(from.origin + ": it does not fit the model" + faults);
}

// Whatever of the file starts with one of `prefixes` has to be in the model.
void load_arrays(const Checkpoint& from, std::span<const NamedParam> params,
                 std::span<const NamedBuffer> buffers, std::initializer_list<std::string_view> prefixes) {
  Matching matching;
  for (const NamedParam& named : params)
    matching.expect("param/" + named.path, lengths(named.param->shape()));
  for (const NamedBuffer& named : buffers)
    matching.expect("buffer/" + named.path, lengths(named.buffer->value.shape()));
  check_fits(matching, from, prefixes);
  for (const NamedParam& named : params) {
    const Entry& entry = from.entries.at("param/" + named.path);
    named.param->update([&](Tensor& value) { copy_values(entry, value); });
  }
  for (const NamedBuffer& named : buffers)
    copy_values(from.entries.at("buffer/" + named.path), named.buffer->value);
}

}  // namespace

void add_model(Entries& entries, std::span<const NamedParam> params, std::span<const NamedBuffer> buffers) {
  for (const NamedParam& named : params) {
    entries.add("param/" + named.path, lengths(named.param->shape()), values_of(named.param->value()));
  }
  for (const NamedBuffer& named : buffers) {
    entries.add("buffer/" + named.path, lengths(named.buffer->value.shape()), values_of(named.buffer->value));
  }
}

void add_optimizer(Entries& entries, const Optimizer& optimizer) {
  entries.add_number("optimizer/steps", optimizer.steps());
  for (const auto& [path, moments] : optimizer.state()) {
    for (const auto& [name, moment] : moments) {
      entries.add(join("optimizer/", path, "/", name), lengths(moment.shape()), values_of(moment));
    }
  }
}

void add_weights(Entries& entries, const WeightAverage& average) {
  for (const auto& [path, weight] : average.state())
    entries.add("weights/" + path, lengths(weight.shape()), values_of(weight));
}

void load_weights(const Checkpoint& from, std::span<const NamedParam> params, WeightAverage& average) {
  Matching matching;
  for (const NamedParam& named : params)
    matching.expect("weights/" + named.path, lengths(named.param->shape()));
  check_fits(matching, from, {"weights/"});
  for (const NamedParam& named : params)
    average.state()[named.path] = tensor_of(from.entries.at("weights/" + named.path));
  average.swap(params);
}

void load_model(const Checkpoint& from, std::span<const NamedParam> params,
                std::span<const NamedBuffer> buffers) {
  load_arrays(from, params, buffers, {"param/", "buffer/"});
}

std::size_t load_part(const Checkpoint& from, std::span<const NamedParam> params,
                      std::span<const NamedBuffer> buffers, std::span<const std::string> globs) {
  if (globs.empty()) {
    load_model(from, params, buffers);
    return params.size() + buffers.size();
  }
  std::vector<std::string> paths;
  const auto chosen = [&](const auto& all) {
    std::vector<typename std::decay_t<decltype(all)>::value_type> some;
    for (const auto& named : all) {
      paths.push_back(named.path);
      if (is_chosen(named.path, globs)) some.push_back(named);
    }
    return some;
  };
  const std::vector<NamedParam> some_params = chosen(params);
  const std::vector<NamedBuffer> some_buffers = chosen(buffers);
  check_globs(globs, paths, "the model");
  load_arrays(from, some_params, some_buffers, {});
  return some_params.size() + some_buffers.size();
}

void load_optimizer(const Checkpoint& from, std::span<const NamedParam> params, Optimizer& optimizer) {
  const std::string prefix = "optimizer/";
  if (!from.entries.find(prefix + "steps"))
    throw CheckpointError(from.origin +
                          ": optimizer/steps is missing, as where weights were imported: no "
                          "training can go on from them; start another run");
  std::map<std::string, Optimizer::Moments> state;
  Matching matching;
  for (const NamedParam& named : params) {
    const std::string own = prefix + named.path + "/";
    for (const Entry& entry : from.entries.all()) {
      if (!entry.name.starts_with(own)) continue;
      const std::string moment = entry.name.substr(own.size());
      if (!optimizer.keeps(moment)) continue;  // then it is unexpected
      matching.expect(entry.name, lengths(optimizer.moment_shape(moment, named.param->shape())));
      if (is_real(entry)) state[named.path].emplace(moment, tensor_of(entry));
    }
  }
  const std::uint64_t steps = from.entries.number(prefix + "steps");
  check_fits(matching, from, {prefix}, prefix + "steps");
  optimizer.set_steps(steps);
  optimizer.state() = std::move(state);
}

}  // namespace fovea::inline FOVEA_REAL
