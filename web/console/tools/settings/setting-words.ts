import { allSettings } from '../../../../contract/all-settings.ts';
import { type Setting, type SettingRow, settingSections } from '../../../../contract/setting.ts';
import { counted } from '../../format/format.ts';
import { spanWords } from './read-value.ts';

/** The keys of the settings of each section, in their order on the page. */
export const sections = Object.fromEntries(
  settingSections.map((section) => [
    section,
    Object.keys(allSettings).filter((key) => allSettings[key]?.row?.section === section),
  ]),
) as unknown as Readonly<Record<SettingRow['section'], readonly string[]>>;

/** Returns the console's name of a setting. */
export const settingLabel = (key: string): string => allSettings[key]?.row?.label ?? key;

/** Describes what a value of a setting does; null for a setting that has no such words. */
export function effectOf(setting: Setting | undefined, value: unknown): string | null {
  const { effect = null, without = effect } = setting?.row ?? {};
  const isUnset = !value || (Array.isArray(value) && value.length === 0);
  return (isUnset ? without : effect)?.replace('{}', () => amountWords(setting, Number(value))) ?? null;
}

function amountWords(setting: Setting | undefined, value: number): string {
  if (setting?.kind !== 'number') return String(value);
  const { unit, noun = '' } = setting;
  if (unit === 'seconds') return spanWords(value);
  return counted(value, (unit === 'count' ? noun : unit).replace(/s$/, ''));
}
