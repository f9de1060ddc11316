import type { PortalField } from '../../../../contract/portal.ts';
import { FieldEditor } from '../../../fields/editor.tsx';
import { rowName } from '../../fields/value.tsx';
import { pointedTo } from '../../queries/query.ts';
import type { Row } from '../../queries/rest.ts';
import { entityIn, useScreens } from '../../queries/screens.ts';
import formStyles from './form-page.module.css';

/** The parts of a form that its fields use. */
interface FieldsOfForm {
  readonly isNew: boolean;
  readonly fields: readonly PortalField[];
  readonly shownIn: (field: PortalField) => string | boolean;
  readonly shownWrong: (field: PortalField) => string | null;
  readonly change: (field: PortalField, value: string | boolean) => void;
  readonly leaveField: (field: PortalField) => void;
}

/** The fields of a form. Each is shown with its value, the rule that the value breaks, and the label of the referenced row. */
export function FormFields({ form, row }: { form: FieldsOfForm; row: Row | null }) {
  const all = useScreens();
  return (
    <div className={formStyles.fields}>
      {form.fields.map((field) => {
        const pointed = row && pointedTo(row, field.name);
        const target = field.reference && entityIn(all, field.reference.entity);
        return (
          <FieldEditor
            key={field.name}
            field={field}
            value={form.shownIn(field)}
            chosen={pointed && target ? rowName(all, target, pointed) : null}
            wrong={form.shownWrong(field)}
            isOptional={form.isNew && !field.required && field.editor !== 'boolean'}
            onChange={(value) => form.change(field, value)}
            onLeave={() => form.shownIn(field) !== '' && form.leaveField(field)}
          />
        );
      })}
    </div>
  );
}
