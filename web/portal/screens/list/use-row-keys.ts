import { type KeyboardEvent, type RefObject, useMemo } from 'react';
import { t } from '../../../language/messages.ts';
import type { Binding } from '../../../ui/shortcuts/bindings.ts';
import { useKeys } from '../../../ui/shortcuts/keyboard.tsx';

/** Returns the links of the rows that are drawn. */
const linksOf = (table: HTMLElement | null): HTMLElement[] => [
  ...(table?.querySelectorAll<HTMLElement>('tbody tr[aria-rowindex] a') ?? []),
];

/** Moves the focus from a row to the one before or after. Focuses the first row in sight if no row has the focus. */
function moveFocus(table: HTMLElement | null, step: 1 | -1): void {
  const links = linksOf(table);
  const present = links.indexOf(document.activeElement as HTMLElement);
  const seen = links.findIndex((link) => link.getBoundingClientRect().bottom > 140);
  links[present < 0 ? Math.max(0, seen) : present + step]?.focus();
}

/** Moves the focus between rows by the arrows while a row has the focus. */
export function onRowKey(event: KeyboardEvent<HTMLElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key] as 1 | -1 | undefined;
  if (step === undefined || !linksOf(event.currentTarget).includes(event.target as HTMLElement)) return;
  event.preventDefault();
  moveFocus(event.currentTarget, step);
}

/** Binds J and K, which move the focus between the rows of a table, and X, which selects the row with the focus. */
export function useRowKeys(table: RefObject<HTMLTableElement | null>, canSelect: boolean): void {
  useKeys(
    useMemo((): Binding[] => {
      const select = () =>
        document.activeElement?.closest('tr')?.querySelector<HTMLElement>('input[type="checkbox"]')?.click();
      return [
        { keys: 'j', group: '', does: t('keyNextRow'), run: () => moveFocus(table.current, 1) },
        { keys: 'k', group: '', does: t('keyPreviousRow'), run: () => moveFocus(table.current, -1) },
        ...(canSelect ? [{ keys: 'x', group: '', does: t('keySelects'), run: () => select() }] : []),
      ];
    }, [table, canSelect]),
  );
}
