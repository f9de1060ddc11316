const still = window.matchMedia('(prefers-reduced-motion: reduce)');

/**
 * Returns the duration of a movement in the diagram in ms: that of the design tokens, or 0 if the reader prefers
 * reduced motion.
 */
export const animationMilliseconds = (): number => (still.matches ? 0 : 220);
