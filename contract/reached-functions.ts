import type { FunctionEntry } from './specification-calls.ts';

const NAME = '(?:"(?:[^"]|"")+"|[A-Za-z_\\u0080-\\uffff][\\w$\\u0080-\\uffff]*)';
/**
 * Matches names before a bracket, which may be calls. Also matches comments and string literals, so that names inside
 * them are skipped.
 */
const called = new RegExp(`--[^\\n]*|/\\*[\\s\\S]*?\\*/|'(?:[^']|'')*'|(?:(${NAME})\\s*\\.\\s*)?(${NAME})\\s*\\(`, 'g');
const idParts = new RegExp(`^(${NAME})\\.(${NAME})\\(`);

/** The functions of an app, indexed to find those that code calls. */
interface Functions {
  /** Function ids by plain name, and by schema and name. */
  byName: ReadonlyMap<string, readonly string[]>;
  bodies: ReadonlyMap<string, string>;
  /** For each function id, the functions that its body names. Filled when first needed. */
  named: Map<string, readonly string[]>;
}

/** A function by its id, and its code. */
type Code = Pick<FunctionEntry, 'id' | 'body'>;

const known = new WeakMap<readonly Code[], Functions>();

/**
 * Returns the ids in `from` and those of the functions that `codes` name, with all functions that the bodies of these
 * functions name in turn. A name means all functions of that name, whatever their arguments are. Calls in SQL that a
 * function builds at run time are not found. Pure.
 */
export function functionsReached(
  functions: readonly Code[],
  from: Iterable<string>,
  codes: Iterable<string>,
): Set<string> {
  const app = readOnce(functions);
  const reached = new Set(from);
  for (const code of codes) for (const id of namedIn(code, app)) reached.add(id);
  // The loop adds ids to the set and also visits these.
  for (const id of reached) {
    const named = app.named.get(id) ?? namedIn(app.bodies.get(id) ?? '', app);
    app.named.set(id, named);
    for (const other of named) reached.add(other);
  }
  return reached;
}

/** Returns ids of the functions that `code` itself names. Overloads of one name are all returned. Pure. */
export const functionsNamed = (functions: readonly Code[], code: string): string[] =>
  namedIn(code, readOnce(functions));

function readOnce(functions: readonly Code[]): Functions {
  const app = known.get(functions) ?? read(functions);
  known.set(functions, app);
  return app;
}

function read(functions: readonly Code[]): Functions {
  const byName = new Map<string, string[]>();
  for (const { id } of functions) {
    const [, schema = '', name = ''] = idParts.exec(id) ?? [];
    for (const key of [plain(name), `${plain(schema)}.${plain(name)}`]) {
      byName.set(key, [...(byName.get(key) ?? []), id]);
    }
  }
  return { byName, bodies: new Map(functions.map(({ id, body }) => [id, body])), named: new Map() };
}

function namedIn(code: string, { byName }: Functions): string[] {
  if (byName.size === 0 || code === '') return [];
  return [...code.matchAll(called)].flatMap(([, schema, name]) => {
    if (name === undefined) return [];
    return byName.get(schema === undefined ? plain(name) : `${plain(schema)}.${plain(name)}`) ?? [];
  });
}

/**
 * Returns a name as PostgreSQL looks it up: without quotes, or in lower case, and truncated to 63 bytes (NAMEDATALEN).
 */
function plain(name: string): string {
  const whole = name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name.toLowerCase();
  if (whole.length * 4 <= NAME_BYTES) return whole;
  return new TextDecoder().decode(new TextEncoder().encode(whole).slice(0, NAME_BYTES)).replace(/\ufffd$/, '');
}

const NAME_BYTES = 63;
