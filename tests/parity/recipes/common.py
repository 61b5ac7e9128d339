"""How a case is drawn, computed and written."""

import json
import zlib

import numpy as np
import torch


def _rng(label):
    return np.random.default_rng(zlib.crc32(label.encode()))


def _exact(array):
    """Numbers that float and double both hold, and that are short to write."""
    return torch.tensor(np.round(np.asarray(array) * 1024) / 1024)


# What an input is drawn from; each takes the label that seeds it.


def normal(*shape):
    return lambda label: _exact(_rng(label).standard_normal(shape))


def uniform(low, high, *shape):
    return lambda label: _exact(_rng(label).uniform(low, high, shape))


def off_zero(*shape):
    """Normal, but away from zero: for kinks and divisors."""

    def draw(label):
        x = _rng(label).standard_normal(shape)
        return _exact(x + np.where(x < 0, -0.25, 0.25))

    return draw


def distribution(*shape):
    """Rows that sum to 1, but for rounding."""
    return lambda label: _exact(_rng(label).dirichlet(np.ones(shape[-1]), shape[:-1]))


def numbers(values):
    return lambda label: _exact(values)


def ids(below, *shape):
    return lambda label: torch.tensor(_rng(label).integers(0, below, shape))


def these_ids(values):
    return lambda label: torch.tensor(values, dtype=torch.int64)


def keep(*shape):
    """True for about two thirds; every row (along the last axis) keeps its first element: where nothing is
    kept PyTorch says NaN and Fovea 0, on purpose."""

    def draw(label):
        kept = _rng(label).uniform(size=shape) < 0.66
        kept[..., 0] = True
        return torch.tensor(kept)

    return draw


def of_shape(tensor):
    return {
        "shape": list(tensor.shape),
        "data": [int(x) if tensor.dtype == torch.bool else x for x in tensor.detach().flatten().tolist()],
    }


def case(name, run, inputs, settings=None, constant=()):
    """Draws the inputs, calls `run(**inputs, **settings)` and notes its outputs, and the gradients of every
    real input that is not `constant` under a random cotangent. `run` returns a tensor, or a dict of them."""
    settings = settings or {}
    drawn = {key: draw(f"{name}/{key}") for key, draw in inputs.items()}
    leaves = {
        key: x.requires_grad_() for key, x in drawn.items() if x.is_floating_point() and key not in constant
    }
    outputs = run(**drawn, **settings)
    if not isinstance(outputs, dict):
        outputs = {"y": outputs}
    cotangents = {key: normal(*y.shape)(f"{name}/cotangent of {key}") for key, y in outputs.items()}
    tracked = [key for key in outputs if outputs[key].requires_grad]
    gradients = (
        torch.autograd.grad(
            [outputs[key] for key in tracked],
            list(leaves.values()),
            [cotangents[key] for key in tracked],
            allow_unused=True,
        )
        if leaves
        else []
    )
    result = {
        "inputs": {key: of_shape(x) for key, x in drawn.items()},
        "outputs": {
            key: {"value": of_shape(y), "cotangent": of_shape(cotangents[key])} for key, y in outputs.items()
        },
        "gradients": {
            key: of_shape(torch.zeros_like(x) if g is None else g)
            for (key, x), g in zip(leaves.items(), gradients)
        },
    }
    if settings:
        result["settings"] = settings
    return {name: result}


def plain(name, settings, **outputs):
    """A case of values alone."""
    return {
        name: {
            "settings": settings,
            "outputs": {key: {"value": of_shape(torch.as_tensor(x))} for key, x in outputs.items()},
        }
    }


def together(*cases):
    """One dict of cases with different names."""
    result = {}
    for one in cases:
        assert not result.keys() & one.keys(), f"two cases are called {result.keys() & one.keys()}"
        result |= one
    return result


def write(path, cases):
    # One line for each case, so that a diff says which changed. Python writes the fewest digits (17 at most)
    # that give the same double back.
    lines = [
        f"{json.dumps(name)}: {json.dumps(case, separators=(',', ':'), allow_nan=False)}"
        for name, case in cases.items()
    ]
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n")
