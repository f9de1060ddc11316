import { NinefoldError } from '../../../errors/ninefold-error.ts';
import { NotCachedError } from './not-cached.ts';
import type { Tasks } from './tasks.ts';

export type TaskName = keyof Tasks;
export type Input<Name extends TaskName> = Parameters<Tasks[Name]>[0];
export type Output<Name extends TaskName> = ReturnType<Tasks[Name]>;

/** A runner of the tasks of `tasks.ts`. */
export interface TaskRunner {
  /**
   * Runs a task.
   * @throws NotCachedError, NinefoldError `specification_too_large`, and errors of the task.
   */
  run<Name extends TaskName>(name: Name, input: Input<Name>): Promise<Output<Name>>;
}

/**
 * The result of a task in a message between processes. The message does not preserve the class of an error, so `failed`
 * says which kind of error it was.
 */
export type TaskResult = { output: unknown } | { failed: 'gone' | 'too large' | 'fault'; error: unknown };

/** Converts an error into a result. */
export function toFailure(error: unknown): TaskResult {
  const isTooLarge = error instanceof NinefoldError && error.code === 'specification_too_large';
  return { failed: error instanceof NotCachedError ? 'gone' : isTooLarge ? 'too large' : 'fault', error };
}

/** Converts a failed result into its error. */
export function toError({ failed, error }: Extract<TaskResult, { failed: string }>): unknown {
  switch (failed) {
    case 'gone':
      return new NotCachedError({ cause: error });
    case 'too large':
      return new NinefoldError('specification_too_large', { cause: error });
    case 'fault':
      return error;
  }
}
