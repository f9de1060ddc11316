import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { highlight, type Language, type TokenKind } from './highlight.ts';

const of = (code: string, language: Language, kind: TokenKind) =>
  highlight(code, language)
    .filter((token) => token.kind === kind)
    .map((token) => token.text);

describe('highlight', () => {
  it('returns every character of the code in its order, whatever the code contains', () => {
    const fragment = fc.oneof(
      fc.string(),
      fc.constantFrom("'", '"', '$$', '$x$', '--', '/*', '\n', '\\', 'select ', 'f(', '12.5'),
    );
    const language = fc.constantFrom<Language>('sql', 'javascript', 'shell', 'env', 'json', 'text');
    fc.assert(
      fc.property(fc.array(fragment), language, (parts, spoken) => {
        const code = parts.join('');
        const shown = highlight(code, spoken).map((token) => token.text);
        expect(shown.join('')).toBe(code);
      }),
    );
  });

  it('distinguishes the parts of a CREATE POLICY statement', () => {
    const policy = `create policy "own" on t using (auth.uid() = owner and n > 12 and s <> 'it''s') -- why`;
    expect(of(policy, 'sql', 'keyword')).toEqual(['create', 'policy', 'on', 'using', 'and', 'and']);
    expect(of(policy, 'sql', 'string')).toEqual(['"own"', `'it''s'`]);
    expect(of(policy, 'sql', 'name')).toEqual(['auth.uid']);
    expect(of(policy, 'sql', 'number')).toEqual(['12']);
    expect(of(policy, 'sql', 'note')).toEqual(['-- why']);
  });

  it('treats the body of a function between dollar quotes as one string', () => {
    expect(of('as $body$ select 1 $body$', 'sql', 'string')).toEqual(['$body$ select 1 $body$']);
  });

  it('distinguishes the parts of code that calls supabase-js', () => {
    const call = `const { data } = await db.from('tickets').eq('n', 1)`;
    expect(of(call, 'javascript', 'keyword')).toEqual(['const', 'await']);
    expect(of(call, 'javascript', 'name')).toEqual(['from', 'eq']);
    expect(of(call, 'javascript', 'string')).toEqual([`'tickets'`, `'n'`]);
  });
});
