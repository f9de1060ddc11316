/** One step of a path in the claims: a key of an object, an index of an array, or a filter for strings of an array. */
type Step =
  | { kind: 'key'; key: string }
  | { kind: 'index'; index: number }
  | { kind: 'filter'; test: (text: string) => boolean };

const STEP =
  /\s*(?:\.\s*(?:"((?:[^"\\]|\\.)*)"|([\p{L}\p{N}_$@-]+))|\[\s*(-?\d+)\s*\]|\[\s*(["'])((?:(?!\4).)*)\4\s*\]|\[\?\(?\s*@\s*(==\^|==|!=|\^==|\*==)\s*(["'])((?:(?!\7).)*)\7\s*\)?\]|\[\?\s*search\(\s*@\s*,\s*(["'])((?:(?!\9).)*)\9\s*\)\s*\])/uy;

/** Supported patterns of `search`: plain text anywhere, at the start (`^`), at the end (`$`) or both. */
const SEARCHED = /^(\^?)([^.*+?()[\]{}|\\^$]*)(\$?)$/u;

const tests: Readonly<Record<string, (text: string, value: string) => boolean>> = {
  '==': (text, value) => text === value,
  '!=': (text, value) => text !== value,
  '^==': (text, value) => text.startsWith(value),
  '==^': (text, value) => text.endsWith(value),
  '*==': (text, value) => text.includes(value),
};

/**
 * Parses the setting `jwt_role_claim_key`: `.role`, `."https://example.com/roles"[0]`, `.roles[?(@ == "editor")]`, with
 * or without a leading `$`, or `$.roles[?search(@, '^editor')]` for text without wildcards (PostgREST docs, "JWT Role
 * Extraction"). Returns null for an invalid path.
 */
export function parseRolePath(path: string): readonly Step[] | null {
  const text = path.replace(/^\s*\$/, '');
  const steps: Step[] = [];
  STEP.lastIndex = 0;
  while (STEP.lastIndex < text.trimEnd().length) {
    const found = STEP.exec(text);
    if (!found) return null;
    const [, quoted, plain, index, , bracketed, operator = '', , value = '', , searched] = found;
    if (searched !== undefined) {
      const test = searchFor(searched);
      if (!test) return null;
      steps.push({ kind: 'filter', test });
    } else if (index !== undefined) steps.push({ kind: 'index', index: Number(index) });
    else if (quoted !== undefined) steps.push({ kind: 'key', key: quoted.replace(/\\(.)/g, '$1') });
    else if (plain !== undefined || bracketed !== undefined) steps.push({ kind: 'key', key: plain ?? bracketed ?? '' });
    else steps.push({ kind: 'filter', test: (each) => tests[operator]?.(each, value) ?? false });
  }
  return steps;
}

/**
 * Returns true if a path leads to the claim `role` of Ninefold's own tokens. An invalid path counts as the default
 * path, which leads to this claim.
 */
export function isOwnRole(path: string): boolean {
  const steps = parseRolePath(path);
  const [only, ...more] = steps ?? [];
  return steps === null || (more.length === 0 && only?.kind === 'key' && only.key === 'role');
}

/**
 * Returns a test for a search pattern. Only plain text is supported, because a regular expression could block the
 * worker for all apps.
 */
function searchFor(expression: string): ((text: string) => boolean) | null {
  const [found, start, value = '', end] = SEARCHED.exec(expression) ?? [];
  if (found === undefined) return null;
  const operator = start ? (end ? '==' : '^==') : end ? '==^' : '*==';
  return (text) => tests[operator]?.(text, value) ?? false;
}

/** Returns the value at the path in the claims; undefined if there is none. */
export function claimAt(claims: unknown, steps: readonly Step[]): unknown {
  let value: unknown = claims;
  for (const step of steps) {
    if (step.kind === 'key') {
      const isObject = typeof value === 'object' && value !== null && Object.hasOwn(value, step.key);
      value = isObject ? (value as Record<string, unknown>)[step.key] : undefined;
    } else if (!Array.isArray(value)) {
      return undefined;
    } else {
      value =
        step.kind === 'index'
          ? value.at(step.index)
          : value.find((each) => typeof each === 'string' && step.test(each));
    }
  }
  return value;
}
