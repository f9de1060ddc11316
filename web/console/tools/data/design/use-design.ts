import { useState } from 'react';
import { newSentence } from './access-sentence.ts';
import { type FieldDesign, newField, type Sentence, type TableDesign } from './table-design.ts';

/** The design in the form, and the functions that change it. */
export interface DesignState {
  readonly design: TableDesign;
  readonly set: (part: Partial<TableDesign>) => void;
  readonly setField: (key: string, part: Partial<FieldDesign>) => void;
  readonly addField: () => string;
  readonly removeField: (key: string) => void;
  readonly moveField: (key: string, by: 1 | -1) => void;
  readonly setSentence: (key: string, part: Partial<Sentence>) => void;
  readonly addSentences: (sentences?: readonly Sentence[]) => void;
  readonly removeSentence: (key: string) => void;
}

export function useDesign(initial: TableDesign): DesignState {
  const [design, setDesign] = useState(initial);
  const change = (how: (before: TableDesign) => Partial<TableDesign>) =>
    setDesign((before) => ({ ...before, ...how(before) }));
  return {
    design,
    set: (part) => change(() => part),
    setField: (key, part) =>
      change(({ fields }) => ({ fields: fields.map((field) => (field.key === key ? { ...field, ...part } : field)) })),
    addField: () => {
      const field = newField();
      change(({ fields }) => ({ fields: [...fields, field] }));
      return field.key;
    },
    // A sentence about a removed field is removed too, because its policy would refuse every row.
    removeField: (key) =>
      change(({ fields, sentences }) => ({
        fields: fields.filter((field) => field.key !== key),
        sentences: sentences.filter(
          ({ rows, when }) => (rows.kind === 'every' || rows.field !== key) && when?.field !== key,
        ),
      })),
    moveField: (key, by) =>
      change(({ fields }) => {
        const from = fields.findIndex((field) => field.key === key);
        const to = from + by;
        if (from < 0 || to < 0 || to >= fields.length) return {};
        const moved = [...fields];
        moved.splice(to, 0, ...moved.splice(from, 1));
        return { fields: moved };
      }),
    setSentence: (key, part) =>
      change(({ sentences }) => ({
        sentences: sentences.map((sentence) => (sentence.key === key ? { ...sentence, ...part } : sentence)),
      })),
    addSentences: (added = [newSentence()]) => change(({ sentences }) => ({ sentences: [...sentences, ...added] })),
    removeSentence: (key) =>
      change(({ sentences }) => ({ sentences: sentences.filter((sentence) => sentence.key !== key) })),
  };
}
