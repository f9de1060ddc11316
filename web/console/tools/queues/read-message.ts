/** The body of the call that sends a message. */
interface MessageBody {
  message: unknown;
  headers?: Record<string, unknown>;
  delay_seconds?: number;
}

/**
 * Reads the fields of the form that sends a message. Pure.
 * @param maxDelay The longest delay in seconds.
 * @returns the body of the call, or the reason why the fields are not valid
 */
export function readMessage(
  { message, headers, delay }: { message: string; headers: string; delay: string },
  maxDelay: number,
): { body: MessageBody } | { refused: string } {
  const content = parse(message);
  if (!content) return { refused: 'The message is not valid JSON.' };
  const head = headers.trim() === '' ? null : parse(headers);
  if (head === undefined || (head !== null && !isObject(head.value)))
    return { refused: 'The headers are not a JSON object.' };
  const seconds = delay.trim() === '' ? 0 : Number(delay);
  if (!Number.isInteger(seconds) || seconds < 0 || seconds > maxDelay)
    return { refused: `The delay is a whole number from 0 to ${maxDelay.toLocaleString('en')}.` };
  return {
    body: {
      message: content.value,
      ...(head !== null && isObject(head.value) && { headers: head.value }),
      ...(seconds > 0 && { delay_seconds: seconds }),
    },
  };
}

/** Parses JSON; undefined if the text is not valid. */
function parse(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
