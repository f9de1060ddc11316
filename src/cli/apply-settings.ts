import { isDeepStrictEqual } from 'node:util';
import type { SettingEntry } from '../../contract/admin.ts';
import { CliError, type Client } from './client.ts';
import type { SupabaseSettings } from './supabase-settings.ts';

type Settings = SupabaseSettings['settings'];

const pathOf = (ref: string): string => `/apps/${encodeURIComponent(ref)}/settings`;

interface Difference {
  readonly key: string;
  readonly value: unknown;
  readonly entry: SettingEntry | undefined;
}

/**
 * Returns those of the given settings that have another value in the app. A secret that has any value counts as equal,
 * because the node never returns the value.
 */
async function differences(client: Client, ref: string, settings: Settings): Promise<Difference[]> {
  const entries = new Map((await client.get<SettingEntry[]>(pathOf(ref))).map((entry) => [entry.key, entry]));
  return settings
    .map(([key, value]) => ({ key, value, entry: entries.get(key) }))
    .filter(({ value, entry }) => (entry?.is_secret ? !entry.is_set : !isDeepStrictEqual(entry?.value, value)));
}

/** Returns the keys of those of the given settings that have another value in the app. */
export async function differingSettings(client: Client, ref: string, settings: Settings): Promise<string[]> {
  return (await differences(client, ref, settings)).map(({ key }) => key);
}

/** Longest value that a sentence repeats. */
const SHOWN_CHARACTERS = 100;

const shortened = (text: string): string =>
  text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;

/**
 * Sets settings of an app. Returns the keys of the changed settings, and a sentence about each setting that the app
 * refused.
 */
export async function applySettings(
  client: Client,
  ref: string,
  settings: Settings,
): Promise<{ changed: string[]; refused: string[] }> {
  const changed: string[] = [];
  const refused: string[] = [];
  for (const { key, value, entry } of await differences(client, ref, settings)) {
    try {
      await client.put(`${pathOf(ref)}/${key}`, { value });
      changed.push(key);
    } catch (error) {
      if (!(error instanceof CliError) || error.code !== 'setting_invalid') throw error;
      const shown = entry?.is_secret ? 'have the value of config.toml' : `be ${shortened(JSON.stringify(value))}`;
      refused.push(`The setting ${key} cannot ${shown}: it is ${entry?.type}.`);
    }
  }
  return { changed, refused };
}
