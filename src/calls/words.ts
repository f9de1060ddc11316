import type { z } from 'zod';
import type { CallParameter } from '../../contract/specification-calls.ts';

/** The words of a parameter or a field in chapter 7. */
export type ParameterWords = {
  readonly meaning: string;
  readonly required: boolean;
  /** The type, or the accepted values; `text` if missing. */
  readonly type?: string;
};

/** Returns the words of a parameter that a call needs. The schema of a field accepts its absence; the call refuses it. */
export const required = (meaning: string, type?: string): ParameterWords => ({
  meaning,
  required: true,
  ...(type !== undefined && { type }),
});

/** Returns the words of a parameter that can be left out. */
export const optional = (meaning: string, type?: string): ParameterWords => ({
  ...required(meaning, type),
  required: false,
});

/** Returns the words that a field got by `schema.meta(required('…'))`; null for a field without words. */
export function wordsOf(schema: z.ZodType): ParameterWords | null {
  const { meaning, required, type } = { ...schema.meta() };
  if (typeof meaning !== 'string') return null;
  return { meaning, required: required === true, ...(typeof type === 'string' && { type }) };
}

/** Returns a parameter of a call as chapter 7 lists it. */
export const parameter = (name: string, where: CallParameter['in'], words: ParameterWords): CallParameter => ({
  name,
  in: where,
  type: words.type ?? 'text',
  required: words.required,
  meaning: words.meaning,
});
