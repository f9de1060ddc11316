import { limits } from '../../contract/limits.ts';
import { HtmlWriter } from './html-writer.ts';
import { type Expression, readCondition } from './template-expression.ts';

/** Characters of a template that an error repeats. */
const SNIPPET_CHARACTERS = 60;

/** Error of an invalid template. The message is for the builder who wrote it. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';
}

/** The values that a template can show, by the names after the dot. */
export type TemplateValues = Readonly<Record<string, unknown>>;

type Node =
  | { readonly text: string }
  | { readonly output: Expression }
  | {
      readonly test: Expression;
      readonly changesDot: boolean;
      /** True for a part that is repeated for each item of a list. */
      readonly repeats: boolean;
      readonly yes: readonly Node[];
      readonly no: readonly Node[];
    };

/**
 * A template in the subset of Go's template language that mails need: values, `if`, `else if`, `else`, `with`, `range`,
 * `end`, comments.
 */
export class Template {
  readonly #nodes: readonly Node[];

  /** @throws TemplateError */
  constructor(source: string) {
    this.#nodes = new Parser(source).parse();
  }

  /** Renders HTML. Every value is escaped for its position. */
  html(values: TemplateValues): string {
    const writer = new HtmlWriter();
    const bounded = (add: (text: string) => void) => (text: string) => {
      add(text);
      checkLength(writer.result);
    };
    write(this.#nodes, values, values, {
      text: bounded((text) => writer.text(text)),
      value: bounded((value) => writer.value(value)),
      item: itemCounter(),
    });
    return writer.result;
  }

  /** Renders unescaped text on one line. */
  line(values: TemplateValues): string {
    return this.#unescaped(values)
      .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
      .trim();
  }

  /** Renders unescaped text. Line breaks are kept; other control characters become spaces. */
  plain(values: TemplateValues): string {
    return this.#unescaped(values)
      .replace(/[^\P{Cc}\n]/gu, ' ')
      .trim();
  }

  #unescaped(values: TemplateValues): string {
    let result = '';
    const add = (text: string) => {
      result += text;
      checkLength(result);
    };
    write(this.#nodes, values, values, { text: add, value: add, item: itemCounter() });
    return result;
  }
}

function checkLength(text: string): void {
  if (text.length > limits.mailCharacters.default) {
    throw new TemplateError(`The mail has more than ${limits.mailCharacters.default} characters.`);
  }
}

interface Sink {
  text(text: string): void;
  value(text: string): void;
  /** Counts an item of a list, because lists in lists can be repeated without any text. */
  item(): void;
}

/** @throws TemplateError */
function itemCounter(): () => void {
  let count = 0;
  return () => {
    count += 1;
    if (count > limits.mailTemplateItems.default) {
      throw new TemplateError(`The mail repeats more than ${limits.mailTemplateItems.default} items of lists.`);
    }
  };
}

function write(nodes: readonly Node[], dot: unknown, root: TemplateValues, sink: Sink): void {
  for (const node of nodes) {
    if ('text' in node) sink.text(node.text);
    else if ('output' in node) sink.value(shown(evaluate(node.output, dot, root)));
    else {
      const value = evaluate(node.test, dot, root);
      const isTrue = truth(value);
      if (isTrue && node.repeats && Array.isArray(value)) {
        for (const item of value) {
          sink.item();
          write(node.yes, item, root, sink);
        }
        continue;
      }
      write(isTrue ? node.yes : node.no, isTrue && node.changesDot ? value : dot, root, sink);
    }
  }
}

function evaluate(expression: Expression, dot: unknown, root: TemplateValues): unknown {
  if ('value' in expression) return expression.value;
  if ('path' in expression) {
    let found: unknown = expression.ofRoot ? root : dot;
    for (const name of expression.path) found = member(found, name);
    return found;
  }
  const { name, args } = expression;
  const value = (arg: Expression | undefined): unknown => arg && evaluate(arg, dot, root);
  const [first, ...rest] = args;
  switch (name) {
    case 'not':
      return !truth(value(first));
    case 'eq': {
      const wanted = value(first);
      return rest.some((arg) => value(arg) === wanted);
    }
    case 'ne':
      return value(first) !== value(rest[0]);
    case 'and':
    case 'or': {
      let found: unknown;
      for (const arg of args) {
        found = value(arg);
        if (truth(found) === (name === 'or')) break;
      }
      return found;
    }
    case 'index':
      return rest.reduce<unknown>((found, arg) => member(found, String(value(arg))), value(first));
    case 'len':
      return lengthOf(value(first));
  }
}

/**
 * Returns a property of an object. Inherited properties are ignored, because members write their metadata themselves.
 */
function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name];
}

const lengthOf = (value: unknown): number => {
  if (typeof value === 'string' || Array.isArray(value)) return value.length;
  return typeof value === 'object' && value !== null ? Object.keys(value).length : 0;
};

/**
 * Returns false for values that Go's templates treat as empty: false, 0, null, and empty strings, lists and objects.
 */
const truth = (value: unknown): boolean =>
  typeof value === 'object' && value !== null ? lengthOf(value) > 0 : Boolean(value);

const shown = (value: unknown): string => {
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
};

interface Block {
  test: Expression;
  changesDot: boolean;
  repeats: boolean;
  yes: Node[];
  no: Node[] | null;
  /** True for the block of an `else if`, which ends at the same `end` as the block around it. */
  isChained: boolean;
}

class Parser {
  readonly #source: string;
  readonly #root: Node[] = [];
  readonly #blocks: Block[] = [];

  constructor(source: string) {
    this.#source = source;
  }

  parse(): Node[] {
    let at = 0;
    let trimsNext = false;
    for (;;) {
      const open = this.#source.indexOf('{{', at);
      const raw = this.#source.slice(at, open === -1 ? undefined : open);
      const text = trimsNext ? raw.trimStart() : raw;
      if (open === -1) {
        this.#add({ text });
        break;
      }
      const close = endOfAction(this.#source, open + 2);
      if (close === -1) throw new TemplateError(`{{ is never closed: ${snippet(this.#source, open)}`);
      let action = this.#source.slice(open + 2, close);
      const trimsBefore = /^-\s/.test(action);
      trimsNext = /\s-$/.test(action);
      if (trimsBefore) action = action.slice(1);
      if (trimsNext) action = action.slice(0, -1);
      this.#add({ text: trimsBefore ? text.trimEnd() : text });
      this.#read(action.trim(), open);
      at = close + 2;
    }
    if (this.#blocks.length > 0) throw new TemplateError('An {{ if }}, {{ with }} or {{ range }} has no {{ end }}.');
    return this.#root;
  }

  #add(node: Node): void {
    const block = this.#blocks.at(-1);
    (block ? (block.no ?? block.yes) : this.#root).push(node);
  }

  #read(action: string, at: number): void {
    if (/^\/\*[\s\S]*\*\/$/.test(action)) return;
    const [word = ''] = /^\w+/.exec(action) ?? [];
    const rest = action.slice(word.length);
    if (word === 'if' || word === 'with' || word === 'range') this.#open(rest, word, false, at);
    else if (word === 'else') this.#else(rest.trim(), at);
    else if (word === 'end' && rest.trim() === '') this.#close(at);
    else this.#add({ output: this.#expression(action, at) });
  }

  #open(test: string, word: string, isChained: boolean, at: number): void {
    if (this.#blocks.length >= limits.mailTemplateDepth.default) {
      throw new TemplateError('The conditions nest too deeply.');
    }
    const [changesDot, repeats] = [word !== 'if', word === 'range'];
    this.#blocks.push({ test: this.#expression(test, at), changesDot, repeats, yes: [], no: null, isChained });
  }

  #else(rest: string, at: number): void {
    const block = this.#blocks.at(-1);
    if (!block || block.no !== null)
      throw new TemplateError(`{{ else }} without {{ if }}: ${snippet(this.#source, at)}`);
    block.no = [];
    const [, word, test] = /^(if|with)\b([\s\S]*)$/.exec(rest) ?? [];
    if (word !== undefined && test !== undefined) this.#open(test, word, true, at);
    else if (rest !== '') throw new TemplateError(`Unknown: ${snippet(this.#source, at)}`);
  }

  #close(at: number): void {
    for (;;) {
      const block = this.#blocks.pop();
      if (!block) throw new TemplateError(`{{ end }} without {{ if }}: ${snippet(this.#source, at)}`);
      const { test, changesDot, repeats, yes, no, isChained } = block;
      this.#add({ test, changesDot, repeats, yes, no: no ?? [] });
      if (!isChained) return;
    }
  }

  #expression(text: string, at: number): Expression {
    const expression = readCondition(text);
    if (!expression) throw new TemplateError(`Ninefold cannot read ${snippet(this.#source, at)}`);
    return expression;
  }
}

/**
 * Returns the offset of the end of an action (`{{ … }}`); -1 if it does not end. `}}` inside a string does not end it.
 */
function endOfAction(source: string, from: number): number {
  const end = /"(?:[^"\\\n]|\\.)*"|`[^`]*`|\}\}/gy;
  const action = source.slice(0, from + limits.mailActionCharacters.default);
  for (let at = from; at < action.length; at++) {
    end.lastIndex = at;
    const [found] = end.exec(action) ?? [];
    if (found === '}}') return at;
    if (found !== undefined) at += found.length - 1;
  }
  return -1;
}

const snippet = (source: string, at: number): string => {
  const piece = source.slice(at, at + SNIPPET_CHARACTERS).split('\n')[0] ?? '';
  const close = piece.indexOf('}}');
  const line = source.slice(0, at).split('\n').length;
  return `“${close === -1 ? piece : piece.slice(0, close + 2)}” on line ${line}`;
};
