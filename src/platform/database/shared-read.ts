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
