import type { Plugin, VNode } from 'vue';
import type { SpillFigureAttributes } from './index.js';

/** The element with its static picture (the default slot) and what stands below it (caption). */
export declare const SpillFigure: new () => {
  $props: SpillFigureAttributes;
  $slots: { default?: () => VNode[]; caption?: () => VNode[] };
};

/** Makes the component known in a whole application. */
export declare const plugin: Plugin;
export default SpillFigure;
