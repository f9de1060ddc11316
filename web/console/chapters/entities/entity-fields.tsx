import { IconArrowRight } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { Entity } from '../../../../contract/specification-entities.ts';
import { Icon } from '../../../ui/icon.tsx';
import { PanelSection } from '../../../ui/panel.tsx';
import { Tag } from '../../../ui/tag.tsx';
import { count, entityName, shortId } from '../../format/format.ts';
import styles from './entities.module.css';
import { attributeWords, equalWords, fieldMarks, filledBy } from './entity-words.ts';

/** The fields of an entity, each with a link to its page. */
export function EntityFields({ appRef, entity }: { appRef: string; entity: Entity }) {
  return (
    <PanelSection title="Fields" aside={count(entity.fields.length)}>
      <ul className={styles.fields}>
        {entity.fields.map((field) => (
          <li key={field.name}>
            <Link
              to="/app/$ref/entities"
              params={{ ref: appRef }}
              search={{ entity: entity.id, field: field.name }}
              className={styles.field ?? ''}
            >
              <code>{field.name}</code>
            </Link>
            <code className={styles.type}>{shortId(field.type)}</code>
            <span className={styles.marks}>
              {fieldMarks(entity, field).map((mark) => (
                <Tag key={mark}>{mark}</Tag>
              ))}
            </span>
            <FieldWords field={field} />
          </li>
        ))}
      </ul>
    </PanelSection>
  );
}

/** Describes the properties of a field. */
function FieldWords({ field }: { field: Entity['fields'][number] }) {
  const filled = filledBy(field);
  const { references, enum_values, attributes, collation, numbering, files, comment, type_comments = [] } = field;
  const details = [filled, references, enum_values, attributes, collation, numbering, files, comment];
  if (details.every((one) => !one)) return null;
  const equal = equalWords(field);
  return (
    <span className={styles.about}>
      {comment && <span>{[comment, ...type_comments].join('; ')}</span>}
      {references && (
        <span>
          <Icon of={IconArrowRight} small />{' '}
          <code>{`${entityName(references.schema, references.entity)}.${references.field}`}</code>
        </span>
      )}
      {attributes && (
        <span>
          of <code>{attributeWords(field)}</code>
        </span>
      )}
      {enum_values && <span>one of {enum_values.join(', ')}</span>}
      {collation && (
        <span>
          collation <code>{shortId(collation.name)}</code>
          {equal !== null && `: ${equal}`}
        </span>
      )}
      {filled !== null && (
        <span>
          default: <code>{filled}</code>
        </span>
      )}
      {numbering && <span>numbers {numbering}</span>}
      {files && (
        <span>
          {files.many ? 'files' : 'a file'} of the bucket <code>{files.bucket}</code>
        </span>
      )}
    </span>
  );
}
