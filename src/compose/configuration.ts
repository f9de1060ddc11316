import packageJson from '../../package.json' with { type: 'json' };

/** What commands need to know of the node, apart from `node.ts`, whose parts take a third of a second to load. */
export { type Config, ConfigError, ensureSecrets, readConfig, readOperatorToken } from '../config/config.ts';

export const { version } = packageJson;
