/** The result of parsing a text as JSON: its indented form, or the reason why it is invalid, with the line if the browser names it. */
export type JsonText =
  | { readonly isValid: true; readonly words: string; readonly indented: string }
  | { readonly isValid: false; readonly words: string; readonly line: number | null };

/**
 * Parses typed JSON. Only spaces between the tokens are changed to indent it, so numbers that JavaScript cannot
 * represent keep their digits. Pure.
 */
export function readJsonText(text: string): JsonText {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const line = text.trim() === '' ? null : lineOf(text, message);
    const words = text.trim() === '' ? 'An empty text is not JSON.' : `Not JSON yet: ${reasonOf(message)}`;
    return { isValid: false, line, words: line === null ? words : `${words}, line ${line}` };
  }
  return { isValid: true, words: `Valid JSON, ${contents(value)}.`, indented: indent(text) };
}

function contents(value: unknown): string {
  if (Array.isArray(value)) return `${value.length} ${value.length === 1 ? 'entry' : 'entries'}`;
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : `a ${typeof value}`;
  const keys = Object.keys(value).length;
  return `${keys} ${keys === 1 ? 'key' : 'keys'}`;
}

/** Returns the line of the error if the browser's message names it. Returns null if the message quotes the JSON instead. */
function lineOf(text: string, message: string): number | null {
  const last = text.trimEnd().split('\n').length;
  const line = /line (\d+)/.exec(message)?.[1];
  if (line !== undefined) return Math.min(last, Number(line));
  const position = /position (\d+)/.exec(message)?.[1];
  if (position !== undefined) return Math.min(last, text.slice(0, Number(position)).split('\n').length);
  return /end of (JSON|data|input)|EOF/i.test(message) ? last : null;
}

const reasonOf = (message: string): string =>
  message
    .replace(/^JSON\.parse: /, '')
    .split(/, | in JSON| at |"/)[0]
    ?.trim() ?? '';

/** Writes JSON with line breaks and an indent of two spaces, token by token. */
function indent(text: string): string {
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[[\]{},:]|[^\s[\]{},:"]+/g) ?? [];
  let depth = 0;
  let result = '';
  for (const [place, token] of tokens.entries()) {
    const next = tokens[place + 1] ?? '';
    if (token === '{' || token === '[') {
      const isEmpty = next === '}' || next === ']';
      depth += 1;
      result += isEmpty ? token : `${token}${lineAt(depth)}`;
    } else if (token === '}' || token === ']') {
      depth -= 1;
      const before = tokens[place - 1];
      result += before === '{' || before === '[' ? token : `${lineAt(depth)}${token}`;
    } else if (token === ',') result += `,${lineAt(depth)}`;
    else result += token === ':' ? ': ' : token;
  }
  return result;
}

const lineAt = (depth: number): string => `\n${'  '.repeat(depth)}`;
