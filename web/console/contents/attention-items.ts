import type { Activity } from '../../../contract/admin.ts';
import type { Specification } from '../../../contract/specification.ts';
import { percent } from '../format/format.ts';

/** Something in an app that a builder should look at, and the page that shows it. */
export interface AttentionItem {
  readonly id: string;
  /** Id of the entity, function or job, or the route of the screen, that the item is about; null if it is about requests. */
  readonly on: string | null;
  readonly words: string;
  readonly page: 'roles' | 'errors' | 'screens';
  /** Search parameters that open the item's entry on the page. */
  readonly search: { readonly advice?: string; readonly screen?: string };
}

/** Minimum share of today's requests that failed, from which the failures are listed as an item. */
const FAILING_SHARE = 0.05;

/**
 * Returns what needs the attention of a builder, the most urgent first: calls that always fail, failed requests of
 * today, broken screens, security, performance. Advice without an effect on these is shown only in chapter 6.
 */
export function attentionItems({ chapters }: Specification, activity: Activity | undefined): AttentionItem[] {
  const advice = (severity: 'fault' | 'security' | 'performance') =>
    (chapters.roles?.advice ?? [])
      .filter((one) => one.severity === severity)
      .map(({ id, on, words }): AttentionItem => ({ id, on, words, page: 'roles', search: { advice: id } }));
  const failing: AttentionItem[] = [];
  if (activity && activity.today.failed >= activity.today.calls * FAILING_SHARE && activity.today.failed > 0) {
    const { failed, calls } = activity.today;
    const words = `${percent(failed, calls)} of today’s requests failed.`;
    failing.push({ id: 'failing requests', on: null, words, page: 'errors', search: {} });
  }
  const broken = (chapters.screens?.screens ?? []).flatMap(({ route, broken: [reason] }): AttentionItem[] =>
    reason === undefined
      ? []
      : [
          {
            id: route,
            on: route,
            words: `The screen is broken: ${reason}`,
            page: 'screens',
            search: { screen: route },
          },
        ],
  );
  return [...advice('fault'), ...failing, ...broken, ...advice('security'), ...advice('performance')];
}
