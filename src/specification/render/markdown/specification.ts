import { type ChapterKey, chapters } from '../../../../contract/chapters.ts';
import type { Chapters, Specification } from '../../../../contract/specification.ts';
import { callsMarkdown } from './calls.ts';
import { Conditions } from './conditions.ts';
import { entitiesMarkdown } from './entities.ts';
import { errorsMarkdown } from './errors.ts';
import { inline } from './escape.ts';
import { limitsMarkdown } from './limits.ts';
import { purposeMarkdown } from './purpose.ts';
import { rolePages } from './role-pages.ts';
import { rolesMarkdown } from './roles.ts';
import { rulesMarkdown } from './rules.ts';
import { screensMarkdown } from './screens.ts';
import { statesMarkdown } from './states.ts';

/**
 * Returns the specification as Markdown for readers without technical knowledge and for version control. The pages of the
 * roles come first. Each condition has its words once and a number, which all other places name. The order is stable, and
 * the text changes only if the app's behaviour changes.
 */
export function specificationMarkdown(specification: Specification): string {
  const { app, hash, chapters: derived } = specification;
  const conditions = new Conditions();
  const pages = rolePages(derived, conditions);
  const written = writeChapters(derived, conditions);
  const present = chapters.filter(({ key }) => written[key] !== undefined);
  const parts = [
    `# ${inline(derived.purpose?.name ?? app.name)}`,
    ...(derived.purpose?.purpose ? [inline(derived.purpose.purpose)] : []),
    `What the app ${inline(app.ref)} does, derived from the running system. Version ${hash.slice(0, 12)}.`,
    `## ${CONTENTS}`,
    [
      ...pages.map(({ title }) => `- ${title}`),
      ...present.map(({ number, name, question }) => `- ${number} ${name}: ${question}`),
    ].join('\n'),
    ...pages.flatMap(({ title, text }) => [`## ${title}`, text]),
  ];
  for (const { number, key, name, question } of present) {
    parts.push(`## ${number} ${name}`, `*${question}*`, written[key] ?? '');
  }
  return `${parts.join('\n\n')}\n`;
}

/** The heading of the table of contents. */
export const CONTENTS = 'Contents';

/** Returns the Markdown of each derived chapter. A chapter for which this function has no writer is a compile error. */
function writeChapters(all: Chapters, conditions: Conditions): Partial<Record<ChapterKey, string>> {
  const { purpose, screens, states, entities, rules, roles, calls, errors, limits } = all;
  const written: { [Key in keyof Chapters]-?: string | undefined } = {
    purpose: purpose && purposeMarkdown(purpose),
    screens: screens && screensMarkdown(screens, all),
    entities: entities && entitiesMarkdown(entities, all),
    states: states && statesMarkdown(states, conditions),
    rules: rules && rulesMarkdown(rules),
    roles: roles && rolesMarkdown(roles, all, conditions),
    calls: calls && callsMarkdown(calls, all),
    errors: errors && errorsMarkdown(errors),
    limits: limits && limitsMarkdown(limits),
  };
  return Object.fromEntries(Object.entries(written).filter(([, text]) => text !== undefined));
}
