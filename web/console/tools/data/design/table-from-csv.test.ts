import { describe, expect, it } from 'vitest';
import { parseCsv } from '../../../../rows/csv.ts';
import { migrationSql } from './migration-sql.ts';
import { newTable } from './table-design.ts';
import { tableFromCsv } from './table-from-csv.ts';

const now = new Date('2026-11-24T12:00:00Z');
const sqlOf = (name: string, csv: string) =>
  migrationSql(null, { ...newTable(), ...tableFromCsv(name, parseCsv(csv), now) }).split(';\n')[0];

describe('tableFromCsv', () => {
  it('names the table and its fields, guesses the types, and requires a value in every column without gaps', () => {
    const csv = [
      'Order No.;Größe;Price;Paid;Due;Postcode;Sent at;Note;;Note',
      '7;L;1,5;yes;24/11/2026;01067;2026-11-24 16:30;;x;a',
      '8;;2;no;2026-11-25;10115;;;x;b',
    ].join('\n');
    expect(sqlOf('Open orders 2026.csv', csv)).toBe(`create table public.open_orders_2026 (
  id bigint generated always as identity,
  order_no bigint not null,
  "große" text,
  price numeric not null,
  paid boolean not null,
  due date not null,
  postcode text not null,
  sent_at timestamp with time zone,
  note text,
  note_2 text not null,
  primary key (id)
)`);
  });

  it('makes a column named id the key only if its values identify the rows', () => {
    expect(sqlOf('a.csv', 'id,name\n1,x\n2,y')).toBe(`create table public.a (
  id bigint,
  name text not null,
  primary key (id)
)`);
    expect(sqlOf('a.csv', 'id,name\n1,x\n1,y')).toContain('row_id bigint generated always as identity,\n  id bigint');
  });
});
