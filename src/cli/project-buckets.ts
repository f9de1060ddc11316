import type { TomlValue } from './read-toml.ts';

/** A bucket of `[storage.buckets.<id>]` in config.toml, as the call that creates it takes it. */
export interface ConfiguredBucket {
  readonly id: string;
  readonly name: string;
  readonly public?: TomlValue;
  readonly file_size_limit?: TomlValue;
  readonly allowed_mime_types?: TomlValue;
}

const KEY = /^storage\.buckets\.(.+)\.(public|file_size_limit|allowed_mime_types|objects_path)$/;

/** Reads the buckets of a config.toml. */
export function readBuckets(config: ReadonlyMap<string, TomlValue>): ConfiguredBucket[] {
  const buckets = new Map<string, ConfiguredBucket>();
  for (const [key, value] of config) {
    const [, id, option = ''] = KEY.exec(key) ?? [];
    if (id === undefined) continue;
    const bucket = buckets.get(id) ?? { id, name: id };
    const given = option === 'file_size_limit' ? bytesOf(value) : value;
    buckets.set(id, option === 'objects_path' ? bucket : { ...bucket, [option]: given });
  }
  return [...buckets.values()];
}

const POWERS = ['', 'k', 'm', 'g', 't'];

/**
 * Returns a size of config.toml in bytes: there, `50MiB`, `50MB` and `50m` are all 50 × 1024². Other texts are returned as they are, also
 * a number that JSON cannot express: it would be null, which means no limit.
 */
function bytesOf(value: TomlValue): TomlValue {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?)\s*([kmgt]?)(?:i?b)?$/i.exec(String(value).trim()) ?? [];
  const bytes = Math.floor(Number(number) * 1024 ** POWERS.indexOf(unit.toLowerCase()));
  return Number.isFinite(bytes) ? bytes : String(value);
}
