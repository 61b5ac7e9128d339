"""Ten steps of every optimiser on a small loss: the values of all parameters after each step.

Clipping by norm has no case: PyTorch divides by norm + 1e-6, Fovea by the norm. (The norm itself has one.)
"""

import numpy as np
import torch

from .common import normal, of_shape, together

STEPS = 10
SHAPES = {"weight": (3, 4), "bias": (3,)}
# Weight decay holds for both here, as in PyTorch; Fovea's modules spare biases.


def loss_of(p, data):
    hidden = torch.tanh(data["x"] @ p["weight"].T + p["bias"])
    return ((hidden - data["target"]) ** 2).mean() + 0.05 * (p["weight"] ** 2).sum() / (
        1 + (p["bias"] ** 2).sum()
    )


class Lion(torch.optim.Optimizer):
    """Algorithm 2 of "Symbolic discovery of optimization algorithms" (Chen et al., 2023), in numpy: PyTorch
    has none."""

    def __init__(self, params, lr, betas, weight_decay):
        super().__init__(params, dict(lr=lr, betas=betas, decay=weight_decay))
        self.momenta = [np.zeros(p.shape) for p in self.param_groups[0]["params"]]

    def step(self):
        group = self.param_groups[0]
        beta1, beta2 = group["betas"]
        for p, m in zip(group["params"], self.momenta):
            g, w = p.grad.numpy(), p.detach().numpy()
            mixed = beta1 * m + (1 - beta1) * g
            assert np.abs(mixed).min() > 5e-6, "a sign that single precision might get wrong"
            w -= group["lr"] * (np.sign(mixed) + group["decay"] * w)
            m[...] = beta2 * m + (1 - beta2) * g


def run(name, make, rates, settings, average=None):
    p = {key: normal(*shape)(f"start of {key}").requires_grad_() for key, shape in SHAPES.items()}
    data = {"x": normal(6, 4)("x"), "target": normal(6, 3)("target")}
    case = {
        "inputs": {key: of_shape(x) for key, x in {**p, **data}.items()},
        "settings": {**settings, "rates": rates},
    }
    method = make(list(p.values()))
    averaged = []
    losses, after, means = [], {key: [] for key in p}, {key: [] for key in p}
    for rate in rates:
        for group in method.param_groups:
            group["lr"] = rate
        for x in p.values():
            x.grad = None
        loss = loss_of(p, data)
        loss.backward()
        # The first steps of adaptive methods are g / |g|, which single precision must get right.
        assert losses or all(x.grad.abs().min() > 1e-4 for x in p.values())
        method.step()
        losses.append(loss.item())
        for key, x in p.items():
            after[key].append(x.detach().clone())
        if average is not None:
            # torch.optim.swa_utils.AveragedModel: the first is a copy.
            averaged = (
                [average * a + (1 - average) * x.detach() for a, x in zip(averaged, p.values())]
                if averaged
                else [x.detach().clone() for x in p.values()]
            )
            for key, a in zip(p, averaged):
                means[key].append(a)
    outputs = {"losses": torch.tensor(losses), **{key: torch.stack(x) for key, x in after.items()}}
    if average is not None:
        outputs |= {f"average of {key}": torch.stack(x) for key, x in means.items()}
    case["outputs"] = {key: {"value": of_shape(x)} for key, x in outputs.items()}
    return {name: case}


def falling(start):
    return [round(start / (1 + 0.25 * t), 6) for t in range(STEPS)]


def all_optimizers():
    o = torch.optim

    # Settings are written as Fovea takes them, by the names of its parameters.
    def sgd(name, rates, momentum=0.0, decay=0.0, nesterov=False, **more):
        return run(
            name,
            lambda p: o.SGD(p, lr=0.1, momentum=momentum, weight_decay=decay, nesterov=nesterov),
            rates,
            {"momentum": momentum, "decay": decay},
            **more,
        )

    yield sgd("sgd: plain", [0.2] * STEPS)
    yield sgd("sgd: decay", [0.2] * STEPS, decay=0.1)
    yield sgd("sgd: usual settings", [0.1] * STEPS, momentum=0.9)
    yield sgd("sgd: momentum, decay, falling rate", falling(0.2), momentum=0.9, decay=0.05)
    yield sgd("nesterov: usual settings", [0.1] * STEPS, momentum=0.9, nesterov=True)
    yield sgd(
        "nesterov: momentum, decay, falling rate", falling(0.2), momentum=0.8, decay=0.05, nesterov=True
    )
    yield sgd("weight average: of sgd", [0.2] * STEPS, average=0.75)
    adam = lambda p: o.Adam(p, lr=0.1, betas=(0.9, 0.999), eps=1e-8)
    yield run("adam: usual settings", adam, [0.1] * STEPS, {"beta1": 0.9, "beta2": 0.999, "eps": 1e-8})
    yield run(
        "adam: other settings, falling rate",
        lambda p: o.Adam(p, lr=0.1, betas=(0.7, 0.95), eps=1e-3),
        falling(0.1),
        {"beta1": 0.7, "beta2": 0.95, "eps": 1e-3},
    )
    yield run(
        "adamw: usual settings",
        lambda p: o.AdamW(p, lr=0.1, weight_decay=0.01),
        [0.1] * STEPS,
        {"decay": 0.01, "beta1": 0.9, "beta2": 0.999, "eps": 1e-8},
    )
    yield run(
        "adamw: other settings, falling rate",
        lambda p: o.AdamW(p, lr=0.1, betas=(0.8, 0.9), eps=1e-4, weight_decay=0.3),
        falling(0.1),
        {"decay": 0.3, "beta1": 0.8, "beta2": 0.9, "eps": 1e-4},
    )
    rmsprop = [
        ("usual settings", [0.02] * STEPS, dict(alpha=0.99, momentum=0.0, decay=0.0, eps=1e-8)),
        ("momentum, decay, falling rate", falling(0.02), dict(alpha=0.9, momentum=0.5, decay=0.1, eps=1e-3)),
    ]
    for name, rates, s in rmsprop:
        yield run(
            f"rmsprop: {name}",
            lambda p, s=s: o.RMSprop(
                p, lr=0.1, alpha=s["alpha"], momentum=s["momentum"], weight_decay=s["decay"], eps=s["eps"]
            ),
            rates,
            s,
        )
    for name, rates, s in [
        ("usual settings", [0.2] * STEPS, dict(decay=0.0, eps=1e-10)),
        ("decay, falling rate", falling(0.2), dict(decay=0.1, eps=1e-3)),
    ]:
        yield run(
            f"adagrad: {name}",
            lambda p, s=s: o.Adagrad(p, lr=0.1, weight_decay=s["decay"], eps=s["eps"]),
            rates,
            s,
        )
    for name, rates, s in [
        ("usual settings", [0.02] * STEPS, dict(decay=0.0, beta1=0.9, beta2=0.99)),
        ("decay, falling rate", falling(0.05), dict(decay=0.3, beta1=0.7, beta2=0.8)),
    ]:
        yield run(
            f"lion: {name}", lambda p, s=s: Lion(p, 0.1, (s["beta1"], s["beta2"]), s["decay"]), rates, s
        )


def clipping():
    gradients = {key: normal(*shape)(f"gradient of {key}") for key, shape in SHAPES.items()}
    p = {key: torch.zeros(shape, requires_grad=True) for key, shape in SHAPES.items()}
    for key, x in p.items():
        x.grad = gradients[key].clone()
    norm = torch.nn.utils.clip_grad_norm_(list(p.values()), 1e9)
    torch.nn.utils.clip_grad_value_(list(p.values()), 0.5)
    outputs = {"norm": norm, **{key: x.grad for key, x in p.items()}}
    return {
        "clip: norm, then by value": {
            "inputs": {key: of_shape(x) for key, x in gradients.items()},
            "settings": {"limit": 0.5},
            "outputs": {key: {"value": of_shape(x)} for key, x in outputs.items()},
        }
    }


def cases():
    return together(*all_optimizers(), clipping())
