/**
 * One end of the line between the primary process and a member: words that are told, and questions that are answered. Its
 * messages were written by the same code, and are not checked again.
 */
export interface Channel {
  /** Is heard or, where the other one has gone, lost. */
  tell(name: string, value: unknown): void;
  hear<Value>(name: string, listener: (value: Value) => void): void;
  /** Undefined where no answer comes in time. */
  ask<Answer>(name: string, question: unknown, millisecondsMax?: number): Promise<Answer | undefined>;
  answer<Question>(name: string, give: (question: Question) => unknown): void;
}

/** What both a process and its child have. */
export interface Line {
  readonly connected?: boolean | undefined;
  send?(message: unknown, handle: undefined, options: undefined, sent: () => void): boolean;
  on(event: 'message', listener: (message: unknown) => void): unknown;
}

interface Message {
  readonly kind: 'told' | 'question' | 'answer';
  readonly name: string;
  /** Of the question. */
  readonly number: number;
  readonly value: unknown;
}

/** The other end only counts and adds up: whoever says nothing for so long is stuck, or has just ended. */
const ANSWER_MILLISECONDS_MAX = 1_000;

export function openChannel(line: Line): Channel {
  const listeners = new Map<string, (value: never) => void>();
  const givers = new Map<string, (question: never) => unknown>();
  const waiting = new Map<number, (answer: unknown) => void>();
  let questions = 0;

  function send(message: Message): void {
    /* Without the last argument a line that broke would end the process. */
    if (line.connected) line.send?.({ group: message }, undefined, undefined, () => {});
  }

  async function giveAnswer({ name, number, value }: Message): Promise<void> {
    const answer = await givers.get(name)?.(value as never);
    send({ kind: 'answer', name, number, value: answer });
  }

  line.on('message', (received) => {
    /* The one that watches files for `npm run dev` uses the same line. */
    const message = (received as { group?: Message } | null)?.group;
    if (message === undefined) return;
    if (message.kind === 'told') listeners.get(message.name)?.(message.value as never);
    else if (message.kind === 'question') void giveAnswer(message);
    else waiting.get(message.number)?.(message.value);
  });

  return {
    tell: (name, value) => send({ kind: 'told', name, number: 0, value }),
    hear: (name, listener) => {
      listeners.set(name, listener);
    },
    ask: <Answer>(name: string, question: unknown, millisecondsMax = ANSWER_MILLISECONDS_MAX) =>
      new Promise<Answer | undefined>((resolve) => {
        questions += 1;
        const number = questions;
        const end = (answer: unknown) => {
          clearTimeout(timer);
          waiting.delete(number);
          resolve(answer as Answer | undefined);
        };
        const timer = setTimeout(() => end(undefined), millisecondsMax);
        waiting.set(number, end);
        send({ kind: 'question', name, number, value: question });
      }),
    answer: (name, give) => {
      givers.set(name, give);
    },
  };
}
