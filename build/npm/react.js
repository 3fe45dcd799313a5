'use client';
// <SpillFigure src="…"> for React: the element with its static picture inside, which is
// there in what a server renders, too.
import { createElement, forwardRef } from 'react';
import { attributes } from './index.js';

export const SpillFigure = forwardRef(function SpillFigure({ caption, children, className, ...rest }, ref) {
  const props = { ...rest, ref };
  for (const name of attributes) {
    if (props[name] === undefined || props[name] === null || props[name] === false) delete props[name];
    else props[name] = String(props[name]);
  }
  if (className) props.class = className; // which React 18 leaves as it is written
  const said = caption === undefined || caption === null ? null : createElement('span', { slot: 'caption', key: 'caption' }, caption);
  return createElement('spill-figure', props, children, said);
});

export default SpillFigure;
