import { type ChapterKey, chapters } from '../../../contract/chapters.ts';
import type { Chapters, Specification } from '../../../contract/specification.ts';

/** The chapters that have a page, and what the rail counts of each. A chapter without a page is nowhere to be seen. */
const pages = {
  purpose: { to: '/app/$ref/purpose', count: () => undefined },
  screens: { to: '/app/$ref/screens', count: ({ screens }: Chapters) => screens?.screens.length },
  entities: {
    to: '/app/$ref/entities',
    count: ({ entities }: Chapters) => entities?.entities.filter((entity) => entity.exposed).length,
  },
  states: {
    to: '/app/$ref/states',
    count: ({ states }: Chapters) => states?.machines.reduce((sum, machine) => sum + machine.states.length, 0),
  },
  rules: { to: '/app/$ref/rules', count: ({ rules }: Chapters) => rules?.rules.length },
  roles: { to: '/app/$ref/roles', count: ({ roles }: Chapters) => roles?.roles.length },
  calls: { to: '/app/$ref/calls', count: ({ calls }: Chapters) => calls?.calls.length },
  errors: { to: '/app/$ref/errors', count: ({ errors }: Chapters) => errors?.errors.length },
  limits: { to: '/app/$ref/limits', count: ({ limits }: Chapters) => limits?.limits.length },
} as const satisfies Partial<Record<ChapterKey, { to: string; count: (chapters: Chapters) => number | undefined }>>;

export type BuiltChapter = keyof typeof pages;

const isBuilt = (key: ChapterKey): key is BuiltChapter => key in pages;

export interface ChapterPage {
  number: number;
  key: BuiltChapter;
  name: string;
  question: string;
  to: (typeof pages)[BuiltChapter]['to'];
  /** What the rail counts; null while it is not known. */
  count: number | null;
  /** How much of it is broken, by the specification itself. */
  broken: number;
}

/** What of a chapter is broken: screens that cannot be shown, machines that are not in force. */
const broken: Readonly<Partial<Record<BuiltChapter, (chapters: Chapters) => number>>> = {
  screens: ({ screens }) => screens?.screens.filter((screen) => screen.broken.length > 0).length ?? 0,
  states: ({ states }) =>
    states?.machines.filter(({ enforced, problems }) => !enforced || problems.length > 0).length ?? 0,
};

/**
 * The chapters to show, in their order: those that have a page and that this specification holds. Before the
 * specification has come, all that have a page, so that nothing jumps when it comes.
 */
export const chapterPages = (specification: Specification | undefined): ChapterPage[] =>
  chapters.flatMap(({ number, key, name, question }) => {
    if (!isBuilt(key) || (specification && !specification.chapters[key])) return [];
    const { to, count } = pages[key];
    return [
      {
        number,
        key,
        name,
        question,
        to,
        count: (specification && count(specification.chapters)) ?? null,
        broken: (specification && broken[key]?.(specification.chapters)) ?? 0,
      },
    ];
  });

/** Number, name and question of one chapter. */
export const chapterPage = (key: BuiltChapter): ChapterPage => {
  const found = chapterPages(undefined).find((page) => page.key === key);
  if (!found) throw new Error(`The contract has no chapter ${key}.`);
  return found;
};
