// The help and the palette: what the page has, found by typing. Nothing of it is
// made before it is opened; what it lists comes from the Go program (tools.find).
'use strict';

(() => {
  const { tools } = window;
  const $ = (id) => document.getElementById(id);
  const make = (tag, more = {}) => Object.assign(document.createElement(tag), more);

  // Help.

  const help = $('help-dialog');

  // entry is a word or topic with its text; the palette goes to it.
  function entry(kind, { title, text, source }) {
    const p = make('p', { tabIndex: -1 });
    p.dataset[kind] = title;
    p.append(make('b', { textContent: title }), `: ${text}`);
    if (source) p.append(' ', make('cite', { textContent: source }));
    return p;
  }

  // help opens the help, with what the laboratory says about itself.
  tools.help = (lab) => {
    $('help-lab').replaceChildren(...(lab.title ? [make('h3', { textContent: lab.title }), make('p', { textContent: lab.about })] : []), ...lab.topics.map((t) => entry('topic', t)));
    $('help-words').replaceChildren(...lab.words.map((t) => entry('term', t)));
    $('help-stops').replaceChildren(...lab.stops.map((s) => {
      const li = make('li');
      li.append(make('a', { href: s.link, textContent: s.title }));
      return li;
    }));
    $('help-tour-box').hidden = lab.stops.length === 0;
    $('help-one-key').checked = tools.oneKey();
    if (!help.open) help.showModal();
    if (goal) {
      const target = help.querySelector(goal);
      target?.focus();
      target?.scrollIntoView({ block: 'start' });
    } else {
      help.scrollTop = 0;
    }
    goal = '';
  };

  let goal = ''; // where the help opens the next time
  function helpAt(selector) {
    goal = selector;
    tools.onHelp();
  }

  tools.closesOutside(help);
  help.addEventListener('click', (e) => {
    const stop = e.target.closest('#help-stops a');
    if (!stop || e.ctrlKey || e.metaKey || e.shiftKey) return;
    e.preventDefault();
    e.stopPropagation(); // other links inside the page only scroll
    help.close();
    location.hash = stop.getAttribute('href');
  });
  $('help-close').addEventListener('click', () => help.close());
  $('help-tour').addEventListener('click', () => { help.close(); tools.onCommand('tour 1'); });
  $('help-find').addEventListener('click', () => palette());
  $('help-one-key').addEventListener('change', (e) => tools.store('spillway-one-key', e.target.checked ? 'on' : 'off'));
  document.querySelector('.version').textContent = $('version').textContent;

  // A stop of the tour shows what it is about, where there is room for both.
  tools.lookAt = (id, tries = 50) => {
    const target = $(id);
    if (!target || target.getClientRects().length === 0) {
      if (tries > 0) setTimeout(() => tools.lookAt(id, tries - 1), 60);
      return;
    }
    if (matchMedia('(max-height: 480px)').matches) return;
    target.scrollIntoView({ block: target.clientHeight > innerHeight / 2 ? 'start' : 'center' });
    const color = getComputedStyle(document.documentElement).getPropertyValue('--accent').trim();
    target.animate([{ outline: `3px solid ${color}`, outlineOffset: '3px' }, { outline: '3px solid transparent', outlineOffset: '3px' }], { duration: 3000, easing: 'step-end' });
  };

  // The palette.

  let dialog;
  let input;
  let list;
  let count;
  let found = [];
  let at = 0;

  function build() {
    dialog = make('dialog', { id: 'palette' });
    dialog.setAttribute('aria-label', 'Find and do');
    input = make('input', { type: 'text', id: 'palette-input', autocomplete: 'off', spellcheck: false, placeholder: 'A view, setting, system, workload, chart, word …' });
    list = make('ul', { id: 'palette-list' });
    count = make('p', { id: 'palette-count', className: 'fine' });
    count.setAttribute('role', 'status');
    for (const [name, value] of Object.entries({ role: 'combobox', 'aria-label': 'Find', 'aria-expanded': 'true', 'aria-controls': 'palette-list', 'aria-autocomplete': 'list' })) input.setAttribute(name, value);
    list.setAttribute('role', 'listbox');
    list.setAttribute('aria-label', 'Found');
    dialog.append(input, list, count);
    document.body.append(dialog);
    input.addEventListener('input', () => look());
    input.addEventListener('keydown', keys);
    list.addEventListener('mousedown', (e) => e.preventDefault()); // the field keeps the focus
    list.addEventListener('click', (e) => {
      const option = e.target.closest('[role=option]');
      if (option) run(found[Number(option.dataset.at)]);
    });
    tools.closesOutside(dialog);
  }

  function palette() {
    if (!tools.find || dialog?.open) return;
    if (!dialog) build();
    if (help.open) help.close();
    input.value = '';
    dialog.showModal();
    look();
    tools.others?.(() => { if (dialog.open) look(at); });
    input.focus();
  }
  tools.palette = palette;

  function look(to = 0) {
    const { list: hits, near } = tools.find(input.value);
    found = hits;
    list.replaceChildren(...found.map((c, i) => {
      const option = make('li', { id: `palette-${i}` });
      option.setAttribute('role', 'option');
      option.dataset.at = i;
      option.dataset.id = c.id;
      option.append(make('b', { textContent: c.title }), make('span', { className: 'palette-kind', textContent: c.kind }), make('span', { className: 'palette-about', textContent: c.about }));
      return option;
    }));
    count.textContent = found.length === 0 ? 'Nothing is found.' : near ? 'Nothing is called that. The nearest:' : `${found.length === 30 ? '30 or more' : found.length} found.`;
    mark(to);
  }

  function mark(to) {
    list.children[at]?.setAttribute('aria-selected', 'false');
    at = Math.min(Math.max(to, 0), Math.max(0, found.length - 1));
    const option = list.children[at];
    for (const o of list.children) o.setAttribute('aria-selected', String(o === option));
    option?.scrollIntoView({ block: 'nearest' });
    if (option) input.setAttribute('aria-activedescendant', option.id);
    else input.removeAttribute('aria-activedescendant');
  }

  function keys(e) {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 6, PageUp: -6 }[e.key];
    if (step) {
      e.preventDefault();
      mark(at + step);
    } else if (e.key === 'Enter' && !e.isComposing) {
      e.preventDefault();
      if (found[at]) run(found[at]);
    }
  }

  // run does a command, when the palette is gone.
  function run({ id, title }) {
    dialog.close();
    const [verb] = id.split(' ', 1);
    const what = id.slice(verb.length + 1);
    if (verb === 'topic') helpAt(what === 'Keys' ? '#help-keys' : `[data-topic="${CSS.escape(what)}"]`);
    else if (verb === 'term') helpAt(`[data-term="${CSS.escape(what)}"]`);
    else if (verb !== 'press') tools.onCommand(id);
    else if ($(what)?.getClientRects().length > 0 || $(what)?.closest('.tools')) $(what).click(); // tools may be in a menu
    else tools.onRefused(`“${title}” is not on this view.`);
  }

  // A frame in another page has no dialogs.
  if ('embed' in document.documentElement.dataset) return;
  addEventListener('keydown', (e) => {
    if ((e.ctrlKey || e.metaKey) && !e.shiftKey && !e.altKey && e.key.toLowerCase() === 'k') {
      e.preventDefault();
      palette();
    }
  });
})();
