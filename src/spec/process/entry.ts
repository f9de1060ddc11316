import process from 'node:process';
import { Gone } from './gone.ts';
import type { FromProcess, ToProcess } from './specification-process.ts';
import { Tasks } from './tasks.ts';

/** The entry of the specification's process: does the tasks that it is given, one after the other, until its worker is gone. */

const tasks = new Tasks();

process.on('disconnect', () => process.exit());
process.on('message', ({ name, input }: ToProcess) => {
  let answer: FromProcess;
  try {
    answer = { output: (tasks[name] as (input: unknown) => unknown).call(tasks, input) };
  } catch (error) {
    answer = { failed: error, isGone: error instanceof Gone };
  }
  process.send?.(answer);
});
// Signals are the node's matter: a terminal sends them to every process.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => undefined);
process.on('SIGHUP', () => undefined);
