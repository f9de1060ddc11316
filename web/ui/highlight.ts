/** Languages of code blocks. */
export type Language = 'sql' | 'javascript' | 'shell' | 'env' | 'json' | 'text';

/** Kinds of tokens. Their colours: keyword is ink, string green, number ochre, name (of a called function) blue; a note is a comment. */
export type TokenKind = 'plain' | 'keyword' | 'string' | 'number' | 'name' | 'note';

export interface Token {
  kind: TokenKind;
  text: string;
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

const sqlKeywords = words(
  `add after all always alter and any as asc before begin between by bypassrls cascade case check collate column
  comment commit constraint create current_user cross declare default deferrable delete desc distinct do domain drop
  each else end enable enum exception exclude execute exists extension false fetch filter for foreign from full
  function generated grant group having identity if ilike immutable in index inner insert instead into invoker is
  join key language left level like limit materialized natural new no not null nulls of offset old on only or order outer
  over partition permissive plpgsql policy primary procedure references replace restrict restrictive
  return returning returns revoke right role rollback row rows schema security select sequence session set setof
  stable stored table temporary then to transaction trigger true truncate type union unique update usage using
  values view volatile when where window with`,
);

const javascriptKeywords = words(
  `as async await break case catch class const continue default else export extends false finally for from function if
  import in instanceof let new null of return static switch this throw true try type typeof undefined var void while`,
);

/** One regular expression for each language. The names of its groups are the kinds of tokens. */
const rules: Record<Language, { pattern: RegExp; keywords?: ReadonlySet<string>; fold?: boolean }> = {
  sql: {
    pattern:
      /(?<note>--[^\n]*|\/\*[\s\S]*?\*\/)|(?<string>'(?:[^']|'')*'?|"(?:[^"]|"")*"?|(?<tag>\$\w*\$)[\s\S]*?(?:\k<tag>|$))|(?<number>\b\d+(?:\.\d+)?\b)|(?<name>[a-z_][\w$]*(?:\.[a-z_][\w$]*)*(?=\())|(?<word>[a-z_][\w$]*)/giu,
    keywords: sqlKeywords,
    fold: true,
  },
  javascript: {
    pattern:
      /(?<note>\/\/[^\n]*|\/\*[\s\S]*?\*\/)|(?<string>'(?:[^'\\\n]|\\.)*'?|"(?:[^"\\\n]|\\.)*"?|`(?:[^`\\]|\\.)*`?)|(?<number>\b\d+(?:\.\d+)?\b)|(?<name>[\p{L}_$][\w$]*(?=\())|(?<word>[\p{L}_$][\w$]*)/gu,
    keywords: javascriptKeywords,
  },
  shell: {
    pattern:
      /(?<note>(?:^|(?<=\s))#[^\n]*)|(?<string>'[^']*'?|"(?:[^"\\]|\\.)*"?)|(?<name>(?<=\s)--?[a-zA-Z][\w-]*)|(?<word>^\$?\s*[\w./-]+)/gmu,
  },
  env: { pattern: /(?<note>^#[^\n]*)|(?<name>^[A-Z_][A-Z0-9_]*(?==))/gmu },
  json: {
    pattern:
      /(?<name>"(?:[^"\\]|\\.)*"(?=\s*:))|(?<string>"(?:[^"\\]|\\.)*"?)|(?<number>-?\b\d+(?:\.\d+)?\b)|(?<word>true|false|null)/gu,
    keywords: words('true false null'),
  },
  text: { pattern: /(?!)/gu },
};

/** Divides code into tokens for colouring. Joined together, the tokens are exactly the code. Text of no other kind is plain. */
export function highlight(code: string, language: Language): Token[] {
  const { pattern, keywords, fold = false } = rules[language];
  const tokens: Token[] = [];
  const add = (kind: TokenKind, text: string) => {
    const last = tokens.at(-1);
    if (last?.kind === kind) last.text += text;
    else if (text) tokens.push({ kind, text });
  };
  let end = 0;
  for (const match of code.matchAll(pattern)) {
    const [text] = match;
    const { note, string, number, name, word } = match.groups ?? {};
    add('plain', code.slice(end, match.index));
    end = match.index + text.length;
    const isMember = code[match.index - 1] === '.';
    const isKeyword = !isMember && (keywords?.has(fold ? text.toLowerCase() : text) ?? word !== undefined);
    if (note !== undefined) add('note', text);
    else if (string !== undefined) add('string', text);
    else if (number !== undefined) add('number', text);
    else if (isKeyword && (word ?? name) !== undefined) add('keyword', text);
    else if (name !== undefined) add('name', text);
    else add('plain', text);
  }
  add('plain', code.slice(end));
  return tokens;
}
