#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "autograd/engine.hpp"
#include "autograd/ops.hpp"
#include "core/ids.hpp"
#include "modules/fields.hpp"

// What PyTorch computed (make_fixtures.py), and the comparison with it.

namespace fovea::inline FOVEA_REAL {

/// Numbers of a fixture as they stand in its file, whatever Real is.
struct Array {
  Shape shape;
  std::vector<double> data;

  Tensor tensor() const;
};

/// One case: what PyTorch was given, what it was told, what came out, and the gradients under the cotangents.
/// Whatever is asked for by a name that the case does not have throws Error with both names.
class Case {
 public:
  std::string name;
  std::map<std::string, Array> inputs, outputs, cotangents, gradients;
  std::map<std::string, std::vector<double>> settings;

  /// What the case is a case of: `huber` of `huber: delta 0.5`.
  std::string subject() const;

  /// An input as a leaf, the same one each time.
  const Variable& operator[](const std::string& input);
  Ids ids(const std::string& input) const;
  Keep keep(const std::string& input) const;
  bool has(const std::string& input) const { return inputs.count(input) > 0; }

  const std::vector<double>& list(const std::string& setting) const;
  double number(const std::string& setting) const { return list(setting).at(0); }
  double number(const std::string& setting, double otherwise) const;
  Real real(const std::string& setting) const { return static_cast<Real>(number(setting)); }
  int integer(const std::string& setting) const { return static_cast<int>(number(setting)); }
  std::size_t count(const std::string& setting) const { return static_cast<std::size_t>(number(setting)); }
  std::vector<std::size_t> counts(const std::string& setting) const;

  /// Sets every parameter of a module to the input that is called like its path; they are the leaves then.
  template <class Module>
  void load(Module& module) {
    for (const NamedParam& named : parameters(module)) {
      named.param->set(input(named.path).tensor());
      leaves_[named.path] = named.param->variable();
    }
  }

 private:
  const Array& input(const std::string& input_name) const;
  std::map<std::string, Variable> leaves_;
};

/// Every case of tests/parity/fixtures/<file>.json.
std::vector<Case> read_fixture(const std::string& file);

/// What the cases of a file are cases of.
std::set<std::string> subjects(const std::vector<Case>& cases);

/// What a case of this library came to: outputs by name; a single one is called `y`.
struct Outputs {
  Outputs(Variable y) : named{{"y", std::move(y)}} {}
  Outputs(std::map<std::string, Variable> in_named) : named(std::move(in_named)) {}
  std::map<std::string, Variable> named;
};

/// How each subject of a fixture is computed here.
using Recipes = std::map<std::string, std::function<Outputs(Case&)>>;

/// Parity: 1e-5 in f32, 1e-10 in f64, relative to max(1, |x|).
inline constexpr double parity_tolerance = sizeof(Real) == 4 ? 1e-5 : 1e-10;

/// Runs every case and compares all outputs and all gradients. A case without a recipe fails, so does a
/// recipe without a case.
void check_parity(std::vector<Case> cases, const Recipes& recipes);

}  // namespace fovea::inline FOVEA_REAL
