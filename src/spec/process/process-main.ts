import process from 'node:process';
import { type TaskName, type TaskResult, toFailure } from './task-result.ts';
import { Tasks } from './tasks.ts';

/** The entry of the specification's process: does the tasks that it is given, one after the other, until its node is gone. */

const tasks = new Tasks();

process.on('disconnect', () => process.exit());
process.on('message', ({ name, input }: { name: TaskName; input: unknown }) => {
  process.send?.(does(name, input));
});
// Signals are the node's matter: a terminal sends them to every process.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => undefined);
process.on('SIGHUP', () => undefined);

function does(name: TaskName, input: unknown): TaskResult {
  try {
    return { output: (tasks[name] as (input: unknown) => unknown).call(tasks, input) };
  } catch (error) {
    return toFailure(error);
  }
}
