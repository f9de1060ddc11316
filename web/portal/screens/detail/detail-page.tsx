import { useMediaQuery } from '@mantine/hooks';
import { IconEdit, IconTrash } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { PortalEntity, PortalField, PortalScreen } from '../../../../contract/portal.ts';
import { State } from '../../../fields/state.tsx';
import { numberText, t } from '../../../language/messages.ts';
import { Button, buttonClass } from '../../../ui/button.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { Markdown } from '../../fields/markdown.tsx';
import { FieldValue, rowName } from '../../fields/value.tsx';
import { usePortal } from '../../queries/client.ts';
import { pathsOf, removeFilesOf } from '../../queries/files.ts';
import { followed } from '../../queries/live.ts';
import { keyOf } from '../../queries/query.ts';
import type { Row } from '../../queries/rest.ts';
import { removeRow, row as rowQuery, rowRights } from '../../queries/rows.ts';
import { fieldIn, listFor, type Place, readableFields, useScreens } from '../../queries/screens.ts';
import { queryClient } from '../../queries/session.ts';
import { undoDeletion } from '../../queries/undo.ts';
import { Actions } from '../shared/actions.tsx';
import { Company } from '../shared/company.tsx';
import { Message } from '../shared/message.tsx';
import styles from '../shared/page.module.css';
import { useToast } from '../shared/toast.tsx';
import { Trouble } from '../shared/trouble.tsx';
import { Shell } from '../shell/shell.tsx';
import detailStyles from './detail-page.module.css';
import { History } from './history.tsx';
import { Related } from './related.tsx';
import { Transitions } from './transition-buttons.tsx';

/** Page of one row. Its long texts are in the main column; its state, its short fields and its history are beside them. */
export function DetailPage({ screen, entity, rowKey }: Place) {
  const portal = usePortal();
  const all = useScreens();
  const isPhone = useMediaQuery('(max-width: 760px)', undefined, { getInitialValueInEffect: false });
  const { data: row, error, isPending } = useQuery({ ...rowQuery(portal, all, entity, rowKey), ...followed });
  const list = listFor(all, entity);
  const crumbs = list ? [{ title: list.title, to: list.route }] : [];
  if (error && !row) {
    return (
      <Shell title={screen.title} crumbs={crumbs}>
        <Trouble error={error} />
      </Shell>
    );
  }
  if (isPending) {
    return (
      <Shell title={screen.title} crumbs={crumbs}>
        <span role="progressbar" aria-label={t('loading')} />
      </Shell>
    );
  }
  if (!row) {
    return <Message title={t('noSuch', { one: entity.one })}>{t('noSuchWhy')}</Message>;
  }
  const shown = readableFields(entity, screen.columns);
  const isText = ({ name, editor }: PortalField) => !entity.title_fields.includes(name) && editor === 'long text';
  const texts = shown.filter((field) => isText(field) && row[field.name]);
  const short = shown.filter(
    (field) =>
      !isText(field) &&
      !field.files?.many &&
      ![...titleTexts(entity), entity.machine?.field].includes(field.name) &&
      !isBareKey(entity, field),
  );
  const title = rowName(all, entity, row);
  const transitions = entity.machine && <Transitions entity={entity} machine={entity.machine} row={row} />;
  return (
    <Shell
      title={title}
      crumbs={crumbs}
      back={list?.route ?? '/'}
      isFollowed={!error}
      panel={
        <>
          {!isPhone && transitions}
          <h2 className={styles.panelHead}>{t('details')}</h2>
          <Facts entity={entity} fields={short} row={row} />
          {entity.machine && <History entity={entity} machine={entity.machine} row={row} />}
        </>
      }
    >
      <article className={detailStyles.doc}>
        <div className={detailStyles.meta}>
          <RowNumber entity={entity} row={row} />
          {entity.machine && (
            <span>
              {fieldIn(entity, entity.machine.field)?.label}{' '}
              <State machine={entity.machine} state={String(row[entity.machine.field])} />
            </span>
          )}
          <Company entity={entity} rowKey={keyOf(entity, row)} />
          <Tools entity={entity} row={row} back={list?.route ?? '/'} />
        </div>
        <h1 className={styles.title} dir="auto">
          {title}
        </h1>
        {isPhone && transitions && <div className={detailStyles.moves}>{transitions}</div>}
        <TextSections fields={texts} row={row} />
        <FileSections entity={entity} fields={shown} row={row} />
        <Actions actions={screen.actions} row={row} />
        {relatedOf(screen, entity).map((related) => (
          <Related key={`${related.entity} ${related.field}`} related={related} row={row} owner={entity} />
        ))}
      </article>
    </Shell>
  );
}

/** Returns the fields that the title shows completely. A reference and a time of a title are also facts of the row. */
const titleTexts = ({ title_fields: titles, fields }: PortalEntity): readonly string[] =>
  titles.filter((name) =>
    fields.some((field) => field.name === name && !field.reference && !/date|time/.test(field.editor)),
  );

/** Returns true for a key that tells a reader nothing, or that is a number, which is shown above the title. */
const isBareKey = ({ key }: PortalEntity, { name, shape }: PortalField): boolean =>
  key.length === 1 && key[0] === name && shape !== undefined;

/** Shows long texts. */
function TextSections({ fields, row }: { fields: readonly PortalField[]; row: Row }) {
  return fields.map((field) => (
    <section key={field.name} className={styles.section} aria-label={field.label}>
      <h2>{field.label}</h2>
      <Markdown text={String(row[field.name])} className={detailStyles.lede} />
    </section>
  ));
}

/** Shows the files of each field that holds several. */
function FileSections({ entity, fields, row }: { entity: PortalEntity; fields: readonly PortalField[]; row: Row }) {
  return fields
    .filter((field) => field.files?.many && pathsOf(row[field.name]).length > 0)
    .map((field) => (
      <section key={field.name} className={styles.section} aria-label={field.label}>
        <h2>{field.label}</h2>
        <FieldValue entity={entity} field={field} row={row} />
      </section>
    ));
}

/** Lists short fields with their values. */
function Facts({ entity, fields, row }: { entity: PortalEntity; fields: readonly PortalField[]; row: Row }) {
  return (
    <dl className={detailStyles.facts}>
      {fields.map((field) => (
        <div key={field.name}>
          <dt>{field.label}</dt>
          <dd>
            <FieldValue entity={entity} field={field} row={row} links />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** Returns the lists of related rows: those that the screen names, in its order, or all of them if it names none. */
const relatedOf = ({ related }: PortalScreen, entity: PortalEntity) =>
  related === null ? entity.related : related.flatMap((id) => entity.related.filter((one) => one.entity === id));

/** Shows "Ticket 20418" if the key is a number. */
function RowNumber({ entity, row }: { entity: PortalEntity; row: Row }) {
  const [key] = entity.key;
  const value = key === undefined ? null : row[key];
  const word = entity.one.slice(0, 1).toUpperCase() + entity.one.slice(1);
  return <span>{typeof value === 'number' ? `${word} ${numberText(value, { useGrouping: false })}` : word}</span>;
}

/** Buttons that edit and delete the row. The member confirms a deletion on the page itself. */
function Tools({ entity, row, back }: { entity: PortalEntity; row: Row; back: string }) {
  const portal = usePortal();
  const navigate = useNavigate();
  const [isAsking, setIsAsking] = useState(false);
  const all = useScreens();
  const toast = useToast();
  const deleting = useMutation({
    mutationFn: async () => {
      const undo = await undoDeletion(portal, all, entity, [row]);
      const isGone = await removeRow(portal, entity, keyOf(entity, row));
      if (isGone) void removeFilesOf(portal, entity, [row]);
      return { isGone, undo };
    },
    onSuccess: ({ isGone, undo }) => {
      if (!isGone) return;
      toast({ words: t('deletedToast', { name: rowName(all, entity, row) }), undo });
      void queryClient.invalidateQueries({ queryKey: ['rows'] });
      void navigate({ to: back });
    },
  });
  const { data: rights } = useQuery(rowRights(portal, entity, keyOf(entity, row)));
  const canChange =
    rights?.canUpdate === true &&
    entity.access.update.open &&
    entity.fields.some(({ updatable, name }) => updatable && name !== entity.machine?.field);
  if (isAsking) {
    return (
      <span className={detailStyles.tools}>
        <span role="status">{t('deleteAsk', { one: entity.one })}</span>
        <Button kind="danger" small busy={deleting.isPending && t('deleting')} onClick={() => deleting.mutate()}>
          {t('delete')}
        </Button>
        <Button small onClick={() => setIsAsking(false)}>
          {t('keep')}
        </Button>
        {deleting.data?.isGone === false && <span role="alert">{t('mayNotDelete', { one: entity.one })}</span>}
        <Trouble error={deleting.error} />
      </span>
    );
  }
  return (
    <span className={detailStyles.tools}>
      {canChange && (
        <Link to="." search={{ edit: true } as never} className={buttonClass({ kind: 'quiet', small: true })}>
          <Icon of={IconEdit} small />
          {t('change')}
        </Link>
      )}
      {rights?.canDelete === true && entity.access.delete.open && (
        <Button kind="quiet" small icon={IconTrash} onClick={() => setIsAsking(true)}>
          {t('delete')}
        </Button>
      )}
    </span>
  );
}
