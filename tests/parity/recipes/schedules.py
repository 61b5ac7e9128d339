"""The rates of every schedule, step by step, and what a plateau makes of metrics.

Left out, because Fovea differs on purpose: PyTorch's cosine rises again after `total` steps, and its plateau
takes the threshold of a negative metric the wrong way.
"""

import math

import torch
from torch.optim import lr_scheduler as lr

from .common import plain, together


def rates(name, make, settings, base, steps):
    optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=base)
    schedule = make(optimizer)
    seen = []
    for step in range(steps):
        if step:
            optimizer.step()
            schedule.step()
        seen.append(optimizer.param_groups[0]["lr"])
    return plain(name, {"base": base, **settings}, rates=seen)


def warmup_then_cosine(optimizer, warmup, total, floor):
    rise = lr.LinearLR(optimizer, start_factor=1 / warmup, total_iters=warmup - 1)
    fall = lr.CosineAnnealingLR(optimizer, T_max=total - warmup, eta_min=floor)
    return lr.SequentialLR(optimizer, [rise, fall], milestones=[warmup])


def all_schedules():
    yield rates("constant: plain", lambda o: lr.LambdaLR(o, lambda s: 1.0), {}, 0.3, 5)
    yield rates(
        "constant: warm-up", lambda o: lr.LinearLR(o, start_factor=0.25, total_iters=3), {"warmup": 4}, 0.3, 8
    )
    yield rates("cosine: to zero", lambda o: lr.CosineAnnealingLR(o, 20), {"total": 20}, 0.1, 21)
    yield rates(
        "cosine: to a floor",
        lambda o: lr.CosineAnnealingLR(o, 13, eta_min=0.01),
        {"total": 13, "floor": 0.01},
        0.5,
        14,
    )
    yield rates(
        "cosine: warm-up",
        lambda o: warmup_then_cosine(o, 5, 20, 0.02),
        {"warmup": 5, "total": 20, "floor": 0.02},
        0.2,
        21,
    )
    yield rates("step: plain", lambda o: lr.StepLR(o, 4, gamma=0.5), {"every": 4, "factor": 0.5}, 0.8, 15)
    yield rates(
        "step: every step", lambda o: lr.StepLR(o, 1, gamma=0.9), {"every": 1, "factor": 0.9}, 0.8, 10
    )
    yield rates(
        "step: warm-up",
        lambda o: lr.LambdaLR(o, lambda s: min(1, (s + 1) / 3) * 0.1 ** (s // 5)),
        {"warmup": 3, "every": 5, "factor": 0.1},
        0.8,
        12,
    )
    noam = lambda warmup: lambda s: min((s + 1) / warmup, math.sqrt(warmup / (s + 1)))
    yield rates("inverse_sqrt: warm-up", lambda o: lr.LambdaLR(o, noam(6)), {"warmup": 6}, 0.4, 30)
    yield rates(
        "inverse_sqrt: no warm-up", lambda o: lr.LambdaLR(o, lambda s: 1 / math.sqrt(s + 1)), {}, 0.4, 10
    )
    for total, rise in ((20, 0.3), (11, 0.25), (10, 0.5), (7, 1.0), (12, 0.05)):
        yield rates(
            f"one_cycle: {total} steps, rise {rise:g}",
            lambda o, total=total, rise=rise: lr.OneCycleLR(
                o, 0.5, total_steps=total, pct_start=rise, cycle_momentum=False
            ),
            {"total": total, "rise": rise},
            0.5,
            total,
        )


def plateau(name, metrics, **settings):
    optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
    schedule = lr.ReduceLROnPlateau(
        optimizer,
        mode="max" if settings["higher_is_better"] else "min",
        factor=settings["factor"],
        patience=settings["patience"],
        threshold=settings["threshold"],
    )
    scales = []
    for metric in metrics:
        schedule.step(metric)
        scales.append(optimizer.param_groups[0]["lr"])
    return plain(name, {**settings, "metrics": metrics}, rates=scales)


def plateaus():
    falling = [5, 4, 3.9, 3.95, 3.9, 3.9, 3.8999, 3.5, 3.6, 3.6, 3.6, 3.6, 3.6, 3.6, 3.6, 3.4]
    yield plateau(
        "plateau: lower is better", falling, factor=0.5, patience=2, threshold=1e-4, higher_is_better=False
    )
    yield plateau(
        "plateau: a large threshold", falling, factor=0.1, patience=1, threshold=0.1, higher_is_better=False
    )
    yield plateau(
        "plateau: higher is better",
        [0.1, 0.2, 0.2, 0.2, 0.21, 0.2, 0.1, 0.1, 0.3, 0.3, 0.3],
        factor=0.5,
        patience=1,
        threshold=1e-2,
        higher_is_better=True,
    )
    yield plateau(
        "plateau: no patience",
        [3, 3, 2, 2, 1, 1.5],
        factor=0.5,
        patience=0,
        threshold=0.0,
        higher_is_better=False,
    )


def cases():
    return together(*all_schedules(), *plateaus())
