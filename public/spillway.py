#!/usr/bin/env python3
"""Spillway in Python: runs, sweeps and figures of simulators of memory that
spills out of GPUs.

    import spillway

    spillway.run("lab=train system=g10,uvm gpu_memory=20")
    spillway.sweep(lab="train", system="g10,uvm", vary={"ssd_read": "1.6..12.8x4"})
    spillway.solve(lab="train", system="g10", smallest="ssd_read", within=5)

Settings are those of the command (spillway list), as one text or by name. What
comes back is a pandas.DataFrame, or a list of dicts where pandas is missing.

In a notebook a figure is a picture, live where a site is named, and a widget
has settings that turn:

    spillway.Figure("https://SITE/#v=4&lab=train&...", chart="throughput")
    spillway.widget("lab=train preset=g10-paper", chart="throughput",
                    controls="gpu_memory,ssd_read")      # needs anywidget

Everything is computed on this computer: by the native command, which is looked
for in $SPILLWAY and on the PATH; without it by the same program as WebAssembly
in Node.js, which the wheel has inside (beside this file alone: a folder
spillway_program with spillway.wasm or spillway.wasm.gz, and wasm_exec.js). Results
are the same to the byte. This file needs nothing but Python 3.9 or newer.

From a shell: python3 -m spillway COMMAND ...
"""

import base64
import functools
import html
import json
import os
import re
import shutil
import subprocess
import sys

__all__ = ["Error", "Figure", "labs", "run", "settings", "solve", "sweep", "table", "version", "widget"]


class Error(Exception):
    """What the command could not do, in its words."""


# -- The program ---------------------------------------------------------------

# What Node does with the program: no module of npm is needed. Its own exit ends it.
_NODE = """
const fs = require('fs'), path = require('path'), zlib = require('zlib');
const [folder, ...args] = process.argv.slice(1);
Object.assign(globalThis, { require, fs, path });
require(path.join(folder, 'wasm_exec.js'));
const packed = path.join(folder, 'spillway.wasm.gz');
const program = fs.existsSync(packed) ? zlib.gunzipSync(fs.readFileSync(packed)) : fs.readFileSync(path.join(folder, 'spillway.wasm'));
const go = new Go();
go.argv = ['spillway', ...args];
go.env = { TMPDIR: require('os').tmpdir() };
go.exit = process.exit;
WebAssembly.instantiate(program, go.importObject).then(({ instance }) => go.run(instance), (err) => {
  console.error(String(err));
  process.exit(1);
});
"""


def _is_script(file):
    """Whether a file is text: what installers put on the PATH may lead back here."""
    try:
        with open(file, "rb") as f:
            return f.read(2) == b"#!"
    except OSError:
        return True


@functools.lru_cache(maxsize=None)
def _program(named, search):
    """The beginning of a command line, by what $SPILLWAY and the PATH are."""
    if named:
        if not shutil.which(named):
            raise Error("$SPILLWAY is %s, which is no program" % named)
        return (named,)
    native = shutil.which("spillway", path=search)
    if native and not _is_script(native):
        return (native,)
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "spillway_program")
    node = shutil.which("node", path=search)
    if node and os.path.exists(os.path.join(folder, "wasm_exec.js")):
        return (node, "-e", _NODE, "--", folder)
    if node:
        why = "%s, which the wheel has inside, is missing" % folder
    else:
        why = "there is no Node.js (node) either, which would run it as WebAssembly"
    raise Error("there is no command spillway on the PATH, and %s; name the command in $SPILLWAY" % why)


def _call(args):
    """The command's output, as bytes. Its exit code 1 with output is a result: some run broke off."""
    begin = _program(os.environ.get("SPILLWAY", ""), os.environ.get("PATH", os.defpath))
    done = subprocess.run([*begin, *args], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    said = done.stderr.decode("utf-8", "replace").strip()
    if done.returncode != 0 and not (done.returncode == 1 and done.stdout.strip()):
        raise Error(re.sub(r"^spillway: ", "", said) or "spillway ended with exit code %d" % done.returncode)
    return done.stdout


def _json(args):
    return json.loads(_call([*args, "--json"]).decode("utf-8"))


def version():
    """What computes: name, version with the hash of its sources, Go version, platform."""
    return _call(["version"]).decode("utf-8").strip()


# -- Settings ------------------------------------------------------------------


def _text(value):
    """A setting's value as the command reads it."""
    if value is True or value is False:
        return "yes" if value else "no"
    if isinstance(value, (list, tuple)):
        return ",".join(map(_text, value))
    return os.fspath(value) if isinstance(value, os.PathLike) else str(value)


def _arguments(text, given):
    """Settings as arguments: of a text with blanks between them, then those by name."""
    words = [] if text is None else re.findall(r'(?:[^\s"]|"[^"]*")+', text)
    args = [w.replace('"', "") for w in words]
    for key, value in given.items():
        if value is not None:
            args.append("%s=%s" % (key, _text(value)))
    for a in args:
        if a.startswith("-"):
            raise Error("%r is no setting" % a)
    return args


def _number(text):
    """A number that is written as text, other text as it is."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def _flat(row, wanted=None):
    """One row of a table: what a run is of, what was varied, then its values."""
    out = {key: row[key] for key in ("lab", "system", "workload", "setup") if key in row}
    out.update({key: _number(text) for key, text in (row.get("at") or {}).items()})
    out.update({key: row[key] for key in ("fits", "reason") if key in row})
    out.update((key, value) for key, value in (row.get("values") or {}).items() if wanted is None or key in wanted)
    if row.get("hash"):
        out["hash"] = row["hash"]
    return out


def table(rows):
    """Rows as a pandas.DataFrame, or as they are where pandas is missing."""
    try:
        import pandas
    except ImportError:
        return rows
    return pandas.DataFrame(rows)


# -- What it computes ----------------------------------------------------------


def run(settings=None, /, raw=False, **given):
    """Runs systems: a row each, with a column for every quantity.

    With raw=True what the command says, as JSON: settings in full, notes, hash.
    """
    rows = _json(["run", *_arguments(settings, given)])
    rows = rows if isinstance(rows, list) else [rows]
    return rows if raw else table([_flat(r) for r in rows])


def sweep(settings=None, /, vary=None, of=None, raw=False, **given):
    """Runs systems with every combination of some settings: a row for each run.

    vary is {setting: values}: a text as the command takes it ("1.6..12.8x4",
    "128,256"), or a list. of names the quantities that are wanted, without it all.
    """
    if not vary:
        raise Error("sweep: say what to vary, as vary={\"ssd_read\": \"1.6..12.8x4\"}")
    args = ["sweep", *_arguments(settings, given)]
    for key, values in vary.items():
        args += ["--vary", "%s=%s" % (key, _text(values))]
    if of is not None:
        args += ["--of", _text(of)]
    rows = _json(args)
    wanted = None if of is None else _text(of).split(",")
    return rows if raw else table([_flat(r, wanted) for r in rows])


def solve(settings=None, /, smallest=None, largest=None, raw=False, **given):
    """Searches a setting: the smallest or largest with which a condition holds.

    Conditions are the command's flags by name, as within=5 or at_least="flashneuron", and
    accuracy is its --precision; sensitivity=True asks which setting matters how much,
    fit=True what would fit.
    """
    flags = []
    for name in ("within", "than", "at_least", "at_most", "fits", "of", "accuracy", "sensitivity", "fit"):
        value = given.pop(name, None)
        flag = "--precision" if name == "accuracy" else "--" + name.replace("_", "-")
        if value is True:
            flags.append(flag)
        elif value is not None and value is not False:
            flags += [flag, _text(value)]
    for name, key in (("--smallest", smallest), ("--largest", largest)):
        if key is not None:
            flags += [name, _text(key)]
    rows = _json(["solve", *_arguments(settings, given), *flags])
    if raw:
        return rows
    rows = rows if isinstance(rows, list) else [rows]
    plain = (str, int, float, bool, type(None))
    return table([{k: _number(v) if k in ("answer", "not", "sure", "from", "to") and isinstance(v, str) else v for k, v in r.items() if isinstance(v, plain)} for r in rows])


@functools.lru_cache(maxsize=None)
def _list():
    return {l["name"]: l for l in _json(["list"])["labs"]}


def labs():
    """The laboratories: a row each."""
    return table([{"name": l["name"], "title": l["title"], "about": l["about"]} for l in _list().values()])


def settings(lab):
    """The settings of a laboratory: a row each."""
    if lab not in _list():
        raise Error("no laboratory %r; there are %s" % (lab, ", ".join(_list())))
    names = ("key", "label", "unit", "kind", "min", "max", "default", "help")
    return table([{n: k.get(n) for n in names} for k in _list()[lab]["knobs"]])


# -- Figures -------------------------------------------------------------------


def _of(svg, pattern):
    found = re.search(pattern, svg, re.DOTALL)
    return html.unescape(found.group(1)) if found else ""


class Figure:
    """A chart of a link or of settings, for notebooks and files.

    link is the address that Spillway's address bar shows, what stands behind its #,
    or settings as "lab=train preset=g10-paper gpu_memory=20"; further settings, by
    name, take the place of its own. chart is one chart's ID, without it the first;
    pixels is how wide it is, 760 if not said. Where the link has an address, or site
    names one, the figure runs in notebooks and in the pages that are made of them, and
    controls are the settings that readers may turn.
    """

    def __init__(self, link, /, chart=None, theme="light", pixels=None, site=None, controls=None, **given):
        page, mark, fragment = link.partition("#")
        self.site = site or (page if mark and page.startswith(("http://", "https://")) else None)
        self.chart, self.theme, self.pixels = chart, theme, pixels
        self.controls = ",".join(controls) if isinstance(controls, (list, tuple)) else controls
        is_link = mark or link.startswith("v=")
        self._args = ["#" + fragment if mark else link, *_arguments(None, given)] if is_link else _arguments(link, given)

    @functools.cached_property
    def svg(self):
        """The drawing: vector text, with title, description and its data as CSV inside."""
        args = ["figure", *self._args, "--theme", self.theme]
        if self.chart:
            args += ["--chart", self.chart]
        if self.pixels:
            args += ["--width", str(self.pixels)]
        if self.site:
            args += ["--site", self.site]
        return _call(args).decode("utf-8")

    @property
    def title(self):
        """What the chart is of."""
        return _of(self.svg, r"<title[^>]*>(.*?)</title>")

    @property
    def text(self):
        """What it shows, in words: for those who do not see it."""
        return _of(self.svg, r"<desc[^>]*>(.*?)</desc>")

    @property
    def link(self):
        """The address that opens it in Spillway, or its fragment where no site is known."""
        return _of(self.svg, r'<s:view [^>]*?\blink="([^"]*)"')

    @property
    def rows(self):
        """The chart's numbers, as a table."""
        import csv
        import io
        data = _of(self.svg, r'type="text/csv">(.*?)</s:view>')
        return table(list(csv.DictReader(io.StringIO(data))))

    @property
    def html(self):
        """The figure for any page; live where a site is known."""
        picture = '<img src="data:image/svg+xml;base64,%s" alt="%s">' % (base64.b64encode(self.svg.encode("utf-8")).decode("ascii"), html.escape(self.text))
        if not self.site:
            return "<figure>%s</figure>" % picture
        address = re.sub(r"[?#].*", "", self.site)
        address += "" if address.endswith("/") else "/"
        named = "".join(' %s="%s"' % (name, html.escape(value)) for name, value in (("only", _of(self.svg, r'<s:view [^>]*?\bchart="([^"]*)"')), ("controls", self.controls)) if value)
        return '<script async src="%sspill-figure.js"></script>\n<spill-figure src="%s#%s"%s>%s</spill-figure>' % (
            html.escape(address), html.escape(address), html.escape(self.link.partition("#")[2]), named, picture)

    def save(self, file):
        """Writes the drawing to a file that ends in .svg, or the page's part to one that ends in .html."""
        text = self.html if os.fspath(file).endswith((".html", ".htm")) else self.svg
        with open(file, "w", encoding="utf-8", newline="\n") as f:
            f.write(text)

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {"text/html": self.html, "image/svg+xml": self.svg, "text/plain": self.text}

    def __repr__(self):
        return "<spillway.Figure %s>" % " ".join(self._args)


# -- A widget ------------------------------------------------------------------

# What a notebook shows: fields, a picture, what came out. The kernel computes.
_ESM = """
function field(f, change) {
  const label = document.createElement('label');
  label.append(f.label + (f.unit ? `, ${f.unit}` : '') + ' ');
  const input = document.createElement(f.choices.length > 0 ? 'select' : 'input');
  if (f.choices.length > 0) for (const [key, text] of f.choices) input.append(new Option(text, key));
  else {
    input.type = f.kind === 'number' ? 'number' : 'text';
    if (f.kind === 'number') Object.assign(input, { step: 'any', min: f.min ?? '', max: f.max ?? '' });
  }
  input.name = f.key;
  input.value = f.value;
  input.addEventListener('change', () => { if (input.reportValidity()) change(f.key, input.value); });
  for (const kind of ['keydown', 'keypress', 'keyup']) input.addEventListener(kind, (e) => e.stopPropagation());
  label.append(input);
  return label;
}

function render({ model, el }) {
  const picture = document.createElement('img');
  const says = document.createElement('p');
  says.setAttribute('role', 'status');
  const form = document.createElement('form');
  form.style.cssText = 'display:flex;flex-wrap:wrap;gap:.4em 1em;align-items:center';
  picture.style.cssText = 'width:100%;max-width:760px;height:auto';
  form.addEventListener('submit', (e) => e.preventDefault());
  form.append(...model.get('fields').map((f) => field({ ...f, value: model.get('values')[f.key] ?? f.value }, (key, value) => {
    says.textContent = 'Computing …';
    form.setAttribute('aria-busy', 'true');
    model.set('values', { ...model.get('values'), [key]: value });
    model.save_changes();
  })));
  const show = () => {
    form.removeAttribute('aria-busy');
    picture.src = `data:image/svg+xml,${encodeURIComponent(model.get('svg'))}`;
    picture.alt = model.get('text');
    says.textContent = model.get('problem');
  };
  const turned = () => {
    for (const input of form.elements) {
      const value = model.get('values')[input.name];
      if (value !== undefined && input !== input.getRootNode().activeElement) input.value = value;
    }
  };
  model.on('change:done', show);
  model.on('change:values', turned);
  show();
  el.replaceChildren(form, picture, says);
  return () => { model.off('change:done', show); model.off('change:values', turned); };
}

export default { render };
"""


@functools.lru_cache(maxsize=None)
def _widget_class():
    try:
        import anywidget
        import traitlets
    except ImportError as err:
        raise Error("a widget needs anywidget (pip install anywidget); spillway.Figure needs nothing") from err

    class Widget(anywidget.AnyWidget):
        """A figure whose settings turn. values has what is set; svg, text and figure what came of it."""

        _esm = _ESM
        fields = traitlets.List().tag(sync=True)
        values = traitlets.Dict().tag(sync=True)
        svg = traitlets.Unicode().tag(sync=True)
        text = traitlets.Unicode().tag(sync=True)
        problem = traitlets.Unicode().tag(sync=True)
        done = traitlets.Int().tag(sync=True)  # counts what was computed, the last to change

        def __init__(self, make, first, fields):
            self._make = make
            self.figure = first
            super().__init__(fields=fields, svg=first.svg, text=first.text)
            self.observe(self._turn, names="values")

        def _turn(self, change):
            try:
                figure = self._make(change["new"])
                self.svg, self.text, self.problem = figure.svg, figure.text, ""
                self.figure = figure
            except Error as err:
                self.problem = str(err)
            self.done += 1

    return Widget


def widget(link, /, controls, chart=None, theme="light", pixels=None, site=None, **given):
    """A figure with settings that turn in Jupyter, VS Code and Colab; the kernel computes.

    controls names the settings. What link, chart and others are: see Figure.
    """
    kind = _widget_class()

    def make(values):
        return Figure(link, chart, theme, pixels, site, **{**given, **values})

    first = make({})
    lab = dict(re.findall(r"(\w+)=([^&]*)", first.link.partition("#")[2])).get("lab")
    known = {k["key"]: k for k in _list()[lab or next(iter(_list()))]["knobs"]}
    now = dict(re.findall(r"([\w-]+)=(\S*)", _of(first.svg, r'<s:view [^>]*?\bsetup="([^"]*)"')))
    fields = []
    for key in controls.split(",") if isinstance(controls, str) else controls:
        key = key.strip()
        if key not in known:
            raise Error("no setting %r; spillway.settings(%r) lists them" % (key, lab))
        k = known[key]
        fields.append({
            "key": key, "label": k["label"], "unit": k.get("unit", ""), "kind": k["kind"], "min": k.get("min"), "max": k.get("max"),
            "choices": [[c["key"], c["label"]] for c in k.get("choices") or []] if k["kind"] == "one" else [],
            "value": str(now.get(key, k.get("default", ""))),
        })
    return kind(make, first, fields)


def main(args=None):
    """The command itself, with this process's input and output."""
    try:
        begin = _program(os.environ.get("SPILLWAY", ""), os.environ.get("PATH", os.defpath))
    except Error as err:
        print("spillway: %s" % err, file=sys.stderr)
        return 2
    return subprocess.call([*begin, *(sys.argv[1:] if args is None else args)])


if __name__ == "__main__":
    sys.exit(main())
