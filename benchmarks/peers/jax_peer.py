#!/usr/bin/env python3
"""JAX's side of the timed workloads under jit, as JSON lines: jax_peer.py [--threads N] [--only W1,W2:512]

Gradients are returned, not added to earlier ones as in Fovea and PyTorch. The cotangent of a sum is passed in, so
that the compiler cannot know that it is all ones and leave work out. Times are medians in milliseconds.
"""
import os

import measure

WORKS = ["W1", "W2", "W2c", "W2w", "W3", "W7", "W8", "W9"]


def load(threads, options):
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:threads])  # it makes a thread for each core that it sees
    os.environ["JAX_PLATFORMS"] = "cpu"
    import jax
    import jax.numpy as jnp

    def normal(seed, *shape):
        return jax.random.normal(jax.random.PRNGKey(seed), shape, jnp.float32)

    def gradients(f, *inputs):
        """Runs f and the gradients of all its inputs."""
        ones = jnp.ones_like(f(*inputs))
        both = jax.jit(lambda cotangent, *x: (lambda y, back: (y.sum(), back(cotangent)))(*jax.vjp(f, *x)))
        return lambda: jax.block_until_ready(both(ones, *inputs))

    def additive(T):
        def f(q, k, v, w_q, w_k, w_v):
            scores = jnp.tanh((q @ w_q)[:, :, None] + (k @ w_k)[:, None]) @ w_v
            return jax.nn.softmax(scores, -1) @ v
        return gradients(f, normal(1, 4, T, 64), normal(2, 4, T, 64), normal(3, 4, T, 64),
                         normal(4, 64, 64) / 8, normal(5, 64, 64) / 8, normal(6, 64) / 8)

    def dot(**masks):
        def make(T):
            def f(q, k, v):
                return jax.nn.dot_product_attention(q, k, v, **masks)
            return gradients(f, normal(1, 4, T, 1, 64), normal(2, 4, T, 1, 64), normal(3, 4, T, 1, 64))
        return make

    def self_attention(_):
        def f(x, w, b, w_out, b_out):
            q, k, v = (part.reshape(16, 128, 4, 64) for part in jnp.split(x @ w + b, 3, -1))
            return jax.nn.dot_product_attention(q, k, v).reshape(16, 128, 256) @ w_out + b_out
        return gradients(f, normal(1, 16, 128, 256), normal(2, 256, 768) / 16, jnp.zeros(768),
                         normal(3, 256, 256) / 16, jnp.zeros(256))

    def small_mlp(_):
        x = normal(1, 4, 8)

        def loss(p):
            return jnp.square(jnp.tanh(x @ p[0] + p[1]) @ p[2] + p[3]).mean()

        @jax.jit
        def step(t, p, m, v):
            t, g = t + 1, jax.grad(loss)(p)
            m = [0.9 * a + 0.1 * b for a, b in zip(m, g)]
            v = [0.999 * a + 0.001 * b * b for a, b in zip(v, g)]
            p = [w - 1e-3 * (a / (1 - 0.9**t)) / (jnp.sqrt(b / (1 - 0.999**t)) + 1e-8) for w, a, b in zip(p, m, v)]
            return t, p, m, v
        start = [normal(2, 8, 16) / 3, jnp.zeros(16), normal(3, 16, 1) / 4, jnp.zeros(1)]
        state = [(jnp.float32(0), start, [w * 0 for w in start], [w * 0 for w in start])]

        def run():
            state[0] = jax.block_until_ready(step(*state[0]))
        return run

    def wide_linear(_):
        return gradients(lambda x, w, b: x @ w + b, normal(1, 1024, 512), normal(2, 512, 512) / 23, jnp.zeros(512))

    def normalisers(_):
        def f(x, gain, bias):
            centred = x - x.mean(-1, keepdims=True)
            rows = centred * jax.lax.rsqrt(jnp.square(centred).mean(-1, keepdims=True) + 1e-5)
            return jnp.square(jax.nn.softmax(rows * gain + bias, -1))
        return gradients(f, normal(1, 4096, 256), jnp.ones(256), jnp.zeros(256))

    table = {"W1": additive, "W2": dot(), "W2c": dot(is_causal=True), "W2w": dot(local_window_size=(63, 0)),
             "W3": self_attention, "W7": small_mlp, "W8": wide_linear, "W9": normalisers}
    return f"jax {jax.__version__}", table


if __name__ == "__main__":
    measure.main(__doc__, load, WORKS)
