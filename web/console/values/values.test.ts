import { describe, expect, it } from 'vitest';
import type { Field } from '../../../contract/specification-entities.ts';
import { fieldFixture } from '../data/specification/entity-fixture.ts';
import { checkValue } from './check-value.ts';
import { isFigure, kindOf, kindOfType, shortType } from './field-kind.ts';
import { cellText, fullText } from './show-value.ts';
import { maxCharacters, typeInWords } from './type-words.ts';

const field = (type: string, more: Partial<Field> = {}): Field => fieldFixture('f', { type, nullable: true, ...more });

describe('kinds of fields', () => {
  it.each([
    ['character varying(120)', 'text'],
    ['bigint', 'integer'],
    ['numeric(10,2)', 'decimal'],
    ['timestamp(3) with time zone', 'timestamptz'],
    ['timestamp without time zone', 'timestamp'],
    ['jsonb', 'json'],
    ['uuid[]', 'array'],
    ['extensions.citext', 'text'],
    ['constructor', 'other'],
    ['public.point3', 'other'],
  ])('%s is %s', (type, kind) => {
    expect(kindOfType(type)).toBe(kind);
  });

  it('treats a domain as the type beneath it, and knows an enumeration', () => {
    expect(kindOf(field('public.price', { base_type: 'numeric(10,2)' }))).toBe('decimal');
    expect(kindOf(field('public.ticket_status', { enum_values: ['open', 'closed'] }))).toBe('enum');
    expect(isFigure('decimal')).toBe(true);
    expect(isFigure('text')).toBe(false);
  });

  it('shortens the name of a type for a head', () => {
    expect(shortType('timestamp(3) with time zone')).toBe('timestamptz');
    expect(shortType('character varying(20)[]')).toBe('varchar[]');
    expect(shortType('public.ticket_status')).toBe('ticket_status');
  });
});

describe('values as they are shown', () => {
  it('never changes the digits of a number', () => {
    expect(cellText('9223372036854775807', 'integer', 2026)).toBe('9223372036854775807');
    expect(cellText('0.10000000000000000000000000001', 'decimal', 2026)).toBe('0.10000000000000000000000000001');
    expect(fullText('9007199254740993', 'integer')).toBe('9007199254740993');
  });

  it('leaves the year out only when it is this one', () => {
    expect(cellText('2026-11-20 13:59:04.123456', 'timestamp', 2026)).toBe('20 Nov 13:59');
    expect(cellText('2024-01-01 00:00:00', 'timestamp', 2026)).toBe('1 Jan 2024 00:00');
    expect(fullText('2026-11-20 13:59:04', 'timestamp')).toBe('20 Nov 2026 13:59:04');
    expect(cellText('2026-02-03', 'date', 2026)).toBe('3 Feb 2026');
  });

  it('moves a time with a zone into the reader’s, whatever zone it came in', () => {
    const inUtc = cellText('2026-11-20 13:59:00+00', 'timestamptz', 2026);
    expect(cellText('2026-11-20 19:29:00+05:30', 'timestamptz', 2026)).toBe(inUtc);
    const local = new Date('2026-11-20T13:59:00Z');
    expect(inUtc).toContain(`${String(local.getHours()).padStart(2, '0')}:59`);
  });

  it('shows what has no place on the calendar as PostgreSQL prints it', () => {
    expect(cellText('infinity', 'timestamptz', 2026)).toBe('infinity');
    expect(cellText('0044-03-15 00:00:00 BC', 'timestamp', 2026)).toBe('0044-03-15 00:00:00 BC');
  });

  it('reads booleans in both spellings, cuts long texts, and puts JSON on one line', () => {
    expect(cellText('t', 'boolean', 2026)).toBe('true');
    expect(cellText('false', 'boolean', 2026)).toBe('false');
    expect(cellText('x'.repeat(1000), 'text', 2026)).toHaveLength(301);
    expect(cellText('{\n  "a": "b  c"\n}', 'json', 2026)).toBe('{ "a": "b  c" }');
  });
});

describe('what a field takes, in words', () => {
  it('names the bound that PostgreSQL will hold a value to', () => {
    expect(typeInWords(field('character varying(120)', { nullable: false }))).toBe('Up to 120 characters. Never null.');
    expect(typeInWords(field('numeric(10,2)'))).toMatch(/8 digits before the point and 2 after/);
    expect(typeInWords(field('bigint'))).toMatch(/807\.$/);
    expect(maxCharacters('character(3)')).toBe(3);
    expect(maxCharacters('text')).toBeNull();
  });

  it('says where a reference points', () => {
    const references = { schema: 'auth', entity: 'users', field: 'id' };
    expect(typeInWords(field('uuid', { references }))).toBe('A UUID, 36 characters. Points to auth.users.id.');
  });
});

describe('checkValue', () => {
  it('holds JSON back that is none, and a JSON null that would arrive as null', () => {
    expect(checkValue('{"a": 12345678901234567890}', 'json')).toBeNull();
    expect(checkValue('{a: 1}', 'json')).toMatch(/^Not JSON yet/);
    expect(checkValue(' ', 'json')).toBe('Empty is not JSON.');
    expect(checkValue(' null ', 'json')).toMatch(/button null/);
  });

  it('leaves every other type to PostgreSQL', () => {
    expect(checkValue('abc', 'integer')).toBeNull();
  });
});
