import { useCallback, useEffect, useRef, useState } from 'react';
import { type ChannelJoin, ChannelSocket } from './channel-socket.ts';
import { type FrameWords, messageWords } from './message-words.ts';

/** Number of lines that the inspector keeps. */
const MAX_FRAMES = 200;

/** A line with its time and direction. */
export interface Frame extends FrameWords {
  id: number;
  at: Date;
  isSent: boolean;
}

export type ChannelState =
  | { is: 'left' | 'joining' | 'joined' }
  | { is: 'refused'; reason: string }
  | { is: 'ended'; reason: string };

/** Joins a channel of the app, and collects what arrives, newest first. */
export function useChannel(ref: string) {
  const socket = useRef<ChannelSocket | null>(null);
  const [state, setState] = useState<ChannelState>({ is: 'left' });
  const [frames, setFrames] = useState<readonly Frame[]>([]);
  const count = useRef(0);

  const add = useCallback((words: FrameWords | null, isSent = false) => {
    if (words === null) return;
    count.current++;
    const frame = { ...words, id: count.current, at: new Date(), isSent };
    setFrames((known) => [frame, ...known].slice(0, MAX_FRAMES));
  }, []);

  const leave = useCallback(() => {
    socket.current?.close();
    socket.current = null;
    setState({ is: 'left' });
  }, []);

  const join = useCallback(
    (channel: ChannelJoin) => {
      socket.current?.close();
      setState({ is: 'joining' });
      socket.current = new ChannelSocket(ref, channel, {
        onJoined: (refusal) => {
          setState(refusal === null ? { is: 'joined' } : { is: 'refused', reason: refusal });
          if (refusal !== null) socket.current?.close();
          add({
            title: refusal === null ? 'joined' : 'refused',
            detail: refusal ?? channel.topic,
            isRefusal: refusal !== null,
          });
        },
        onMessage: (message) => add(messageWords(message)),
        onEnded: (reason) => setState({ is: 'ended', reason }),
      });
      add({ title: 'join', detail: channel.topic, isRefusal: false }, true);
    },
    [ref, add],
  );

  const send = useCallback(
    (event: string, payload: unknown) => {
      socket.current?.broadcast(event, payload);
      add({ title: `broadcast ${event}`, detail: JSON.stringify(payload), isRefusal: false }, true);
    },
    [add],
  );

  useEffect(() => () => socket.current?.close(), []);
  return { state, frames, join, leave, send };
}
