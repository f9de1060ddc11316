import {
  type Input,
  type Output,
  type TaskName,
  type TaskResult,
  type TaskRunner,
  toError,
  toFailure,
} from './task-result.ts';

/** What a worker asks of the primary, which has the process, and what it is answered. */
export interface TaskMessage {
  type: 'task';
  id: number;
  name: TaskName;
  input: unknown;
}
export interface TaskResultMessage {
  type: 'task answer';
  id: number;
  answer: TaskResult;
}

/** The worker's way to the specification's process. */
export class PrimaryTaskClient implements TaskRunner {
  readonly #send: (message: TaskMessage) => void;
  readonly #waiting = new Map<number, (answer: TaskResult) => void>();
  #last = 0;

  constructor(send: (message: TaskMessage) => void) {
    this.#send = send;
  }

  async run<Name extends TaskName>(name: Name, input: Input<Name>): Promise<Output<Name>> {
    const id = ++this.#last;
    this.#send({ type: 'task', id, name, input });
    const answer = await new Promise<TaskResult>((resolve) => this.#waiting.set(id, resolve));
    if ('output' in answer) return answer.output as Output<Name>;
    throw toError(answer);
  }

  /** Takes what the primary says. */
  onResult({ id, answer }: TaskResultMessage): void {
    this.#waiting.get(id)?.(answer);
    this.#waiting.delete(id);
  }
}

/** The primary's part: does a worker's task. Never rejects. */
export const answerTask = async (tasks: TaskRunner, { id, name, input }: TaskMessage): Promise<TaskResultMessage> => ({
  type: 'task answer',
  id,
  answer: await tasks.run(name, input as Input<typeof name>).then((output) => ({ output }), toFailure),
});
