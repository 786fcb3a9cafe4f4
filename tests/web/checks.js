// What tests of modules share.

/** @param {unknown} given @param {unknown} expected */
export function same(given, expected) {
  if (JSON.stringify(given) !== JSON.stringify(expected))
    throw new Error(`expected ${JSON.stringify(expected)}, found ${JSON.stringify(given)}`);
}

/** Numbers that look random and are the same every time. @param {number} seed */
export function randomly(seed) {
  let state = seed;
  return (/** @type {number} */ most) => {
    state = (state * 48271) % 2147483647;
    return state % most;
  };
}
