const functions = ['eq', 'ne', 'and', 'or', 'not', 'index', 'len'] as const;

type FunctionName = (typeof functions)[number];

/** An expression of the template language: a constant, a path to a value, or a function call. */
export type Expression =
  | { readonly value: string | number | boolean | null }
  | { readonly path: readonly string[]; readonly ofRoot: boolean }
  | { readonly name: FunctionName; readonly args: readonly Expression[] };

const TOKEN =
  /\s*(?:("(?:[^"\\\n]|\\.)*")|`([^`]*)`|(\$?(?:\.[\p{L}_][\p{L}\p{N}_]*)+|\.|\$)|(-?\d+(?:\.\d+)?)|([a-z]+)|([()]))/uy;

type Token = { kind: 'value'; value: string | number } | { kind: 'path' | 'word' | 'bracket'; text: string };

function tokenize(text: string): Token[] | null {
  const tokens: Token[] = [];
  let at = 0;
  while (text.slice(at).trim() !== '') {
    TOKEN.lastIndex = at;
    const found = TOKEN.exec(text);
    if (!found) return null;
    const [all, quoted, raw, path, number, word, bracket] = found;
    if (quoted !== undefined) {
      const value = unquoted(quoted);
      if (value === null) return null;
      tokens.push({ kind: 'value', value });
    } else if (raw !== undefined) tokens.push({ kind: 'value', value: raw });
    else if (path !== undefined) tokens.push({ kind: 'path', text: path });
    else if (number !== undefined) tokens.push({ kind: 'value', value: Number(number) });
    else if (word !== undefined) tokens.push({ kind: 'word', text: word });
    else tokens.push({ kind: 'bracket', text: bracket ?? '' });
    at += all.length;
  }
  return tokens;
}

function unquoted(quoted: string): string | null {
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return null;
  }
}

/** Parses a value, or a function with its arguments. Returns null if the text is neither of them. */
export function readCondition(text: string): Expression | null {
  const tokens = tokenize(text);
  if (!tokens) return null;
  let at = 0;

  const operand = (): Expression | null => {
    const token = tokens[at++];
    if (!token) return null;
    if (token.kind === 'value') return { value: token.value };
    if (token.kind === 'path') return pathOf(token.text);
    if (token.kind === 'word') return constant(token.text);
    if (token.text !== '(') return null;
    const inner = command();
    const close = tokens[at++];
    return inner && close?.kind === 'bracket' && close.text === ')' ? inner : null;
  };

  const command = (): Expression | null => {
    const token = tokens[at];
    if (token?.kind !== 'word' || !isFunction(token.text)) return operand();
    at++;
    const args: Expression[] = [];
    for (let next = tokens[at]; next && !(next.kind === 'bracket' && next.text === ')'); next = tokens[at]) {
      const arg = operand();
      if (!arg) return null;
      args.push(arg);
    }
    const min = token.text === 'not' || token.text === 'len' ? 1 : 2;
    return args.length < min ? null : { name: token.text, args };
  };

  const expression = command();
  return at === tokens.length ? expression : null;
}

const isFunction = (word: string): word is FunctionName => (functions as readonly string[]).includes(word);

const pathOf = (text: string): Expression => ({
  path: text
    .replace(/^\$/, '')
    .split('.')
    .filter((name) => name !== ''),
  ofRoot: text.startsWith('$'),
});

const constant = (word: string): Expression | null => {
  if (word === 'true' || word === 'false') return { value: word === 'true' };
  return word === 'nil' ? { value: null } : null;
};
