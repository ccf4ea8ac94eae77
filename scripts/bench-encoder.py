"""Compares the speed of transformer layers on ONNX Runtime and internal/encoder/kernel.

Both get the same random weights, inputs and number of threads, and run in short
alternating turns, so that other load affects both. Their outputs are compared first.
ONNX Runtime runs graphs with its fused operators (Attention, SkipLayerNormalization,
BiasGelu, FastGelu) and plain ones with all optimizations (ORT_ENABLE_ALL); the fastest
is used.
"""

import argparse
import glob
import os
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic

MS = "com.microsoft"


class Graph:
    """Builds an ONNX graph with input x [batch, tokens, width]."""

    def __init__(self, width):
        self.nodes, self.initializers, self.width, self.n = [], [], width, 0

    def const(self, a):
        self.n += 1
        name = f"w{self.n}"
        self.initializers.append(numpy_helper.from_array(np.ascontiguousarray(a), name))
        return name

    def op(self, kind, *inputs, domain="", **attributes):
        self.n += 1
        name = f"t{self.n}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], name=f"n{self.n}", domain=domain, **attributes))
        return name

    def save(self, out, path):
        graph = helper.make_graph(
            self.nodes, "stack",
            [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["b", "s", self.width])],
            [helper.make_tensor_value_info(out, TensorProto.FLOAT, ["b", "s", self.width])], self.initializers)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid(MS, 1)])
        model.ir_version = 9
        onnx.save(model, path)


def split_heads(g, x, heads, size):
    """Reshapes [batch, tokens, width] to [batch, heads, tokens, size]."""
    return g.op("Transpose", g.op("Reshape", x, g.const(np.array([0, 0, heads, size], np.int64))), perm=[0, 2, 1, 3])


def attention(g, x, qkv, bias, heads, scale, relative):
    """Attention from basic operators."""
    width, size = g.width, g.width // heads
    parts = []
    for i in range(3):
        y = g.op("MatMul", x, g.const(qkv[i * width:(i + 1) * width].T))
        if bias is not None:
            y = g.op("Add", g.const(bias[i * width:(i + 1) * width]), y)
        parts.append(split_heads(g, y, heads, size))
    q, k, v = parts
    s = g.op("MatMul", q, g.op("Transpose", k, perm=[0, 1, 3, 2]))
    if scale != 1:
        s = g.op("Mul", s, g.const(np.float32(scale)))
    if relative is not None:
        s = g.op("Add", s, relative)
    y = g.op("MatMul", g.op("Softmax", s, axis=-1), v)
    return g.op("Reshape", g.op("Transpose", y, perm=[0, 2, 1, 3]), g.const(np.array([0, 0, width], np.int64)))


class Bert:
    """The layers of MiniLM-L6, post-norm."""

    kind, layers, width, heads, inner = "bert", 6, 384, 12, 1536

    def weights(self, r):
        d, f = self.width, self.inner
        for _ in range(self.layers):
            yield from ((r(3 * d, d, s=.05), r(3 * d, s=.1), r(d, d, s=.05), r(d, s=.1), 1 + r(d, s=.1), r(d, s=.1),
                         r(f, d, s=.05), r(f, s=.1), r(d, f, s=.05), r(d, s=.1), 1 + r(d, s=.1), r(d, s=.1)))

    def graph(self, w, variant, tokens):
        g, x, w = Graph(self.width), "x", iter(w)
        for _ in range(self.layers):
            qkv, bqkv, o, bo, g1, b1, up, bup, down, bdown, g2, b2 = (next(w) for _ in range(12))
            if variant == "fused":
                y = g.op("Attention", x, g.const(qkv.T), g.const(bqkv), domain=MS, num_heads=self.heads)
            else:
                y = attention(g, x, qkv, bqkv, self.heads, (self.width // self.heads) ** -.5, None)
            y = g.op("MatMul", y, g.const(o.T))
            x = self.norm(g, variant, x, y, bo, g1, b1)
            y = g.op("MatMul", x, g.const(up.T))
            if variant == "fused":
                y = g.op("BiasGelu", y, g.const(bup), domain=MS)
            else:
                y = g.op("Add", y, g.const(bup))
                e = g.op("Add", g.op("Erf", g.op("Div", y, g.const(np.float32(2 ** .5)))), g.const(np.float32(1)))
                y = g.op("Mul", g.op("Mul", y, e), g.const(np.float32(.5)))
            y = g.op("MatMul", y, g.const(down.T))
            x = self.norm(g, variant, x, y, bdown, g2, b2)
        return g, x

    def norm(self, g, variant, x, y, bias, gain, shift):
        if variant == "fused":
            return g.op("SkipLayerNormalization", x, y, g.const(gain), g.const(shift), g.const(bias), domain=MS,
                        epsilon=1e-12)
        y = g.op("Add", g.op("Add", y, g.const(bias)), x)
        return g.op("LayerNormalization", y, g.const(gain), g.const(shift), axis=-1, epsilon=1e-12)


class T5:
    """The encoder layers of Flan-T5 base, pre-norm with a gated feed-forward layer."""

    kind, layers, width, heads, inner, max_tokens = "t5", 12, 768, 12, 2048, 512

    def weights(self, r):
        d, f = self.width, self.inner
        yield r(self.heads, 2 * self.max_tokens - 1, s=.5)
        for _ in range(self.layers):
            yield from (1 + r(d, s=.1), r(3 * d, d, s=.02), r(d, d, s=.03), 1 + r(d, s=.1), r(f, d, s=.03),
                        r(f, d, s=.03), r(d, f, s=.02))
        yield 1 + r(d, s=.1)

    def graph(self, w, variant, tokens):
        g, x, w = Graph(self.width), "x", iter(w)
        table, d = next(w), self.width
        j = np.arange(tokens)
        relative = g.const(table[:, j[None, :] - j[:, None] + self.max_tokens - 1][None])
        for _ in range(self.layers):
            g1, qkv, o, g2, gate, up, down = (next(w) for _ in range(7))
            y = self.norm(g, variant, x, g1)
            if variant == "fused":
                parts = [g.op("MatMul", y, g.const(qkv[i * d:(i + 1) * d].T)) for i in range(3)]
                y = g.op("MultiHeadAttention", *parts, "", "", relative, domain=MS, num_heads=self.heads, scale=1.0)
            elif variant == "joined":
                parts = self.split(g, g.op("MatMul", y, g.const(qkv.T)))
                y = g.op("MultiHeadAttention", *parts, "", "", relative, domain=MS, num_heads=self.heads, scale=1.0)
            else:
                y = attention(g, y, qkv, None, self.heads, 1, relative)
            x = g.op("Add", x, g.op("MatMul", y, g.const(o.T)))
            y = self.norm(g, variant, x, g2)
            a, b = g.op("MatMul", y, g.const(gate.T)), g.op("MatMul", y, g.const(up.T))
            y = g.op("Mul", self.gelu(g, variant, a), b)
            x = g.op("Add", x, g.op("MatMul", y, g.const(down.T)))
        return g, self.norm(g, variant, x, next(w))

    def split(self, g, y):
        outputs = [f"{y}{c}" for c in "qkv"]
        g.nodes.append(helper.make_node("Split", [y, g.const(np.array([self.width] * 3, np.int64))], outputs, axis=-1))
        return outputs

    def gelu(self, g, variant, a):
        if variant != "plain":
            return g.op("FastGelu", a, domain=MS)
        c = g.op("Mul", g.op("Mul", g.op("Mul", a, a), a), g.const(np.float32(.044715)))
        t = g.op("Tanh", g.op("Mul", g.op("Add", a, c), g.const(np.float32((2 / np.pi) ** .5))))
        return g.op("Mul", g.op("Mul", a, g.op("Add", t, g.const(np.float32(1)))), g.const(np.float32(.5)))

    def norm(self, g, variant, x, gain):
        if variant != "plain":
            return g.op("SimplifiedLayerNormalization", x, g.const(gain), axis=-1, epsilon=1e-6)
        m = g.op("ReduceMean", g.op("Mul", x, x), axes=[-1], keepdims=1)
        y = g.op("Div", x, g.op("Sqrt", g.op("Add", m, g.const(np.float32(1e-6)))))
        return g.op("Mul", y, g.const(gain))


class Kernels:
    """The Go program tools/benchencoder, which reads commands on stdin."""

    def __init__(self, binary, directory, stack, precision, threads, kernel):
        self.p = subprocess.Popen(
            [binary, "-dir", directory, "-stack", stack.kind, "-precision", precision, "-threads", str(threads),
             "-kernel", kernel], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={**os.environ, "GOMAXPROCS": str(threads)})

    def send(self, *words):
        """Sends a command and returns the words of the reply."""
        self.p.stdin.write(" ".join(map(str, words)) + "\n")
        self.p.stdin.flush()
        line = self.p.stdout.readline()
        if not line:
            sys.exit("benchencoder exited")
        return line.split()

    def run(self, times, cpu_time):
        """Returns the seconds of each run, or their mean CPU time."""
        if not cpu_time:
            return [int(ns) / 1e9 for ns in self.send("run", times)]
        before = self.cpu_time()
        self.send("run", times)
        return [(self.cpu_time() - before) / times]

    def cpu_time(self):
        """Returns the CPU seconds of all threads, from Linux's scheduler statistics."""
        return sum(int(open(f).read().split()[0]) for f in glob.glob(f"/proc/{self.p.pid}/task/*/schedstat")) / 1e9

    def close(self):
        self.p.stdin.close()
        self.p.wait()


def open_session(path, threads):
    """Opens an ONNX model on the CPU with all optimizations."""
    opts = ort.SessionOptions()
    opts.intra_op_num_threads, opts.inter_op_num_threads = threads, 1
    opts.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_ALL
    return ort.InferenceSession(path, opts, providers=["CPUExecutionProvider"])


def time_runs(s, x, times, cpu_time):
    """Returns the seconds of each run of a session."""
    clock = time.process_time if cpu_time else time.perf_counter
    out = []
    for _ in range(times):
        t = clock()
        s.run(None, {"x": x})
        out.append(clock() - t)
    return out


def open_sessions(stack, weights, tokens, precision, directory, threads, x):
    """Returns the ONNX Runtime sessions that work, by variant of the graph."""
    found = {}
    for variant in ("fused", "joined", "plain"):
        if variant == "joined" and stack.kind == "bert":
            continue
        path = os.path.join(directory, f"{stack.kind}-{variant}.onnx")
        try:
            g, out = stack.graph(weights, variant, tokens)
            g.save(out, path)
            if precision == "int8":
                quantized = path.replace(".onnx", "-int8.onnx")
                quantize_dynamic(path, quantized, weight_type=QuantType.QInt8,
                                 extra_options={"DefaultTensorType": TensorProto.FLOAT})
                path = quantized
            found[variant] = open_session(path, threads)
            found[variant].run(None, {"x": x})
        except Exception as e:  # unsupported variant
            print(f"  ONNX Runtime cannot run {stack.kind} {variant} {precision}: {e}", file=sys.stderr)
            found.pop(variant, None)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", required=True)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--turns", type=int, default=15, help="number of alternating turns")
    parser.add_argument("--seconds", type=float, default=.4, help="duration of a turn")
    parser.add_argument("--kernel", default="", help="kernel implementation (default: the fastest)")
    parser.add_argument("--only", default="", help="run only cases whose name contains this")
    parser.add_argument("--cpu-time", action="store_true",
                        help="measure CPU time, which other load affects less (one thread, Linux)")
    args = parser.parse_args()
    cases = [(s, p, b, n) for s, shapes in ((Bert, ((1, 128), (16, 128), (1, 256), (16, 256), (1, 512), (8, 512))),
                                            (T5, ((1, 512), (16, 512))))
             for p in ("float32", "int8") for b, n in shapes]
    print(f"ONNX Runtime {ort.__version__}, {args.threads} threads; median sequences per second, and the speed "
          "relative to ONNX Runtime (by medians, and by the fastest runs)", flush=True)
    print(f"{'case':26}{'ORT':>9}{'kernels':>9}{'ratio':>8}{'(best)':>9}  ORT graph, difference", flush=True)
    for kind, precision, batch, tokens in cases:
        stack = kind()
        name = f"{stack.kind} {precision} {batch}x{tokens}"
        if args.only not in name:
            continue
        with tempfile.TemporaryDirectory() as directory:
            rng = np.random.default_rng(1)
            weights = list(stack.weights(lambda *shape, s: (rng.standard_normal(shape) * s).astype(np.float32)))
            x = rng.standard_normal((batch, tokens, stack.width)).astype(np.float32)
            with open(os.path.join(directory, "weights"), "wb") as f:
                for w in weights:
                    f.write(w.tobytes())
            x.tofile(os.path.join(directory, "x"))
            sessions = open_sessions(stack, weights, tokens, precision, directory, args.threads, x)
            best, s = min(sessions.items(), key=lambda kv: min(time_runs(kv[1], x, 3, args.cpu_time)))
            want = s.run(None, {"x": x})[0]
            sessions.clear()
            kernels = Kernels(args.binary, directory, stack, precision, args.threads, args.kernel)
            kernels.send("load", batch, tokens)
            kernels.send("write")
            got = np.fromfile(os.path.join(directory, "y"), np.float32).reshape(want.shape)
            difference = float(np.sqrt(np.mean((got - want) ** 2)) / np.std(want))
            limit = 1e-4 if precision == "float32" else .15
            if not difference <= limit:
                sys.exit(f"{name}: outputs differ by {difference:.2g} standard deviations, limit {limit}")
            times = max(1, round(args.seconds / min(time_runs(s, x, 2, False))))
            kernels.run(times, args.cpu_time)
            ort_times, kernel_times = [], []
            for _ in range(args.turns):
                ort_times += time_runs(s, x, times, args.cpu_time)
                time.sleep(.02)
                kernel_times += kernels.run(times, args.cpu_time)
            kernels.close()
            ort_median, kernel_median = statistics.median(ort_times), statistics.median(kernel_times)
            print(f"{name:26}{batch / ort_median:9.2f}{batch / kernel_median:9.2f}"
                  f"{ort_median / kernel_median:8.2f}{min(ort_times) / min(kernel_times):9.2f}"
                  f"  {best}, {difference:.1e}", flush=True)


if __name__ == "__main__":
    main()
