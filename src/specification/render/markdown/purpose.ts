import type { PurposeChapter } from '../../../../contract/description.ts';
import { inline } from './escape.ts';

/** Returns chapter 1 in Markdown. */
export function purposeMarkdown({ name, purpose, audience, owner }: PurposeChapter): string {
  const lines = [
    ['For', audience],
    ['Owner', owner],
  ].flatMap(([label, text]) => (text ? [`- ${label}: ${inline(text)}`] : []));
  return [
    purpose === null ? `${inline(name)} has no description yet.` : `${inline(name)}: ${inline(purpose)}`,
    ...(lines.length > 0 ? [lines.join('\n')] : []),
  ].join('\n\n');
}
