import process from 'node:process';
import { type TaskName, type TaskResult, toFailure } from './task-result.ts';
import { Tasks } from './tasks.ts';

/** The entry of the specification process. Runs the tasks that it receives in order, until its node disconnects. */

const tasks = new Tasks();

process.on('disconnect', () => process.exit());
process.on('message', ({ name, input }: { name: TaskName; input: unknown }) => {
  process.send?.(does(name, input));
});
// Ignores signals, because the node ends this process itself. A terminal sends signals to every process of its group.
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
