// The switch of a documentation site's theme, as their generators have one.
'use strict';

const root = document.documentElement;
root.className = '';
root.dataset.theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';

addEventListener('DOMContentLoaded', () => {
  const button = document.getElementById('switch');
  const label = () => { button.textContent = root.dataset.theme === 'dark' ? 'Light' : 'Dark'; };
  button.addEventListener('click', () => {
    root.dataset.theme = root.dataset.theme === 'dark' ? 'light' : 'dark';
    label();
  });
  label();
});
