/** Returns a JSON value as JavaScript source on one line. */
export function js(value: unknown): string {
  if (typeof value === 'string') {
    if (/^[\w .,:;/?&=*+@%()[\]{}<>-]*$/.test(value)) return `'${value}'`;
    const inner = JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
    return `'${inner.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')}'`;
  }
  if (Array.isArray(value)) return `[${value.map(js).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(([name, member]) => `${propertyName(name)}: ${js(member)}`);
    return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
  }
  return JSON.stringify(value);
}

/** Returns the name of a property as an object literal has it. `__proto__` must be computed: as a plain key it would set the prototype. */
export const propertyName = (name: string): string => {
  if (name === '__proto__') return "['__proto__']";
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : js(name);
};
