import { currentLocale } from '../language/messages.ts';

/** The signs with which a locale writes numbers. */
interface Notation {
  readonly decimal: string;
  readonly group: string;
  /** The digits from 0 to 9. */
  readonly digits: readonly string[];
}

function notationOf(locale: string): Notation {
  const parts = new Intl.NumberFormat(locale, { useGrouping: true }).formatToParts(1234567.8);
  const sign = (type: Intl.NumberFormatPartTypes) => parts.find((part) => part.type === type)?.value ?? '';
  const one = new Intl.NumberFormat(locale, { useGrouping: false });
  return {
    decimal: sign('decimal') || '.',
    group: sign('group'),
    digits: Array.from({ length: 10 }, (_, digit) => one.format(digit)),
  };
}

/** The first digit of the decimal digits that Arabic and Persian use (Unicode, block "Arabic"). */
const ARABIC_ZEROS = [0x660, 0x6f0];

const latinDigit = (digit: string): string => {
  const code = digit.charCodeAt(0);
  return String(code - (ARABIC_ZEROS.find((zero) => code >= zero && code <= zero + 9) ?? code));
};

/** Formats a number, as JSON writes it, in the notation of a locale, without groups: `1234.5` → "1234,5" in German. Pure. */
export function localNumber(plain: string, locale: string = currentLocale()): string {
  if (!/^-?[\d.]+(e[-+]?\d+)?$/i.test(plain)) return plain;
  const { decimal, digits } = notationOf(locale);
  return plain.replaceAll(/[\d.]/g, (sign) => (sign === '.' ? decimal : (digits[Number(sign)] ?? sign)));
}

/**
 * Reads a number in the notation of a locale, with or without groups: "1.234,5" in German → `1234.5`. A sign that the
 * locale uses for groups is the decimal sign if no three digits follow it. Returns the number as JSON writes it, with
 * all its digits; null if the text is no number. Pure.
 */
export function plainNumber(typed: string, locale: string = currentLocale()): string | null {
  const { group } = notationOf(locale);
  const text = typed
    .replaceAll(/[\s\p{Sc}'’\u200e\u200f\u061c]/gu, '')
    .replaceAll(/[\u0660-\u0669\u06f0-\u06f9]/g, latinDigit)
    .replaceAll('−', '-')
    .replaceAll('٫', '.')
    .replaceAll('٬', group === '.' ? '.' : ',');
  const isPoint = group === '.' && /^-?\d{1,3}(\.\d{3})+(,\d*)?$/.test(text);
  const isComma = group !== '.' && /^-?\d{1,3}(,\d{3})+(\.\d*)?$/.test(text);
  const plain = isPoint
    ? text.replaceAll('.', '').replace(',', '.')
    : isComma
      ? text.replaceAll(',', '')
      : /^-?\d*,\d+$/.test(text)
        ? text.replace(',', '.')
        : text;
  return /^-?(\d+(\.\d*)?|\.\d+)(e[-+]?\d+)?$/i.test(plain) ? plain : null;
}
