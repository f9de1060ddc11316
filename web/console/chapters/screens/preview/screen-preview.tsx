import { useComputedColorScheme } from '@mantine/core';
import { useElementSize, useMergedRef } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import type { PortalScreens } from '../../../../../contract/portal.ts';
import { PREVIEW_PATH, type PreviewMember, type PreviewView } from '../../../../../contract/preview.ts';
import { connection } from '../../../queries/apps.ts';
import { callerKey, memberOfPreview, type PreviewCaller } from '../../../queries/preview.ts';
import { PreviewHost } from './preview-host.ts';
import styles from './screen-preview.module.css';
import { useTurn } from './use-turn.ts';

/** Width of the screen that a preview pretends to have, in pixels. */
const WIDTHS = { desktop: 1280, phone: 390 } as const;

/** Time in ms after which a preview that shows nothing counts as failed. */
const START_MILLISECONDS = 20_000;

export interface ScreenPreviewProps {
  readonly appRef: string;
  /** The caller whose screens and rows it shows. */
  readonly caller: PreviewCaller;
  /**
   * A route or an address of the pages for members. The route of a detail, such as `/tickets/:id`, shows the first row that
   * the caller may read.
   */
  readonly path: string;
  /** The name of the page, for readers who do not see it. */
  readonly title: string;
  readonly device: 'desktop' | 'phone';
  /** A draft in place of the screens of the app: `screens` of a trial of migrations. Null without a draft. */
  readonly screens?: PortalScreens | null;
  /** True for a picture that cannot be operated. It loads when it is visible. */
  readonly isPicture?: boolean;
  /** The language of the pages, a tag; null for that of the member. */
  readonly language?: string | null;
  /** Is called with the address of the page that the preview shows. */
  readonly onPath?: (path: string) => void;
}

/**
 * Preview of the pages for members: the real portal of the app, with the screens and rows of one caller. It reads, and
 * every change is refused. It fills the width and the height of its parent.
 */
export function ScreenPreview(props: ScreenPreviewProps) {
  const { appRef, caller } = props;
  const member = useQuery(memberOfPreview(appRef, caller));
  const app = useQuery(connection(appRef));
  const error = member.error ?? app.error;
  const origin = app.data?.origin;
  if (error) return <Words>{error.message}</Words>;
  if (origin === null) return <Words>No host name leads to this app, so its pages cannot be shown here.</Words>;
  if (origin === undefined || member.data === undefined) return <Words />;
  // Another caller gets another document.
  return <Frame key={callerKey(caller)} {...props} origin={origin} member={member.data} />;
}

/** The place of a preview without one, with the reason. */
const Words = ({ children }: { children?: ReactNode }) => (
  <div className={styles.room}>
    <p className={styles.words}>{children}</p>
  </div>
);

type Phase = 'starting' | 'painted' | 'no row' | 'failed';

function Frame({
  appRef,
  caller,
  path,
  title,
  device,
  screens = null,
  isPicture = false,
  language = null,
  onPath,
  origin,
  member,
}: ScreenPreviewProps & { readonly origin: string; readonly member: PreviewMember | null }) {
  const theme = useComputedColorScheme('light');
  const { ref: sized, width, height } = useElementSize();
  const place = useRef<HTMLDivElement>(null);
  const room = useMergedRef(sized, place);
  const [isStarted, settle] = useTurn(place, isPicture);
  const [phase, setPhase] = useState<Phase>('starting');
  const view = useMemo((): PreviewView => ({ path, theme, screens }), [path, theme, screens]);
  const host = useHost(appRef, caller, {
    onPath: (shown) => onPath?.(shown),
    onPainted: () => setPhase((now) => (now === 'no row' ? now : 'painted')),
    onNoRow: () => setPhase('no row'),
  });
  useEffect(() => {
    setPhase((now) => (now === 'no row' ? 'starting' : now));
    host.show(view);
  }, [host, view]);
  useEffect(() => {
    if (!isStarted) setPhase('starting');
    if (!isStarted || phase !== 'starting') return;
    const timer = setTimeout(() => setPhase('failed'), START_MILLISECONDS);
    return () => clearTimeout(timer);
  }, [isStarted, phase]);
  useEffect(() => {
    if (phase !== 'starting') settle();
  });
  const scale = Math.min(1, width / WIDTHS[device]);
  return (
    <div className={styles.room} ref={room} data-phase={phase}>
      {isStarted && scale > 0 && (
        <iframe
          className={styles.frame}
          src={`${origin}${PREVIEW_PATH}`}
          sandbox="allow-scripts"
          referrerPolicy="no-referrer"
          title={`Preview of ${title}`}
          {...(isPicture && { inert: true, tabIndex: -1, 'aria-hidden': true })}
          style={{ width: WIDTHS[device], height: Math.round(height / scale), scale: String(scale) }}
          onLoad={({ currentTarget }) =>
            host.connect(currentTarget, { kind: 'ninefold-preview', ...view, member, language, isPicture })
          }
        />
      )}
      {phase !== 'painted' && (
        <p className={styles.words} aria-busy={phase === 'starting'}>
          {said[phase]}
        </p>
      )}
    </div>
  );
}

const said: Readonly<Record<Exclude<Phase, 'painted'>, ReactNode>> = {
  starting: null,
  'no row': 'No row is readable yet.',
  failed: 'The preview does not start. Load the page again, at the address of the node.',
};

/** Returns the console's side of a preview, which ends with the component. */
function useHost(appRef: string, caller: PreviewCaller, events: ConstructorParameters<typeof PreviewHost>[2]) {
  const latest = useRef(events);
  useEffect(() => {
    latest.current = events;
  });
  const key = callerKey(caller);
  const host = useMemo(
    () =>
      new PreviewHost(appRef, JSON.parse(key) as PreviewCaller, {
        onPath: (path) => latest.current.onPath(path),
        onPainted: () => latest.current.onPainted(),
        onNoRow: () => latest.current.onNoRow(),
      }),
    [appRef, key],
  );
  useEffect(() => () => host.close(), [host]);
  return host;
}
