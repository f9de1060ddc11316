/** Joins the class names that apply; leaves out what is false or missing. */
export const classNames = (...names: (string | false | null | undefined)[]): string => names.filter(Boolean).join(' ');
