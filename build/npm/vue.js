// <SpillFigure src="…"> for Vue 3: the element with its static picture inside, which is
// there in what a server renders, too. The slot caption stands below it.
import { defineComponent, h } from 'vue';
import { attributes } from './index.js';

// Vue's renderer on a server takes controls for that of <video>, which has no value; it asks with
// small letters, and HTML does not care.
const written = (name) => (name === 'controls' ? 'Controls' : name);

export const SpillFigure = defineComponent({
  name: 'SpillFigure',
  props: Object.fromEntries(attributes.map((name) => [name, { type: name === 'timeout' ? [String, Number] : String, required: name === 'src', default: undefined }])),
  setup(props, { slots }) {
    return () => {
      const given = {};
      for (const name of attributes) if (props[name] !== undefined && props[name] !== null) given[written(name)] = String(props[name]);
      return h('spill-figure', given, [slots.default?.(), slots.caption && h('span', { slot: 'caption' }, slots.caption())]);
    };
  },
});

// app.use(plugin) makes the component known everywhere.
export const plugin = { install: (app) => app.component('SpillFigure', SpillFigure) };

export default SpillFigure;
