import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import type { FileField } from '../../../../../contract/file-fields.ts';
import type { Field } from '../../../../../contract/specification-entities.ts';
import { pathsIn, pathsText } from '../../../../fields/draft.ts';
import { FilesField } from '../../../../fields/files-field.tsx';
import { FormFilesContext, useNewFormFiles, usePendingFiles } from '../../../../fields/form-files-context.ts';
import { Button } from '../../../../ui/button.tsx';
import type { Table } from '../../../queries/rows/rest-call.ts';
import { pathsOfValue, valueOfPaths } from '../../../values/file-paths.ts';
import styles from './editor.module.css';

/**
 * Editor of a field with files: the same control as on the pages of members. Files of the value that are removed are
 * deleted after the row is saved.
 */
export function FilesEditor({
  table,
  field,
  value,
  rowKey,
  isPending,
  children,
  onSave,
  onClose,
}: {
  table: Table;
  field: Field & { files: FileField };
  value: string | null;
  rowKey: readonly string[];
  isPending: boolean;
  /** The rule of the field, or the error of the last attempt to save it. */
  children: ReactNode;
  /** @param onSaved Called after the row is saved. */
  onSave: (value: string | null, shown: undefined, goOn: false, onSaved: () => void) => void;
  onClose: (saved: boolean) => void;
}) {
  const id = useId();
  const { files } = field;
  const form = useNewFormFiles({ table: table.entity.name, id: rowKey.join('-') });
  const { names } = usePendingFiles(form);
  const stored = pathsOfValue(files, value);
  const [typed, setTyped] = useState(pathsText(stored));
  const isSaved = useRef(false);
  // An editor that closes without a saved row has uploaded for nothing.
  useEffect(() => {
    return () => {
      if (!isSaved.current) void form.discard();
    };
  }, [form]);
  const save = () => {
    const paths = pathsIn(typed);
    onSave(valueOfPaths(files, paths, field.nullable), undefined, false, () => {
      isSaved.current = true;
      void form.settle(
        stored.map((path) => ({ bucket: files.bucket, path })),
        paths,
      );
    });
  };
  return (
    <FormFilesContext value={form}>
      <div className={styles.files}>
        <FilesField
          id={id}
          field={{ name: field.name, label: field.name, files }}
          value={typed}
          describedBy={undefined}
          isWrong={false}
          onChange={setTyped}
        />
        {children}
        <div className={styles.buttons}>
          <Button
            kind="first"
            small
            busy={isPending && 'Saving'}
            offBecause={
              names.length > 0 ? `${names.length === 1 ? names[0] : `${names.length} files`} still uploading.` : null
            }
            onClick={save}
          >
            Save
          </Button>
          <Button kind="quiet" small onClick={() => onClose(false)}>
            Cancel
          </Button>
        </div>
      </div>
    </FormFilesContext>
  );
}
