// How much a test shall try, as package build/effort says it for Go: a change takes a
// share of long lists of like cases, another with each commit; the night takes all.
export const nightly = process.env.SPILLWAY_EFFORT === 'nightly';

// takes reports whether case number index of a long list is tried: one in every.
export const takes = (index, every) => nightly || index % every === Number(process.env.SPILLWAY_TURN || 0) % every;

// share is what is tried of a long list.
export const share = (list, every) => list.filter((_, i) => takes(i, every));
