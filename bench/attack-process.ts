/**
 * Runs one attack on a limit of an app. It is a separate process, so that its work does not delay the process that
 * measures the other app.
 */
import { attack, type BoundAttack } from '../test/support/bound-attacks.ts';

/** One attack by the owner of an app, and how long it lasts. */
export interface AttackOrder {
  databaseUrl: string;
  attack: BoundAttack;
  milliseconds: number;
}

process.on('message', (order: AttackOrder) => {
  attack(order.databaseUrl, order.attack, order.milliseconds).then(
    (met) => process.send?.([...met], () => process.exit(0)),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});
