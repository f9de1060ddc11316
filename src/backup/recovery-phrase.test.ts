import { describe, expect, it } from 'vitest';
import { makePhrase, openSecrets, readPhrase, sealSecrets } from './recovery-phrase.ts';

const secrets = { masterKey: 'a'.repeat(43), postgresPassword: 'p' };

describe('recovery phrase', () => {
  it('opens the secrets that it sealed, however it is typed', async () => {
    const phrase = makePhrase();
    expect(phrase).toMatch(/^([0-9A-HJKMNP-TV-Z]{4}-){6}[0-9A-HJKMNP-TV-Z]{4}$/);
    const sealed = await sealSecrets(phrase, secrets);
    expect(sealed).not.toContain(secrets.masterKey);
    for (const typed of [phrase, ` ${phrase.toLowerCase().replaceAll('-', ' ')}\n`, phrase.replaceAll('0', 'o')]) {
      expect(await openSecrets(typed, sealed)).toEqual(secrets);
    }
  });

  it('refuses a phrase with a wrong character before it tries it, and the phrase of other backups', async () => {
    const phrase = makePhrase();
    const wrong = `${phrase[0] === '7' ? '8' : '7'}${phrase.slice(1)}`;
    const refusals = [wrong, phrase.slice(0, -1), `${phrase}A`, ''].filter((text) => {
      try {
        readPhrase(text);
        return false;
      } catch {
        return true;
      }
    });
    // Two check characters let one wrong text in 1024 pass.
    expect(refusals.length).toBeGreaterThanOrEqual(3);
    const sealed = await sealSecrets(phrase, secrets);
    await expect(openSecrets(makePhrase(), sealed)).rejects.toThrow('does not fit');
    await expect(openSecrets(phrase, sealed.replace('"sealed":"', '"sealed":"A'))).rejects.toThrow('does not fit');
    await expect(openSecrets(phrase, 'no JSON')).rejects.toThrow('does not fit');
  });
});
