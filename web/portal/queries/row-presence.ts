import { useEffect, useState } from 'react';
import type { PortalEntity } from '../../../contract/portal.ts';
import { liveTopic } from '../../rows/live-changes.ts';
import type { LiveChannel, PresenceState } from '../../rows/live-socket.ts';
import { quoted } from '../../rows/query.ts';
import { restRequest } from '../../rows/rest-request.ts';
import { withLiveRows } from './live.ts';
import { keyParams } from './query.ts';

/** How long a member counts as writing after the last key. */
const WRITING_MILLISECONDS = 10_000;
/** Pause between two messages about this member. The server accepts five in 30 seconds. */
const TRACK_MILLISECONDS = 7000;
/** Longest name that is shown. */
const NAME_CHARACTERS = 60;

/** Another member who looks at a row. */
export interface Present {
  readonly id: string;
  readonly name: string;
  readonly isWriting: boolean;
}

/**
 * Shows this member to the others who look at the same row, and returns the others. Only members who may see the row
 * can join its topic.
 */
export function useRowPresence(
  entity: PortalEntity,
  rowKey: Readonly<Record<string, unknown>>,
  me: { readonly id: string; readonly name: string } | null,
): readonly Present[] {
  const [others, setOthers] = useState<readonly Present[]>([]);
  const params = keyParams(rowKey);
  params.set('select', entity.key.map(quoted).join(','));
  const { url } = restRequest(encodeURIComponent(entity.name), entity.schema, { parameters: params });
  const topic = entity.key.length === 0 ? null : liveTopic(url, entity.schema);
  const { id = null, name = '' } = me ?? {};
  useEffect(() => {
    if (topic === null || id === null) return;
    let channel: LiveChannel | null = null;
    const cancel = withLiveRows(({ socket }) => {
      const onPresence = (state: PresenceState) => setOthers(othersIn(state, id));
      channel = socket.join(topic, { onPresence }, id);
      channel.track({ name, writing: false });
    });
    const stopTelling = tellWriting((writing) => channel?.track({ name, writing }));
    return () => {
      cancel();
      stopTelling();
      channel?.leave();
      setOthers([]);
    };
  }, [topic, id, name]);
  return others;
}

const othersIn = (state: PresenceState, ownId: string): Present[] =>
  Object.entries(state).flatMap(([id, { metas }]) => {
    const [first] = metas;
    if (id === ownId || !first) return [];
    const isWriting = metas.some(({ writing }) => writing === true);
    return [{ id, name: String(first.name ?? '').slice(0, NAME_CHARACTERS), isWriting }];
  });

/** Calls `tell` when the member begins and stops to write on the page, but not too often. Returns a function that stops it. */
function tellWriting(tell: (isWriting: boolean) => void): () => void {
  let isWriting = false;
  let wasTold = false;
  let toldAt = performance.now();
  let idle: ReturnType<typeof setTimeout> | undefined;
  let late: ReturnType<typeof setTimeout> | undefined;
  const update = () => {
    clearTimeout(late);
    if (isWriting === wasTold) return;
    const wait = toldAt + TRACK_MILLISECONDS - performance.now();
    if (wait > 0 && wasTold) {
      late = setTimeout(update, wait);
      return;
    }
    wasTold = isWriting;
    toldAt = performance.now();
    tell(isWriting);
  };
  const onInput = () => {
    isWriting = true;
    clearTimeout(idle);
    idle = setTimeout(() => {
      isWriting = false;
      update();
    }, WRITING_MILLISECONDS);
    update();
  };
  addEventListener('input', onInput);
  return () => {
    clearTimeout(idle);
    clearTimeout(late);
    removeEventListener('input', onInput);
  };
}
