import { fewWords, isObject, type JsonObject, quoted, text, thing } from '../../derive/words/sentence-parts.ts';
import { type DescribedChange, matches } from '../describer.ts';
import { canonical, type Difference } from '../differences.ts';

/** Maximum number of labels that a sentence lists. */
const MOST_LABELS = 8;

/** Returns true for a difference of labels: of all languages, or of one. */
export const isOfLabels = ({ path }: Difference): boolean => matches(path, 'labels') || matches(path, 'labels/*');

/** Describes the changed labels of each language, with the older and the newer text. */
export function labelChange(difference: Difference): DescribedChange {
  const { path, before, after } = difference;
  const [, language] = path;
  const of = (value: unknown): JsonObject =>
    language === undefined ? (isObject(value) ? value : {}) : { [language]: value };
  const [was, is] = [of(before), of(after)];
  const languages = [...new Set([...Object.keys(was), ...Object.keys(is)])];
  const changedLanguages = languages.filter((one) => canonical(was[one]) !== canonical(is[one]));
  const sentences = changedLanguages.map((one) => {
    const [old, fresh] = [was[one], is[one]].map((all) => (isObject(all) ? all : {})) as [JsonObject, JsonObject];
    const keys = [...new Set([...Object.keys(old), ...Object.keys(fresh)])];
    const changed = keys.filter((key) => canonical(old[key]) !== canonical(fresh[key]));
    return `Labels in ${one}: ${fewWords(
      changed.map((key) => labelWords(key, old[key], fresh[key])),
      MOST_LABELS,
    )}.`;
  });
  return { words: sentences.join(' '), of: [difference] };
}

/** Describes one label: "rooms is now “Zimmer” (before: “Räume”)". */
function labelWords(key: string, before: unknown, after: unknown): string {
  const name = thing(key);
  if (after === undefined) return `${name} has none any longer (before: ${textsOfLabel(before)})`;
  return `${name} is now ${textsOfLabel(after)}${before === undefined ? '' : ` (before: ${textsOfLabel(before)})`}`;
}

/** Returns all texts of a label: the label, the label of one row, and the help. */
const textsOfLabel = (label: unknown): string =>
  ['label', 'one', 'help'].flatMap((name) => (text(label, name) === '' ? [] : [quoted(text(label, name))])).join(' / ');
