#!/usr/bin/env python3
"""PyTorch's side of the timed workloads, as JSON lines: torch_peer.py [--threads N] [--only W1,W2:512] [--compile]

Runs with PyTorch 1.13 or newer. Debian's build needs OPENBLAS_CORETYPE=SkylakeX (with AVX-512) or Haswell: its
OpenBLAS takes an SSE3 kernel on newer CPUs. script/bench sets it. Times are medians in milliseconds.
"""
import math

import measure

WORKS = ["W1", "W2", "W2c", "W2w", "W3", "W4", "W5", "W6", "W7", "W8", "W9", "W10", "W11", "W11r"]


def load(threads, options):
    import torch
    import torch.nn as nn
    import torch.nn.functional as F
    from torch.utils.checkpoint import checkpoint

    torch.set_num_threads(threads)
    torch.manual_seed(1)
    wrap = torch.compile if options.compile else (lambda f: f)

    def leaf(*shape):
        return torch.randn(*shape, requires_grad=True)

    class Additive(nn.Module):
        def __init__(self, width, hidden):
            super().__init__()
            self.query = nn.Linear(width, hidden, bias=False)
            self.key = nn.Linear(width, hidden, bias=False)
            self.v = nn.Linear(hidden, 1, bias=False)

        def forward(self, query, keys, values):
            pairs = torch.tanh(self.query(query).unsqueeze(-2) + self.key(keys).unsqueeze(-3))
            return F.softmax(self.v(pairs).squeeze(-1), -1) @ values

    def additive(T):
        module, q, k, v = wrap(Additive(64, 64)), leaf(4, T, 64), leaf(4, T, 64), leaf(4, T, 64)
        return lambda: module(q, k, v).sum().backward()

    def dot(mask_of=lambda T: None, causal=False):
        fused = getattr(F, "scaled_dot_product_attention", None)

        def composed(q, k, v, attn_mask, is_causal):
            scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
            if is_causal:
                attn_mask = torch.ones(scores.shape[-2:], dtype=torch.bool).tril()
            return F.softmax(scores if attn_mask is None else scores.masked_fill(~attn_mask, -math.inf), -1) @ v

        def make(T):
            f, mask = wrap(fused or composed), mask_of(T)
            q, k, v = leaf(4, 1, T, 64), leaf(4, 1, T, 64), leaf(4, 1, T, 64)
            return lambda: f(q, k, v, attn_mask=mask, is_causal=causal).sum().backward()
        return make

    def window(T):
        near = torch.arange(T)[:, None] - torch.arange(T)
        return (near >= 0) & (near < 64)

    def self_attention(_):
        module, x = wrap(nn.MultiheadAttention(256, 4, batch_first=True)), leaf(16, 128, 256)
        return lambda: module(x, x, x, need_weights=False)[0].sum().backward()

    def lstm(_):
        module, x = wrap(nn.LSTM(64, 128, batch_first=True)), torch.randn(32, 64, 64)
        return lambda: module(x)[0].sum().backward()

    def trained(module, loss):
        optimizer = torch.optim.Adam(module.parameters(), 1e-3)

        def step():
            optimizer.zero_grad()
            loss().backward()
            optimizer.step()
        return step

    def transformer(_):
        module = nn.Transformer(128, 4, 3, 3, 512, 0.1, batch_first=True)
        source, target, f = torch.randn(64, 12, 128), torch.randn(64, 10, 128), wrap(module)
        return trained(module, lambda: f(source, target).pow(2).mean())

    def deep(recompute):
        def make(T):
            layers = [nn.TransformerEncoderLayer(256, 4, 1024, 0.1, batch_first=True, norm_first=True)
                      for _ in range(12)]
            module, x = nn.Sequential(*layers, nn.LayerNorm(256)), torch.randn(4, T, 256)

            def forward():
                y = x
                for layer in module:
                    y = checkpoint(layer, y, use_reentrant=False) if recompute else layer(y)
                return y.pow(2).mean()
            return trained(module, forward)
        return make

    class Seq2Seq(nn.Module):
        def __init__(self, width=128, symbols=42):
            super().__init__()
            self.source, self.target = nn.Embedding(30, width), nn.Embedding(symbols, width)
            self.encoder, self.cell = nn.LSTM(width, width, batch_first=True), nn.LSTMCell(2 * width, width)
            self.attention, self.out = Additive(width, width), nn.Linear(2 * width, symbols)

        def forward(self, source, target):
            keys, (h, c) = self.encoder(self.source(source))
            h, c, rows = h[0], c[0], []
            for t in range(target.size(1)):
                context = self.attention(h.unsqueeze(1), keys, keys).squeeze(1)
                h, c = self.cell(torch.cat([self.target(target[:, t]), context], -1), (h, c))
                rows.append(self.out(torch.cat([h, context], -1)))
            return torch.stack(rows, 1)

    def seq2seq(_):
        module = Seq2Seq()
        source, target, f = torch.randint(0, 30, (64, 12)), torch.randint(0, 42, (64, 10)), wrap(module)
        return trained(module, lambda: F.cross_entropy(f(source, target).flatten(0, 1), target.flatten()))

    def small_mlp(_):
        module = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 1))
        x, f = torch.randn(4, 8), wrap(module)
        return trained(module, lambda: f(x).pow(2).mean())

    def wide_linear(_):
        module, x = wrap(nn.Linear(512, 512)), leaf(1024, 512)
        return lambda: module(x).sum().backward()

    def normalisers(_):
        norm, x = nn.LayerNorm(256), leaf(4096, 256)
        f = wrap(lambda rows: F.softmax(norm(rows), -1))
        return lambda: f(x).pow(2).sum().backward()

    def chain(_):
        x = leaf(1)

        def step():
            y = x
            for _ in range(1_000_000):
                y = y * 2
            y.backward()
        return step

    table = {"W1": additive, "W2": dot(), "W2c": dot(causal=True), "W2w": dot(window), "W3": self_attention, "W4": lstm,
             "W5": transformer, "W6": seq2seq, "W7": small_mlp, "W8": wide_linear, "W9": normalisers, "W10": chain,
             "W11": deep(False), "W11r": deep(True)}
    return f"torch {torch.__version__}" + (" compiled" if options.compile else ""), table


if __name__ == "__main__":
    measure.main(__doc__, load, WORKS)
