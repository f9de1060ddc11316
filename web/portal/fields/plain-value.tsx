import type { PortalField } from '../../../contract/portal.ts';
import { textOf } from '../../fields/format.ts';

/** Shows a text. An address of the web, of mail or of a phone is a link if links are possible here. */
export function TextValue({ field, text, links }: { field: PortalField; text: string; links: boolean }) {
  const address = links ? addressOf(field, text) : null;
  if (address === null) return <bdi>{text}</bdi>;
  return (
    <a href={address} rel="noopener noreferrer" {...(address.startsWith('http') && { target: '_blank' })}>
      <bdi>{text}</bdi>
    </a>
  );
}

/** Returns the address to which a text leads; null for any other text. */
function addressOf({ name, editor }: PortalField, text: string): string | null {
  if (editor !== 'text' && editor !== 'array') return null;
  if (/^https?:\/\/[^\s/]\S*$/i.test(text)) return text;
  if (/mail/i.test(name) && /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text)) return `mailto:${encodeURI(text)}`;
  return /phone|mobile|^tel/i.test(name) && /^\+?[\d\s()./-]{5,25}$/.test(text)
    ? `tel:${text.replaceAll(/[^\d+]/g, '')}`
    : null;
}

type Scalar = string | number | boolean | null;
const isScalar = (value: unknown): value is Scalar => value === null || typeof value !== 'object';

/** Properties of an object that are shown with their names; more are shown as JSON. */
const SHOWN_PROPERTIES = 20;

/** Returns true for JSON that a reader understands: a single value, a list of values, or an object of values and lists. */
export function isShowable(value: unknown): value is Scalar | Scalar[] | Readonly<Record<string, Scalar | Scalar[]>> {
  const isFlat = (one: unknown) => isScalar(one) || (Array.isArray(one) && one.every(isScalar));
  if (isFlat(value)) return true;
  const parts = Object.values(value as object);
  return !Array.isArray(value) && parts.length <= SHOWN_PROPERTIES && parts.every(isFlat);
}

/** Shows JSON without its signs: "Width: 20, colours: red, blue". */
export function JsonValue({
  value,
  isShort,
}: {
  value: Scalar | Scalar[] | Readonly<Record<string, Scalar | Scalar[]>>;
  isShort: boolean;
}) {
  const words = (one: Scalar | Scalar[]): string =>
    Array.isArray(one)
      ? one.map(words).join(', ')
      : textOf(
          { editor: typeof one === 'boolean' ? 'boolean' : typeof one === 'number' ? 'number' : 'text', values: null },
          one,
        );
  if (isScalar(value) || Array.isArray(value)) return <bdi>{words(value)}</bdi>;
  const lines = Object.entries(value).map(([name, one]) => `${capital(name.replaceAll('_', ' '))}: ${words(one)}`);
  return isShort ? (
    <bdi>{lines.join('; ')}</bdi>
  ) : (
    lines.map((line) => (
      <div key={line}>
        <bdi>{line}</bdi>
      </div>
    ))
  );
}

const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);
