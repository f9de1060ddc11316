import { gunzipSync, gzipSync } from 'node:zlib';
import { limits } from '../../../../contract/limits.ts';
import { defaultRestSettings } from '../../../../contract/settings.ts';
import { defaultAuthSettings } from '../../../../contract/settings-auth.ts';
import { defaultRealtimeSettings } from '../../../../contract/settings-realtime.ts';
import { defaultStorageSettings } from '../../../../contract/settings-storage.ts';
import { emptyFacts, type FactOptions, type ParsedFacts, parseChangedFacts } from '../../../catalog/facts.ts';
import { factsJson } from '../../../catalog/parse-rows.ts';
import type { SpecificationApp } from '../../derive/specification.ts';
import { isObject } from '../../derive/words/sentence-parts.ts';

/**
 * The format of stored facts. A Ninefold whose derivation cannot read the facts of an earlier format uses the next
 * number; facts that an earlier Ninefold did not read are empty lists.
 */
const FORMAT = 1;

/** The first line of the stored text. The JSON of the facts follows. */
interface Header {
  format: typeof FORMAT;
  app: SpecificationApp;
  options: FactOptions;
}

/** The values from which a stored version is derived. */
export interface StoredFacts {
  parsed: ParsedFacts;
  app: SpecificationApp;
}

/** Compresses the values from which a specification was derived, as the content of a stored version. */
export function packFacts({ parsed, app }: StoredFacts): Buffer {
  const { exposedSchemas, extraSearchPath, authenticator, anonymous, roleClaim, preRequest } = parsed.facts;
  const options = { exposedSchemas, extraSearchPath, authenticator, anonymous, roleClaim, preRequest };
  const header: Header = { format: FORMAT, app, options };
  return gzipSync(Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), factsJson(parsed.results)]));
}

/**
 * Decompresses the content of a stored version. Returns null if it is damaged or has an unknown format.
 * @param earlier Facts of the same app. Equal rows are the same objects, so that less is derived again.
 */
export function unpackFacts(packed: Uint8Array, earlier: ParsedFacts | null): StoredFacts | null {
  try {
    const bytes = gunzipSync(packed, { maxOutputLength: limits.specificationBytes.default });
    const end = bytes.indexOf('\n');
    const header: unknown = JSON.parse(bytes.toString('utf8', 0, end < 0 ? undefined : end));
    if (!isObject(header) || header.format !== FORMAT) return null;
    const { app, options } = header as unknown as Header;
    const part = new Uint8Array(bytes.subarray(end + 1));
    // Settings that an earlier Ninefold did not know have their defaults.
    const authSettings = { ...defaultAuthSettings, ...app.authSettings };
    const restSettings = { ...defaultRestSettings, ...app.restSettings };
    const realtimeSettings = { ...defaultRealtimeSettings, ...app.realtimeSettings };
    const storageSettings = { ...defaultStorageSettings, ...app.storageSettings };
    return {
      app: { ...app, authSettings, restSettings, storageSettings, realtimeSettings },
      parsed: parseChangedFacts({ parts: [emptyFacts, part], options }, earlier),
    };
  } catch {
    return null;
  }
}
