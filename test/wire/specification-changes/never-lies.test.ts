import { beforeAll, describe, expect, inject, it } from 'vitest';
import { admin, createApp, runSql } from '../../support/apps.ts';
import { chapterLines } from '../../support/chapter-lines.ts';
import { superuserUrl, withClient } from '../../support/database.ts';
import { appSql } from './app.ts';
import type { Change, Step } from './change.ts';
import { changesBehindCells } from './changes-behind-cells.ts';
import { changesOfCalls } from './changes-of-calls.ts';
import { changesOfData } from './changes-of-data.ts';
import { changesOfKeysAndTypes } from './changes-of-keys-and-types.ts';
import { hiddenChanges, silentChanges } from './hidden-changes.ts';

const changes = [
  ...changesOfData,
  ...changesOfCalls,
  ...changesOfKeysAndTypes,
  ...hiddenChanges,
  ...changesBehindCells,
];

/** Changes by their SQL. A change that affects several chapters runs once. */
const done = new Map<string, Pick<Change, 'does' | 'undoes'> & { effects: Pick<Change, 'chapter' | 'says'>[] }>();
for (const { does, undoes, ...effect } of changes) {
  const key = JSON.stringify([does, undoes]);
  done.set(key, { does, undoes, effects: [...(done.get(key)?.effects ?? []), effect] });
}

const node = inject('node');
/** The time within which a change must be visible. */
const MILLISECONDS = 1000;
/** Attempts to make a change that is visible in this time. A machine that does much else can delay one of them. */
const ATTEMPTS = 3;
/** How long a late change is awaited, so that it does not count as the effect of the next one. */
const PATIENCE = 20_000;

let ref: string;
let before: string[];

beforeAll(async () => {
  ({ ref } = await createApp(node));
  await runSql(node, ref, appSql);
  before = await chapters();
});

/**
 * Changes that one test makes one after the other. Each is undone when the next is made, so the app's chapters
 * are derived once for each change. The test compares them with the original chapters after the last change.
 */
const CHANGES_OF_A_TEST = 8;
const numbered = [...done.values()].map((one, i) => ({ title: `${i + 1}. ${stepTitle(one.does)}`, ...one }));
const groups = Array.from({ length: Math.ceil(numbered.length / CHANGES_OF_A_TEST) }, (_, i) => {
  const group = numbered.slice(i * CHANGES_OF_A_TEST, (i + 1) * CHANGES_OF_A_TEST);
  return { first: group[0]?.title, group };
});

describe('the specification of an app', () => {
  it.each(groups)(
    'shows each change within a second, until the change is undone, from $first on',
    async ({ group }) => {
      const notShown: unknown[] = [];
      let [undo, last]: [Step | null, string] = [null, before.join('')];
      for (const { title, does, undoes, effects } of group) {
        const look = async () => {
          const now = await chapters();
          const lines = before.map((text, chapter) => changedLines(text, now[chapter] ?? ''));
          const left = effects.filter(({ chapter, says }) => !lines[chapter]?.some((line) => says.test(line)));
          // The lines of the change before this one may match too.
          const isNew = now.join('') !== last;
          const done = isNew && left.length === 0;
          return { done, value: { done, left, version: lines[0], isNew, text: now.join('') } };
        };
        for (let attempt = 1; ; attempt++) {
          await replace(undo, does);
          undo = undoes;
          const shown = await eventually(look, MILLISECONDS);
          const settled = shown.done ? shown : await eventually(look, PATIENCE);
          if (settled.done) last = settled.text;
          if (shown.done && shown.version?.length !== 0) break;
          if (!settled.done || attempt === ATTEMPTS) {
            const { text: _, ...what } = settled;
            notShown.push({ title, ...what });
            break;
          }
          // The next attempt begins with the original chapters, and so does not see the effect of this one.
          await take(undo);
          undo = null;
          last = (await eventually(isOriginal, PATIENCE)).join('');
        }
      }
      if (undo !== null) await take(undo);
      const after = await eventually(isOriginal, PATIENCE);
      expect(notShown).toEqual([]);
      expect(after).toEqual(before);
    },
  );

  it.each(silentChanges)('shows no change if nothing has changed: %s', async (does, undoes) => {
    await take(does);
    expect(await chapters()).toEqual(before);
    if (undoes !== '') await take(undoes);
  });

  it('tests at least a hundred changes', () => {
    expect(changes.length).toBeGreaterThanOrEqual(100);
  });
});

function stepTitle(step: Step): string {
  if (typeof step === 'string') return step.replaceAll(/\s+/g, ' ').slice(0, 150);
  return 'superuser' in step ? stepTitle(step.superuser) : `${step.setting} = ${JSON.stringify(step.value)}`;
}

/** Replaces the placeholders for the app's database and roles by their names. */
const named = (sql: string): string =>
  sql
    .replaceAll('{database}', `"app_${ref}"`)
    .replaceAll('{owner}', `"app_${ref}"`)
    .replaceAll('{authenticator}', `"app_${ref}_authenticator"`);

async function take(step: Step): Promise<void> {
  if (typeof step === 'string') await runSql(node, ref, named(step));
  else if ('superuser' in step) {
    await withClient(await superuserUrl(node, `app_${ref}`), (client) => client.query(named(step.superuser)));
  } else if (step.value === undefined) await admin(node, 'DELETE', `/apps/${ref}/settings/${step.setting}`);
  else await admin(node, 'PUT', `/apps/${ref}/settings/${step.setting}`, { value: step.value });
}

/**
 * Undoes a change, unless it is null, and makes another one: in one transaction if both are SQL and PostgreSQL accepts it.
 * The workers then read the catalog once.
 */
async function replace(undo: Step | null, does: Step): Promise<void> {
  if (typeof undo === 'string' && typeof does === 'string') {
    const isDone = await take(`${undo};\n${does}`).then(
      () => true,
      () => false,
    );
    if (isDone) return;
  }
  if (undo !== null) await take(undo);
  await take(does);
}

const chapters = (): Promise<string[]> => chapterLines(node, ref);

const isOriginal = async () => {
  const now = await chapters();
  return { done: now.join('') === before.join(''), value: now };
};

/** Calls `look` until its result is done or the time is over. Returns the last value. */
async function eventually<T>(look: () => Promise<{ done: boolean; value: T }>, milliseconds: number): Promise<T> {
  const until = performance.now() + milliseconds;
  for (;;) {
    const { done, value } = await look();
    if (done || performance.now() > until) return value;
  }
}

/** Returns the lines that one of the texts has more often than the other. */
function changedLines(one: string, other: string): string[] {
  const counts = new Map<string, number>();
  for (const line of one.split('\n')) counts.set(line, (counts.get(line) ?? 0) + 1);
  for (const line of other.split('\n')) counts.set(line, (counts.get(line) ?? 0) - 1);
  return [...counts].filter(([, count]) => count !== 0).map(([line]) => line);
}
