import { type Answer, errorOf, failure, type Input, type Output, type TaskName, type TaskRunner } from './answer.ts';

/** What a worker asks of the primary, which has the process, and what it is answered. */
export interface TaskMessage {
  type: 'task';
  id: number;
  name: TaskName;
  input: unknown;
}
export interface TaskAnswer {
  type: 'task answer';
  id: number;
  answer: Answer;
}

/** The worker's way to the specification's process. */
export class TasksOverPrimary implements TaskRunner {
  readonly #tell: (message: TaskMessage) => void;
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  #last = 0;

  constructor(tell: (message: TaskMessage) => void) {
    this.#tell = tell;
  }

  async run<Name extends TaskName>(name: Name, input: Input<Name>): Promise<Output<Name>> {
    const id = ++this.#last;
    this.#tell({ type: 'task', id, name, input });
    const answer = await new Promise<Answer>((resolve) => this.#waiting.set(id, resolve));
    if ('output' in answer) return answer.output as Output<Name>;
    throw errorOf(answer);
  }

  /** Takes what the primary says. */
  hear({ id, answer }: TaskAnswer): void {
    this.#waiting.get(id)?.(answer);
    this.#waiting.delete(id);
  }
}

/** The primary's part: does a worker's task. Never rejects. */
export const answerTask = async (tasks: TaskRunner, { id, name, input }: TaskMessage): Promise<TaskAnswer> => ({
  type: 'task answer',
  id,
  answer: await tasks.run(name, input as Input<typeof name>).then((output) => ({ output }), failure),
});
