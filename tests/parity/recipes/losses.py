"""The losses of autograd/ops.hpp."""

import torch
import torch.nn.functional as F

from .common import case, ids, normal, off_zero, these_ids, together, uniform

# The second and the last are padding where a case says so.
TARGETS = [[1, 7, 0], [3, 2, 7]]
WEIGHTS = [0.5, 2.0, 1.25, 0.75]


def cross_entropy(reduction):
    def run(logits, targets, padding=-100, smoothing=0.0, weights=None):
        return F.cross_entropy(
            logits.movedim(-1, 1),
            targets,
            reduction=reduction,
            ignore_index=padding,
            label_smoothing=smoothing,
            weight=None if weights is None else torch.tensor(weights),
        )

    return run


def of_classes():
    nll = lambda log_p, targets, padding=-100: F.nll_loss(
        log_p.movedim(-1, 1), targets, reduction="none", ignore_index=padding
    )
    yield case("nll: plain", nll, {"log_p": normal(2, 3, 4), "targets": ids(4, 2, 3)})
    yield case("nll: padding", nll, {"log_p": normal(2, 3, 4), "targets": these_ids(TARGETS)}, {"padding": 7})
    options = {
        "plain": {},
        "padding": {"padding": 7},
        "smoothing": {"smoothing": 0.125},
        "class weights": {"weights": WEIGHTS},
        "smoothing, class weights": {"smoothing": 0.25, "weights": WEIGHTS},
        "padding, smoothing, class weights": {"padding": 7, "smoothing": 0.25, "weights": WEIGHTS},
    }
    for name, settings in options.items():
        targets = these_ids(TARGETS) if "padding" in settings else ids(4, 2, 3)
        for kind, reduction in {"each": "none", "mean": "mean"}.items():
            yield case(
                f"cross_entropy: {kind}, {name}",
                cross_entropy(reduction),
                {"logits": normal(2, 3, 4), "targets": targets},
                settings,
            )


def of_numbers():
    # Targets lie off the predictions, where absolute losses have their kinks, and on both sides of delta.
    pair = {"prediction": off_zero(4, 5), "target": lambda label: torch.zeros(4, 5)}
    apart = {"prediction": normal(3, 5), "target": normal(3, 5)}
    losses = {"mse": F.mse_loss, "mae": F.l1_loss}
    for name, loss in losses.items():
        yield case(f"{name}: apart", lambda prediction, target, loss=loss: loss(prediction, target), apart)
    yield case(
        "mae: at the target",
        lambda prediction, target: F.l1_loss(prediction, target),
        {
            "prediction": lambda label: torch.tensor([1.0, 2.0]),
            "target": lambda label: torch.tensor([1.0, 0.0]),
        },
    )
    for delta in (1.0, 0.5, 2.0):
        yield case(
            f"huber: delta {delta:g}",
            lambda prediction, target, delta: F.huber_loss(prediction, target, delta=delta),
            pair,
            {"delta": delta},
        )
    # PyTorch has none; this is the definition.
    pinball = lambda prediction, target, quantile: torch.maximum(
        quantile * (target - prediction), (quantile - 1) * (target - prediction)
    ).mean()
    for quantile in (0.5, 0.125):
        yield case(f"pinball: quantile {quantile:g}", pinball, apart, {"quantile": quantile})
    yield case(
        "binary_cross_entropy: logits",
        lambda logits, target: F.binary_cross_entropy_with_logits(logits, target),
        {"logits": normal(3, 4), "target": uniform(0, 1, 3, 4)},
    )
    yield case(
        "binary_cross_entropy: far logits",
        lambda logits, target: F.binary_cross_entropy_with_logits(logits, target),
        {
            "logits": lambda label: torch.tensor([-60.0, -20, 0, 20, 60]),
            "target": lambda label: torch.tensor([0.0, 1, 0.5, 0.25, 1]),
        },
    )


def cases():
    return together(*of_classes(), *of_numbers())
