import type { Command } from 'commander';
import type { SettingEntry } from '../../../contract/admin.ts';
import { CliError, connect } from '../client.ts';
import { printJson, printTable } from '../print.ts';
import { readValue } from '../setting-value.ts';

/** Prefix of the settings that PostgREST passes to the database: `app.settings.name`. */
const APP_SETTING = /^app\.settings\./;

/** Adds the commands `ninefold settings REF`, `settings REF set KEY VALUE` and `settings REF unset KEY`. */
export function addSettingsCommand(program: Command): void {
  program
    .command('settings')
    .description('the settings of an app: show, set, unset')
    .argument('<ref>')
    .argument('[action]', 'set or unset; shows all when missing')
    .argument('[key]', 'as PostgREST and GoTrue name it: db_schemas, jwt_exp …')
    .argument('[value]', 'JSON, or text; a list may be written with commas')
    .option('--json', 'print JSON')
    .action(async (ref: string, action = '', key = '', value?: string, options: { json?: boolean } = {}) => {
      const client = connect();
      const path = `/apps/${encodeURIComponent(ref)}/settings`;
      const entries = await client.get<SettingEntry[]>(path);
      if (action === '') {
        if (options.json) printJson(entries);
        else {
          printTable(
            ['key', 'value', ''],
            entries.map((entry) => [entry.key, shown(entry), entry.is_set ? '' : 'default']),
          );
        }
        return;
      }
      const entry = entryOf(entries, key);
      const setting = `${path}/${encodeURIComponent(entry.key)}`;
      if (action === 'unset' && !APP_SETTING.test(key)) {
        await client.delete(setting);
        process.stdout.write(`${entry.key} has its default: ${JSON.stringify(entry.default)}\n`);
      } else if (action === 'unset') {
        const { [key]: _, ...rest } = entry.value as Record<string, unknown>;
        await client.put(setting, { value: rest });
      } else if (action === 'set' && value !== undefined) {
        const read = APP_SETTING.test(key)
          ? { ...(entry.value as object), [key]: value }
          : settingValue(entry.key, value);
        await client.put(setting, { value: read });
        process.stdout.write(entry.is_secret ? `${entry.key} is set\n` : `${entry.key} is ${JSON.stringify(read)}\n`);
      } else {
        throw new CliError('Use: ninefold settings REF [set KEY VALUE | unset KEY]');
      }
    });
}

const shown = (entry: SettingEntry): string =>
  entry.is_secret && entry.is_set ? 'set, not shown' : JSON.stringify(entry.value);

/**
 * Returns the entry of a key, The key may be written with hyphens or underscores, and may start with the area of the
 * setting.
 * @throws CliError for an unknown key.
 */
function entryOf(entries: readonly SettingEntry[], key: string): SettingEntry {
  const name = APP_SETTING.test(key) ? 'app_settings' : key.replace(/^(rest|auth)\./, '').replaceAll('-', '_');
  const entry = entries.find((each) => each.key === name);
  if (!entry)
    throw new CliError(`There is no setting ${key}. List them with: ninefold settings REF`, 'setting_unknown');
  return entry;
}

function settingValue(key: string, text: string): unknown {
  try {
    return readValue(key, text);
  } catch (error) {
    throw new CliError(error instanceof Error ? error.message : String(error));
  }
}
