import { limits } from '../../../contract/limits.ts';
import type { ImportedHashes } from '../../../contract/member-imports.ts';
import { hashMilliseconds, passwordScheme } from '../passwords/passwords.ts';

/** Maximum number of kinds that are counted, because a hostile file may have a kind for each account. */
const MAX_KINDS = 1000;

/** Counts the password hashes of an import by algorithm and cost. */
export class HashKinds {
  readonly #accounts = new Map<string, ImportedHashes>();

  /** Counts a hash. Ignores a hash that cannot be verified. */
  add(hash: string): void {
    const algorithm = passwordScheme(hash);
    if (algorithm === null) return;
    const milliseconds = roundedMilliseconds(hash);
    const key = `${algorithm} ${milliseconds}`;
    const known = this.#accounts.get(key);
    if (known === undefined && this.#accounts.size >= MAX_KINDS) return;
    const is_costly = milliseconds >= limits.costlyHashMilliseconds.default;
    this.#accounts.set(key, { algorithm, milliseconds, accounts: (known?.accounts ?? 0) + 1, is_costly });
  }

  /** Returns the kinds whose accounts together cost most. */
  list(): ImportedHashes[] {
    const total = ({ accounts, milliseconds }: ImportedHashes) => accounts * milliseconds;
    return [...this.#accounts.values()].sort((a, b) => total(b) - total(a)).slice(0, limits.importHashKinds.default);
  }
}

/** Returns the expected processor time of verifying a hash in whole milliseconds, at least 1. */
export const roundedMilliseconds = (hash: string): number => Math.max(1, Math.round(hashMilliseconds(hash) ?? 0));
