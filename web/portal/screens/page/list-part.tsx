import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { PortalEntity, PortalPart } from '../../../../contract/portal.ts';
import { t } from '../../../language/messages.ts';
import { usePortal } from '../../queries/client.ts';
import { partRows } from '../../queries/figures.ts';
import { followed } from '../../queries/live.ts';
import { readableFields, useScreens } from '../../queries/screens.ts';
import { RowsTable } from '../rows/rows-table.tsx';
import pageStyles from '../shared/page.module.css';
import { Trouble } from '../shared/trouble.tsx';
import { listLink } from './list-link.ts';

/** The first rows of a list, with a link to all of them. */
export function ListPart({ part, entity }: { part: Extract<PortalPart, { kind: 'list' }>; entity: PortalEntity }) {
  const portal = usePortal();
  const all = useScreens();
  const { data, error } = useQuery({ ...partRows(portal, all, entity, part), ...followed });
  const link = listLink(all, entity, part.filter);
  return (
    <>
      <header>
        <h2>{part.title}</h2>
        {link && (
          <Link to={link.to} search={link.search as never} aria-label={t('figureAllOf', { title: part.title })}>
            {t('figureAll')}
          </Link>
        )}
      </header>
      <Trouble error={error} />
      {data?.rows.length === 0 ? (
        <p className={pageStyles.soft}>{t('nothingYetDot')}</p>
      ) : (
        !error && (
          <RowsTable
            label={part.title}
            entity={entity}
            columns={readableFields(entity, part.columns)}
            rows={data?.rows ?? []}
            isLoading={!data}
          />
        )
      )}
    </>
  );
}
