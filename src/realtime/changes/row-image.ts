/** A row as JSON: the JSON of each value by the name of the column. Values stay text, because JavaScript has no exact numbers for all of them. */
export type RowImage = ReadonlyMap<string, string>;

/** Splits a JSON object, as PostgreSQL prints it, into the texts of its members. Other JSON has none. */
export function readRowImage(text: string): RowImage {
  const members = new Map<string, string>();
  if (!text.trimStart().startsWith('{')) return members;
  let at = text.indexOf('"');
  while (at >= 0) {
    const nameEnd = stringEnd(text, at);
    const name = JSON.parse(text.slice(at, nameEnd)) as string;
    const start = text.indexOf(':', nameEnd) + 1;
    const end = valueEnd(text, start);
    members.set(name, text.slice(start, end).trim());
    at = text.indexOf('"', end);
  }
  return members;
}

/** Returns the position behind the string that begins at `from`; the end of the text if the string has no end. */
function stringEnd(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

/** Returns the position of the comma or bracket behind the value that begins at `from`. */
function valueEnd(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; ) {
    const character = text[at];
    if (character === '"') {
      at = stringEnd(text, at);
      continue;
    }
    if (depth === 0 && (character === ',' || character === '}')) return at;
    if (character === '{' || character === '[') depth++;
    else if (character === '}' || character === ']') depth--;
    at++;
  }
  return text.length;
}

/** Returns the JSON of an object with some columns of a row. Columns that the row lacks are left out. */
export function imageJson(image: RowImage | null, columns: readonly string[]): string {
  const parts: string[] = [];
  for (const name of columns) {
    const value = image?.get(name);
    if (value !== undefined) parts.push(`${JSON.stringify(name)}:${value}`);
  }
  return `{${parts.join(',')}}`;
}
