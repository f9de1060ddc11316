/** Joins class names to one string. Leaves out false and missing ones. */
export const classNames = (...names: (string | false | null | undefined)[]): string => names.filter(Boolean).join(' ');
