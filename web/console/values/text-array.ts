/** Returns the elements of an array of texts as PostgreSQL prints it: `{a,"b, c"}`. Leaves out null elements. Pure. */
export function textElements(array: string): string[] {
  const elements = array.matchAll(/(?<=[{,])(?:"((?:[^"\\]|\\.)*)"|([^{},"]+))(?=[,}])/gs);
  return [...elements].flatMap(([, quoted, plain]) => {
    if (quoted !== undefined) return [quoted.replaceAll(/\\(.)/gs, '$1')];
    return plain === undefined || /^null$/i.test(plain) ? [] : [plain];
  });
}

/** Writes texts as an array that PostgreSQL reads. Pure. */
export const textArray = (elements: readonly string[]): string =>
  `{${elements.map((element) => `"${element.replaceAll(/["\\]/g, '\\$&')}"`).join(',')}}`;
