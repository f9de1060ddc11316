import { type ChapterKey, chapters } from '../../../contract/chapters.ts';
import type { Chapters, Specification } from '../../../contract/specification.ts';

/**
 * The chapters with a page, and the count that the sidebar shows for each. The console shows no chapter without a page.
 */
const pages = {
  purpose: { to: '/app/$ref', count: () => undefined },
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
  /** Count in the sidebar; null while it is unknown. */
  count: number | null;
  /** Number of broken items according to the specification. */
  broken: number;
}

/** Counts the broken items of a chapter: screens that cannot be shown, and machines that are not enforced. */
const broken: Readonly<Partial<Record<BuiltChapter, (chapters: Chapters) => number>>> = {
  screens: ({ screens }) => screens?.screens.filter((screen) => screen.broken.length > 0).length ?? 0,
  states: ({ states }) =>
    states?.machines.filter(({ enforced, problems }) => !enforced || problems.length > 0).length ?? 0,
};

/**
 * Returns the chapters to show, in their order: those that have a page and are in the specification. Before the
 * specification is loaded, returns all chapters with a page, so that the layout does not jump.
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

/** Returns number, name and question of a chapter. */
export const chapterPage = (key: BuiltChapter): ChapterPage => {
  const found = chapterPages(undefined).find((page) => page.key === key);
  if (!found) throw new Error(`The contract has no chapter ${key}.`);
  return found;
};
