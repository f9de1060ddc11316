/**
 * The same values with names, of which no two times, days or keys are alike: what begins ends later, and what joins two rows joins two of
 * them. Each is one hour, day or number after the one before it.
 */
export function oneAfterAnother(values: readonly [name: string, value: unknown][]): [name: string, value: unknown][] {
  const taken = new Set<unknown>();
  return values.map(([name, value]) => {
    let next = value;
    while (typeof next === 'string' && taken.has(next)) {
      const after = following(next);
      if (after === null) break;
      next = after;
    }
    taken.add(next);
    return [name, next];
  });
}

function following(value: string): string | null {
  const [, before = '', count = '', rest = ''] =
    /^(\d{4}-\d\d-\d\dT|)(\d\d)(:\d\d.*)$/.exec(value) ??
    /^(\d{4}-\d\d-)(\d\d)()$/.exec(value) ??
    /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-0{10})(\d\d)()$/.exec(value) ??
    [];
  // The first days of the next month, and hours of the next day, are not worth the telling.
  const isFull =
    count === '' || count === '99' || (rest !== '' && count === '23') || (before.length === 8 && count === '31');
  return isFull ? null : `${before}${String(Number(count) + 1).padStart(2, '0')}${rest}`;
}
