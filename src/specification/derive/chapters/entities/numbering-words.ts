import type { NumberingFact } from '../../../../catalog/entities.ts';

const largest: Readonly<Record<string, bigint>> = {
  smallint: 2n ** 15n - 1n,
  integer: 2n ** 31n - 1n,
  bigint: 2n ** 63n - 1n,
};

/**
 * Returns words for the numbers of a sequence: "from 1 to 100, then none (2200H)". Returns null if it counts from 1
 * upwards to the limit of the field's type.
 * @param type The type of the field. It refuses a number outside its range, whatever the sequence allows.
 */
export function numberingWords(fact: NumberingFact, type: string): string | null {
  const [start, by, min, max] = [fact.start, fact.increment, fact.least, fact.most].map(BigInt) as [
    bigint,
    bigint,
    bigint,
    bigint,
  ];
  const last = largest[type] ?? largest[fact.type] ?? 0n;
  const upwards = by > 0n;
  const isBounded = upwards ? max < last : min > -last - 1n;
  const [end, again] = upwards ? [max, min] : [min, max];
  const steps = by === 1n ? '' : by === -1n ? ' downwards' : ` in steps of ${by}`;
  const to = isBounded ? ` to ${end}` : '';
  const then = fact.cycles ? `, then again from ${again}` : isBounded ? ', then none (2200H)' : '';
  // Without CYCLE, a sequence takes a number before its start only after setval or RESTART. So the words name the limit
  // of these numbers only if it is unusual.
  const isOpen = fact.cycles || again === (upwards ? 1n : -1n);
  const behind = isOpen ? '' : `, never set ${upwards ? 'below' : 'above'} ${again}`;
  const ahead = fact.cache === '1' ? '' : `, ${fact.cache} at a time for each connection`;
  const words = `from ${start}${to}${steps}${then}${behind}${ahead}`;
  return words === 'from 1' ? null : words;
}
