const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** [ and {, ] and }. */
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);

/** Returns how deeply brackets of a JSON text nest outside of strings. Not recursive, unlike what reads or writes the value. */
export function jsonDepth(source: string): number {
  let depth = 0;
  let deepest = 0;
  let isString = false;
  for (let i = 0; i < source.length; i++) {
    const unit = source.charCodeAt(i);
    if (isString) {
      if (unit === BACKSLASH) i++;
      else if (unit === QUOTE) isString = false;
    } else if (unit === QUOTE) isString = true;
    else if (OPENING.has(unit)) deepest = Math.max(deepest, ++depth);
    else if (CLOSING.has(unit)) depth--;
  }
  return deepest;
}
