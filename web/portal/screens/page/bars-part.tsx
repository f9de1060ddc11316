import { Link } from '@tanstack/react-router';
import type { ComputedPart, PortalEntity, PortalFigure } from '../../../../contract/portal.ts';
import { t } from '../../../language/messages.ts';
import { useScreens } from '../../queries/screens.ts';
import pageStyles from '../shared/page.module.css';
import { figureText, numberOf } from './figure-text.ts';
import { barLink } from './list-link.ts';
import styles from './parts-page.module.css';
import { useValueLabels } from './value-labels.ts';

/** A bar for each value of a field. Each links to its rows. */
export function Bars({
  part,
  entity,
  figure: { bars, further },
}: {
  part: Extract<ComputedPart, { kind: 'bars' }>;
  entity: PortalEntity;
  figure: Extract<PortalFigure, { kind: 'bars' }>;
}) {
  const all = useScreens();
  const labelOf = useValueLabels(
    entity,
    part.by,
    bars.map(({ by }) => by),
  );
  const greatest = Math.max(...bars.map(({ value }) => Math.abs(numberOf(value) ?? 0)));
  if (bars.length === 0) return <p className={pageStyles.soft}>{t('nothingYetDot')}</p>;
  return (
    <>
      <ul className={styles.rows}>
        {bars.map(({ by, value }) => {
          const amount = numberOf(value) ?? 0;
          const link = barLink(all, entity, part, by);
          const label = <bdi>{labelOf(by) || '…'}</bdi>;
          return (
            <li key={JSON.stringify(by)}>
              <span className="cut">
                {link ? (
                  <Link to={link.to} search={link.search as never}>
                    {label}
                  </Link>
                ) : (
                  label
                )}
              </span>
              <span aria-hidden="true">
                <span
                  className={styles.bar}
                  data-negative={amount < 0 || undefined}
                  style={{ inlineSize: `${(Math.abs(amount) / (greatest || 1)) * 100}%` }}
                />
              </span>
              <b>{figureText(part, entity, value)}</b>
            </li>
          );
        })}
      </ul>
      {further > 0 && <p className={styles.note}>{t('figureFurther', { count: further })}</p>}
    </>
  );
}
