/** Functions of the browser for passkeys and security keys. */

/** True if this browser can use passkeys on this page. */
export const canUsePasskeys = (): boolean =>
  typeof PublicKeyCredential === 'function' && 'parseRequestOptionsFromJSON' in PublicKeyCredential;

/** True if the builder closed the browser's dialog, or the device has no matching key. */
export const isCancelled = (error: unknown): boolean =>
  error instanceof DOMException && error.name === 'NotAllowedError';

/** Creates a key with a device of the builder. Returns the key as JSON. */
export async function createCredential(options: PublicKeyCredentialCreationOptionsJSON): Promise<unknown> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
  return asJson(await navigator.credentials.create({ publicKey }));
}

/** Signs a challenge with a key of the builder. Returns the signature as JSON. */
export async function getCredential(options: PublicKeyCredentialRequestOptionsJSON): Promise<unknown> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  return asJson(await navigator.credentials.get({ publicKey }));
}

const asJson = (credential: Credential | null): unknown =>
  credential instanceof PublicKeyCredential ? credential.toJSON() : null;
