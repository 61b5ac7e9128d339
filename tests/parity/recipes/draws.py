"""What is drawn at random: statistics of many draws of every initialiser, and of dropout."""

import torch
from torch import nn

from .common import plain, together

SHAPE = (500, 800)  # outputs, inputs
QUANTILES = [0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99]


def statistics(name, fill, shape=SHAPE):
    """`trace` is near 0 unless a sign is not drawn, such as that of a QR decomposition."""
    x = torch.empty(shape)
    torch.manual_seed(1)
    fill(x)
    flat = x.flatten().sort().values
    return plain(
        name,
        {"shape": list(shape), "quantiles": QUANTILES},
        quantiles=[flat[int(q * (flat.numel() - 1))].item() for q in QUANTILES],
        mean=flat.mean(),
        deviation=flat.std(unbiased=False),
        least=flat[0],
        most=flat[-1],
        trace=x.diagonal().sum(),
    )


def dropout(rate):
    x = torch.ones(100000)
    torch.manual_seed(1)
    y = torch.nn.functional.dropout(x, rate, training=True)
    return plain(
        f"dropout: rate {rate:g}",
        {"rate": rate},
        values=sorted(set(y.tolist())),
        mean=y.mean(),
        deviation=y.std(unbiased=False),
    )


def cases():
    init = nn.init
    return together(
        statistics("xavier_uniform", init.xavier_uniform_),
        statistics("xavier_normal", init.xavier_normal_),
        statistics("he_uniform", lambda x: init.kaiming_uniform_(x, mode="fan_in", nonlinearity="relu")),
        statistics("he_normal", lambda x: init.kaiming_normal_(x, mode="fan_in", nonlinearity="relu")),
        statistics("orthogonal: wide", lambda x: init.orthogonal_(x, gain=1.5), (200, 400)),
        statistics("orthogonal: tall", lambda x: init.orthogonal_(x, gain=1.5), (400, 200)),
        statistics("truncated_normal", lambda x: init.trunc_normal_(x, std=0.5, a=-1.0, b=1.0)),
        statistics("normal", lambda x: init.normal_(x, mean=0.5, std=2)),
        statistics("uniform", lambda x: init.uniform_(x, -1, 3)),
        statistics("Linear weight", init.xavier_uniform_),
        statistics("Embedding table", init.normal_, (2000, 200)),
        dropout(0.25),
        dropout(0.9),
    )
