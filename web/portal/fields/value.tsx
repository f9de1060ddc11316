import { Link } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import type { PortalEntity, PortalField, PortalScreens } from '../../../contract/portal.ts';
import { ago, fullTime, shortTime, textOf, timeOf } from '../../fields/format.ts';
import { State } from '../../fields/state.tsx';
import { t } from '../../language/messages.ts';
import { code } from '../../ui/recovery/code.ts';
import { pathsOf } from '../queries/files.ts';
import { useMemberNames } from '../queries/member-names.ts';
import { canEmbed, pointedTo } from '../queries/query.ts';
import type { Row } from '../queries/rest.ts';
import { entityIn, fieldIn, labelOf, rowPath, useScreens } from '../queries/screens.ts';
import { useCaller } from '../screens/shell/gate.tsx';
import { isShowable, JsonValue, TextValue } from './plain-value.tsx';
import styles from './value.module.css';

const FileSummary = lazy(
  code(() => import('../../files/file-summary.tsx').then(({ FileSummary: summary }) => ({ default: summary }))),
);
const FileGallery = lazy(
  code(() => import('../../files/file-gallery.tsx').then(({ FileGallery: gallery }) => ({ default: gallery }))),
);

/** Shows the value of a row's field to members. */
export function FieldValue({
  entity,
  field,
  row,
  isShort = false,
  links = false,
}: {
  entity: PortalEntity;
  field: PortalField;
  row: Row;
  /** Shows the time of a write as its age, for example "2 days ago", and lists in one line. */
  isShort?: boolean;
  /** Shows a reference as a link to its row, and an address as a link. */
  links?: boolean;
}) {
  const value = row[field.name];
  const callerId = useCaller()?.user.id;
  const machine = useMachine(entity);
  if (machine?.field === field.name && typeof value === 'string') return <State machine={machine} state={value} />;
  if (field.reference) return <ReferenceValue entity={entity} field={field} row={row} links={links} />;
  if (value === null || value === undefined || value === '') return <span className="soft">–</span>;
  if (field.files) {
    const paths = pathsOf(value);
    return (
      <Suspense>
        {isShort ? (
          <FileSummary bucket={field.files.bucket} paths={paths} />
        ) : (
          <FileGallery files={field.files} paths={paths} />
        )}
      </Suspense>
    );
  }
  if (field.editor === 'member') return <MemberValue id={String(value)} />;
  if (value === callerId) return t('you');
  if (field.editor === 'date and time') {
    const time = timeOf(value);
    return time ? (
      <time dateTime={time.toISOString()} title={fullTime(time)} className={styles.time}>
        {isShort && field.filled_by === 'database' ? ago(time, new Date()) : shortTime(time)}
      </time>
    ) : (
      String(value)
    );
  }
  if (field.editor === 'json' && isShowable(value)) return <JsonValue value={value} isShort={isShort} />;
  if (field.editor === 'json')
    return (
      <code className={styles.json} dir="ltr">
        {textOf(field, value)}
      </code>
    );
  // If the values of an enum are a scale, such as a priority, the last value is the most urgent one, so it is bold.
  const isHighest = field.editor === 'enum' && field.values?.at(-1)?.value === value && isScale(field);
  // The letters of a text decide its direction, whatever the language of the pages is.
  if (isHighest) return <b>{textOf(field, value)}</b>;
  if (links && field.editor === 'array' && Array.isArray(value)) {
    return value.map((one, i) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: The values of an array have no identity besides their place.
      <div key={i}>
        <TextValue field={field} text={String(one)} links />
      </div>
    ));
  }
  return <TextValue field={field} text={textOf(field, value)} links={links && typeof value === 'string'} />;
}

const isScale = ({ name }: PortalField): boolean => /priority|severity|urgency|importance/i.test(name);

/** Returns the machine of an entity. For a view, returns the machine of the rows that the view opens. */
function useMachine({ machine, opens }: PortalEntity) {
  const all = useScreens();
  return machine ?? (opens && entityIn(all, opens.entity)?.machine) ?? null;
}

/** Shows the label of a referenced row. The label is missing if the member may not read that row. */
function ReferenceValue({
  entity,
  field,
  row,
  links,
}: {
  entity: PortalEntity;
  field: PortalField;
  row: Row;
  links: boolean;
}) {
  const all = useScreens();
  const target = field.reference && entityIn(all, field.reference.entity);
  const value = row[field.name];
  const callerId = useCaller()?.user.id;
  if (value === null || !target) {
    const isPeople = isPersonField(field) && (!target || isPersonEntity(target));
    return <span className="soft">{isPeople ? t('nobody') : '–'}</span>;
  }
  // A row of another schema cannot be embedded, so only its key is known.
  const pointed = pointedTo(row, field.name) ?? (canEmbed(entity, target) ? null : {});
  const isOwn = value === callerId;
  if (!pointed) return isOwn ? t('you') : <span className="soft">{t('notVisible')}</span>;
  const named = { ...pointed, [field.reference?.field ?? '']: value };
  const path = links ? rowPath(all, target, named) : null;
  const name = isOwn && labelOf(all, target, named) === null ? t('you') : <bdi>{rowName(all, target, named)}</bdi>;
  return path ? <Link to={path}>{name}</Link> : name;
}

/** Returns true for a field whose value is probably a person, by its name. */
export const isPersonField = ({ name }: PortalField): boolean =>
  /assignee|owner|author|member|user|customer|agent|person|editor|manager|_by$/i.test(name);

/** Returns true for an entity whose rows are probably people, by its name. */
const isPersonEntity = ({ name }: PortalEntity): boolean =>
  /member|user|customer|client|agent|person|people|profile|staff|employee|contact|student|teacher|author|tenant|owner/i.test(
    name,
  );

const isUuid = (text: string): boolean => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text);

/** Returns the label of a row: its label, or else its entity and number. */
export function rowName(all: PortalScreens, entity: PortalEntity, row: Row): string {
  const label = labelOf(all, entity, row);
  if (label !== null) return label;
  // Each part of a key that has several fields repeats in other rows. A uuid tells a reader nothing.
  const parts = entity.key.flatMap((name) => {
    const [field, value] = [fieldIn(entity, name), row[name]];
    const isTold = field?.editor !== 'member' && field?.shape !== 'uuid' && !field?.reference;
    return isTold && (typeof value === 'number' || (typeof value === 'string' && !isUuid(value)))
      ? [String(value)]
      : [];
  });
  return [entity.one, parts.join(' · ')].filter(Boolean).join(' ');
}

/** Shows an account by the name of its member, if the caller may read a row with this name. Never shows the id. */
function MemberValue({ id }: { id: string }) {
  const caller = useCaller();
  const isOwn = caller?.user.id === id;
  const { [id]: name } = useMemberNames(isOwn ? [] : [id]);
  if (isOwn) return t('you');
  return name === undefined ? <span className="soft">{t('anotherMember')}</span> : <bdi>{name}</bdi>;
}
