#!/usr/bin/env python3
"""Records a few steps of your PyTorch training job for Spillway.

Copy this file beside your script; it needs nothing but PyTorch 1.13 or newer.
Give the function that makes one training step to it:

    import capture

    with capture.record("recording.zip", model, optimizer, batch=32) as step:
        for batch in data:
            step(train_step, batch)          # was: train_step(batch)

The first three steps warm up, the next two are recorded, then recording.zip is
written, and all further steps run as if this file were not there. A step is
everything of one iteration: forward, backward, optimizer, zero_grad. Two more
ways to say the same:

    train_step = capture.wrap(train_step, "recording.zip", model, optimizer)
    capture.capture(train_step, model, optimizer)   # calls it 5 times

Where several calls accumulate gradients for one step of the optimizer, say how
many: accumulate=4 makes four calls one step. Others' training loops take it so:

    # Hugging Face Trainer; accumulate is its gradient_accumulation_steps
    trainer.training_step = capture.wrap(trainer.training_step, "recording.zip", trainer.model, accumulate=1)
    # Lightning; accumulate is the Trainer's accumulate_grad_batches
    module.training_step = capture.wrap(module.training_step, "recording.zip", module, accumulate=1)

There the optimizer steps between the calls, which is recorded all the same; its
states have no names, unless the optimizer is made before and given here.

Drop the zip on Spillway's page. It holds

    trace.json       the profiler's trace: kernels, operators, memory events
    et.json          the execution trace: which operator used which tensor
    snapshot.pickle  the allocator's memory snapshot (on a GPU)
    roles.json       names of parameters, buffers, gradients, optimizer states

and is thinned: no Python source lines or call stacks, no names of hosts, users
or files, no environment variables, no values of tensors. Names of your modules
and parameters, and of what you annotated, stay.

How good a recording is has a label, which is printed when it is written:

    L3  times and tensors measured, resident memory with names: what a GPU gives
    L2  times measured, tensors recorded
    L1m times, sizes and lifetimes measured, reads in between estimated
    L1  times measured, tensors estimated from shapes
    E2  tensors recorded, times estimated: what a CPU gives (ask with cpu=True)
    T   times only: CUDA graphs (ask with graphs=True)

To see every allocation from the start in the snapshot, call
capture.before_model() before the model is built. Under torch.distributed every
rank writes its own file, recording-rank0.zip and so on.

"python3 capture.py" prints this, and what a recording on this machine will get;
"python3 capture.py --check recording.zip" what a zip has and what Spillway makes
of it.
"""

import contextlib
import functools
import inspect
import io
import json
import os
import pickle
import re
import shutil
import sys
import tempfile
import zipfile

try:
    import torch
except ImportError:
    torch = None

__all__ = ["Refused", "Recorder", "before_model", "capture", "check", "record", "wrap"]

MARK = "spillway.roles"  # the annotation under which the tensors of roles.json are touched, in order
HISTORY = 1000000  # entries of the allocator's history; older ones are lost


class Refused(RuntimeError):
    """What is asked for cannot be recorded; the text says why and what to do."""


def capture(step_fn, model, optimizer=None, out="recording.zip", warmup=3, steps=2, **options):
    """Calls step_fn() warmup + steps times, records the last ones, returns the file's name."""
    rec = Recorder(out, model, optimizer, warmup=warmup, steps=steps, **options)
    with rec:
        for _ in range((warmup + steps) * rec.accumulate):
            rec(step_fn)
    if rec.written is None:
        raise Refused(rec.problem)
    return rec.written


def record(out, model, optimizer=None, **options):
    """A recorder for a with statement; call what it gives with each step's function."""
    return Recorder(out, model, optimizer, **options)


def wrap(step_fn, out, model, optimizer=None, **options):
    """step_fn, recorded in its first calls."""
    rec = Recorder(out, model, optimizer, **options)

    @functools.wraps(step_fn)
    def step(*args, **kwargs):
        return rec(step_fn, *args, **kwargs)

    return step


class Recorder:
    """Records the steps that it is called with.

    out        the zip to write
    model      the torch.nn.Module, or several in a list or dict
    optimizer  the optimizer, or several
    batch      samples a step, for roles.json
    accumulate calls that make one step: more than one where gradients accumulate
    warmup     steps before, at least 3: optimizer states are made in the first
    steps      steps to record, at least 1
    cpu        record although nothing runs on a GPU
    graphs     record although CUDA graphs are replayed
    snapshot   False leaves out the memory snapshot, and a history of yours alone
    modules    False leaves out module names, which slow the host down a little
    """

    def __init__(self, out, model, optimizer=None, batch=None, warmup=3, steps=2,
                 cpu=False, graphs=False, snapshot=True, modules=True, accumulate=1):
        _check_torch()
        if warmup < 3 or steps < 1:
            raise Refused("warmup=%s, steps=%s: at least 3 steps must warm up, and at least 1 be recorded" % (warmup, steps))
        if accumulate < 1:
            raise Refused("accumulate=%s: a step is at least one call" % accumulate)
        self.accumulate, self.parts = accumulate, 0  # calls of the step that is under way
        self.models, self.optimizers = _models(model), _optimizers(optimizer)
        self.out = _out_file(os.fspath(out))
        self.batch, self.warmup, self.steps = batch, warmup, steps
        self.cpu, self.graphs, self.snapshot, self.modules = cpu, graphs, snapshot, modules
        self.calls = 0  # steps so far
        self.done = False  # written, or given up
        self.written = None  # the file, once it is
        self.label = None  # what it got
        self.problem = None  # why it was not written
        self.notes = []
        self._profiler = self._observer = self._folder = None
        self._together = False  # the profiler starts and stops the observer
        self._history = False  # this recorder has begun the allocator's history

    def __call__(self, step_fn, *args, **kwargs):
        """Runs one step and returns what it returns."""
        if self.done:
            return step_fn(*args, **kwargs)
        if self.calls == 0 and self.parts == 0:
            self._check_device()
            self._guard(self._begin)
        try:
            result = step_fn(*args, **kwargs)
        except BaseException:
            self._close()
            raise
        self.parts = (self.parts + 1) % self.accumulate
        if self.parts > 0:
            return result
        self.calls += 1
        if not self.done:
            self._guard(self._advance)
        return result

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if not self.done and kind is None:
            self._give_up("only %d of the %d steps that it takes were run (%d to warm up, %d to record)"
                          % (self.calls, self.warmup + self.steps, self.warmup, self.steps))
        self._close()

    def _guard(self, do):
        """Nothing that goes wrong while recording may end the training."""
        try:
            do()
        except Exception as err:  # the profiler's own errors have no common type
            self._give_up(str(err) or type(err).__name__)

    def _give_up(self, why):
        self.problem = why
        self._close()
        _say("nothing was written: " + why)

    def _close(self):
        """Ends whatever runs; may be called at any time."""
        self.done = True
        profiler, self._profiler = self._profiler, None
        observer, self._observer = self._observer, None
        for end in (getattr(profiler, "stop", None), getattr(observer, "unregister_callback", None)):
            with contextlib.suppress(Exception):
                if end is not None:
                    end()
        begun, self._history = self._history, False
        if begun:
            with contextlib.suppress(Exception):
                torch.cuda.memory._record_memory_history(enabled=None)
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _check_device(self):
        if not self._on_gpu() and not self.cpu:
            why = "PyTorch sees no GPU" if not torch.cuda.is_available() else "nothing is on the GPU"
            raise Refused(why + ". A CPU's recording has the tensors but no kernel times (label E2): "
                          "pass cpu=True for that, or record where the job trains")
        if _capturing() and not self.graphs:
            raise Refused("a CUDA graph is being captured. Record outside of it, without graphs")

    def _on_gpu(self):
        """Also where the model waits in host memory and comes in parts."""
        return torch.cuda.is_available() and (torch.cuda.memory_allocated() > 0 or any(t.is_cuda for _, _, t in self._tensors()))

    def _gpus(self):
        """Numbers of the GPUs that the model is on, or of the one that is used."""
        return sorted({t.device.index for _, _, t in self._tensors() if t.is_cuda}) or [torch.cuda.current_device()]

    def _begin(self):
        """Before the first step: the profiler in its waiting state, the observer registered."""
        self._folder = tempfile.mkdtemp(prefix="capture-")
        self._observer = _observer_class()()
        self._observer.register_callback(os.path.join(self._folder, "et.json"))
        if self.modules and _stacks_crash():
            self.modules = False
            self.notes.append("There are no module names: with Python 3.13 this PyTorch's profiler crashes over them; 2.8 does not.")
        kind = torch.profiler.ProfilerActivity
        options = dict(activities=[kind.CPU, kind.CUDA] if self._on_gpu() else [kind.CPU],
                       schedule=torch.profiler.schedule(wait=self.warmup - 1, warmup=1, active=self.steps, repeat=1),
                       record_shapes=True, profile_memory=True, with_stack=self.modules)
        self._together = "execution_trace_observer" in inspect.signature(torch.profiler.profile.__init__).parameters
        if self._together:
            options["execution_trace_observer"] = self._observer
        else:
            self.notes.append("This PyTorch's profiler takes no execution trace observer, "
                              "so that ran beside it; the two files may share no numbers and are joined by order.")
        self._profiler = torch.profiler.profile(**options)
        self._profiler.start()
        _say("PyTorch %s on %s: %d steps warm up, %d are recorded; expect label %s"
             % (torch.__version__, self._device()["name"], self.warmup, self.steps, _expected(self._on_gpu())))

    def _advance(self):
        """After a step: on to the next state."""
        if self.calls == self.warmup:
            self._synchronise()
            if self.snapshot and self._on_gpu() and not _history_begun:
                self._history = _begin_history(self.notes)
            if not self._together:
                self._observer.start()
            self._profiler.step()
        elif self.calls < self.warmup + self.steps:
            self._profiler.step()
        else:
            self._finish()

    def _synchronise(self):
        if self._on_gpu():
            for index in self._gpus():
                torch.cuda.synchronize(index)

    def _finish(self):
        """After the last step: everything stops and is written."""
        self._synchronise()
        # What follows belongs to no step.
        inner = getattr(self._profiler, "step_rec_fn", None)
        if inner is not None:
            inner.__exit__(None, None, None)
            self._profiler.step_rec_fn = None
        roles = self._roles()
        if not self._together:
            self._observer.stop()
        profiler, self._profiler = self._profiler, None
        profiler.stop()
        self._observer.unregister_callback()
        snapshot = _snapshot(self.notes) if self.snapshot and self._on_gpu() else None
        trace = os.path.join(self._folder, "trace.json")
        if torch.autograd.kineto_available():
            profiler.export_chrome_trace(trace)
        else:
            self.notes.append("This PyTorch was built without Kineto, so there is no trace of kernels and no times.")
        self._write(roles, snapshot, trace)
        self._close()

    def _write(self, roles, snapshot, trace):
        """All files into one zip, which appears under its name when it is whole."""
        part, seen = self.out + ".part", _Seen()
        if os.path.exists(trace) and os.path.getsize(trace) > 100e6:
            _say("thinning a trace of %d MB, which takes a minute for each 900" % (os.path.getsize(trace) / 1e6))
        try:
            with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as archive:
                if os.path.exists(trace):
                    with archive.open(_entry("trace.json"), "w", force_zip64=True) as out:
                        _thin(trace, "traceEvents", out, _trace_member, functools.partial(_event, seen))
                if os.path.exists(os.path.join(self._folder, "et.json")):
                    with archive.open(_entry("et.json"), "w", force_zip64=True) as out:
                        _thin(os.path.join(self._folder, "et.json"), "nodes", out, _et_member, functools.partial(_node, seen))
                if snapshot is not None:
                    archive.writestr(_entry("snapshot.pickle"), pickle.dumps(snapshot, protocol=4))
                self.label = self._judge(seen)
                roles["label"], roles["notes"] = self.label, self.notes
                archive.writestr(_entry("roles.json"), _lines(roles, "tensors"))
            os.replace(part, self.out)
        finally:
            with contextlib.suppress(OSError):
                os.remove(part)
        self.written = self.out
        for note in self.notes:
            _say(note)
        _say("%s is written, %d KB, %d steps with %d kernels; label %s: %s"
             % (self.out, os.path.getsize(self.out) // 1000, self.steps, seen.kernels, self.label, LABELS[self.label]))

    def _judge(self, seen):
        """The label of what was really recorded, or a refusal."""
        if seen.graphs and not self.graphs:
            raise Refused("the step replays CUDA graphs (%d launches), and a replayed kernel tells nothing of its tensors. "
                          "Record without them, for instance torch.compile without mode=\"reduce-overhead\", "
                          "or pass graphs=True to keep the times" % seen.graphs)
        if seen.kernels == 0 and seen.nodes == 0:
            raise Refused("neither profiler nor observer saw anything; is another profiler active?")
        if seen.kernels == 0:
            if self._on_gpu():
                self.notes.append("The profiler saw no GPU kernels: it may lack the right to (CUPTI, rocprofiler), "
                                  "or another one is active.")
            return "E2"
        if seen.graphs:
            return "T"
        if seen.nodes > 0 or seen.shapes and seen.memory:
            return "L3"  # L2 or L1m, and roles.json names what is resident
        return "L1" if seen.shapes else "T"

    def _tensors(self):
        """(name, role, tensor) of all that lives on between steps."""
        names = {}
        for prefix, model in self.models:
            for name, p in model.named_parameters():
                if id(p) not in names:
                    names[id(p)] = prefix + name
                    yield prefix + name, "parameter", _plain(p)
                    if p.grad is not None:
                        yield prefix + name + ".grad", "gradient", _plain(p.grad)
            for name, b in model.named_buffers():
                yield prefix + name, "buffer", _plain(b)
        for o, optimizer in enumerate(self.optimizers):
            for g, group in enumerate(optimizer.param_groups):
                for i, p in enumerate(group["params"]):
                    if id(p) not in names:  # a copy of its own, in fp32 for instance
                        names[id(p)] = "optimizer%d.%d.%d" % (o, g, i)
                        yield names[id(p)], "optimizer", _plain(p)
            for p, state in optimizer.state.items():
                for key, t in _flat(state, ""):
                    yield names.get(id(p), "optimizer%d" % o) + key, "optimizer", _plain(t)

    def _roles(self):
        """roles.json, and a mark in the traces: its tensors, touched in its order."""
        rows, skipped = [], 0
        with torch.no_grad(), torch.profiler.record_function(MARK):
            for name, role, t in self._tensors():
                try:
                    address, size = _storage(t)
                    t.detach()
                except (RuntimeError, NotImplementedError, AttributeError, TypeError):
                    skipped += 1  # has no storage: on the meta device, sparse, ...
                    continue
                rows.append({"name": name, "role": role, "device": str(t.device), "address": hex(address), "bytes": size,
                             "offset": t.storage_offset() * t.element_size(), "shape": list(t.shape),
                             "type": str(t.dtype).replace("torch.", "")})
        if skipped:
            self.notes.append("%d tensors have no storage of their own and are not in roles.json." % skipped)
        if self.optimizers == []:
            self.notes.append("No optimizer was given, so that its states have no names.")
        return {"format": "spillway-roles", "version": 1, "torch": str(torch.__version__), "device": self._device(),
                "batch": self.batch or 0, "warmup": self.warmup, "steps": self.steps, "mark": MARK,
                "label": None, "notes": None, "tensors": rows}

    def _device(self):
        """The first device that the model is on."""
        if not self._on_gpu():
            return {"kind": "cpu", "index": 0, "name": "CPU", "memory": 0}
        index = self._gpus()[0]
        properties = torch.cuda.get_device_properties(index)
        kind = "rocm" if getattr(torch.version, "hip", None) else "cuda"
        return {"kind": kind, "index": index, "name": properties.name, "memory": properties.total_memory,
                "processors": _whole(properties, "multi_processor_count"), "clock": _whole(properties, "clock_rate")}


def _whole(properties, name):
    """A number that not every version of PyTorch has; 0 then."""
    value = getattr(properties, name, 0)
    return value if isinstance(value, int) else 0


LABELS = {
    "L3": "times and tensors measured, resident memory with names",
    "L1": "times measured, tensors estimated from shapes",
    "E2": "tensors recorded, times estimated",
    "T": "times only",
}


class _Seen:
    """What the files turned out to have."""

    def __init__(self):
        self.kernels = self.graphs = self.nodes = self.memory = 0
        self.shapes = False


# -- What is asked for ---------------------------------------------------------


def _say(text):
    print("capture: " + text, file=sys.stderr)


def _check_torch():
    if torch is None:
        raise Refused("PyTorch is not installed for " + os.path.basename(sys.executable))
    if _observer_class() is None or not hasattr(torch, "profiler"):
        raise Refused("this is PyTorch %s, which has no execution trace; 1.13 or newer is needed" % torch.__version__)


def _observer_class():
    """Its name changed with PyTorch 2.0."""
    profiler = getattr(torch, "profiler", None)
    return getattr(profiler, "ExecutionTraceObserver", None) or getattr(profiler, "ExecutionGraphObserver", None)


def _models(model):
    """[(prefix of names, module)]."""
    if isinstance(model, torch.nn.Module):
        return [("", model)]
    if not isinstance(model, dict):
        model = dict(enumerate(model)) if isinstance(model, (list, tuple)) else None
    if not model or not all(isinstance(m, torch.nn.Module) for m in model.values()):
        raise Refused("model must be a torch.nn.Module, or a list or dict of them")
    return [("%s." % key, m) for key, m in model.items()]


def _optimizers(optimizer):
    some = [] if optimizer is None else list(optimizer) if isinstance(optimizer, (list, tuple)) else [optimizer]
    if not all(hasattr(o, "param_groups") and hasattr(o, "state") for o in some):
        raise Refused("optimizer must be a torch.optim.Optimizer, or a list of them")
    return some


def _out_file(out):
    """out, with the rank where there are several; its folder must take it, now rather than after the steps."""
    rank = _rank()
    if rank is not None:
        stem, extension = os.path.splitext(out)
        out = "%s-rank%d%s" % (stem, rank, extension)
    folder = os.path.dirname(os.path.abspath(out))
    if not os.path.isdir(folder) or not os.access(folder, os.W_OK) or os.path.isdir(out):
        raise Refused("%s cannot be written: name a file in a folder that exists and is yours" % out)
    return out


def _rank():
    """This process's rank among several, else None."""
    distributed = getattr(torch, "distributed", None)
    if distributed is None or not distributed.is_available() or not distributed.is_initialized():
        return None
    return distributed.get_rank() if distributed.get_world_size() > 1 else None


def _stacks_crash():
    """A crash is nothing one could try; https://github.com/pytorch/pytorch/issues/144094."""
    version = re.match(r"(\d+)\.(\d+)", str(torch.__version__))
    return sys.version_info >= (3, 13) and version is not None and tuple(map(int, version.groups())) < (2, 8)


def _capturing():
    try:
        return torch.cuda.is_available() and torch.cuda.is_current_stream_capturing()
    except (AttributeError, RuntimeError):
        return False


def _expected(gpu):
    return "L3" if gpu and torch.autograd.kineto_available() else "E2"


# -- Tensors -------------------------------------------------------------------


def _plain(t):
    """The tensor of this process: of a distributed one its own part."""
    return getattr(t, "_local_tensor", t)


def _flat(state, name):
    """(.key, tensor) of an optimizer's state, however nested."""
    if torch.is_tensor(state):
        yield name, state
    elif isinstance(state, dict):
        for key, value in state.items():
            yield from _flat(value, "%s.%s" % (name, key))
    elif isinstance(state, (list, tuple)):
        for key, value in enumerate(state):
            yield from _flat(value, "%s.%d" % (name, key))


def _storage(t):
    """(address, bytes) of the block that a tensor lies in."""
    if hasattr(t, "untyped_storage"):
        storage = t.untyped_storage()
        return storage.data_ptr(), storage.nbytes()
    storage = t.storage()
    return storage.data_ptr(), storage.nbytes()


# -- The allocator's snapshot --------------------------------------------------

_history_begun = False  # by before_model


def before_model():
    """Begins the allocator's history: call it before the model is built, if the snapshot shall show that."""
    global _history_begun
    _check_torch()
    notes = []
    if torch.cuda.is_available():
        _history_begun = _begin_history(notes)
    for note in notes:
        _say(note)


def _begin_history(notes):
    """Without stacks: they are long and name files."""
    start = getattr(torch.cuda.memory, "_record_memory_history", None)
    for options in (dict(enabled="all", context=None, max_entries=HISTORY),
                    dict(enabled=True, record_context=False, trace_alloc_max_entries=HISTORY), dict(enabled=True)):
        try:
            start(**options)
            return True
        except (TypeError, ValueError, RuntimeError):  # another version's options
            continue
    notes.append("This PyTorch keeps no history of allocations; the snapshot shows the end only.")
    return False


NUMBERS = (int, bool)
SEGMENT = {"device": NUMBERS, "address": NUMBERS, "total_size": NUMBERS, "allocated_size": NUMBERS, "active_size": NUMBERS,
           "requested_size": NUMBERS, "stream": NUMBERS, "segment_type": str, "is_expandable": NUMBERS}
BLOCK = {"address": NUMBERS, "size": NUMBERS, "requested_size": NUMBERS, "state": str}
ENTRY = {"action": str, "addr": NUMBERS, "size": NUMBERS, "stream": NUMBERS, "time_us": NUMBERS, "device_free": NUMBERS}
ANNOTATION = {"device": NUMBERS, "stage": str, "name": str, "time_us": NUMBERS}


def _snapshot(notes):
    """The allocator's snapshot, only what is listed here."""
    try:
        take = getattr(torch.cuda.memory, "_snapshot", None)
        whole = take() if take is not None else {"segments": torch.cuda.memory_snapshot()}
    except Exception as err:
        notes.append("There is no memory snapshot: %s." % err)
        return None
    return _thin_snapshot(whole, notes)


def _thin_snapshot(whole, notes):
    segments = [_thin_segment(s) for s in whole.get("segments", ())]
    settings = {k: v for k, v in (whole.get("allocator_settings") or {}).items() if isinstance(v, NUMBERS)}
    if settings.get("expandable_segments") or any(s.get("is_expandable") for s in segments):
        notes.append("Memory segments are expandable: the snapshot's segments are one address range each.")
    return {
        "segments": segments,
        "device_traces": [[_only(e, ENTRY) for e in entries] for entries in whole.get("device_traces", ())],
        "allocator_settings": settings,
        "external_annotations": [_only(a, ANNOTATION) for a in whole.get("external_annotations") or ()],
    }


def _thin_segment(segment):
    thin = _only(segment, SEGMENT)
    thin["blocks"], at = [], segment["address"]
    for block in segment["blocks"]:
        kept = _only(block, BLOCK)
        kept.setdefault("address", at)  # which older versions leave out
        at = kept["address"] + kept["size"]
        for old in block.get("history", ()):  # where they have what was asked for
            if block.get("state") == "active_allocated" and "real_size" in old:
                kept.setdefault("requested_size", old["real_size"])
        thin["blocks"].append(kept)
    return thin


def _only(row, wanted):
    return {k: row[k] for k, kind in wanted.items() if isinstance(row.get(k), kind)}


# -- Thinning of JSON files of any size ----------------------------------------

EXACT = "\ufdd0"  # before a decimal number's text, which a float would round


def _thin(path, array, out, member, element):
    """Copies the JSON object in path: member and element say what becomes of its members and of
    the named array's elements; None leaves one out."""
    comma = "{"
    with open(path, encoding="utf-8", errors="replace") as file:
        for key, value in _Reader(file).members(array):
            if key != array:
                value = member(key, value)
                if value is not None:
                    out.write((comma + "\n%s:%s" % (json.dumps(key), _dump(value))).encode())
                    comma = ","
                continue
            out.write((comma + '\n"%s":' % array).encode())
            comma, between = ",", "["
            for item in value:
                item = element(item)
                if item is not None:
                    out.write((between + "\n" + _dump(item)).encode())
                    between = ","
            out.write(b"]" if between == "," else b"[]")
    out.write(b"}\n" if comma == "," else b"{}\n")


def _dump(value):
    return re.sub(r'"\\ufdd0([^"]*)"', r"\1", json.dumps(value, separators=(",", ":")))


class _Reader:
    """Reads one JSON object, whose one long array it gives element by element."""

    CHUNK, MOST = 1 << 20, 1 << 26

    def __init__(self, file):
        self.file, self.text, self.at, self.before = file, "", 0, 0
        self.decoder = json.JSONDecoder(strict=False, parse_float=EXACT.__add__, parse_constant=lambda _: 0)

    def members(self, array):
        self.take("{")
        while self.next() != "}":
            key = self.value()
            self.take(":")
            if key == array and self.next() == "[":
                yield key, self.elements()
            else:
                yield key, self.value()
            if self.next() != "}":
                self.take(",")

    def elements(self):
        self.take("[")
        while self.next() != "]":
            yield self.value()
            if self.next() != "]":
                self.take(",")
        self.take("]")

    def value(self):
        self.next()
        while True:
            try:
                value, end = self.decoder.raw_decode(self.text, self.at)
                if end < len(self.text) or not self.more():  # a number may go on
                    self.at = end
                    return value
            except ValueError:
                if len(self.text) > self.MOST or not self.more():
                    raise self.wrong() from None

    def next(self):
        """The next character that is no space."""
        while True:
            while self.at < len(self.text) and self.text[self.at] in " \t\r\n":
                self.at += 1
            if self.at < len(self.text):
                return self.text[self.at]
            if not self.more():
                raise self.wrong()

    def take(self, character):
        if self.next() != character:
            raise self.wrong()
        self.at += 1

    def more(self):
        chunk = self.file.read(self.CHUNK)
        if chunk:
            self.text, self.at, self.before = self.text[self.at:] + chunk, 0, self.before + self.at
        return chunk != ""

    def wrong(self):
        return ValueError("PyTorch wrote a trace that is no JSON at character %d" % (self.before + self.at))


# -- The profiler's trace ------------------------------------------------------

TOP = {"schemaVersion", "displayTimeUnit", "baseTimeNanoseconds", "record_shapes", "profile_memory", "with_stack",
       "with_modules", "with_flops", "cupti_version", "cuda_runtime_version", "cuda_driver_version",
       "roctracer_version", "hip_runtime_version", "hip_driver_version"}
ARGS = {"External id", "external id", "Record function id", "Sequence number", "Fwd thread id", "Ev Idx", "Op count",
        "Input Dims", "Input type", "Input Strides", "Concrete Inputs", "correlation", "device", "context", "stream",
        "bytes", "size", "memory bandwidth (GB/s)", "kind", "kernel", "cbid", "cid", "queued", "grid", "block",
        "shared memory", "registers per thread", "warps per SM", "blocks per SM", "est. achieved occupancy %",
        "graph id", "graph node id", "wait_on_stream", "Addr", "Bytes", "Total Allocated", "Total Reserved",
        "Device Type", "Device Id", "Python id", "Python parent id", "Python module id", "kernel_backend",
        "Collective name", "Group size", "In msg nelems", "Out msg nelems", "dtype", "labels", "sort_index"}
PLAIN = re.compile(r"[-+0-9.,\[\] eE]*|True|False|None")  # what a concrete input may be
KEPT_PHASES = ("X", "i", "M")  # not the flows


def _trace_member(key, value):
    if key in TOP and not isinstance(value, (list, dict)):
        return value
    if key == "deviceProperties" and isinstance(value, list):
        return [{k: v for k, v in d.items() if k == "name" or not isinstance(v, (str, list, dict))} for d in value]
    if key == "distributedInfo" and isinstance(value, dict):
        return {k: v for k, v in value.items() if k in ("backend", "rank", "world_size")}
    return None


def _event(seen, e):
    """An event without what nobody needs, or None; its numbers stay as they are."""
    name, category = e.get("name"), e.get("cat")
    if e.get("ph") not in KEPT_PHASES or not isinstance(name, str):
        return None
    if category == "python_function" and not name.startswith("nn.Module:"):
        return None
    args = {k: v for k, v in (e.get("args") or {}).items() if k in ARGS}
    if "Concrete Inputs" in args:
        args["Concrete Inputs"] = [v if PLAIN.fullmatch(str(v)) else "" for v in args["Concrete Inputs"]]
    if e["ph"] == "M":
        called = str((e.get("args") or {}).get("name", ""))
        if "name" in (e.get("args") or {}):
            args["name"] = called if re.fullmatch(r"stream \d+ ?", called) else ""
    thin = {k: e[k] for k in ("ph", "cat", "name", "pid", "tid", "ts", "dur", "s") if k in e}
    if not isinstance(thin.get("pid", 0), int):  # "Spans", "Traces": the profiler's own
        return None
    if args:
        thin["args"] = args
    _count(seen, name, category, args)
    return thin


def _count(seen, name, category, args):
    if category in ("kernel", "Kernel"):
        seen.kernels += 1
    elif name.startswith(("cudaGraphLaunch", "cuGraphLaunch", "hipGraphLaunch")):
        seen.graphs += 1
    elif name == "[memory]":
        seen.memory += args.get("Device Type") in (1, 6)
    elif any(args.get("Input Dims") or ()):
        seen.shapes = True


# -- The execution trace -------------------------------------------------------

ATTRS = {"rf_id", "fw_parent", "seq_id", "scope", "tid", "fw_tid", "op_schema", "kernel_backend", "tensor_range",
         "collective_name", "dtype", "in_msg_nelems", "out_msg_nelems", "pg_size"}
FLAT = {"id", "name", "rf_id", "parent", "ctrl_deps", "fw_parent", "seq_id", "scope", "tid", "fw_tid", "op_schema",
        "inputs", "input_shapes", "input_types", "input_strides", "outputs", "output_shapes", "output_types", "output_strides"}
DEVICE = re.compile(r"(<\w+>|[a-z]+(:\d+)?)?")


def _et_member(key, value):
    return value if key in ("schema", "pid", "start_ts", "finish_ts") else None


def _node(seen, n):
    """A node without texts: values of strings may be names of files."""
    seen.nodes += 1
    thin = {k: v for k, v in n.items() if k in FLAT}
    words = n.get("name") == "record_param_comms"  # where a string is a collective's name
    for side in ("inputs", "outputs"):
        value = thin.get(side)
        if isinstance(value, dict):
            types = value.get("types", ())
            thin[side] = dict(value, values=_without_texts(value.get("values", ()), types, words))
        elif isinstance(value, list):
            thin[side] = _without_texts(value, n.get(side[:-1] + "_types", ()), words)
    if "attrs" in n:
        thin["attrs"] = [a for a in n["attrs"] if a.get("name") in ATTRS]
    return thin


def _without_texts(values, types, words):
    types = list(types) + [""] * len(values)
    return [_without_text(v, "String" in str(t), words) for v, t in zip(values, types)]


def _without_text(value, text, words):
    if isinstance(value, list):
        return [_without_text(v, text, words) for v in value]
    if not isinstance(value, str) or value.startswith(EXACT):
        return value
    if text:
        return value if words and value.isidentifier() else ""
    return value if DEVICE.fullmatch(value) else ""


def _lines(value, array):
    """JSON with a line for each member, and for each element of the named array."""
    members = ["%s: %s" % (json.dumps(k), json.dumps(v)) for k, v in value.items() if k != array]
    members.append('"%s": [\n  %s\n ]' % (array, ",\n  ".join(map(json.dumps, value[array]))))
    return "{\n " + ",\n ".join(members) + "\n}\n"


def _entry(name):
    """The same bytes whenever it is written."""
    entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    entry.compress_type = zipfile.ZIP_DEFLATED
    return entry


# -- What a zip has ------------------------------------------------------------


def check(path, say=print):
    """Says what a zip that capture.py wrote has, and what Spillway makes of it; True if it can simulate it."""
    seen, steps, most = _Seen(), {}, [0]

    def event(e):
        name = str(e.get("name", ""))
        _count(seen, name, e.get("cat"), e.get("args") or {})
        if name.startswith("ProfilerStep#"):
            steps[name] = steps.get(name, 0) + 1
        total = (e.get("args") or {}).get("Total Allocated")
        if name == "[memory]" and total is not None and (e.get("args") or {}).get("Device Type") in (1, 6):
            most[0] = max(most[0], int(total))

    with zipfile.ZipFile(path) as archive:
        names = set(archive.namelist())
        if "roles.json" not in names:
            raise Refused("%s has no roles.json, so capture.py did not write it; drop it on the page to see what it is" % path)
        roles = json.loads(archive.read("roles.json"))
        for name, array, element in (("trace.json", "traceEvents", event), ("et.json", "nodes", lambda n: _counted(seen))):
            if name in names:
                with archive.open(name) as raw, io.TextIOWrapper(raw, "utf-8", "replace") as file:
                    for key, value in _Reader(file).members(array):
                        for item in value if key == array else ():
                            element(item)
    label, device = roles.get("label") or "T", roles.get("device") or {}
    say("%s: label %s: %s" % (path, label, LABELS.get(label, label)))
    say("recorded with PyTorch %s on %s; %d steps, %s kernels, %s nodes of the execution trace, %s memory events" % (
        roles.get("torch"), device.get("name"), len(steps) or roles.get("steps") or 0, seen.kernels, seen.nodes, seen.memory))
    if most[0]:
        say("at most %.2f GiB were allocated at once" % (most[0] / 2**30))
    held = {}
    for row in roles.get("tensors") or ():
        if row["address"] != "0x0":
            held.setdefault(row["role"], {})[row["device"], row["address"]] = row["bytes"]
    for role in sorted(held):
        say("%s: %d blocks, %.1f KiB" % (role, len(held[role]), sum(held[role].values()) / 2**10))
    for note in roles.get("notes") or ():
        say(note)
    if label == "T":
        say("Spillway shows its times, and simulates nothing: what kernels read and write is not known.")
    elif label == "E2":
        say("Spillway simulates it with estimated times, for the GPU that you choose there.")
    else:
        say("Spillway simulates it with the times and on the memory of the GPU that it was recorded on.")
    return label != "T"


def _counted(seen):
    seen.nodes += 1


def main():
    if sys.argv[1:2] == ["--check"]:
        try:
            if len(sys.argv) != 3:
                raise Refused("usage: capture.py --check recording.zip")
            return 0 if check(sys.argv[2]) else 1
        except (Refused, OSError, ValueError, KeyError, TypeError, zipfile.BadZipFile) as err:
            print("%s" % err, file=sys.stderr)
            return 2
    print(__doc__)
    try:
        _check_torch()
    except Refused as err:
        print("Here: %s." % err)
        return 1
    gpu = torch.cuda.is_available()
    print("Here: PyTorch %s, %s: label %s%s." % (
        torch.__version__, torch.cuda.get_device_name() if gpu else "no GPU", _expected(gpu), "" if gpu else ", with cpu=True"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
