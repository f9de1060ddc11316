import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { PortalEntity, PortalField, PortalRelated } from '../../../../contract/portal.ts';
import { ago, countWords, fullTime, initials, timeOf } from '../../../fields/format.ts';
import { inSentence, t } from '../../../language/messages.ts';
import { quoted } from '../../../rows/query.ts';
import { Button } from '../../../ui/button.tsx';
import { classNames } from '../../../ui/class-names.ts';
import { Markdown } from '../../fields/markdown.tsx';
import { MemberReference } from '../../fields/member-reference.tsx';
import { FieldValue, rowName } from '../../fields/value.tsx';
import { usePortal } from '../../queries/client.ts';
import { type Conversation, conversationOf } from '../../queries/conversation.ts';
import { pathsOf } from '../../queries/files.ts';
import { followed } from '../../queries/live.ts';
import { useMemberNames } from '../../queries/member-names.ts';
import { keyOf, pointedTo } from '../../queries/query.ts';
import type { Row } from '../../queries/rest.ts';
import { list } from '../../queries/row-pages.ts';
import { addRow, deleteRow } from '../../queries/rows.ts';
import { entityIn, fieldIn, formFor, listFor, readableFields, useScreens } from '../../queries/screens.ts';
import { RowsTable } from '../rows/rows-table.tsx';
import pageStyles from '../shared/page.module.css';
import { Trouble } from '../shared/trouble.tsx';
import { useCaller } from '../shell/gate.tsx';
import { Compose } from './compose.tsx';
import styles from './detail-page.module.css';

/** Lists the rows that reference a row. If the member may add such a row, a form follows the list. */
export function Related({ related, row, owner }: { related: PortalRelated; row: Row; owner: PortalEntity }) {
  const portal = usePortal();
  const all = useScreens();
  const entity = entityIn(all, related.entity);
  const target = entity && fieldIn(entity, related.field)?.reference?.field;
  const value = target === undefined ? undefined : row[target];
  const columns =
    (entity && listFor(all, entity)?.columns) ??
    entity?.fields.filter(({ readable }) => readable).map(({ name }) => name) ??
    [];
  const query = {
    filter: null,
    order: entity && orderOf(entity),
    conditions: { [related.field]: `eq.${String(value)}` },
    search: '',
  };
  const { data, error, hasNextPage, fetchNextPage } = useInfiniteQuery({
    ...list(portal, all, { entity: entity ?? owner, columns, query: { ...query, order: query.order ?? null } }),
    enabled: entity !== undefined && value !== undefined,
    ...followed,
  });
  if (!entity || value === undefined) return null;
  const rows = data?.pages.flatMap((page) => page.rows) ?? [];
  const talk = conversationOf(entity, related.field);
  const form = formFor(all, entity);
  const canLink = related.link !== null && entity.access.insert.open;
  if (rows.length === 0 && !form && !canLink && !error) return null;
  // Several references lead from these rows to this one, or they are rows of the same entity.
  const isAmbiguous = entity.id === owner.id || owner.related.filter((one) => one.entity === entity.id).length > 1;
  const label = [entity.label, isAmbiguous && fieldIn(entity, related.field)?.label].filter(Boolean).join(' · ');
  return (
    <section className={pageStyles.section} aria-label={label}>
      <h2>
        {label} <small>{data ? countWords(data.pages[0]?.total ?? rows.length) : ''}</small>
      </h2>
      <Trouble error={error} />
      {related.link !== null ? (
        <Links entity={entity} related={related} link={related.link} rows={rows} value={value} />
      ) : talk ? (
        <ul>
          {rows.map((one) => (
            <Said key={JSON.stringify(keyOf(entity, one))} entity={entity} talk={talk} row={one} />
          ))}
        </ul>
      ) : (
        rows.length > 0 && (
          <RowsTable
            label={entity.label}
            entity={entity}
            columns={readableFields(entity, columns).filter(({ name }) => name !== related.field)}
            rows={rows}
          />
        )
      )}
      {hasNextPage && (
        <button type="button" className={pageStyles.word} onClick={() => void fetchNextPage()}>
          {t('showMore')}
        </button>
      )}
      {form &&
        related.link === null &&
        (talk ? (
          <Compose entity={entity} columns={form.columns} related={related} value={value} />
        ) : (
          <p>
            <Link to={form.route} search={{ [related.field]: String(value) } as never}>
              {form.title}
            </Link>
          </p>
        ))}
    </section>
  );
}

/** Returns the order of the listed rows. If they have a time, the oldest row is first, as in a conversation. */
function orderOf({ fields }: PortalEntity): string | null {
  const time = fields.find(
    ({ name, editor, readable }) => readable && editor === 'date and time' && /creat|^at$|added|since/.test(name),
  );
  return time ? quoted(time.name) : null;
}

/** Shows a row that consists mainly of a text, with its author and its time. */
function Said({ entity, talk: { author, body }, row }: { entity: PortalEntity; talk: Conversation; row: Row }) {
  const of = (test: (field: PortalField) => boolean) => entity.fields.find((field) => field.readable && test(field));
  const time = timeOf(row[of(({ editor }) => editor === 'date and time')?.name ?? '']);
  const marked = entity.fields.filter(
    ({ name, editor, readable }) => readable && editor === 'boolean' && row[name] === true,
  );
  const all = useScreens();
  const callerId = useCaller()?.user.id;
  const pointed = pointedTo(row, author.name);
  const target = author.reference && entityIn(all, author.reference.entity);
  const written = author.editor === 'text' ? row[author.name] : null;
  const isOwn = row[author.name] != null && row[author.name] === callerId;
  const names = useMemberNames(author.editor === 'member' && !isOwn ? [String(row[author.name])] : []);
  const named = (pointed && target && rowName(all, target, pointed)) ?? names[String(row[author.name])];
  const who = String(named || (isOwn ? t('you') : written) || t('aMember'));
  return (
    <li className={classNames(styles.said, marked.length > 0 && styles.marked)}>
      <span className={styles.face} aria-hidden="true">
        {initials(who)}
      </span>
      <div className={styles.by}>
        <b>
          <bdi>{who}</bdi>
        </b>
        {marked.map(({ name, label }) => (
          <span key={name} className={styles.tag}>
            {label}
          </span>
        ))}
        {time && (
          <time dateTime={time.toISOString()} title={fullTime(time)}>
            {ago(time, new Date())}
          </time>
        )}
      </div>
      <div className={styles.words}>
        <Markdown text={String(row[body.name] ?? '')} />
        {entity.fields
          .filter((field) => field.files && field.readable && pathsOf(row[field.name]).length > 0)
          .map((field) => (
            <FieldValue key={field.name} entity={entity} field={field} row={row} />
          ))}
      </div>
    </li>
  );
}

/** Lists the rows that a junction table joins to a row. The member can remove each of them, and add another one with a picker. */
function Links({
  entity,
  related,
  link,
  rows,
  value,
}: {
  entity: PortalEntity;
  related: PortalRelated;
  link: string;
  rows: readonly Row[];
  value: unknown;
}) {
  const portal = usePortal();
  const all = useScreens();
  const adding = useMutation(addRow(portal, entity, useCaller()?.user.id ?? null));
  const removing = useMutation(deleteRow(portal, entity));
  const callerId = useCaller()?.user.id;
  const field = fieldIn(entity, link);
  const target = field?.reference && entityIn(all, field.reference.entity);
  if (field?.editor === 'member' && callerId !== undefined) {
    return <OwnLink {...{ entity, related, field, value, callerId }} />;
  }
  if (!field || !target) return null;
  return (
    <div className={styles.buttons}>
      {rows.map((row) => {
        const pointed = pointedTo(row, link);
        const name = pointed ? rowName(all, target, pointed) : t('aRow', { one: target.one });
        return (
          <span key={String(row[link])} className={styles.tag}>
            <bdi>{name}</bdi>
            {entity.access.delete.open && (
              <Button
                small
                kind="quiet"
                aria-label={t('removeOne', { name })}
                onClick={() => removing.mutate(keyOf(entity, row))}
              >
                ×
              </Button>
            )}
          </span>
        );
      })}
      {entity.access.insert.open && field.insertable && (
        <MemberReference
          key={rows.length}
          id={`add-${entity.name}`}
          label={t('addOne', { one: target.one })}
          field={field}
          value=""
          chosen={null}
          describedBy={undefined}
          isWrong={false}
          actsAtOnce
          onChange={(chosen) => {
            const typed = /^\d{1,15}$/.test(chosen) ? Number(chosen) : chosen;
            if (chosen !== '') adding.mutate({ [related.field]: value, [link]: typed });
          }}
        />
      )}
      <Trouble error={adding.error ?? removing.error} />
    </div>
  );
}

/** Adds the member to a row, or removes the member from it, if a junction table joins members to rows: favourites, likes. */
function OwnLink({
  entity,
  related,
  field,
  value,
  callerId,
}: {
  entity: PortalEntity;
  related: PortalRelated;
  field: PortalField;
  value: unknown;
  callerId: string;
}) {
  const portal = usePortal();
  const all = useScreens();
  const adding = useMutation(addRow(portal, entity, callerId));
  const removing = useMutation(deleteRow(portal, entity));
  const conditions = { [related.field]: `eq.${String(value)}`, [field.name]: `eq.${callerId}` };
  const { data } = useInfiniteQuery({
    ...list(portal, all, { entity, columns: entity.key, query: { filter: null, order: null, conditions, search: '' } }),
    ...followed,
  });
  const own = data?.pages[0]?.rows[0];
  const { insert, delete: remove } = entity.access;
  const label = inSentence(entity.label);
  return (
    <div className={styles.buttons}>
      {own && remove.open && (
        <Button onClick={() => removing.mutate(keyOf(entity, own))}>{t('removeOneself', { label })}</Button>
      )}
      {data && !own && insert.open && field.insertable && (
        <Button onClick={() => adding.mutate({ [related.field]: value, [field.name]: callerId })}>
          {t('addOneself', { label })}
        </Button>
      )}
      <Trouble error={adding.error ?? removing.error} />
    </div>
  );
}
