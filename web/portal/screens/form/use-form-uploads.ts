import { useEffect, useRef, useState } from 'react';
import type { PortalEntity, PortalField } from '../../../../contract/portal.ts';
import { pathsIn } from '../../../fields/draft.ts';
import { useNewFormFiles, usePendingFiles } from '../../../fields/form-files-context.ts';
import { t } from '../../../language/messages.ts';
import { pathsOf } from '../../queries/files.ts';
import type { Row } from '../../queries/rest.ts';
import { useFilesStore } from './use-saved-draft.ts';

/**
 * Returns the uploads of a form, and functions that save the form after them and delete the files that its row names no
 * more.
 * @param place Identifies the form, as for `useSavedDraft`.
 * @param submit Saves the form. It is called after the last upload if the member has asked for it before.
 */
export function useFormUploads(
  { entity, place, key }: { entity: PortalEntity; place: string; key: Readonly<Record<string, unknown>> | null },
  submit: () => void,
) {
  const store = useFilesStore(place);
  const id = key === null ? null : Object.values(key).map(String).join('-');
  const files = useNewFormFiles({ table: entity.name, id }, store);
  const { names, hasFailed } = usePendingFiles(files);
  const [isWaiting, setIsWaiting] = useState(false);
  const latest = useRef(submit);
  useEffect(() => {
    latest.current = submit;
  });
  useEffect(() => {
    if (!isWaiting || names.length > 0) return;
    setIsWaiting(false);
    if (!hasFailed) latest.current();
  }, [isWaiting, names.length, hasFailed]);
  const [name = ''] = names;
  return {
    files,
    isWaiting,
    isPending: names.length > 0,
    /** Says what the form waits for. Null if it waits for nothing. */
    status: !isWaiting
      ? null
      : names.length === 1
        ? t('filesWaitFor', { names: name })
        : t('filesWaitForMany', { count: names.length }),
    /** Saves the form later. Returns false if there is nothing to wait for. */
    waits: (): boolean => {
      if (names.length > 0) setIsWaiting(true);
      return names.length > 0;
    },
    /** Deletes the files that the saved row names no more. */
    settle: (fields: readonly PortalField[], before: Row | null, typed: (field: PortalField) => string | boolean) => {
      const ofFiles = fields.flatMap((field) => (field.files ? [{ field, bucket: field.files.bucket }] : []));
      const had = ofFiles.flatMap(({ field, bucket }) =>
        pathsOf(before?.[field.name]).map((path) => ({ bucket, path })),
      );
      void files.settle(
        had,
        ofFiles.flatMap(({ field }) => pathsIn(String(typed(field)))),
      );
    },
    /** Deletes what the form has uploaded, because it is not saved. */
    discard: () => {
      setIsWaiting(false);
      void files.discard();
    },
  };
}
