import {
  type Input,
  type Output,
  type TaskName,
  type TaskResult,
  type TaskRunner,
  toError,
  toFailure,
} from './task-result.ts';

/** The message with which a worker asks the primary to run a task. The primary runs the specification process. */
export interface TaskMessage {
  type: 'task';
  id: number;
  name: TaskName;
  input: unknown;
}
/** The message from the primary to a worker with the result of a task. */
export interface TaskResultMessage {
  type: 'task answer';
  id: number;
  answer: TaskResult;
}

/** Sends the tasks of a worker through the primary to the specification process. */
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

  /** Receives a result from the primary. */
  onResult({ id, answer }: TaskResultMessage): void {
    this.#waiting.get(id)?.(answer);
    this.#waiting.delete(id);
  }
}

/** Runs a task of a worker in the primary. Never rejects. */
export const answerTask = async (tasks: TaskRunner, { id, name, input }: TaskMessage): Promise<TaskResultMessage> => ({
  type: 'task answer',
  id,
  answer: await tasks.run(name, input as Input<typeof name>).then((output) => ({ output }), toFailure),
});
