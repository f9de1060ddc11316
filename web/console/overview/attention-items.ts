import type { Activity } from '../../../contract/admin.ts';
import type { Specification } from '../../../contract/specification.ts';
import type { CallEntry } from '../../../contract/specification-calls.ts';
import { shareOf } from '../format/format.ts';

/** Something in an app that a builder should look at, and the page that shows it. */
export interface AttentionItem {
  readonly id: string;
  /** Id of the entity, function or job, the route of the screen, or method and path of the call; null for all requests. */
  readonly on: string | null;
  readonly words: string;
  readonly page: 'roles' | 'errors' | 'calls' | 'screens';
  /** Search parameters that open the item's entry on the page. */
  readonly search: { readonly advice?: string; readonly screen?: string; readonly call?: string };
}

/** Minimum share of today's requests that failed, from which the failures are listed as an item. */
const FAILING_SHARE = 0.05;
/** A call is named from this share and number of failed requests of a day on. */
const FAILING_CALL_SHARE = 0.5;
const FAILING_CALL_REQUESTS = 5;

/**
 * Returns what needs attention, the most urgent first: calls that fail for certain, calls that mostly fail or else the
 * failing requests of today, broken screens, security, performance. Findings without an effect are only in chapter 6.
 */
export function attentionItems({ chapters }: Specification, activity: Activity | undefined): AttentionItem[] {
  const advice = (severity: 'fault' | 'security' | 'performance') =>
    (chapters.roles?.advice ?? [])
      .filter((one) => one.severity === severity)
      .map(({ id, on, words }): AttentionItem => ({ id, on, words, page: 'roles', search: { advice: id } }));
  const failing = failingCalls(chapters.calls?.calls ?? []);
  if (
    failing.length === 0 &&
    activity &&
    activity.today.failed >= activity.today.calls * FAILING_SHARE &&
    activity.today.failed > 0
  ) {
    const { failed, calls } = activity.today;
    const words = `${shareOf(failed, calls, 'request')} failed today.`;
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

/** Returns the calls of which most requests of a day failed, the most frequent first. */
const failingCalls = (calls: readonly CallEntry[]): AttentionItem[] =>
  calls
    .flatMap((call) => (call.figures ? [{ call, day: call.figures.day }] : []))
    .filter(({ day }) => day.failed >= FAILING_CALL_REQUESTS && day.failed_share >= FAILING_CALL_SHARE)
    .sort((a, b) => b.day.failed - a.day.failed)
    .map(({ call: { id, method, path }, day: { failed, calls: all } }) => ({
      id,
      on: `${method} ${path}`,
      words: `${shareOf(failed, all, 'request')} failed in 24 hours.`,
      page: 'calls',
      search: { call: id },
    }));
