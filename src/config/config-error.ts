/** A setting or a file that cannot be used; the message says which and why. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}
