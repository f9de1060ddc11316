import { useState } from 'react';
import type { Entity } from '../../../../../contract/specification-entities.ts';
import { Button } from '../../../../ui/button.tsx';
import { shortId } from '../../../format/format.ts';
import { shortType } from '../../../values/field-kind.ts';
import type { ScreenDefinition } from './definitions.ts';
import { fieldKey } from './definitions-sql.ts';
import styles from './editor.module.css';
import type { EditorContext } from './editor-context.ts';
import { Option } from './option.tsx';
import { moved, OrderedList } from './ordered-list.tsx';
import { LabelFields } from './text-options.tsx';

/** Returns the name of a field as words: "created_at" becomes "Created at". Pure. */
function fieldWords(name: string): string {
  const words = name.replaceAll(/[_\s]+/g, ' ').trim() || name;
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The fields that a screen shows, in their order, and their labels. */
export function FieldsOption({
  editor,
  item,
  entity,
  implied,
}: {
  editor: EditorContext;
  item: ScreenDefinition;
  entity: Entity;
  /** The fields that follow from the entity if the definition names none. */
  implied: readonly string[];
}) {
  const [open, setOpen] = useState<string | null>(null);
  const chosen = item.columns ?? implied;
  const others = entity.fields.map(({ name }) => name).filter((name) => !chosen.includes(name));
  const set = (columns: readonly string[]) => editor.state.set({ columns });
  const lineOf = (name: string) => {
    const isChosen = chosen.includes(name);
    const field = entity.fields.find((one) => one.name === name);
    return {
      ...{ id: name, name, isFixed: !isChosen },
      look: open === name ? ('chosen' as const) : isChosen ? undefined : ('off' as const),
      content: (
        <>
          <button
            type="button"
            className={styles.fieldName}
            aria-expanded={open === name}
            onClick={() => setOpen(open === name ? null : name)}
          >
            {editor.state.draft.labels.en?.[fieldKey(entity.id, name)]?.label ?? fieldWords(name)} <code>{name}</code>
          </button>
          <span className={styles.lineTools}>
            <span className={styles.aside}>{field ? shortType(field.type) : 'gone'}</span>
            <input
              type="checkbox"
              aria-label={`Show ${name}`}
              checked={isChosen}
              onChange={() => set(isChosen ? chosen.filter((one) => one !== name) : [...chosen, name])}
            />
          </span>
        </>
      ),
      details: open === name && (
        <div className={styles.details}>
          <p className={styles.note}>Labels hold wherever the app shows {shortId(fieldKey(entity.id, name))}.</p>
          <LabelFields editor={editor} labelKey={fieldKey(entity.id, name)} />
        </div>
      ),
    };
  };
  return (
    <Option
      name="Fields"
      value={`${chosen.length} of ${entity.fields.length}${item.columns ? ', in this order' : ', as they are'}`}
      faults={editor.faultsOf('fields')}
      isOpenAtFirst
    >
      <OrderedList
        label="Fields in their order"
        items={[...chosen, ...others].map(lineOf)}
        onMove={(from, to) => to < chosen.length && set(moved(chosen, from, to))}
      />
      {item.columns ? (
        <Button small kind="quiet" onClick={() => editor.state.set({ columns: null })}>
          Follow the table
        </Button>
      ) : (
        <p className={styles.note}>They follow the table: a new field appears here by itself.</p>
      )}
    </Option>
  );
}
