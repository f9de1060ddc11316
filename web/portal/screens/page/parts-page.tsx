import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { CSSProperties } from 'react';
import {
  type ComputedPart,
  type FigurePeriod,
  figurePeriods,
  isComputedPart,
  type PortalEntity,
  type PortalFigure,
  type PortalPage,
  type PortalPart,
} from '../../../../contract/portal.ts';
import { timeOf } from '../../../fields/format.ts';
import { dateFormat, t } from '../../../language/messages.ts';
import { buttonClass } from '../../../ui/button.tsx';
import { classNames } from '../../../ui/class-names.ts';
import { Segmented } from '../../../ui/segmented.tsx';
import { Markdown } from '../../fields/markdown.tsx';
import { usePortal } from '../../queries/client.ts';
import { isUnreachable } from '../../queries/connection.ts';
import { figures } from '../../queries/figures.ts';
import { followedSeldom } from '../../queries/live.ts';
import { Refusal } from '../../queries/rest.ts';
import { entityIn, titleAt, useScreens } from '../../queries/screens.ts';
import pageStyles from '../shared/page.module.css';
import { Trouble } from '../shared/trouble.tsx';
import { useCaller } from '../shell/gate.tsx';
import { Shell } from '../shell/shell.tsx';
import { Bars } from './bars-part.tsx';
import { figureText } from './figure-text.ts';
import { placeParts } from './layout.ts';
import { Line } from './line-part.tsx';
import { ListPart } from './list-part.tsx';
import { NumberValue } from './number-part.tsx';
import styles from './parts-page.module.css';
import { VisitorShell } from './visitor-shell.tsx';

/** Page of several parts: numbers, bars, lines, lists, texts and buttons. */
export function PartsPage({ page }: { page: PortalPage }) {
  const portal = usePortal();
  const caller = useCaller();
  const [days, choose] = useDays();
  const hasFigures = page.parts.some(isComputedPart);
  const hasPeriod = page.parts.some((part) => isComputedPart(part) && 'over' in part && part.over !== null);
  const { data, error, isPlaceholderData } = useQuery({
    ...figures(portal, page, days),
    ...followedSeldom,
    enabled: hasFigures,
  });
  const Frame = caller ? Shell : VisitorShell;
  return (
    <Frame title={page.title} isFollowed={(hasFigures || page.parts.some(({ kind }) => kind === 'list')) && !error}>
      <div className={classNames(pageStyles.titlebar, styles.head)}>
        <div>
          <h1 className={pageStyles.title}>{page.title}</h1>
          {hasPeriod && <p className={pageStyles.answer}>{data ? rangeText(data.from, data.to) : ' '}</p>}
        </div>
        {hasPeriod && (
          <div className={classNames(pageStyles.actions, styles.period)}>
            <Segmented
              label={t('figurePeriod')}
              value={String(days)}
              options={figurePeriods.map((one) => [
                String(one),
                one === 365 ? t('figureYear') : t('figureDays', { count: one }),
              ])}
              onChange={(value) => choose(Number(value) as FigurePeriod)}
            />
          </div>
        )}
      </div>
      <Trouble error={data && isUnreachable(error) ? null : error} />
      <div className={classNames(styles.parts, !caller && styles.visitor, isPlaceholderData && styles.stale)}>
        {placeParts(page.parts).map(({ part, columns }, i) => (
          <section
            // biome-ignore lint/suspicious/noArrayIndexKey: The parts of a page have no other identity.
            key={i}
            className={styles[part.kind]}
            style={{ '--columns': columns } as CSSProperties}
            aria-label={'title' in part ? part.title : undefined}
          >
            <Part
              part={part}
              days={days}
              range={data ? [data.from, data.to] : ['', '']}
              figure={'index' in part ? data?.parts.find(({ index }) => index === part.index) : undefined}
              isFailed={error !== null}
            />
          </section>
        ))}
      </div>
    </Frame>
  );
}

/** Returns the number of days in the address, and a function that changes it. */
function useDays(): [FigurePeriod, (days: FigurePeriod) => void] {
  const navigate = useNavigate();
  const search = useSearch({ strict: false }) as { days?: unknown };
  const days = figurePeriods.find((one) => String(one) === String(search.days)) ?? 30;
  return [days, (next) => void navigate({ to: '.', search: { days: next } as never, replace: true })];
}

/** Formats the period: "31 October – 29 November". */
function rangeText(from: string, to: string): string {
  const [first, last] = [timeOf(`${from}T00:00:00`), timeOf(`${to}T00:00:00`)];
  return first && last ? dateFormat({ day: 'numeric', month: 'long', year: 'numeric' }).formatRange(first, last) : '';
}

interface PartProps {
  part: PortalPart;
  days: FigurePeriod;
  range: readonly [from: string, to: string];
  /** The figure of the part; undefined while it is being computed. */
  figure: PortalFigure | undefined;
  /** True if no part could be computed. */
  isFailed: boolean;
}

function Part({ part, isFailed, ...known }: PartProps) {
  const all = useScreens();
  if (part.kind === 'text') return <Markdown text={part.text} hasHeadings className={styles.words} />;
  if (part.kind === 'buttons') return <Buttons routes={part.routes} />;
  const entity = entityIn(all, part.entity);
  if (!entity) return null;
  if (part.kind === 'list') return <ListPart part={part} entity={entity} />;
  return (
    <>
      <header>
        <h2>{part.title}</h2>
        <Aside part={part} entity={entity} figure={known.figure} days={known.days} />
      </header>
      {known.figure ? (
        <Figure part={part} entity={entity} {...known} figure={known.figure} />
      ) : (
        !isFailed && <span className={styles.loading} role="progressbar" aria-label={t('loading')} />
      )}
    </>
  );
}

function Figure({
  part,
  entity,
  figure,
  days,
  range,
}: Omit<PartProps, 'part' | 'figure' | 'isFailed'> & {
  part: ComputedPart;
  entity: PortalEntity;
  figure: PortalFigure;
}) {
  if (figure.kind === 'failed') return <Trouble error={new Refusal(400, figure)} />;
  if (part.kind === 'number' && figure.kind === 'number')
    return <NumberValue {...{ part, entity, figure, days, range }} />;
  if (part.kind === 'bars' && figure.kind === 'bars') return <Bars {...{ part, entity, figure }} />;
  return part.kind === 'line' && figure.kind === 'line' ? <Line {...{ part, entity, figure }} /> : null;
}

/** Says at the right of a title what the figure is for: a day or a week, or all values together. */
function Aside({
  part,
  entity,
  figure,
  days,
}: Pick<PartProps, 'days' | 'figure'> & { part: ComputedPart; entity: PortalEntity }) {
  if (part.kind === 'line') return <span>{t(days === 365 ? 'figurePerWeek' : 'figurePerDay')}</span>;
  const isSum = part.value === 'count' || part.value === 'sum';
  if (figure?.kind !== 'bars' || !isSum || figure.bars.length < 2) return null;
  return <span>{t('figureTotal', { amount: figureText(part, entity, figure.total) })}</span>;
}

const ACCOUNT_TITLES = {
  '/account': 'account',
  '/account/sign-in': 'signIn',
  '/account/sign-up': 'makeAnAccount',
} as const;

/** Links that look like buttons. A member needs no link to the sign-in, and nobody one to a sign-up that is closed. */
function Buttons({ routes }: { routes: readonly string[] }) {
  const all = useScreens();
  const { app } = usePortal();
  const isMember = useCaller() !== null;
  const links = routes.flatMap((route) => {
    const key = Object.hasOwn(ACCOUNT_TITLES, route) ? ACCOUNT_TITLES[route as keyof typeof ACCOUNT_TITLES] : null;
    const isUseless = isMember ? route.startsWith('/account/sign-') : route === '/account/sign-up' && !app.sign_up;
    const title = key === null ? titleAt(all, route) : t(key);
    return isUseless || title === null ? [] : [{ route, title }];
  });
  return (
    <div className={styles.links}>
      {links.map(({ route, title }, i) => (
        <Link key={route} to={route} className={buttonClass(i === 0 ? { kind: 'first' } : {})}>
          {title}
        </Link>
      ))}
    </div>
  );
}
