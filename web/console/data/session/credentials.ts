/** The browser's side of passkeys and security keys. */

/** True if this browser can use passkeys on this page. */
export const canUsePasskeys = (): boolean =>
  typeof PublicKeyCredential === 'function' && 'parseRequestOptionsFromJSON' in PublicKeyCredential;

/** True if the builder closed the browser's dialog, or the device holds no such key. */
export const isCancelled = (error: unknown): boolean =>
  error instanceof DOMException && error.name === 'NotAllowedError';

/** Makes a key with a device of the builder. Returns it as JSON. */
export async function createCredential(options: PublicKeyCredentialCreationOptionsJSON): Promise<unknown> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
  return asJson(await navigator.credentials.create({ publicKey }));
}

/** Signs a challenge with a key of the builder. Returns the answer as JSON. */
export async function getCredential(options: PublicKeyCredentialRequestOptionsJSON): Promise<unknown> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  return asJson(await navigator.credentials.get({ publicKey }));
}

const asJson = (credential: Credential | null): unknown =>
  credential instanceof PublicKeyCredential ? credential.toJSON() : null;
