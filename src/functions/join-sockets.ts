import type { Socket } from 'node:net';

/** Time in which the last bytes of a connection are sent after its other side closed. */
const END_MILLISECONDS = 10_000;

/** Passes the bytes of two sockets to each other until one closes. Returns a function that ends this and leaves both open. */
export function joinSockets(near: Socket, far: Socket): () => void {
  const join = (one: Socket, other: Socket) => {
    const end = () => {
      // What arrived before is still sent, unless the receiver does not read it.
      other.setTimeout(END_MILLISECONDS, () => other.destroy());
      other.destroySoon();
    };
    one.on('error', () => undefined);
    one.once('close', end).pipe(other);
    return () => one.off('close', end).unpipe(other);
  };
  const ends = [join(near, far), join(far, near)];
  return () => {
    for (const end of ends) end();
  };
}
