// Registers <spill-figure>. Without a browser, as where pages are rendered on a server,
// it does nothing.
import './spill-figure.js';

// Every attribute of the element; each is a property of the same name, too.
export const attributes = Object.freeze(['src', 'only', 'controls', 'run', 'picture', 'alt', 'theme', 'frame', 'hide', 'timeout']);
