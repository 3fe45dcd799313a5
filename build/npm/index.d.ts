/** What an author says of a figure: the attributes of `<spill-figure>`. */
export interface SpillFigureAttributes {
  /** Address of a Spillway link, of any site; relative ones count from the page. */
  src: string;
  /** IDs of the charts, with commas; without it all of the view. */
  only?: string;
  /** Keys of settings that the reader may turn, with commas, at most 12. */
  controls?: string;
  /** When it is computed: when the reader asks, or as soon as it is seen. */
  run?: 'click' | 'view';
  /** Address of a static picture, if there is none inside. */
  picture?: string;
  /** What the picture shows, for those who do not see it. */
  alt?: string;
  /** Colors; without it those of the page. */
  theme?: 'light' | 'dark';
  /** The page itself in a frame, with its settings (`edit`) or without. */
  frame?: 'view' | 'edit';
  /** What such a frame leaves out: of head, picture, settings, tables, sections, notes, tools, with commas. */
  hide?: string;
  /** Seconds to wait for an answer, 1 to 600; 120 if not said. */
  timeout?: number | string;
}

/** The element itself. What is read of a property is always text, empty if it is not set. */
export interface SpillFigureElement extends HTMLElement {
  get src(): string;
  set src(value: string);
  get only(): string;
  set only(value: string | null | undefined);
  get controls(): string;
  set controls(value: string | null | undefined);
  get run(): string;
  set run(value: string | null | undefined);
  get picture(): string;
  set picture(value: string | null | undefined);
  get alt(): string;
  set alt(value: string | null | undefined);
  get theme(): string;
  set theme(value: string | null | undefined);
  get frame(): string;
  set frame(value: string | null | undefined);
  get hide(): string;
  set hide(value: string | null | undefined);
  get timeout(): string;
  set timeout(value: number | string | null | undefined);
}

/** Every attribute of the element. */
export declare const attributes: readonly (keyof SpillFigureAttributes)[];

declare global {
  interface HTMLElementTagNameMap {
    'spill-figure': SpillFigureElement;
  }
}
