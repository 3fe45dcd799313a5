// Shows one section after the other, as slides.
'use strict';

document.documentElement.className = 'slides';

addEventListener('DOMContentLoaded', () => {
  const slides = [...document.querySelectorAll('main > section')];
  const show = (n) => {
    const at = Math.min(Math.max(n, 0), slides.length - 1);
    slides.forEach((slide, i) => slide.classList.toggle('present', i === at));
    document.getElementById('at').textContent = `${at + 1} of ${slides.length}`;
    history.replaceState(null, '', `#/${at}`);
  };
  const now = () => slides.findIndex((slide) => slide.classList.contains('present'));
  const step = (by) => show(now() + by);
  document.getElementById('back').addEventListener('click', () => step(-1));
  document.getElementById('next').addEventListener('click', () => step(1));
  addEventListener('keydown', (e) => {
    // Keys in a figure's fields are the figure's.
    if (e.composedPath().some((x) => x instanceof Element && x.matches('input, select, button, a, iframe, [tabindex]'))) return;
    if (e.key === 'ArrowRight' || e.key === ' ') step(1);
    if (e.key === 'ArrowLeft') step(-1);
  });
  show(Number(location.hash.slice(2)) || 0);
});
