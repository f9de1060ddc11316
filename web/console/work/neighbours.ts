/** What J and K do in a list: go to the row before and after the chosen one; missing at the ends. */
export function neighbours(
  rows: readonly { readonly id: string }[] | undefined,
  chosen: string | null,
  choose: (id: string) => void,
): { previous: (() => void) | undefined; next: (() => void) | undefined } {
  const place = rows?.findIndex(({ id }) => id === chosen) ?? -1;
  const to = (row: { readonly id: string } | undefined) => row && (() => choose(row.id));
  return {
    previous: place > 0 ? to(rows?.[place - 1]) : undefined,
    next: place < 0 ? undefined : to(rows?.[place + 1]),
  };
}
