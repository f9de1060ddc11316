/** Without letters and digits that look alike, for passwords that are read out. */
const alphabet = 'abcdefghjkmnpqrstuvwxyz23456789';

/** A password of four groups of five, 99 random bits: "k3vqp-9mzta-x4wfu-h7nre". */
export function makePassword(): string {
  const letters: string[] = [];
  while (letters.length < 20) {
    const [byte = 0] = crypto.getRandomValues(new Uint8Array(1));
    // Above the last whole multiple of the alphabet, some letters would come up more often.
    if (byte < 256 - (256 % alphabet.length)) letters.push(alphabet[byte % alphabet.length] ?? '');
  }
  return [0, 5, 10, 15].map((start) => letters.slice(start, start + 5).join('')).join('-');
}
