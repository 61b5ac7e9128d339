"""Attention: scores, context, weights and entropy; the scaled dot's context by PyTorch's own function.

Left out, because Fovea differs on purpose: a query without an allowed key (PyTorch: NaN, here: 0), and
`is_causal` of fewer queries than keys, which PyTorch aligns at the start; Fovea does so only as `causal(0)`.
"""

import torch
import torch.nn.functional as F

from .common import case, keep, normal, together

B, TQ, TK, D, DV, HIDDEN = 2, 2, 3, 3, 2, 4


def dot(c):
    return c["query"] @ c["keys"].mT


def scaled_dot(c):
    return dot(c) / c["query"].shape[-1] ** 0.5


def general(c):
    return c["query"] @ F.linear(c["keys"], c["key.weight"]).mT


def additive(c):
    a = F.linear(c["query"], c["query.weight"])[..., :, None, :]
    b = F.linear(c["keys"], c["key.weight"], c["key.bias"])[..., None, :, :]
    return (c["v"] * torch.tanh(a + b)).sum(-1)


def cosine(c):
    return c["log_scale"].exp() * F.cosine_similarity(c["query"][..., :, None, :], c["keys"][..., None, :, :], -1)


def additive_norm(c):
    a = F.linear(c["query"], c["query.weight"])[..., :, None, :]
    b = F.linear(c["keys"], c["key.weight"])[..., None, :, :]
    a = F.layer_norm(a, a.shape[-1:], c["query_norm.gain"], c["query_norm.bias"])
    b = F.layer_norm(b, b.shape[-1:], c["key_norm.gain"], c["key_norm.bias"])
    return (c["v"] * torch.tanh(a + b)).sum(-1)


def allowed_by(c, scores):
    queries, keys = scores.shape[-2:]
    i, j = torch.arange(queries)[:, None], torch.arange(keys)[None, :]
    allowed = torch.ones(queries, keys, dtype=torch.bool)
    if "keep" in c:
        allowed = allowed & c["keep"]
    if "key_lengths" in c:
        allowed = allowed & (j < torch.tensor(c["key_lengths"])[:, None, None])
    if "causal_offset" in c:
        allowed = allowed & (j <= i + c["causal_offset"])
    return allowed


def composed(score):
    """scores (raw), weights, entropy and context, written out."""

    def run(**c):
        scores = score(c)
        biased = scores + c["bias"] if "bias" in c else scores
        weights = biased.masked_fill(~allowed_by(c, scores), -torch.inf).softmax(-1)
        logs = torch.where(weights > 0, weights, torch.ones_like(weights)).log()
        return {
            "scores": scores,
            "weights": weights,
            "entropy": -(weights * logs).sum(-1),
            "context": weights @ c["values"],
        }

    return run


def of_pytorch(**c):
    allowed = allowed_by(c, scaled_dot(c))
    plain = "bias" not in c and bool(allowed.all())
    mask = None if plain else (c["bias"].masked_fill(~allowed, -torch.inf) if "bias" in c else allowed)
    if not hasattr(F, "scaled_dot_product_attention"):  # before PyTorch 2
        return {"context": composed(scaled_dot)(**c)["context"]}
    if c.get("causal_offset") == 0 and len(c) == 4:
        return {"context": F.scaled_dot_product_attention(c["query"], c["keys"], c["values"], is_causal=True)}
    return {"context": F.scaled_dot_product_attention(c["query"], c["keys"], c["values"], attn_mask=mask)}


PARAMETERS = {
    "dot": (dot, {}),
    "scaled_dot": (scaled_dot, {}),
    "general": (general, {"key.weight": normal(D, D + 1)}),
    "additive": (
        additive,
        {
            "query.weight": normal(HIDDEN, D),
            "key.weight": normal(HIDDEN, D + 1),
            "key.bias": normal(HIDDEN),
            "v": normal(HIDDEN),
        },
    ),
    "cosine": (cosine, {"log_scale": normal(1)}),
    "additive_norm": (
        additive_norm,
        {
            "query.weight": normal(HIDDEN, D),
            "key.weight": normal(HIDDEN, D + 1),
            "query_norm.gain": normal(HIDDEN),
            "query_norm.bias": normal(HIDDEN),
            "key_norm.gain": normal(HIDDEN),
            "key_norm.bias": normal(HIDDEN),
            "v": normal(HIDDEN),
        },
    ),
}
MASKS = {
    "no mask": ({}, {}),
    "any mask": ({"keep": keep(B, TQ, TK)}, {}),
    "key lengths": ({}, {"key_lengths": [3, 1]}),
    "causal": ({}, {"causal_offset": TK - TQ}),
    "bias": ({"bias": normal(TQ, TK)}, {}),
    "bias of each item, key lengths, causal": (
        {"bias": normal(B, 1, TK)},
        {"key_lengths": [2, 3], "causal_offset": TK - TQ},
    ),
}


def qkv(score):
    width = D if score in ("dot", "scaled_dot", "cosine") else D + 1
    return {"query": normal(B, TQ, D), "keys": normal(B, TK, width), "values": normal(B, TK, DV)}


def all_attention():
    for name, (score, parameters) in PARAMETERS.items():
        for mask, (inputs, settings) in MASKS.items():
            yield case(f"{name}: {mask}", composed(score), {**qkv(name), **parameters, **inputs}, settings)
    for mask, (inputs, settings) in MASKS.items():
        yield case(
            f"scaled_dot_product_attention: {mask}", of_pytorch, {**qkv("scaled_dot"), **inputs}, settings
        )
    square = {"query": normal(B, TK, D), "keys": normal(B, TK, D), "values": normal(B, TK, DV)}
    yield case("scaled_dot_product_attention: is_causal", of_pytorch, square, {"causal_offset": 0})
    yield case(
        "scaled_dot_product_attention: is_causal, more queries",
        of_pytorch,
        {**square, "query": normal(B, 5, D)},
        {"causal_offset": 0},
    )
    yield case(
        "scaled_dot_product_attention: keys of the batch",
        lambda query, keys, values: of_pytorch(
            query=query, keys=keys.expand(B, TK, D), values=values.expand(B, TK, DV)
        ),
        {"query": normal(B, TQ, D), "keys": normal(TK, D), "values": normal(TK, DV)},
    )
    yield case(
        "hybrid: mean",
        lambda **c: {
            key: 0.5
            * (
                composed(scaled_dot)(**c)[key]
                + composed(
                    lambda c: additive({**c, **{k.replace("scores.1.", ""): x for k, x in c.items()}})
                )(**c)[key]
            )
            for key in ("context", "weights", "entropy")
        },
        {
            **qkv("scaled_dot"),
            "keep": keep(B, TQ, TK),
            "scores.1.query.weight": normal(HIDDEN, D),
            "scores.1.key.weight": normal(HIDDEN, D),
            "scores.1.key.bias": normal(HIDDEN),
            "scores.1.v": normal(HIDDEN),
        },
    )


    def gated(**c):
        g = torch.sigmoid(F.linear(c["query"], c["gate.weight"], c["gate.bias"]))
        one = composed(scaled_dot)(**c)
        other = composed(lambda c: additive({**c, **{k.replace("scores.1.", ""): x for k, x in c.items()}}))(**c)
        result = {key: g * one[key] + (1 - g) * other[key] for key in ("context", "weights")}
        g = g.squeeze(-1)
        return {**result, "entropy": g * one["entropy"] + (1 - g) * other["entropy"]}

    yield case(
        "gate: a hybrid",
        gated,
        {
            **qkv("scaled_dot"),
            "keep": keep(B, TQ, TK),
            "scores.1.query.weight": normal(HIDDEN, D),
            "scores.1.key.weight": normal(HIDDEN, D),
            "scores.1.key.bias": normal(HIDDEN),
            "scores.1.v": normal(HIDDEN),
            "gate.weight": normal(1, D),
            "gate.bias": normal(1),
        },
    )


def cases():
    return together(*all_attention())
