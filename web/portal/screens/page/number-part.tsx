import { IconArrowDownRight, IconArrowUpRight, IconMinus } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { ComputedPart, FigurePeriod, PortalEntity, PortalFigure } from '../../../../contract/portal.ts';
import { t } from '../../../language/messages.ts';
import { Icon } from '../../../ui/icon.tsx';
import { fieldIn, useScreens } from '../../queries/screens.ts';
import { hasRange } from '../list/list-search.ts';
import { figureText, numberOf } from './figure-text.ts';
import { listLink } from './list-link.ts';
import styles from './parts-page.module.css';

type NumberPart = Extract<ComputedPart, { kind: 'number' }>;
type NumberFigure = Extract<PortalFigure, { kind: 'number' }>;

/** A number, which links to its rows, and its difference from the period before in words. */
export function NumberValue({
  part,
  entity,
  figure,
  days,
  range,
}: {
  part: NumberPart;
  entity: PortalEntity;
  figure: NumberFigure;
  days: FigurePeriod;
  /** The first and the last day of the period. */
  range: readonly [from: string, to: string];
}) {
  const all = useScreens();
  const text = figureText(part, entity, figure.value);
  const over = part.over === null ? undefined : fieldIn(entity, part.over);
  const limits = over && hasRange(over) ? { [over.name]: `gte.${range[0]},lte.${range[1]}` } : {};
  const link = part.over === null || over ? listLink(all, entity, part.filter, limits) : null;
  return (
    <>
      <p className={styles.value}>
        {link ? (
          <Link to={link.to} search={link.search as never}>
            {text}
          </Link>
        ) : (
          text
        )}
      </p>
      <Difference part={part} entity={entity} figure={figure} days={days} />
    </>
  );
}

function Difference({ part, entity, figure, days }: Omit<Parameters<typeof NumberValue>[0], 'range'>) {
  const [now, before] = [numberOf(figure.value), numberOf(figure.before)];
  if (now === null || before === null) return null;
  const change = now - before;
  const amount = figureText(part, entity, Math.abs(change));
  const than = days === 365 ? t('figureThanYear') : t('figureThan', { count: days });
  return (
    <p className={styles.difference}>
      <Icon of={change === 0 ? IconMinus : change > 0 ? IconArrowUpRight : IconArrowDownRight} small />
      <span>
        <b>{change === 0 ? t('figureSame') : t(change > 0 ? 'figureMore' : 'figureLess', { amount })}</b>
        {change !== 0 && ` ${than}`}
      </span>
    </p>
  );
}
