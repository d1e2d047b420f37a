import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as otherWork } from 'node:timers/promises';

/**
 * Requests that ask the same question at the same moment share one look into the database. No answer is older than its
 * question: who asks while a look is under way waits for the next one, together with everybody who asked since.
 */
export type SharedRead<Answer> = (question: string, read: () => Promise<Answer>) => Promise<Answer>;

interface ReadRound<Answer> {
  answer: Promise<Answer>;
  /** From here on it may be too old for who asks now. */
  isUnderWay: boolean;
  next: ReadRound<Answer> | null;
}

/**
 * A look begins when what has arrived together has been read: of 32 requests in one turn of the event loop the first one
 * would else look alone, and the others behind it.
 */
export function createSharedRead<Answer>(): SharedRead<Answer> {
  const rounds = new Map<string, ReadRound<Answer>>();

  function begin(question: string, after: Promise<unknown>, read: () => Promise<Answer>): ReadRound<Answer> {
    const look = async () => {
      rounds.set(question, round);
      await otherWork();
      round.isUnderWay = true;
      try {
        return await read();
      } finally {
        if (round.next === null) rounds.delete(question);
      }
    };
    const round: ReadRound<Answer> = { answer: after.then(look, look), isUnderWay: false, next: null };
    return round;
  }

  return (question, read) => {
    const round = rounds.get(question);
    if (round === undefined) {
      const first = begin(question, Promise.resolve(), read);
      rounds.set(question, first);
      return first.answer;
    }
    if (!round.isUnderWay) return round.answer;
    round.next ??= begin(question, round.answer, read);
    return round.next.answer;
  };
}

/** Questions of one look. A household may have a thousand assets, which all come into the memory with the others' of the look. */
const QUESTIONS_MAX = 50;

interface WaitingQuestion<Question, Answer> {
  readonly question: Question;
  /** Does something as its request does it: with its turn and its trace. */
  readonly asItself: ReturnType<typeof AsyncLocalStorage.snapshot>;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

/**
 * Requests that ask different questions of one kind at the same moment are answered by one look: with a connection for each,
 * 396 of 600 gateways that came at once to a service that had just begun were turned away. One look of a group (an
 * organization) is under way at a time, for the first of those who wait. Here, too, no answer is older than its question.
 */
export function createBatchedRead<Question, Answer>(
  read: (group: string, questions: readonly Question[]) => Promise<readonly Answer[]>,
): (group: string, question: Question) => Promise<Answer> {
  const waiting = new Map<string, WaitingQuestion<Question, Answer>[]>();

  async function lookWhileAsked(group: string): Promise<void> {
    for (;;) {
      await otherWork();
      const questions = waiting.get(group)?.splice(0, QUESTIONS_MAX) ?? [];
      const [first] = questions;
      if (first === undefined) break;
      try {
        const look = () =>
          read(
            group,
            questions.map(({ question }) => question),
          );
        const answers = await first.asItself(look);
        for (const [index, { resolve }] of questions.entries()) resolve(answers[index] as Answer);
      } catch (error) {
        for (const { reject } of questions) reject(error);
      }
    }
    waiting.delete(group);
  }

  return (group, question) =>
    new Promise((resolve, reject) => {
      const entry = { question, asItself: AsyncLocalStorage.snapshot(), resolve, reject };
      const others = waiting.get(group);
      if (others !== undefined) {
        others.push(entry);
        return;
      }
      waiting.set(group, [entry]);
      void lookWhileAsked(group);
    });
}
