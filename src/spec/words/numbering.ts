import type { NumberingFact } from '../../catalog/entities.ts';

const largest: Readonly<Record<string, bigint>> = {
  smallint: 2n ** 15n - 1n,
  integer: 2n ** 31n - 1n,
  bigint: 2n ** 63n - 1n,
};

/**
 * How a sequence numbers a field: "from 1 to 100, then none (2200H)"; null where it counts from 1 upwards for as long as the type of the
 * field lasts. `type` is the field's: a number that it cannot hold is refused by it, whatever the sequence says.
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
  // Without a cycle, what lies behind is reached by setval and RESTART only.
  const isOpen = fact.cycles || again === (upwards ? 1n : -1n);
  const behind = isOpen ? '' : `, never set ${upwards ? 'below' : 'above'} ${again}`;
  const ahead = fact.cache === '1' ? '' : `, ${fact.cache} at a time for each connection`;
  const words = `from ${start}${to}${steps}${then}${behind}${ahead}`;
  return words === 'from 1' ? null : words;
}
