import { NinefoldError } from '../../errors/ninefold-error.ts';
import { Gone } from './gone.ts';
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
export type Answer = { output: unknown } | { failed: 'gone' | 'too large' | 'fault'; error: unknown };

/** What is told of an error. */
export function failure(error: unknown): Answer {
  const isTooLarge = error instanceof NinefoldError && error.code === 'specification_too_large';
  return { failed: error instanceof Gone ? 'gone' : isTooLarge ? 'too large' : 'fault', error };
}

/** The error that an answer tells of. */
export function errorOf({ failed, error }: Extract<Answer, { failed: string }>): unknown {
  switch (failed) {
    case 'gone':
      return new Gone({ cause: error });
    case 'too large':
      return new NinefoldError('specification_too_large', { cause: error });
    case 'fault':
      return error;
  }
}
