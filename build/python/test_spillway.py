"""Tests of public/spillway.py with the command that $SPILLWAY names; make test-python runs them.

Needed: nothing. With pandas there are tables of it; with ipywidgets (for traitlets) the
widget is tried, with a small stand-in where anywidget is missing; with Node.js and
$SPILLWAY_PROGRAM, a folder as in the wheel, the same as WebAssembly.
"""

import importlib
import importlib.util
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import types
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "public" / "spillway.py"


def load(file=SCRIPT):
    spec = importlib.util.spec_from_file_location("spillway", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def rows(table):
    return table if isinstance(table, list) else table.to_dict("records")


LINK = "https://example.org/s/#v=3&lab=store&clients=2"


class Command(unittest.TestCase):
    def setUp(self):
        self.s = load()

    def test_runs(self):
        got = rows(self.s.run("lab=store system=lru,fifo", clients=2))
        self.assertEqual([r["system"] for r in got], ["lru", "fifo"])
        raw = self.s.run(lab="store", system=["lru", "fifo"], clients=2, raw=True)
        self.assertEqual([r["hash"] for r in raw], [r["hash"] for r in got])
        self.assertEqual(raw[0]["values"]["time_s"], got[0]["time_s"])

    def test_sweeps(self):
        got = rows(self.s.sweep(lab="store", system="lru", vary={"clients": [1, 2]}, of="time_s"))
        self.assertEqual([r["clients"] for r in got], [1, 2])
        self.assertTrue(all("misses" not in r and r["time_s"] > 0 for r in got))
        with self.assertRaisesRegex(self.s.Error, "what to vary"):
            self.s.sweep(lab="store")

    def test_solves(self):
        (got,) = rows(self.s.solve(lab="store", system="lru", largest="clients=1..4", fits=True))
        self.assertTrue(got["found"])
        self.assertIsInstance(got["answer"], int)

    def test_says_what_is_wrong(self):
        with self.assertRaisesRegex(self.s.Error, 'unknown system "nope"'):
            self.s.run(lab="store", system="nope")
        with self.assertRaisesRegex(self.s.Error, "is no setting"):
            self.s.run("lab=store --force")
        with self.assertRaisesRegex(self.s.Error, "no laboratory"):
            self.s.settings("nope")
        self.assertIn("clients", [r["key"] for r in rows(self.s.settings("store"))])
        self.assertIn("train", [r["name"] for r in rows(self.s.labs())])

    def test_needs_no_pandas(self):
        code = "import sys; sys.modules['pandas'] = None; sys.path.insert(0, %r); import spillway; print(type(spillway.run('lab=store system=lru')).__name__)" % str(SCRIPT.parent)
        self.assertEqual(subprocess.check_output([sys.executable, "-c", code], text=True).strip(), "list")

    def test_tables(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("pandas is missing")
        self.assertIsInstance(self.s.run("lab=store system=lru"), pandas.DataFrame)

    def test_without_a_program(self):
        with tempfile.TemporaryDirectory() as folder:
            alone = shutil.copy(SCRIPT, folder)
            env = {k: v for k, v in os.environ.items() if k != "SPILLWAY"}
            env["PATH"] = folder
            done = subprocess.run([sys.executable, alone, "version"], env=env, capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 2)
            self.assertIn("there is no command spillway", done.stderr)
            # What an installer puts on the PATH may lead back to this file.
            loop = pathlib.Path(folder, "spillway")
            loop.write_text("#!/bin/sh\nexit 0\n")
            loop.chmod(0o755)
            done = subprocess.run([sys.executable, alone, "version"], env=env, capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 2)

    def test_as_webassembly(self):
        folder = os.environ.get("SPILLWAY_PROGRAM")
        if not folder or not shutil.which("node"):
            self.skipTest("$SPILLWAY_PROGRAM names no folder, or there is no Node.js")
        native = self.s.run("lab=store system=lru", raw=True)
        with tempfile.TemporaryDirectory() as there:
            shutil.copy(SCRIPT, there)
            os.symlink(os.path.abspath(folder), os.path.join(there, "spillway_program"))
            env = {k: v for k, v in os.environ.items() if k != "SPILLWAY"}
            env["PATH"] = os.path.dirname(shutil.which("node"))
            code = "import json, spillway; print(json.dumps([spillway.version(), spillway.run('lab=store system=lru', raw=True), spillway.Figure(%r).svg]))" % LINK
            version, wasm, svg = json.loads(subprocess.check_output([sys.executable, "-c", code], env=env, cwd=there, text=True))
        self.assertIn("js/wasm", version)
        self.assertEqual([r["hash"] for r in wasm], [r["hash"] for r in native])
        self.assertIn("<svg ", svg)


class Figures(unittest.TestCase):
    def setUp(self):
        self.s = load()

    def test_bundle(self):
        f = self.s.Figure(LINK, chart="time", controls=["gpu_memory"], gpu_memory=6)
        got = f._repr_mimebundle_()
        self.assertEqual(sorted(got), ["image/svg+xml", "text/html", "text/plain"])
        self.assertTrue(got["image/svg+xml"].startswith("<svg "))
        self.assertIn('<script async src="https://example.org/s/spill-figure.js">', got["text/html"])
        self.assertIn('only="time" controls="gpu_memory"', got["text/html"])
        self.assertIn("gpu_memory=6", f.link)
        self.assertTrue(f.link.startswith("https://example.org/s/#v="))
        self.assertEqual(rows(f.rows)[0].keys() & {"system"}, {"system"})
        self.assertTrue(f.title and f.text.startswith(f.text.split(".")[0]))

    def test_without_a_site(self):
        got = self.s.Figure("lab=store", link=20, chart="time")  # a setting is called link, too
        self.assertNotIn("<script", got.html)
        self.assertIn("link=20", got.link)

    def test_saves(self):
        f = self.s.Figure("lab=store")
        with tempfile.TemporaryDirectory() as folder:
            f.save(os.path.join(folder, "a.svg"))
            self.assertEqual(pathlib.Path(folder, "a.svg").read_text("utf-8"), f.svg)


class Widgets(unittest.TestCase):
    def test_turns(self):
        try:
            import traitlets
        except ImportError:
            self.skipTest("traitlets, of ipywidgets, is missing")
        if importlib.util.find_spec("anywidget") is None:
            sys.modules["anywidget"] = types.SimpleNamespace(AnyWidget=traitlets.HasTraits)
        s = load()
        w = s.widget(LINK, controls="clients, gpu_memory", chart="time")
        self.assertEqual([f["key"] for f in w.fields], ["clients", "gpu_memory"])
        self.assertEqual(w.fields[0]["value"], "2")
        before = w.svg
        w.values = {"clients": "1"}
        self.assertNotEqual(w.svg, before)
        self.assertEqual((w.problem, w.done), ("", 1))
        self.assertIn("clients=1&", w.figure.link)
        after = w.svg
        w.values = {"clients": "0"}
        self.assertEqual((w.svg, w.done), (after, 2))
        self.assertIn("Clients is 0", w.problem)
        with self.assertRaisesRegex(s.Error, "no setting 'nope'"):
            s.widget(LINK, controls="nope")


if __name__ == "__main__":
    unittest.main(verbosity=2)
