import { useRef, useState } from 'react';
import { plainWords } from '../../../../contract/plain-words.ts';
import type { PortalField } from '../../../../contract/portal.ts';
import { wordsOf } from '../../../fields/rules.ts';
import { inSentence, t } from '../../../language/messages.ts';
import { Refusal } from '../../queries/rest.ts';
import { troubleWords } from '../shared/trouble-words.ts';
import type { FieldProblem } from './form-problems.tsx';

/** Returns the problems of a form: wrong values of fields that the member has left, and the field that the server refused. */
export function useProblems(fields: readonly PortalField[], wrong: ReadonlyMap<string, string | null>) {
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [isTried, setIsTried] = useState(false);
  const { element, refused, setRefused, focus, onError } = useRefused(fields);
  const shownWrong = ({ name }: PortalField) =>
    refused?.field === name ? refused.words : left.has(name) ? (wrong.get(name) ?? null) : null;
  const broken = fields.find(({ name }) => left.has(name) && wrong.get(name) != null);
  const forgetAttempt = () => {
    setRefused(null);
    setIsTried(false);
  };
  return {
    ...{ element, focus, onError, shownWrong, forgetAttempt },
    /** The sentence about the first wrong field; null if none is wrong. */
    words: broken ? t('lookAt', { label: inSentence(broken.label) }) : null,
    /** The fields to list at the top of the form: after an attempt to save it, those that stopped the attempt. */
    listed: isTried || refused ? problemsOf(fields, shownWrong) : [],
    /** Checks all fields. Returns the first wrong one. */
    tryAll: () => {
      setLeft(new Set(fields.map(({ name }) => name)));
      const first = fields.find(({ name }) => wrong.get(name) != null);
      setIsTried(first !== undefined);
      return first;
    },
    leave: ({ name }: PortalField) => setLeft(new Set([...left, name])),
    reset: () => {
      forgetAttempt();
      setLeft(new Set());
    },
  };
}

/** Returns the fields that stop a form from being saved. */
const problemsOf = (
  fields: readonly PortalField[],
  wrong: (field: PortalField) => string | null,
): readonly FieldProblem[] =>
  fields.flatMap((field) => {
    const words = wrong(field);
    return words === null ? [] : [{ name: field.name, label: field.label, words }];
  });

/** Returns the field that the server has refused, and the function that finds it in an error and moves the focus to it. */
function useRefused(fields: readonly PortalField[]) {
  const element = useRef<HTMLFormElement>(null);
  const [refused, setRefused] = useState<RefusedField | null>(null);
  const focus = (name: string) =>
    element.current
      ?.querySelector<HTMLElement>(`[data-field="${CSS.escape(name)}"] :is(input, textarea, select, button)`)
      ?.focus();
  const onError = (failure: Error) => {
    const found = refusedField(fields, failure);
    setRefused(found);
    if (found) focus(found.field);
  };
  return { element, refused, setRefused, focus, onError };
}

interface RefusedField {
  readonly field: string;
  readonly words: string;
}

/** Returns the field that an error is about, because the error names the field or one of its rules. */
function refusedField(fields: readonly PortalField[], error: Error): RefusedField | null {
  if (!(error instanceof Refusal) || !error.code?.startsWith('23')) return null;
  const named = new Set([...error.message.matchAll(/"([^"]+)"/g)].map(([, name]) => name));
  for (const field of fields) {
    const rule = field.rules.find(({ name }) => named.has(name));
    if (rule) return { field: field.name, words: error.hint === null ? wordsOf(rule) : plainWords(error.hint) };
  }
  const field = fields.find(({ name }) => error.code === '23502' && named.has(name));
  return field ? { field: field.name, words: troubleWords(error) } : null;
}
