/** Letters and digits that are not easily confused, for passwords that are read aloud. */
const alphabet = 'abcdefghjkmnpqrstuvwxyz23456789';

/** Generates a password of four groups of five, with 99 random bits: "k3vqp-9mzta-x4wfu-h7nre". */
export function makePassword(): string {
  const letters: string[] = [];
  while (letters.length < 20) {
    const [byte = 0] = crypto.getRandomValues(new Uint8Array(1));
    // Bytes above the last multiple of the alphabet's length would make some letters more frequent.
    if (byte < 256 - (256 % alphabet.length)) letters.push(alphabet[byte % alphabet.length] ?? '');
  }
  return [0, 5, 10, 15].map((start) => letters.slice(start, start + 5).join('')).join('-');
}
