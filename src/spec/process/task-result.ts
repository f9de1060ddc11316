import { NinefoldError } from '../../errors/ninefold-error.ts';
import { NotCachedError } from './not-cached.ts';
import type { Tasks } from './tasks.ts';

export type TaskName = keyof Tasks;
export type Input<Name extends TaskName> = Parameters<Tasks[Name]>[0];
export type Output<Name extends TaskName> = ReturnType<Tasks[Name]>;

/** Whoever does tasks of `tasks.ts`. */
export interface TaskRunner {
  /** Throws Gone, NinefoldError `specification_too_large`, and what the task throws. */
  run<Name extends TaskName>(name: Name, input: Input<Name>): Promise<Output<Name>>;
}

/** What came of a task, as one process tells it another: an error arrives as a plain one, so what kind it is goes beside it. */
export type TaskResult = { output: unknown } | { failed: 'gone' | 'too large' | 'fault'; error: unknown };

/** What is told of an error. */
export function toFailure(error: unknown): TaskResult {
  const isTooLarge = error instanceof NinefoldError && error.code === 'specification_too_large';
  return { failed: error instanceof NotCachedError ? 'gone' : isTooLarge ? 'too large' : 'fault', error };
}

/** The error that an answer tells of. */
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
