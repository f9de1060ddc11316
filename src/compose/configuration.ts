import packageJson from '../../package.json' with { type: 'json' };

/** The configuration that commands read. The wiring is elsewhere, as its parts take a third of a second to load. */
export { type Config, readConfig } from '../config/config.ts';
export { ConfigError } from '../config/config-error.ts';
export { warnOfDescriptors } from '../config/descriptors.ts';
export { ensureSecrets, readOperatorToken } from '../config/secrets.ts';

export const { version } = packageJson;

/** Of the sources; set by scripts/build.mjs. */
declare const NINEFOLD_BUILD: string;

/** The version with what tells one build of it from another (Semantic Versioning 2.0.0, "build metadata"). */
export const build = `${version}+${NINEFOLD_BUILD}`;
