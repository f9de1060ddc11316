import type { Reads } from '../../../../access/fact-indexes.ts';
import type { RelationFact } from '../../../../catalog/entities.ts';
import { entityId } from '../../../../catalog/names.ts';
import type { Part } from './rules-of-types.ts';

/**
 * Returns the rules for rows without a partition (PostgreSQL docs, "Table Partitioning"): one rule for the table, and
 * one for each partition that is partitioned itself.
 */
export function partitionBoundRules(look: Reads<'relations' | 'children'>, table: RelationFact): Part[] {
  if (table.partition_key === null) return [];
  const partitions = (look.children.get(table.oid) ?? []).flatMap(({ child }) => look.relations.get(child) ?? []);
  const bounds = partitions.map(({ bound }) => bound ?? '').sort();
  const own = takesAll(bounds) ? [] : [boundRule(table, table.partition_key, bounds)];
  return [...own, ...partitions.flatMap((partition) => partitionBoundRules(look, partition))];
}

function boundRule(table: RelationFact, key: string, bounds: readonly string[]): Part {
  const id = entityId(table.schema, table.name);
  const field = /^LIST \((\w+)\)$/.exec(key)?.[1];
  const words = field === undefined || bounds.length === 0 ? boundWords(key, bounds) : listWords(field, bounds);
  return {
    name: table.is_partition ? `${id}.partition` : 'partition',
    kind: 'check',
    fields: field === undefined ? [] : [field],
    words: table.is_partition ? `of rows in ${id}: ${words}` : words,
    sql: `PARTITION BY ${key}${bounds.length === 0 ? '' : `: ${bounds.join(', ')}`}`,
    applies_to: 'all rows',
    sqlstate: '23514',
  };
}

/** Returns true if the partitions accept every row: a default partition, or one hash partition for every remainder. */
function takesAll(bounds: readonly string[]): boolean {
  const parts = bounds.map((bound) => 1 / Number(/modulus (\d+)/.exec(bound)?.[1] ?? Number.POSITIVE_INFINITY));
  return bounds.includes('DEFAULT') || parts.reduce((sum, part) => sum + part, 0) > 1 - 1e-9;
}

function listWords(field: string, bounds: readonly string[]): string {
  const values = bounds.flatMap((bound) => /^FOR VALUES IN \((.*)\)$/s.exec(bound)?.[1] ?? []).join(', ');
  const known = values.replace(/(^|, )NULL(?=$|, )/, '').replace(/^, /, '');
  return `${field} is one of ${known}${known === values ? ', and never empty' : ', or empty'}`;
}

function boundWords(key: string, bounds: readonly string[]): string {
  if (bounds.length === 0) return `by ${key} each row needs a partition, and there is none yet: no row can be added`;
  const listed = bounds.map((bound) => bound.replace(/^FOR VALUES /, '')).join(', ');
  return `by ${key} each row fits a partition: ${listed}${key.startsWith('RANGE') ? '; a row without a value fits none' : ''}`;
}
