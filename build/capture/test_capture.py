"""Tests of public/capture.py with the PyTorch that is installed: python3 -m unittest, or make test-capture."""

import contextlib
import glob
import gzip
import io
import json
import os
import pickle
import pickletools
import socket
import subprocess
import sys
import tempfile
import unittest
import zipfile
from contextlib import redirect_stderr, redirect_stdout
from unittest import mock

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
SAMPLES = os.path.join(os.path.dirname(ROOT), "shared", "artifacts", "traces")
sys.path[:0] = [HERE, os.path.join(ROOT, "public")]

import capture  # noqa: E402
import tiny  # noqa: E402
import torch  # noqa: E402

KINETO = torch.autograd.kineto_available()
# What the reader of snapshots allows: data only.
SAFE = set("""PROTO FRAME STOP MARK EMPTY_DICT EMPTY_LIST EMPTY_TUPLE TUPLE TUPLE1 TUPLE2 TUPLE3 SETITEM SETITEMS APPEND
    APPENDS BINPUT LONG_BINPUT BINGET LONG_BINGET MEMOIZE NONE NEWTRUE NEWFALSE BININT BININT1 BININT2 LONG1 BINFLOAT
    SHORT_BINUNICODE BINUNICODE""".split())


def quietly(do, *args, **kwargs):
    """(what do returns, what it says)."""
    said = io.StringIO()
    with redirect_stderr(said):
        return do(*args, **kwargs), said.getvalue()


def files(archive):
    with zipfile.ZipFile(archive) as z:
        assert z.testzip() is None
        return {name: z.read(name) for name in z.namelist()}


def attr(node, name):
    """A node's attribute, in all dialects."""
    for a in node.get("attrs", ()):
        if a["name"] == name:
            return a["value"]
    return node.get(name)


def inputs(node):
    return node["inputs"]["values"] if isinstance(node["inputs"], dict) else node["inputs"]


class Folder(unittest.TestCase):
    def setUp(self):
        held = tempfile.TemporaryDirectory()
        self.addCleanup(held.cleanup)
        self.folder = held.name
        self.out = os.path.join(self.folder, "r.zip")


class Recording(Folder):
    """One recording, made in an environment that would be known again."""

    @classmethod
    def setUpClass(cls):
        cls.held = tempfile.TemporaryDirectory(prefix="telltale-")
        cls.addClassCleanup(cls.held.cleanup)
        out = os.path.join(cls.held.name, "r.zip")
        env = dict(os.environ, USER="telltaleuser", LOGNAME="telltaleuser", HOME=cls.held.name, TMPDIR=cls.held.name,
                   TELLTALE="telltalesecret", HOSTNAME="telltalehost")
        done = subprocess.run([sys.executable, os.path.join(HERE, "tiny.py"), out], env=env, cwd=cls.held.name,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
        assert done.returncode == 0, done.stderr
        cls.said, cls.files, cls.left = done.stderr, files(out), os.listdir(cls.held.name)
        cls.roles, cls.et = json.loads(cls.files["roles.json"]), json.loads(cls.files["et.json"])

    def test_files(self):
        self.assertEqual(sorted(self.files), ["et.json", "roles.json"] + ["trace.json"] * KINETO)
        self.assertEqual(self.left, ["r.zip"], "nothing else is left behind")
        self.assertIn("expect label E2", self.said)
        self.assertIn("label E2: tensors recorded, times estimated", self.said)

    def test_roles(self):
        roles = self.roles
        self.assertEqual((roles["format"], roles["version"], roles["label"]), ("spillway-roles", 1, "E2"))
        self.assertEqual((roles["batch"], roles["warmup"], roles["steps"]), (tiny.BATCH, 3, 2))
        self.assertEqual(roles["torch"], torch.__version__)
        self.assertEqual(roles["device"], {"kind": "cpu", "index": 0, "name": "CPU", "memory": 0})
        model, _, _ = tiny.network()
        want = {("parameter", n): p for n, p in model.named_parameters()}
        want.update({("buffer", n): b for n, b in model.named_buffers()})
        want.update({("gradient", n + ".grad"): p for n, p in model.named_parameters()})
        for key in "exp_avg", "exp_avg_sq":
            want.update({("optimizer", "%s.%s" % (n, key)): p for n, p in model.named_parameters()})
        got = {(t["role"], t["name"]): t for t in roles["tensors"] if not t["name"].endswith(".step")}
        self.assertEqual(sorted(got), sorted(want))
        for key, t in want.items():
            self.assertEqual(got[key]["bytes"], t.numel() * t.element_size(), key)
            self.assertEqual(got[key]["shape"], list(t.shape), key)
            self.assertGreater(int(got[key]["address"], 16), 0, key)

    def test_mark(self):
        """Each tensor of roles.json is one child of the mark, in order."""
        mark, = [n for n in self.et["nodes"] if n["name"] == self.roles["mark"]]
        parent = "ctrl_deps" if "ctrl_deps" in mark else "parent"
        touched = sorted((n["id"], inputs(n)[0]) for n in self.et["nodes"]
                         if n[parent] == mark["id"] and n["name"] == "aten::detach")
        self.assertEqual(len(touched), len(self.roles["tensors"]))
        storages = {}
        for (_, tuple_), t in zip(touched, self.roles["tensors"]):
            self.assertEqual(tuple_[3] * tuple_[4], t["bytes"], t["name"])
            storages.setdefault(tuple_[1], set()).add(t["address"])
        self.assertEqual(len(storages), len(touched), "every tensor of this network has a storage of its own")
        used = {v[1] for n in self.et["nodes"] if n["id"] < mark["id"] for v in inputs(n)
                if isinstance(v, list) and len(v) == 6 and isinstance(v[5], str)}
        parameters = [s[1][1] for s, t in zip(touched, self.roles["tensors"]) if t["role"] == "parameter"]
        self.assertLessEqual(set(parameters), used, "the steps use the same storages")

    def test_steps(self):
        nodes = self.et["nodes"]
        self.assertEqual(self.et["schema"].split(".")[0], "1")
        steps = [n for n in nodes if n["name"].startswith("ProfilerStep#")]
        self.assertEqual(len(steps), 2, "two whole steps")
        for name in "aten::addmm", "aten::native_batch_norm", "AddmmBackward0", "Optimizer.step#Adam.step":
            with self.subTest(name):
                self.assertGreaterEqual(sum(n["name"].endswith(name) for n in nodes), 2)

    @unittest.skipUnless(KINETO, "this PyTorch has no Kineto")
    def test_join(self):
        """Both files number record functions alike."""
        events = json.loads(self.files["trace.json"])["traceEvents"]
        names = {e["args"]["Record function id"]: e["name"] for e in events if e.get("args", {}).get("Record function id")}
        self.assertGreater(len(names), 100)
        nodes = {attr(n, "rf_id"): n["name"] for n in self.et["nodes"] if attr(n, "rf_id")}
        self.assertEqual({k: nodes.get(k) for k in names}, names)

    @unittest.skipUnless(KINETO, "this PyTorch has no Kineto")
    def test_trace(self):
        trace = json.loads(self.files["trace.json"])
        self.assertLessEqual(set(trace), capture.TOP | {"traceEvents", "deviceProperties", "distributedInfo"})
        self.assertEqual({e["ph"] for e in trace["traceEvents"]}, {"X", "i", "M"})
        self.assertTrue(any(any(e.get("args", {}).get("Input Dims", ())) for e in trace["traceEvents"]))
        self.assertTrue(any(e["name"] == "[memory]" for e in trace["traceEvents"]))

    def test_privacy(self):
        """Nothing of the environment is in any file."""
        secrets = ["telltale", socket.gethostname(), os.path.dirname(sys.executable), HERE]
        for name, data in self.files.items():
            text = data.decode().lower()
            for secret in secrets:
                self.assertNotIn(secret.lower(), text, name)
            self.assertNotRegex(text, r"/(home|tmp|usr|root|var|opt)/|[.]py\b", name)


class Use(Folder):
    def test_training_is_the_same(self):
        def train(record):
            model, optimizer, train_step = tiny.network()
            torch.manual_seed(2)
            if record:
                train_step = capture.wrap(train_step, self.out, model, optimizer, cpu=True)
            for _ in range(7):
                train_step()
            return [p.detach().clone() for p in model.parameters()]

        with_it, said = quietly(train, True)
        self.assertIn("r.zip is written", said)
        for a, b in zip(train(False), with_it):
            self.assertTrue(torch.equal(a, b))

    def test_with(self):
        model, optimizer, train_step = tiny.network()
        results = []

        def loop():
            with capture.record(self.out, model, optimizer, cpu=True, steps=1) as step:
                for n in range(6):
                    results.append(step(lambda n: (train_step(), n)[1], n))
            return step

        rec, _ = quietly(loop)
        self.assertEqual((results, rec.written, rec.label), ([0, 1, 2, 3, 4, 5], self.out, "E2"))

    def test_too_few_steps(self):
        model, optimizer, train_step = tiny.network()

        def loop():
            with capture.record(self.out, model, optimizer, cpu=True) as step:
                for _ in range(4):
                    step(train_step)

        _, said = quietly(loop)
        self.assertIn("nothing was written: only 4 of the 5 steps that it takes were run (3 to warm up, 2 to record)", said)
        self.assertEqual(os.listdir(self.folder), [])
        quietly(self.test_with)  # and another recording can begin

    def test_accumulate(self):
        """Several calls are one step: its optimizer steps once in it."""
        model, optimizer, _ = tiny.network()
        calls = []

        def part(last):
            calls.append(last)
            model(torch.randn(tiny.BATCH, 32)).sum().backward()
            if last:
                optimizer.step()
                optimizer.zero_grad()
            return len(calls)

        rec = capture.Recorder(self.out, model, optimizer, cpu=True, accumulate=3)
        quietly(lambda: [self.assertEqual(rec(part, i % 3 == 2), i + 1) for i in range(16)])
        self.assertEqual(rec.written, self.out)
        nodes = json.loads(files(self.out)["et.json"])["nodes"]
        self.assertEqual(sum(n["name"].startswith("ProfilerStep#") for n in nodes), 2)
        self.assertEqual(sum(n["name"].startswith("Optimizer.step#") for n in nodes), 2)
        with self.assertRaisesRegex(capture.Refused, "at least one call"):
            capture.Recorder(self.out, model, accumulate=0)

    def test_errors_of_the_step(self):
        model, optimizer, _ = tiny.network()
        rec = capture.Recorder(self.out, model, optimizer, cpu=True)
        with self.assertRaises(ZeroDivisionError):
            quietly(rec, lambda: 1 // 0)
        quietly(self.test_with)

    def test_own_errors_end_nothing(self):
        """A full disk, for instance, costs the recording and not the training."""
        model, optimizer, train_step = tiny.network()
        rec = capture.Recorder(self.out, model, optimizer, cpu=True)
        with mock.patch.object(zipfile.ZipFile, "writestr", side_effect=OSError("no space left")):
            _, said = quietly(lambda: [rec(train_step) for _ in range(8)])
        self.assertIn("nothing was written: no space left", said)
        self.assertEqual((rec.problem, os.listdir(self.folder)), ("no space left", []))

    def test_several_models(self):
        (a, opt_a, step_a), (b, opt_b, step_b) = tiny.network(), tiny.network()
        quietly(capture.capture, lambda: (step_a(), step_b()), {"a": a, "b": b}, [opt_a, opt_b], out=self.out, cpu=True)
        names = {t["name"] for t in json.loads(files(self.out)["roles.json"])["tensors"]}
        self.assertLessEqual({"a.0.weight", "b.3.bias", "a.0.weight.exp_avg", "b.0.bias.grad"}, names)

    def test_views(self):
        """Several tensors of one storage: as data-parallel training has its gradients."""
        model = torch.nn.Linear(4, 2)
        flat = torch.zeros(10)
        model.weight.grad, model.bias.grad = flat[:8].view(2, 4), flat[8:]
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)

        def step():
            flat.zero_()
            model(torch.ones(1, 4)).sum().backward()
            optimizer.step()

        quietly(capture.capture, step, model, optimizer, out=self.out, cpu=True)
        rows = {t["name"]: t for t in json.loads(files(self.out)["roles.json"])["tensors"]}
        w, b = rows["weight.grad"], rows["bias.grad"]
        self.assertEqual((w["address"], w["bytes"], w["offset"]), (b["address"], 40, 0))
        self.assertEqual((b["bytes"], b["offset"]), (40, 32))


class PretendedGPU(Folder):
    """What differs on a GPU, as far as it can be tried without one."""

    def test_history(self):
        """Three generations of its function."""
        calls = []

        def newest(enabled="all", context="all", stacks="all", max_entries=1, device=None):
            calls.append(("newest", enabled, context, max_entries))

        def older(enabled, record_context=True, trace_alloc_max_entries=1, trace_alloc_record_context=False, device=None):
            calls.append(("older", enabled, record_context, trace_alloc_max_entries))

        def oldest(enabled, device=None):
            calls.append(("oldest", enabled))

        for function in newest, older, oldest:
            with mock.patch.object(torch.cuda.memory, "_record_memory_history", function, create=True):
                self.assertTrue(capture._begin_history([]))
        self.assertEqual(calls, [("newest", "all", None, capture.HISTORY), ("older", True, False, capture.HISTORY), ("oldest", True)])
        notes = []
        with mock.patch.object(torch.cuda.memory, "_record_memory_history", None, create=True):
            self.assertFalse(capture._begin_history(notes))
        self.assertIn("keeps no history", notes[0])

    def test_recording(self):
        model, optimizer, train_step = tiny.network()
        gpu = mock.Mock(total_memory=85 << 30)
        gpu.name = "NVIDIA H100"
        history = []
        with contextlib.ExitStack() as stack:
            for patch in (mock.patch.object(capture.Recorder, "_on_gpu", return_value=True),
                          mock.patch.object(capture.Recorder, "_gpus", return_value=[1]),
                          mock.patch.object(torch.cuda, "get_device_properties", return_value=gpu),
                          mock.patch.object(torch.cuda, "synchronize", history.append),
                          mock.patch.object(torch.cuda.memory, "_snapshot", lambda: {"segments": [], "device_traces": [[]]}, create=True),
                          mock.patch.object(torch.cuda.memory, "_record_memory_history", lambda **o: history.append(o["enabled"]), create=True)):
                stack.enter_context(patch)
            _, said = quietly(capture.capture, train_step, model, optimizer, out=self.out, batch=4)
        # Synchronised before and after what is recorded; the history begins and ends.
        self.assertEqual(history, [1, "all", 1, None])
        written = files(self.out)
        self.assertEqual(pickle.loads(written["snapshot.pickle"])["device_traces"], [[]])
        roles = json.loads(written["roles.json"])
        self.assertEqual(roles["device"], {"kind": "cuda", "index": 1, "name": "NVIDIA H100", "memory": 85 << 30, "processors": 0, "clock": 0})
        self.assertIn("saw no GPU kernels", said)
        self.assertEqual(roles["label"], "E2")

    def test_ranks(self):
        with mock.patch.object(capture, "_rank", return_value=3):
            self.assertEqual(capture._out_file(self.out), os.path.join(self.folder, "r-rank3.zip"))


class Refusals(Folder):
    def refused(self, want, **options):
        model, optimizer, train_step = tiny.network()
        options = dict(dict(model=model, optimizer=optimizer, out=self.out), **options)
        with self.assertRaisesRegex(capture.Refused, want):
            quietly(capture.capture, train_step, **options)
        self.assertEqual(os.listdir(self.folder), [])

    def test_arguments(self):
        self.refused("at least 3 steps must warm up", warmup=2)
        self.refused("at least 1 be recorded", steps=0)
        self.refused("model must be a torch.nn.Module", model="resnet")
        self.refused("optimizer must be a torch.optim.Optimizer", optimizer=0.1)
        self.refused("name a file in a folder that exists", out=os.path.join(self.folder, "no", "r.zip"))

    @unittest.skipIf(torch.cuda.is_available(), "there is a GPU")
    def test_no_gpu(self):
        self.refused(r"PyTorch sees no GPU\. .*label E2\): pass cpu=True")

    def test_old_torch(self):
        with mock.patch.object(capture, "_observer_class", return_value=None):
            self.refused("which has no execution trace; 1.13 or newer is needed")
        with mock.patch.object(capture, "torch", None):
            self.refused("PyTorch is not installed")

    def test_capturing(self):
        with mock.patch.object(capture, "_capturing", return_value=True):
            self.refused("a CUDA graph is being captured", cpu=True)

    def test_graphs(self):
        """Replays show in the trace only: nothing is written, and training goes on."""
        model, optimizer, train_step = tiny.network()
        real = capture._node

        def node(seen, n):
            seen.kernels, seen.graphs = 100, 2
            return real(seen, n)

        with mock.patch.object(capture, "_node", node):
            self.refused("replays CUDA graphs \\(2 launches\\).*graphs=True", cpu=True)
            rec = capture.Recorder(self.out, model, optimizer, cpu=True, graphs=True)
            quietly(lambda: [rec(train_step) for _ in range(5)])
        self.assertEqual(rec.label, "T")

    def test_labels(self):
        rec = capture.Recorder(self.out, torch.nn.Linear(1, 1), cpu=True)
        for kernels, nodes, shapes, memory, want in (
                (9, 9, True, 9, "L3"), (9, 9, False, 0, "L3"), (9, 0, True, 9, "L3"), (9, 0, True, 0, "L1"),
                (9, 0, False, 9, "T"), (0, 9, True, 9, "E2")):
            seen = capture._Seen()
            seen.kernels, seen.nodes, seen.shapes, seen.memory = kernels, nodes, shapes, memory
            self.assertEqual(rec._judge(seen), want)
        with self.assertRaisesRegex(capture.Refused, "saw anything"):
            rec._judge(capture._Seen())

    def test_check(self):
        model, optimizer, train_step = tiny.network()
        quietly(lambda: capture.capture(train_step, model, optimizer, out=self.out, cpu=True))
        said = []
        self.assertTrue(capture.check(self.out, said.append))
        text = "\n".join(said)
        for want in "label E2: tensors recorded, times estimated", "2 steps, 0 kernels", "parameter: ", "optimizer: ", "Spillway simulates it with estimated times":
            self.assertIn(want, text)
        with zipfile.ZipFile(os.path.join(self.folder, "x.zip"), "w") as other:
            other.writestr("x.txt", "x")
        with self.assertRaisesRegex(capture.Refused, "capture.py did not write it"):
            capture.check(os.path.join(self.folder, "x.zip"))

    def test_help(self):
        said = io.StringIO()
        with redirect_stdout(said):
            self.assertEqual(capture.main(), 0)
        self.assertIn("import capture", said.getvalue())
        self.assertIn("Here: PyTorch " + torch.__version__, said.getvalue())


EVENTS = r"""{
  "schemaVersion": 1, "hostname": "secret-host", "deviceProperties": [{"id": 0, "name": "NVIDIA A100", "totalGlobalMem": 42949672960}],
  "distributedInfo": {"backend": "nccl", "rank": 3, "world_size": 8, "pg_config": [{"pg_desc": "secret"}]},
  "trace_id": "secret", "MY_ENVIRONMENT": {"TOKEN": "secret"}, "baseTimeNanoseconds": 1735632360000000000,
  "traceEvents": [
  {"ph": "X", "cat": "cpu_op", "name": "aten::conv", "pid": 7, "tid": 7, "ts": 1711964646123456.789, "dur": 3.250,
   "args": {"External id": 9007199254740993, "Call stack": "secret.py(1): f", "Concrete Inputs": ["", "[1, 2]", "secret/path", "1e-05"], "Input Dims": [[2, 3]]}},
  {"ph": "X", "cat": "python_function", "name": "secret.py(7): main", "pid": 7, "tid": 7, "ts": 1, "dur": 2, "args": {}},
  {"ph": "X", "cat": "python_function", "name": "nn.Module: Linear_0", "pid": 7, "tid": 7, "ts": 1, "dur": 2, "args": {"Python id": 4}},
  {"ph": "s", "id": 1, "cat": "ac2g", "name": "ac2g", "pid": 7, "tid": 7, "ts": 1},
  {"ph": "X", "cat": "Trace", "name": "PyTorch Profiler (0)", "pid": "Spans", "tid": "PyTorch Profiler", "ts": 1, "dur": 2},
  {"ph": "M", "name": "process_name", "pid": 7, "tid": 0, "ts": 1, "args": {"name": "secret-python"}},
  {"ph": "M", "name": "thread_name", "pid": 0, "tid": 7, "ts": 1, "args": {"name": "stream 7 "}},
  {"ph": "X", "cat": "kernel", "name": "gemm\ud83d\ude00", "pid": 0, "tid": 7, "ts": 5, "dur": 0, "args": {"stream": 7, "est. achieved occupancy %": NaN}},
  {"ph": "i", "s": "t", "cat": "cpu_instant_event", "name": "[memory]", "pid": 7, "tid": 7, "ts": 5, "args": {"Addr": 18446744073709551615, "Device Type": 1}}
  ], "traceName": "/secret/trace.json"
}"""


class Thin(Folder):
    def thin(self, text, array, member, element):
        path, seen, out = os.path.join(self.folder, "in.json"), capture._Seen(), io.BytesIO()
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        capture._thin(path, array, out, member, lambda e: element(seen, e))
        return out.getvalue().decode(), seen

    def trace(self, text):
        return self.thin(text, "traceEvents", capture._trace_member, capture._event)


class Thinning(Thin):
    def test_trace(self):
        whole, seen = self.trace(EVENTS)
        self.assertNotIn("secret", whole)
        self.assertIn('"ts":1711964646123456.789,"dur":3.250,', whole)
        self.assertIn('"External id":9007199254740993', whole)
        self.assertIn('"Addr":18446744073709551615', whole)
        self.assertIn('"Concrete Inputs":["","[1, 2]","","1e-05"]', whole)
        trace = json.loads(whole)
        self.assertEqual([e["name"] for e in trace["traceEvents"]],
                         ["aten::conv", "nn.Module: Linear_0", "process_name", "thread_name", "gemm\U0001f600", "[memory]"])
        self.assertEqual(trace["traceEvents"][3]["args"]["name"], "stream 7 ")
        self.assertEqual(trace["distributedInfo"], {"backend": "nccl", "rank": 3, "world_size": 8})
        self.assertEqual((seen.kernels, seen.shapes, seen.memory, seen.graphs), (1, True, 1, 0))
        for chunk in 1, 2, 7, 100:
            with mock.patch.object(capture._Reader, "CHUNK", chunk):
                self.assertEqual(self.trace(EVENTS)[0], whole)

    def test_empty(self):
        self.assertEqual(json.loads(self.trace('{"traceEvents": [], "schemaVersion": 1}')[0]), {"traceEvents": [], "schemaVersion": 1})
        self.assertEqual(json.loads(self.trace("{}")[0]), {})

    def test_damaged(self):
        for n in range(0, len(EVENTS) - 1, 11):
            with self.assertRaisesRegex(ValueError, "no JSON at character"):
                self.trace(EVENTS[:n])

    def test_nodes(self):
        flat = {"id": 3, "name": "open", "parent": 2, "inputs": [[1, 2, 0, 4, 4, "cuda:0"], "secret/path", ["secret"], "<None>", 0.5],
                "input_types": ["Tensor(float)", "String", "GenericList[String]", "None", "Double"], "outputs": [], "output_types": []}
        deep = {"id": 3, "name": "record_param_comms", "ctrl_deps": 2, "kernel_file": "/secret.py",
                "inputs": {"values": ["allreduce", "{secret}", "cuda:1"], "shapes": [], "types": ["String", "String", "Device"]},
                "outputs": {"values": [], "shapes": [], "types": []},
                "attrs": [{"name": "rf_id", "value": 9}, {"name": "kernel_file", "value": "/secret.py"}]}
        text, seen = self.thin(json.dumps({"schema": "1.1.1", "pid": 9, "time": "secret", "nodes": [flat, deep]}),
                               "nodes", capture._et_member, capture._node)
        self.assertNotIn("secret", text)
        one, two = json.loads(text)["nodes"]
        self.assertEqual(one["inputs"], [[1, 2, 0, 4, 4, "cuda:0"], "", [""], "<None>", 0.5])
        self.assertEqual(two["inputs"]["values"], ["allreduce", "", "cuda:1"])
        self.assertEqual(seen.nodes, 2)

    def test_snapshot(self):
        frames = [{"filename": "/secret/train.py", "name": "main", "line": 1}]
        whole = {
            "segments": [{"device": 0, "address": 1 << 63, "total_size": 2048, "active_size": 512, "segment_type": "small", "frames": frames,
                          "stream": 0, "is_expandable": True, "blocks": [
                              {"size": 512, "state": "active_allocated", "frames": frames, "history": [{"real_size": 500, "frames": frames}]},
                              {"size": 1536, "state": "inactive"}]}],
            "device_traces": [[{"action": "alloc", "addr": 1 << 63, "size": 500, "stream": 0, "time_us": 9, "frames": frames, "compile_context": "secret"}]],
            "allocator_settings": {"PYTORCH_CUDA_ALLOC_CONF": "secret", "expandable_segments": True, "max_split_size": -1},
            "external_annotations": [{"device": 0, "stage": "START", "name": "Optimizer.step", "time_us": 5}],
            "user": "secret",
        }
        notes = []
        data = pickle.dumps(capture._thin_snapshot(whole, notes), protocol=4)
        self.assertNotIn(b"secret", data)
        self.assertLessEqual({op.name for op, _, _ in pickletools.genops(data)}, SAFE)
        blocks = pickle.loads(data)["segments"][0]["blocks"]
        self.assertEqual([b["address"] for b in blocks], [1 << 63, (1 << 63) + 512])
        self.assertEqual(blocks[0]["requested_size"], 500)
        self.assertIn("expandable", notes[0])


@unittest.skipUnless(os.path.isdir(SAMPLES), "the sample recordings are not beside the repository")
class Samples(Thin):
    """What counts is the same in real recordings after thinning."""

    def test_traces(self):
        for path in glob.glob(os.path.join(SAMPLES, "kineto", "*memory*.gz")) + glob.glob(os.path.join(SAMPLES, "kineto", "mi250*.gz")):
            with gzip.open(path, "rt", encoding="utf-8") as file:
                text = file.read()
            before = json.loads(text)
            thin, seen = self.trace(text)
            after = json.loads(thin)
            for category in "kernel", "cuda_runtime", "cpu_op", "cpu_instant_event", "gpu_memcpy":
                with self.subTest(os.path.basename(path), category=category):
                    facts = [[(e["name"], e["ts"], e.get("dur"), e.get("args", {}).get("correlation"), e.get("args", {}).get("Addr"),
                               e.get("args", {}).get("Bytes"), e.get("args", {}).get("Input Dims"))
                              for e in trace["traceEvents"] if e.get("cat") == category] for trace in (before, after)]
                    self.assertEqual(*facts)
            self.assertEqual(seen.kernels, sum(e.get("cat") == "kernel" for e in before["traceEvents"]))

    def test_execution_traces(self):
        for path in glob.glob(os.path.join(SAMPLES, "et", "*1.0.2*.gz")) + glob.glob(os.path.join(SAMPLES, "et", "*linear*.gz")):
            with gzip.open(path, "rt", encoding="utf-8") as file:
                before = json.load(file)
            after = json.loads(self.thin(json.dumps(before), "nodes", capture._et_member, capture._node)[0])
            self.assertEqual(len(after["nodes"]), len(before["nodes"]))
            for a, b in zip(before["nodes"], after["nodes"]):
                tensors = [[v for v in inputs(n) if isinstance(v, list)] for n in (a, b)]
                self.assertEqual(*tensors)


if __name__ == "__main__":
    unittest.main()
