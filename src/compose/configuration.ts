import packageJson from '../../package.json' with { type: 'json' };

/**
 * Exports the configuration that commands read. The parts of a node are put together in other files of this folder,
 * because the modules of these files take a third of a second to load.
 */
export { type Config, readConfig, readConfigWithTarget } from '../config/config.ts';
export { ConfigError } from '../config/config-error.ts';
export { warnOfDescriptors } from '../config/descriptors.ts';
export { ensureSecrets, readOperatorToken, readRestoredSecrets } from '../config/secrets.ts';

/** Version of the package. */
export const { version } = packageJson;

/** Hash of the sources; set by scripts/build.mjs. */
declare const NINEFOLD_BUILD: string;

/** The version with build metadata that identifies one build (Semantic Versioning 2.0.0, "build metadata"). */
export const build = `${version}+${NINEFOLD_BUILD}`;
