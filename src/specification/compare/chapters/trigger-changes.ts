import { flag, fromTo, quoted, text, thing } from '../../derive/words/sentence-parts.ts';
import type { Difference } from '../differences.ts';

/** Describes an added, removed or changed trigger. */
export function triggerWords({ path, before, after }: Difference): string {
  const entity = thing((path[1] ?? '').slice(1, -1));
  const name = text(after ?? before, 'name');
  if (before === undefined) return `A new trigger ${name} runs on ${entity}: ${text(after, 'sql')}.`;
  if (after === undefined) return `The trigger ${name} on ${entity} is gone.`;
  if (text(before, 'comment') !== text(after, 'comment')) {
    const comment = text(after, 'comment');
    return comment === ''
      ? `The trigger ${name} on ${entity} no longer has a comment (before: ${quoted(text(before, 'comment'))}).`
      : `The comment of the trigger ${name} on ${entity} is now ${quoted(comment)}${text(before, 'comment') === '' ? '' : ` (before: ${quoted(text(before, 'comment'))})`}.`;
  }
  if (text(before, 'sql') === text(after, 'sql')) {
    if (flag(before, 'enabled') !== flag(after, 'enabled'))
      return `The trigger ${name} on ${entity} is now switched ${flag(after, 'enabled') ? 'on' : 'off'}.`;
    const is = flag(after, 'in_replicas') ? 'now runs' : 'no longer runs';
    return `The trigger ${name} on ${entity} ${is} for replicated rows, too.`;
  }
  return `The trigger ${name} on ${entity} ${fromTo(text(before, 'sql'), text(after, 'sql'))}.`;
}
