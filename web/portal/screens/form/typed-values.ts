import { useState } from 'react';
import type { PortalEntity, PortalField } from '../../../../contract/portal.ts';
import { type Draft, toDraft, typedIn, wrongIn } from '../../../fields/draft.ts';
import type { Row } from '../../queries/rest.ts';
import { useCaller } from '../shell/gate.tsx';
import { useSavedDraft } from './use-saved-draft.ts';

/**
 * Returns the fields of a form: those that its screen names, or else all fields that the caller may write. The state is
 * left out, because only transitions change it, and so are fields of a new row whose value
 * the policies fix: the caller's id, or a constant. A key that tells a reader nothing does not change.
 */
export function formFields(entity: PortalEntity, columns: readonly string[] | null, isNew: boolean): PortalField[] {
  const written = entity.fields.filter(({ insertable, updatable, filled_by }) =>
    isNew ? insertable && filled_by !== 'caller' && filled_by !== 'policy' : updatable,
  );
  if (columns === null) {
    return written.filter(
      ({ name, filled_by, shape }) =>
        name !== entity.machine?.field &&
        filled_by !== 'database' &&
        (isNew || (filled_by !== 'caller' && !(entity.key.length === 1 && entity.key[0] === name && shape === 'uuid'))),
    );
  }
  return columns.flatMap((name) => written.find((field) => field.name === name) ?? []);
}

/**
 * Returns the values that a member types in a form. They are stored on the device until the form is saved.
 * @param given Values that the address or the page gives to fields of a new row.
 */
export function useTypedValues(place: string, fields: readonly PortalField[], row: Row | null, given: Draft) {
  const isNew = row === null;
  const callerId = useCaller()?.user.id ?? '';
  const saved = useSavedDraft(place);
  const [restored, setRestored] = useState(saved.read);
  const [draft, setDraft] = useState<Draft>(() => ({ ...restored?.draft, ...given }));
  const unchanged = (field: PortalField) =>
    row ? toDraft(field, row[field.name]) : field.initial_is_caller ? callerId : toDraft(field, field.initial ?? null);
  const shownIn = (field: PortalField) => typedIn(draft, field) ?? unchanged(field);
  const isTyped = (field: PortalField) => {
    const typed = typedIn(draft, field);
    return typed !== undefined && typed !== (typedIn(given, field) ?? unchanged(field));
  };
  return {
    ...{ saved, restored, draft, shownIn },
    /** The rule that each field breaks. A stored value that the member leaves unchanged is not checked, because it is not sent. */
    wrong: new Map(
      fields.map((field) => [field.name, isNew || isTyped(field) ? wrongIn(field, shownIn(field), isNew) : null]),
    ),
    hasChanges: fields.some(isTyped),
    change: (field: PortalField, value: string | boolean) => {
      const next = { ...draft, [field.name]: value };
      setDraft(next);
      saved.write(next, row);
    },
    discard: () => {
      saved.clear();
      setDraft(given);
      setRestored(null);
    },
  };
}
