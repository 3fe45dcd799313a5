import type { ForwardRefExoticComponent, HTMLAttributes, ReactNode, RefAttributes } from 'react';
import type { SpillFigureAttributes, SpillFigureElement } from './index.js';

export interface SpillFigureProps extends SpillFigureAttributes, Omit<HTMLAttributes<SpillFigureElement>, keyof SpillFigureAttributes> {
  /** What stands below the picture; without it the chart's title. */
  caption?: ReactNode;
  /** The static picture, shown until somebody runs the figure. */
  children?: ReactNode;
}

export declare const SpillFigure: ForwardRefExoticComponent<SpillFigureProps & RefAttributes<SpillFigureElement>>;
export default SpillFigure;
