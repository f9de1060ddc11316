import type { Chapters, LimitLine, Specification } from '../../../../contract/specification.ts';
import { failingJobs } from '../../derive/chapters/roles/advice/jobs.ts';
import { errorsWithFigures } from './errors.ts';
import type { HitLimit, LiveFigures } from './figures.ts';

/** Returns the specification with its figures as of `at`. Figures are not part of the hash. Pure. */
export function withFigures(specification: Specification, live: LiveFigures, at: Date): Specification {
  const { purpose, entities, states, rules, roles, calls, errors, limits } = specification.chapters;
  const exposed = entities?.entities.filter((entity) => entity.exposed).length ?? 0;
  const jobs = each(calls?.jobs ?? [], (one) => live.jobs.get(one.id));
  const chapters: Chapters = {
    ...specification.chapters,
    ...(purpose && { purpose: { ...purpose, figures: { entities: exposed, ...live.purpose } } }),
    ...(entities && {
      entities: { ...entities, entities: each(entities.entities, (one) => live.entities.get(one.id)) },
    }),
    ...(states && { states: { ...states, machines: each(states.machines, (one) => live.states.get(one.id)) } }),
    ...(roles && {
      roles: {
        ...roles,
        roles: each(roles.roles, (one) => live.roles.get(one.member_role ?? '')),
        advice: [...failingJobs(jobs, roles.advice), ...roles.advice],
      },
    }),
    ...(calls && {
      calls: {
        ...calls,
        calls: each(calls.calls, (one) => live.calls.get(one.id)),
        jobs,
        ...(live.functionStart !== null && { figures: { start_ms: live.functionStart } }),
      },
    }),
    ...(errors && { errors: { ...errors, errors: errorsWithFigures(errors.errors, rules?.rules ?? [], live.errors) } }),
    ...(limits && {
      limits: {
        ...limits,
        limits: each(limits.limits, limitFigures(live.limits, live.uses)),
        ...(live.backup && { figures: live.backup }),
      },
    }),
  };
  return { ...specification, chapters, figures_at: at.toISOString() };
}

/** Adds to each item its figures, if there are any. Returns the same list if no item has figures. */
export function each<Item extends { figures?: Figures }, Figures>(
  items: Item[],
  figuresOf: (item: Item) => Figures | undefined,
): Item[] {
  const shown = items.map((item) => {
    const figures = figuresOf(item);
    return figures ? { ...item, figures } : item;
  });
  return shown.every((item, i) => item === items[i]) ? items : shown;
}

/** Returns the figures of a limit: how often it was exceeded, and how much of it the app uses. */
function limitFigures(hit: readonly HitLimit[], uses: LiveFigures['uses']): (line: LimitLine) => LimitLine['figures'] {
  const byName = new Map(hit.map(({ name, ...figures }) => [name, figures]));
  return ({ id }) => {
    const used = uses.get(id) ?? null;
    const figures = byName.get(id) ?? (used === null ? undefined : notHit);
    return figures && { ...figures, used };
  };
}

const notHit = { hour: 0, day: 0, week: 0, hours: [], last_at: null, last_requests: [], last_caller: null };
