/**
 * Runs one attack on a limit of an app. It runs in its own process, so that it does not delay the process that measures
 * another app of the node, which is not attacked.
 */
import { attack, type BoundAttack } from '../test/support/bound-attacks.ts';

/** One attack by the owner of an app, and for how long it runs. */
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
