"""Times stacks of transformer layers on ONNX Runtime and on internal/encoder/kernel.

Both sides get the same random weights and inputs from one file, the same number of threads, and take turns
in short runs, so that what else the machine does falls on both. Before it is timed, each side's output is held
against the other's. ONNX Runtime gets graphs of its own fused operators (Attention, SkipLayerNormalization,
BiasGelu, FastGelu and the like) as well as plain ones, optimised as far as it can (ORT_ENABLE_ALL), and the
fastest of them counts.
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
    """Collects nodes and initializers of an ONNX graph over x [batch, tokens, width]."""

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


def heads_of(g, x, heads, size):
    return g.op("Transpose", g.op("Reshape", x, g.const(np.array([0, 0, heads, size], np.int64))), perm=[0, 2, 1, 3])


def attention(g, x, qkv, bias, heads, scale, relative):
    """Plain attention: three products, softmax, and the way back to rows."""
    width, size = g.width, g.width // heads
    parts = []
    for i in range(3):
        y = g.op("MatMul", x, g.const(qkv[i * width:(i + 1) * width].T))
        if bias is not None:
            y = g.op("Add", g.const(bias[i * width:(i + 1) * width]), y)
        parts.append(heads_of(g, y, heads, size))
    q, k, v = parts
    s = g.op("MatMul", q, g.op("Transpose", k, perm=[0, 1, 3, 2]))
    if scale != 1:
        s = g.op("Mul", s, g.const(np.float32(scale)))
    if relative is not None:
        s = g.op("Add", s, relative)
    y = g.op("MatMul", g.op("Softmax", s, axis=-1), v)
    return g.op("Reshape", g.op("Transpose", y, perm=[0, 2, 1, 3]), g.const(np.array([0, 0, width], np.int64)))


class Bert:
    """MiniLM-L6: 6 layers of 384, 12 heads, feed-forward 1536, norms after."""

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
    """The encoder of Flan-T5 base: 12 layers of 768, 12 heads of 64, gated feed-forward 2048, norms before."""

    kind, layers, width, heads, inner, longest = "t5", 12, 768, 12, 2048, 512

    def weights(self, r):
        d, f = self.width, self.inner
        yield r(self.heads, 2 * self.longest - 1, s=.5)
        for _ in range(self.layers):
            yield from (1 + r(d, s=.1), r(3 * d, d, s=.02), r(d, d, s=.03), 1 + r(d, s=.1), r(f, d, s=.03),
                        r(f, d, s=.03), r(d, f, s=.02))
        yield 1 + r(d, s=.1)

    def graph(self, w, variant, tokens):
        g, x, w = Graph(self.width), "x", iter(w)
        table, d = next(w), self.width
        j = np.arange(tokens)
        relative = g.const(table[:, j[None, :] - j[:, None] + self.longest - 1][None])
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


class Ours:
    """The Go program, which times what it is told to by lines."""

    def __init__(self, binary, directory, stack, precision, threads, kernel):
        self.p = subprocess.Popen(
            [binary, "-dir", directory, "-stack", stack.kind, "-precision", precision, "-threads", str(threads),
             "-kernel", kernel], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={**os.environ, "GOMAXPROCS": str(threads)})

    def ask(self, *words):
        self.p.stdin.write(" ".join(map(str, words)) + "\n")
        self.p.stdin.flush()
        line = self.p.stdout.readline()
        if not line:
            sys.exit("the Go program ended")
        return line.split()

    def run(self, times, processor):
        if not processor:
            return [int(ns) / 1e9 for ns in self.ask("run", times)]
        before = self.processor_time()
        self.ask("run", times)
        return [(self.processor_time() - before) / times]

    def processor_time(self):
        """Seconds that the program's threads have run, as Linux counts them."""
        return sum(int(open(f).read().split()[0]) for f in glob.glob(f"/proc/{self.p.pid}/task/*/schedstat")) / 1e9

    def close(self):
        self.p.stdin.close()
        self.p.wait()


def session(path, threads):
    o = ort.SessionOptions()
    o.intra_op_num_threads, o.inter_op_num_threads = threads, 1
    o.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_ALL
    return ort.InferenceSession(path, o, providers=["CPUExecutionProvider"])


def timed(s, x, times, processor):
    clock = time.process_time if processor else time.perf_counter
    out = []
    for _ in range(times):
        t = clock()
        s.run(None, {"x": x})
        out.append(clock() - t)
    return out


def sessions(stack, weights, tokens, precision, directory, threads, x):
    """Returns ONNX Runtime's sessions by variant, those that it can make."""
    found = {}
    for variant in ("fused", "joined", "plain"):
        if variant == "joined" and stack.kind == "bert":
            continue
        path = os.path.join(directory, f"{stack.kind}-{variant}.onnx")
        try:
            g, out = stack.graph(weights, variant, tokens)
            g.save(out, path)
            if precision == "int8":
                small = path.replace(".onnx", "-int8.onnx")
                quantize_dynamic(path, small, weight_type=QuantType.QInt8,
                                 extra_options={"DefaultTensorType": TensorProto.FLOAT})
                path = small
            found[variant] = session(path, threads)
            found[variant].run(None, {"x": x})
        except Exception as e:  # a variant that it can't run is no candidate
            print(f"  ONNX Runtime does not take {stack.kind} {variant} {precision}: {e}", file=sys.stderr)
            found.pop(variant, None)
    return found


def main():
    a = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    a.add_argument("--binary", required=True)
    a.add_argument("--threads", type=int, default=2)
    a.add_argument("--turns", type=int, default=15)
    a.add_argument("--seconds", type=float, default=.4, help="of one turn")
    a.add_argument("--kernel", default="", help="a path of the kernels; the fastest when empty")
    a.add_argument("--only", default="", help="runs only cases whose name has this in it")
    a.add_argument("--processor", action="store_true",
                   help="measures processor time, which a busy machine disturbs less; for one thread, on Linux")
    args = a.parse_args()
    cases = [(s, p, b, n) for s, shapes in ((Bert, ((1, 128), (16, 128), (1, 256), (16, 256), (1, 512), (8, 512))),
                                            (T5, ((1, 512), (16, 512))))
             for p in ("float32", "int8") for b, n in shapes]
    print(f"ONNX Runtime {ort.__version__}, {args.threads} threads; sequences a second by medians, and the ratio of "
          "the medians (of the fastest runs), ours over ONNX Runtime's", flush=True)
    print(f"{'case':26}{'ORT':>9}{'ours':>9}{'ratio':>8}{'(best)':>9}  ORT graph, difference", flush=True)
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
            theirs = sessions(stack, weights, tokens, precision, directory, args.threads, x)
            best, s = min(theirs.items(), key=lambda kv: min(timed(kv[1], x, 3, args.processor)))
            want = s.run(None, {"x": x})[0]
            theirs.clear()
            ours = Ours(args.binary, directory, stack, precision, args.threads, args.kernel)
            ours.ask("load", batch, tokens)
            ours.ask("write")
            got = np.fromfile(os.path.join(directory, "y"), np.float32).reshape(want.shape)
            difference = float(np.sqrt(np.mean((got - want) ** 2)) / np.std(want))
            limit = 1e-4 if precision == "float32" else .15
            if not difference <= limit:
                sys.exit(f"{name}: outputs differ by {difference:.2g} of their deviation, more than {limit}")
            times = max(1, round(args.seconds / min(timed(s, x, 2, False))))
            ours.run(times, args.processor)
            t, o = [], []
            for _ in range(args.turns):
                t += timed(s, x, times, args.processor)
                time.sleep(.02)
                o += ours.run(times, args.processor)
            ours.close()
            mt, mo = statistics.median(t), statistics.median(o)
            print(f"{name:26}{batch / mt:9.2f}{batch / mo:9.2f}{mt / mo:8.2f}{min(t) / min(o):9.2f}"
                  f"  {best}, {difference:.1e}", flush=True)


main()
