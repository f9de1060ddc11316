/** Error of a setting or file that cannot be used. The message names the setting or file and the reason. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}
