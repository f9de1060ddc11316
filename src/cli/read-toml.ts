/** A value in a TOML file; tables are not included. */
export type TomlValue = string | number | boolean | TomlValue[];

/**
 * Reads the keys of a TOML file as `section.key`. Supports the part of TOML that supabase/config.toml uses: tables,
 * strings, numbers, booleans, and lists of them. Ignores other values (dates, inline tables, arrays of tables).
 * `env(NAME)` is returned unchanged.
 */
export function readToml(text: string): Map<string, TomlValue> {
  const values = new Map<string, TomlValue>();
  let section = '';
  const reader = new TomlReader(text);
  while (!reader.isAtEnd()) {
    const table = reader.take(/\[([^\]\n]+)\][^\n]*/y);
    const key = table ? null : reader.take(/([\w.-]+|"[^"\n]*"|'[^'\n]*')[ \t]*=[ \t]*/y);
    if (table) section = (table[1] ?? '').replaceAll(/["'\s]/g, '');
    else if (key) {
      const value = reader.value();
      const name = (key[1] ?? '').replaceAll(/["']/g, '');
      if (value !== undefined) values.set(section === '' ? name : `${section}.${name}`, value);
      reader.take(/[^\n]*/y);
    } else reader.take(/[^\n]*\n?/y);
  }
  return values;
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '"': '"', '\\': '\\' };

class TomlReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  isAtEnd(): boolean {
    this.#skip();
    return this.#at >= this.#text.length;
  }

  take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text);
    if (match) this.#at = pattern.lastIndex;
    return match;
  }

  /** Reads a value. Returns undefined for an unsupported kind of value. */
  value(): TomlValue | undefined {
    const long = this.take(/"""\n?([\s\S]*?)"""|'''\n?([\s\S]*?)'''/y);
    if (long) return long[1] ?? long[2] ?? '';
    const quoted = this.take(/"((?:[^"\\\n]|\\.)*)"/y);
    if (quoted) return (quoted[1] ?? '').replaceAll(/\\(.)/g, (_, letter: string) => escapes[letter] ?? letter);
    const literal = this.take(/'([^'\n]*)'/y);
    if (literal) return literal[1] ?? '';
    const boolean = this.take(/(true|false)\b/y);
    if (boolean) return boolean[1] === 'true';
    const number = this.take(/[+-]?\d[\d_]*(?:\.\d+)?(?=[\s,\]#]|$)/y);
    if (number) return Number(number[0].replaceAll('_', ''));
    return this.take(/\[/y) ? this.#list() : undefined;
  }

  #list(): TomlValue[] {
    const list: TomlValue[] = [];
    while (!this.isAtEnd() && !this.take(/\]/y)) {
      const value = this.value();
      if (value !== undefined) list.push(value);
      this.#skip();
      if (!this.take(/,/y) && value === undefined) this.take(/[^\],]+/y);
    }
    return list;
  }

  /** Skips white space and comments. */
  #skip(): void {
    this.take(/(?:\s+|#[^\n]*)*/y);
  }
}
