// What the page needs from the browser besides its components: files that are
// dropped or chosen, downloads, the clipboard, theme, help and keys. The Go
// program adds its callbacks (onFiles, onUndo …) and then calls start.
'use strict';

window.tools = (() => {
  const tools = {};

  // Inside another page nothing is kept, no files are taken, and that page says the
  // theme (embed.js).
  const embedded = 'embed' in document.documentElement.dataset;

  // Theme: what the visitor chose, else what the system says.
  const dark = matchMedia('(prefers-color-scheme: dark)');
  function remembered() {
    if (embedded) return document.documentElement.dataset.wanted || null;
    try { return localStorage.getItem('spillway-theme'); } catch { return null; }
  }
  let printing = false; // paper is light
  function applyTheme() {
    document.documentElement.dataset.theme = printing ? 'light' : remembered() ?? (dark.matches ? 'dark' : 'light');
    window.charts?.recolor();
  }
  for (const event of ['beforeprint', 'afterprint']) {
    addEventListener(event, () => {
      printing = event === 'beforeprint';
      applyTheme();
    }, { capture: true }); // before charts.js draws what waits
  }
  tools.applyTheme = applyTheme;
  dark.addEventListener('change', applyTheme);
  applyTheme();

  tools.theme = () => {
    const next = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark';
    try {
      if ((next === 'dark') === dark.matches) localStorage.removeItem('spillway-theme'); // as the system again, and with it
      else localStorage.setItem('spillway-theme', next);
    } catch { document.documentElement.dataset.theme = next; }
    applyTheme();
  };

  // Where there is room the settings stand beside the results, if the visitor wants.
  tools.dock = (shown) => {
    document.documentElement.toggleAttribute('data-docked', shown);
    tools.store('spillway-docked', shown ? 'yes' : 'no');
  };

  // Keys of a single character can be switched off in the help (WCAG 2.1.4).
  tools.oneKey = () => tools.stored('spillway-one-key') !== 'off';

  // What the browser keeps for the program, where it keeps anything.
  tools.stored = (name) => {
    if (embedded) return '';
    try { return localStorage.getItem(name) ?? ''; } catch { return ''; }
  };
  tools.store = (name, text) => {
    if (embedded) return false;
    try { localStorage.setItem(name, text); return true; } catch { return false; }
  };

  // A run over time is drawn by a script of its own, which comes when somebody looks.
  // columns are what it draws, by the job that they came with.
  tools.columns = {};
  let lanes; // what is to be done when it is there
  tools.lanes = (box, columns, title, at, name) => {
    const save = (kind, mime, content) => tools.save(name + kind, mime, content);
    const begin = !lanes && !window.timeline;
    lanes = () => window.timeline.show(box, columns, { title, at, save, onAt: tools.onAt, onWindow: tools.onWindow, load: boot.later });
    if (window.timeline) lanes();
    else if (begin) boot.later('timeline.js').then(() => lanes(), (err) => { lanes = undefined; box.textContent = err.message; });
  };
  tools.lanesPart = (columns) => window.timeline?.window(columns);

  // show goes to a part of the page, when what was just asked for is drawn.
  tools.show = (id) => drawn(id, (target) => {
    target.focus({ preventScroll: true });
    target.scrollIntoView({ block: 'start' });
  });

  // settled reports whether the page shows what was last done to it and nothing is
  // under way: those who drive the page wait for it. It is a question and no mark on
  // the page, which would be old between an event and what comes of it.
  let owed = 0;
  tools.settled = () => owed === 0 && Boolean(tools.shows?.()) && window.charts.settled();
  const soon = (then) => {
    owed++;
    setTimeout(() => { owed--; then(); }, 60);
  };

  // drawn waits for an element to be there and seen, but not for ever.
  function drawn(id, then, tries = 50) {
    soon(() => {
      const target = document.getElementById(id);
      if (target?.getClientRects().length > 0) then(target);
      else if (tries > 0) drawn(id, then, tries - 1);
    });
  }

  // focus does not scroll; near scrolls as little as makes all of it visible.
  tools.focus = (id) => soon(() => document.getElementById(id)?.focus({ preventScroll: true }));
  tools.near = (id) => soon(() => document.getElementById(id)?.scrollIntoView({ block: 'nearest' }));

  // What a reload would lose is kept for the tab; where there is no storage, or no
  // room in it, it is lost.
  const memory = 'spillway-memory';
  tools.remembered = () => {
    if (embedded) return '';
    try { return sessionStorage.getItem(memory) ?? ''; } catch { return ''; }
  };
  function remember() {
    if (embedded) return;
    try { sessionStorage.setItem(memory, tools.memory()); } catch { /* no storage */ }
  }

  tools.save = (name, mime, content) => {
    const url = URL.createObjectURL(new Blob([content], { type: mime }));
    tools.saveURL(name, url);
    setTimeout(() => URL.revokeObjectURL(url), 10000);
  };

  tools.saveURL = (name, url) => {
    const a = document.createElement('a');
    a.href = url;
    a.download = name;
    a.click();
  };

  // closesOutside: a press beside a dialog closes it; a selection that ends there
  // does not.
  tools.closesOutside = (dialog) => {
    const outside = (e) => {
      const r = dialog.getBoundingClientRect();
      return e.target === dialog && (e.clientX < r.left || e.clientX > r.right || e.clientY < r.top || e.clientY > r.bottom);
    };
    let begun = false;
    dialog.addEventListener('pointerdown', (e) => { begun = outside(e); });
    dialog.addEventListener('click', (e) => { if (begun && outside(e)) dialog.close(); });
  };

  // Files are about to come: the program that reads them may be a large one.
  const expect = () => tools.onExpect?.();

  tools.pick = (folder) => { expect(); choose(folder); };
  const choose = (folder) => document.getElementById(folder ? 'pick-folder' : 'pick-files').click();

  // walk lists the files below a dropped entry, with their folders.
  async function walk(entry, list) {
    if (entry.isFile) {
      const file = await new Promise((resolve, reject) => entry.file(resolve, reject));
      list.push({ name: entry.fullPath.replace(/^\//, ''), file });
      return;
    }
    if (entry.name === '.git' || entry.name === 'node_modules') return;
    const reader = entry.createReader();
    for (;;) {
      const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
      if (some.length === 0) return;
      for (const e of some) await walk(e, list);
    }
  }

  async function hand(list) {
    if (list.length === 0) return;
    await started;
    // A bundle may be of another version, which this site may have, too.
    if (!window.versions && !window.held && list.some(({ name }) => /\.zip$/i.test(name))) boot.later('versions.js').catch(() => {});
    tools.onFiles(list);
  }

  async function take(transfer) {
    const entries = [...transfer.items].filter((i) => i.kind === 'file').map((i) => i.webkitGetAsEntry?.()).filter(Boolean);
    const list = [];
    try {
      if (entries.length > 0) for (const e of entries) await walk(e, list);
      else list.push(...[...transfer.files].map((file) => ({ name: file.name, file })));
    } catch (err) {
      await started;
      tools.onRefused(`What was dropped cannot be read (${err.message ?? err}). Try the buttons under Workload.`);
      return;
    }
    hand(list);
  }

  // Files that come before the program is there wait for it.
  let begin;
  const started = new Promise((resolve) => { begin = resolve; });

  function listenForFiles() {
    const files = (e) => e.dataTransfer?.types.includes('Files');
    let depth = 0;
    const show = (on) => { document.getElementById('drop-overlay').hidden = !on; };
    addEventListener('dragenter', (e) => { if (files(e)) { e.preventDefault(); if (depth++ === 0) expect(); show(true); } });
    addEventListener('dragover', (e) => { if (files(e)) e.preventDefault(); });
    addEventListener('dragleave', (e) => { if (files(e) && --depth <= 0) { depth = 0; show(false); } });
    addEventListener('drop', (e) => {
      depth = 0;
      show(false);
      if (files(e)) { e.preventDefault(); take(e.dataTransfer); }
    });
    addEventListener('paste', (e) => {
      const list = [...(e.clipboardData?.files ?? [])].map((file) => ({ name: file.name, file }));
      if (list.length > 0) { e.preventDefault(); hand(list); }
    });
    addEventListener('change', ({ target }) => {
      if (target.id !== 'pick-files' && target.id !== 'pick-folder') return;
      hand([...target.files].map((file) => ({ name: file.webkitRelativePath || file.name, file })));
      target.value = '';
    });
  }

  // Arrows in a number change it; in a toolbar they go on to the next button, of
  // which Tab reaches one.
  const steps = { ArrowUp: 1, ArrowDown: -1, PageUp: 10, PageDown: -10 };
  function arrows(e) {
    if (!(e.target instanceof Element) || e.ctrlKey || e.metaKey || e.altKey) return;
    const { step } = e.target.dataset;
    if (step && steps[e.key]) {
      e.preventDefault();
      tools.onStep(step, e.shiftKey ? Math.sign(steps[e.key]) * 10 : steps[e.key]);
      return;
    }
    const bar = e.target.closest('[role=toolbar], [data-roving]');
    const down = bar?.matches('[data-roving]') ? { ArrowDown: 1, ArrowUp: -1 } : {}; // a list from top to bottom
    const way = { ArrowRight: 1, ArrowLeft: -1, Home: -Infinity, End: Infinity, ...down }[e.key];
    if (!bar || !way || e.target.matches('select, input')) return;
    e.preventDefault();
    const list = [...bar.querySelectorAll('button:not(:disabled), select')].filter((b) => b.offsetParent);
    const place = (b) => Number(getComputedStyle(b.parentElement).order); // as one sees them
    list.sort((a, b) => place(a) - place(b));
    const at = list.indexOf(e.target.closest('button, select'));
    list[Math.min(Math.max(at + way, 0), list.length - 1)]?.focus();
  }

  // A slider that is dragged says so many times a second; each time everything
  // runs again. What it says last comes through as a change.
  function thin() {
    const pause = 150;
    let last = 0;
    addEventListener('input', (e) => {
      if (!e.target.matches?.('input[type=range]')) return;
      if (e.timeStamp - last < pause && !e.target.final) e.stopImmediatePropagation();
      else last = e.timeStamp;
    }, true);
    addEventListener('change', (e) => {
      if (!e.target.matches?.('input[type=range]')) return;
      e.target.final = true;
      e.target.dispatchEvent(new Event('input', { bubbles: true }));
      e.target.final = false;
    }, true);
  }

  function listenForKeys() {
    addEventListener('keydown', arrows);
    addEventListener('keydown', (e) => {
      if (e.key === 'Escape' && !document.querySelector('dialog[open]')) tools.onEscape();
      if (e.target instanceof Element && e.target.closest('dialog[open]')) return; // it has its own keys
      const typing = e.target instanceof Element && e.target.matches('input[type=text], input[type=search], textarea, select');
      if (e.key === '?' && !embedded && !typing && !e.ctrlKey && !e.metaKey && tools.oneKey()) {
        e.preventDefault();
        tools.onHelp();
      } else if (e.target instanceof Element && e.target.matches('textarea')) {
        return; // a text has its own way back, a word at a time
      } else if ((e.ctrlKey || e.metaKey) && e.key.toLowerCase() === 'z') {
        e.preventDefault();
        if (e.shiftKey) tools.onRedo();
        else tools.onUndo();
      } else if ((e.ctrlKey || e.metaKey) && e.key.toLowerCase() === 'y') {
        e.preventDefault();
        tools.onRedo();
      }
    });
  }

  // What a policy may say is written by a press: at the cursor, on a line of its own where it begins
  // one, or in place of all. As if typed, so the browser can take it back. Another press goes to
  // where the policy is wrong, which the error says.
  addEventListener('click', (e) => {
    const chip = e.target.closest?.('[data-write], [data-go]');
    const text = chip?.closest('.field')?.querySelector('textarea');
    if (!text) return;
    text.focus();
    const { write, whole, go } = chip.dataset;
    if (go !== undefined) {
      const [line, column] = text.closest('.field').querySelector('.error').textContent.match(/\d+/g).map(Number);
      const lines = text.value.split(/[\n@]/);
      const from = lines.slice(0, line - 1).join(' ').length + (line > 1) + [...lines[line - 1] ?? ''].slice(0, column - 1).join('').length;
      text.setSelectionRange(from, from + text.value.slice(from).match(/^\w*/)[0].length);
      return;
    }
    if (whole !== undefined) text.select();
    else if (/^\w+ = $/.test(write)) { // a rule that is there is gone to, and not written twice
      const there = text.value.match(new RegExp(`(^|[\n@])([^\\S\n]*${write.trim().replace(' =', '\\s*=')}[^\\S\n]*)([^\n@#]*)`));
      if (there) {
        const from = there.index + there[1].length + there[2].length;
        text.setSelectionRange(from, from + there[3].trimEnd().length);
        return;
      }
    }
    const before = text.value.slice(0, text.selectionStart);
    let gap = '';
    if (/ = |: /.test(write) && whole === undefined) gap = /(^|\n)\s*$/.test(before) ? '' : '\n';
    else if (/\w$/.test(before)) gap = ' ';
    if (document.execCommand('insertText', false, gap + write)) return;
    text.setRangeText(gap + write, text.selectionStart, text.selectionEnd, 'end');
    text.dispatchEvent(new Event('input', { bubbles: true }));
  });

  // What is underlined in a policy moves with its text.
  addEventListener('scroll', (e) => {
    const mirror = e.target.previousElementSibling;
    if (mirror?.className === 'mirror') mirror.scrollTop = e.target.scrollTop;
  }, true);

  // takeTouched reports whether a field was changed since it was asked last: it may
  // then show something else than the program knows.
  let touched = false;
  for (const kind of ['input', 'change', 'click']) addEventListener(kind, () => { touched = true; }, true);
  tools.takeTouched = () => {
    const was = touched;
    touched = false;
    return was;
  };

  // nearest is the row, counted from 1, of the dot of a figure that was pressed in the drawing of
  // all; 0 where none is near.
  function nearest(figure, e) {
    let row = 0, least = 8;
    const at = figure.ownerSVGElement && new DOMPoint(e.clientX, e.clientY).matrixTransform(figure.ownerSVGElement.getScreenCTM().inverse());
    for (const path of figure.querySelectorAll('[data-rows]')) {
      const rows = path.dataset.rows.split(' ');
      path.getAttribute('d').slice(1).split('M').forEach((dot, i) => {
        const [x, y] = dot.split(/[ h]/).map(Number);
        const far = Math.hypot(x - at.x, y - at.y);
        if (far < least) [row, least] = [1 + Number(rows[i]), far];
      });
    }
    return row;
  }

  tools.start = () => {
    begin();
    listenForKeys();
    thin();
    addEventListener('pagehide', remember);
    addEventListener('visibilitychange', () => { if (document.visibilityState === 'hidden') remember(); });
    matchMedia('(max-width: 1100px)').addEventListener('change', () => tools.onEscape());
    // Links inside the page must not replace the settings in the address.
    addEventListener('click', (e) => {
      const row = e.target instanceof Element ? e.target.closest('[data-open]') : null;
      if (row) tools.onOpen(Number(row.dataset.open));
      const card = e.target instanceof Element ? e.target.closest('[data-card]') : null;
      if (card) tools.onCard(Number(card.dataset.card));
      const figure = e.target instanceof Element ? e.target.closest('[data-figure]') : null;
      if (figure) {
        tools.onFigure(figure.dataset.figure, nearest(figure, e));
        tools.show('paper-title');
      }
      // The scoreboard stands before a figure that is chosen in the list.
      if (e.target instanceof Element && e.target.closest('.paper-list .entry')) document.getElementById('paper-title')?.scrollIntoView({ block: 'start' });
      const link = e.target instanceof Element ? e.target.closest('a[href^="#"]:not([href^="#v="])') : null;
      if (!link) return;
      e.preventDefault();
      tools.show(link.getAttribute('href').slice(1));
    });
    addEventListener('hashchange', () => tools.onVisit(location.hash));
  };

  // A menu of formats closes when something else is used, and on Escape. The
  // program knows whether it is open, so its button is pressed.
  const closing = new WeakSet(); // asked for, and not drawn yet
  function closeMenus(e) {
    for (const button of document.querySelectorAll(':is(.formats, .token) > button[aria-expanded=true]')) {
      const inside = e.target instanceof Node && button.parentElement.contains(e.target);
      if (closing.has(button) || (e.type === 'keydown' ? e.key !== 'Escape' : inside)) continue;
      closing.add(button);
      // Not at once: a dialog that the program opens takes the focus while the program waits.
      setTimeout(() => {
        button.click();
        if (inside) button.focus();
        // Until it is drawn, 300 ms at most; then it may be opened again at once.
        let tries = 15;
        const drawn = () => {
          if (button.getAttribute('aria-expanded') === 'true' && tries-- > 0) setTimeout(drawn, 20);
          else closing.delete(button);
        };
        drawn();
      });
    }
  }
  for (const kind of ['pointerdown', 'focusin', 'keydown']) addEventListener(kind, closeMenus);

  // An open menu is under its button and inside the window: as far to the left as it takes, and above
  // the button or shorter where there is no room below.
  function place() {
    const button = document.querySelector(':is(.formats, .token) > button[aria-expanded=true]');
    const menu = button && document.getElementById(button.getAttribute('aria-controls'));
    if (!menu) return;
    const { style, clientWidth } = document.documentElement;
    for (const name of ['x', 'y', 'most']) style.removeProperty(`--menu-${name}`);
    const gap = 8, b = button.getBoundingClientRect(), m = menu.getBoundingClientRect();
    const above = b.top - gap, below = innerHeight - gap - b.bottom;
    const high = Math.min(m.height, Math.max(above, below));
    const up = m.height > below && above > below;
    style.setProperty('--menu-x', `${Math.max(gap, Math.min(m.left, clientWidth - gap - m.width)) - m.left}px`);
    style.setProperty('--menu-y', `${(up ? b.top - high : b.bottom) - m.top}px`);
    style.setProperty('--menu-most', `${high}px`);
  }
  new MutationObserver(place).observe(document.getElementById('app'), { subtree: true, attributeFilter: ['aria-expanded'] });
  addEventListener('resize', place);

  if (!embedded) listenForFiles();
  return tools;
})();
