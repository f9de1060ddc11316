const still = window.matchMedia('(prefers-reduced-motion: reduce)');

/** How long a movement of the figure takes, in ms: the travel of the tokens, or none. */
export const animationMilliseconds = (): number => (still.matches ? 0 : 220);
