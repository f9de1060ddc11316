import { type ChapterKey, chapters } from '../../../contract/chapters.ts';
import type { Chapters, Specification } from '../../../contract/specification.ts';
import { inline } from '../markdown/escape.ts';
import { callsMarkdown } from './calls/markdown.ts';
import { entitiesMarkdown } from './entities/markdown.ts';
import { errorsMarkdown } from './errors/markdown.ts';
import { limitsMarkdown } from './limits/markdown.ts';
import { purposeMarkdown } from './purpose/markdown.ts';
import { rolesMarkdown } from './roles/markdown.ts';
import { rulesMarkdown } from './rules/markdown.ts';
import { screensMarkdown } from './screens/markdown.ts';
import { statesMarkdown } from './states/markdown.ts';

/**
 * Returns the specification as Markdown for readers without technical knowledge and for version control. The order is
 * stable, and the text changes only if the app's behaviour changes.
 */
export function specificationMarkdown(specification: Specification): string {
  const { app, hash } = specification;
  const written = writeChapters(specification.chapters);
  const parts = [
    `# ${inline(app.name)}`,
    `What the app ${inline(app.ref)} does, derived from the running system. Version ${hash.slice(0, 12)}.`,
  ];
  for (const { number, key, name, question } of chapters) {
    const text = written[key];
    if (text !== undefined) parts.push(`## ${number} ${name}`, `*${question}*`, text);
  }
  return `${parts.join('\n\n')}\n`;
}

/** Returns the Markdown of each derived chapter. A chapter for which this function has no writer is a compile error. */
function writeChapters({
  purpose,
  screens,
  states,
  entities,
  rules,
  roles,
  calls,
  errors,
  limits,
}: Chapters): Partial<Record<ChapterKey, string>> {
  const written: { [Key in keyof Chapters]-?: string | undefined } = {
    purpose: purpose && purposeMarkdown(purpose),
    screens: screens && screensMarkdown(screens),
    entities: entities && entitiesMarkdown(entities),
    states: states && statesMarkdown(states),
    rules: rules && rulesMarkdown(rules),
    roles: roles && rolesMarkdown(roles),
    calls: calls && callsMarkdown(calls),
    errors: errors && errorsMarkdown(errors),
    limits: limits && limitsMarkdown(limits),
  };
  return Object.fromEntries(Object.entries(written).filter(([, text]) => text !== undefined));
}
