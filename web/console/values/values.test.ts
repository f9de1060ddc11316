import { describe, expect, it } from 'vitest';
import type { Field } from '../../../contract/specification-entities.ts';
import { entityFixture, fieldFixture } from '../../../test/support/entity-fixture.ts';
import { checkValue } from './check-value.ts';
import { isFigure, kindOf, kindOfType, shortType } from './field-kind.ts';
import { listedValues, withListedValues } from './listed-values.ts';
import { cellText, fullText } from './show-value.ts';
import { maxCharacters, typeInWords } from './type-words.ts';

const field = (type: string, more: Partial<Field> = {}): Field => fieldFixture('f', { type, nullable: true, ...more });

describe('kindOf and shortType', () => {
  it.each([
    ['character varying(120)', 'text'],
    ['bigint', 'integer'],
    ['numeric(10,2)', 'decimal'],
    ['timestamp(3) with time zone', 'timestamptz'],
    ['timestamp without time zone', 'timestamp'],
    ['jsonb', 'json'],
    ['uuid[]', 'array'],
    ['extensions.citext', 'text'],
    ['extensions.vector(1536)', 'vector'],
    ['halfvec', 'vector'],
    ['constructor', 'other'],
    ['public.point3', 'other'],
  ])('treat %s as %s', (type, kind) => {
    expect(kindOfType(type)).toBe(kind);
  });

  it('treat a domain as its base type, and recognize an enum', () => {
    expect(kindOf(field('public.price', { base_type: 'numeric(10,2)' }))).toBe('decimal');
    expect(kindOf(field('public.ticket_status', { enum_values: ['open', 'closed'] }))).toBe('enum');
    expect(isFigure('decimal')).toBe(true);
    expect(isFigure('text')).toBe(false);
  });

  it('shorten the name of a type for a column head', () => {
    expect(shortType('timestamp(3) with time zone')).toBe('timestamptz');
    expect(shortType('character varying(20)[]')).toBe('varchar[]');
    expect(shortType('public.ticket_status')).toBe('ticket_status');
  });
});

describe('cellText and fullText', () => {
  it('show every digit of a number', () => {
    expect(cellText('9223372036854775807', 'integer', 2026)).toBe('9223372036854775807');
    expect(cellText('0.10000000000000000000000000001', 'decimal', 2026)).toBe('0.10000000000000000000000000001');
    expect(fullText('9007199254740993', 'integer')).toBe('9007199254740993');
  });

  it('show a long vector by its first numbers and its dimensions in a cell, and complete in the panel', () => {
    const long = `[0.12,-0.4,${Array.from({ length: 1534 }, () => '0').join(',')}]`;
    expect(cellText(long, 'vector', 2026)).toBe('[0.12, −0.4, … 1536]');
    expect(fullText(long, 'vector')).toBe(long);
    expect(cellText('[1,-2e-05,3]', 'vector', 2026)).toBe('[1, −2e-05, 3]');
    expect(cellText('{1:0.5}/3', 'vector', 2026)).toBe('{1:0.5}/3');
  });

  it('omit the year only if it is the current one', () => {
    expect(cellText('2026-11-20 13:59:04.123456', 'timestamp', 2026)).toBe('20 Nov 13:59');
    expect(cellText('2024-01-01 00:00:00', 'timestamp', 2026)).toBe('1 Jan 2024 00:00');
    expect(fullText('2026-11-20 13:59:04', 'timestamp')).toBe('20 Nov 2026 13:59:04');
    expect(cellText('2026-02-03', 'date', 2026)).toBe('3 Feb 2026');
  });

  it('convert a time with a zone to the reader’s zone', () => {
    const inUtc = cellText('2026-11-20 13:59:00+00', 'timestamptz', 2026);
    expect(cellText('2026-11-20 19:29:00+05:30', 'timestamptz', 2026)).toBe(inUtc);
    const local = new Date('2026-11-20T13:59:00Z');
    expect(inUtc).toContain(`${String(local.getHours()).padStart(2, '0')}:59`);
  });

  it('show infinity and years before Christ as PostgreSQL prints them', () => {
    expect(cellText('infinity', 'timestamptz', 2026)).toBe('infinity');
    expect(cellText('0044-03-15 00:00:00 BC', 'timestamp', 2026)).toBe('0044-03-15 00:00:00 BC');
  });

  it('read booleans in both spellings, shorten long strings, and write JSON on one line', () => {
    expect(cellText('t', 'boolean', 2026)).toBe('true');
    expect(cellText('false', 'boolean', 2026)).toBe('false');
    expect(cellText('x'.repeat(1000), 'text', 2026)).toHaveLength(301);
    expect(cellText('{\n  "a": "b  c"\n}', 'json', 2026)).toBe('{ "a": "b  c" }');
  });
});

describe('typeInWords', () => {
  it('names the maximum length of the type', () => {
    expect(typeInWords(field('character varying(120)', { nullable: false }))).toBe('Up to 120 characters. Never null.');
    expect(typeInWords(field('numeric(10,2)'))).toMatch(/8 digits before the point and 2 after/);
    expect(typeInWords(field('bigint'))).toBe('A whole number.');
    expect(typeInWords(field('extensions.vector(1536)'))).toBe('A vector of 1,536 dimensions, [0.1,0.2].');
    expect(maxCharacters('character(3)')).toBe(3);
    expect(maxCharacters('text')).toBeNull();
  });

  it('names the entity that a reference references', () => {
    const references = { schema: 'auth', entity: 'users', field: 'id' };
    expect(typeInWords(field('uuid', { references }))).toBe('A row of auth.users.');
  });
});

describe('checkValue', () => {
  it('rejects invalid JSON, and a JSON null, which would be stored as null', () => {
    expect(checkValue('{"a": 12345678901234567890}', 'json')).toBeNull();
    expect(checkValue('{a: 1}', 'json')).toMatch(/^Not JSON yet/);
    expect(checkValue(' ', 'json')).toBe('Empty is not JSON.');
    expect(checkValue(' null ', 'json')).toMatch(/button null/);
  });

  it('accepts every text for all other types', () => {
    expect(checkValue('abc', 'integer')).toBeNull();
  });
});

describe('withListedValues', () => {
  it('reads the values of a check that lists texts, and ignores other checks', () => {
    expect(listedValues(`CHECK ((state = ANY (ARRAY['open'::text, 'it''s'::text])))`)).toEqual(['open', "it's"]);
    expect(
      listedValues(
        `CHECK ((("Kind")::text = ANY ((ARRAY['a'::character varying, 'b'::character varying])::text[]))) NOT VALID`,
      ),
    ).toEqual(['a', 'b']);
    expect(listedValues(`CHECK (((a = 1) AND (state = ANY (ARRAY['open'::text, 'b'::text]))))`)).toBeNull();
    expect(listedValues('CHECK ((length(state) = ANY (ARRAY[1, 2])))')).toBeNull();
  });

  it('makes a text with listed values a choice', () => {
    const sql = `CHECK ((state = ANY (ARRAY['open'::text, 'closed'::text])))`;
    const entity = entityFixture('tickets', { fields: [fieldFixture('state', { type: 'text' })] });
    const rule = { id: '', name: '', words: '', comment: null, applies_to: 'all rows', sqlstate: '23514' } as const;
    const rules = [{ ...rule, entity: entity.id, kind: 'check' as const, fields: ['state'], sql }];
    const [state] = withListedValues([entity], rules)[0]?.fields ?? [];
    expect([state?.enum_values, state && kindOf(state)]).toEqual([['open', 'closed'], 'enum']);
  });
});
