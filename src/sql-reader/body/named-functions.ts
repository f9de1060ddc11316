/** The longest name of PostgreSQL (NAMEDATALEN - 1). */
const NAME_BYTES = 63;

const NAME = '(?:"(?:[^"]|"")+"|[A-Za-z_\\u0080-\\uffff][\\w$\\u0080-\\uffff]*)';
/**
 * Matches names before a bracket, which may be calls. Also matches complete comments and string literals, so that names
 * inside them are skipped.
 */
const called = new RegExp(`--[^\\n]*|/\\*[\\s\\S]*?\\*/|'(?:[^']|'')*'|(?:(${NAME})\\s*\\.\\s*)?(${NAME})\\s*\\(`, 'g');
const idParts = new RegExp(`^(${NAME})\\.(${NAME})\\(`);

/** A function by its id, and its code. */
interface Code {
  /** Signature of the function: "public.close_ticket(uuid)". */
  id: string;
  body: string;
}

/**
 * The functions of an app, indexed to find those that code names. A name means all functions of that name, whatever
 * their arguments are. Calls in SQL that a function builds at run time are not found.
 */
export class NamedFunctions {
  /** Function ids by plain name, and by schema and name. */
  readonly #byName = new Map<string, string[]>();
  readonly #bodies: ReadonlyMap<string, string>;
  /** For each function id, the functions that its body names. Filled when first needed. */
  readonly #inBodies = new Map<string, readonly string[]>();

  constructor(functions: readonly Code[]) {
    for (const { id } of functions) {
      const [, schema = '', name = ''] = idParts.exec(id) ?? [];
      for (const key of [plain(name), `${plain(schema)}.${plain(name)}`]) {
        this.#byName.set(key, [...(this.#byName.get(key) ?? []), id]);
      }
    }
    this.#bodies = new Map(functions.map(({ id, body }) => [id, body]));
  }

  /** Returns ids of the functions that `code` itself names. */
  in(code: string): string[] {
    if (this.#byName.size === 0 || code === '') return [];
    return [...code.matchAll(called)].flatMap(([, schema, name]) => {
      if (name === undefined) return [];
      return this.#byName.get(schema === undefined ? plain(name) : `${plain(schema)}.${plain(name)}`) ?? [];
    });
  }

  /** Returns the id and the ids of all functions that the body of the function names, directly or through others. */
  reached(id: string): Set<string> {
    const reached = new Set([id]);
    // The loop adds ids to the set and also visits these.
    for (const one of reached) {
      const named = this.#inBodies.get(one) ?? this.in(this.#bodies.get(one) ?? '');
      this.#inBodies.set(one, named);
      for (const other of named) reached.add(other);
    }
    return reached;
  }
}

/**
 * Returns a name as PostgreSQL looks it up: without quotes, or in lower case, and truncated to 63 bytes (NAMEDATALEN).
 */
function plain(name: string): string {
  const whole = name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name.toLowerCase();
  if (whole.length * 4 <= NAME_BYTES) return whole;
  return new TextDecoder().decode(new TextEncoder().encode(whole).slice(0, NAME_BYTES)).replace(/\ufffd$/, '');
}
