import type { Signal } from '../signals.ts';
import type { ProcessGroup } from './member.ts';
import type { GroupPart } from './primary.ts';

const EMIT = 'signal';

interface SignalMessage {
  readonly name: string;
  readonly value: unknown;
}

/** The same signal in all processes of the group: in this one at once, in the others within a millisecond or so. */
export function signalOfGroup<Value>(
  { channel }: ProcessGroup,
  name: string,
  own: Signal<Value>,
): Signal<Value> {
  channel.hear<Value>(`${EMIT}:${name}`, own.emit);
  return {
    subscribe: own.subscribe,
    emit: (value) => {
      own.emit(value);
      const emitted: SignalMessage = { name, value };
      channel.tell(EMIT, emitted);
    },
  };
}

export function signalsOfPrimary(): GroupPart {
  return {
    join: (member, members) => {
      member.channel.hear<SignalMessage>(EMIT, ({ name, value }) => {
        for (const other of members()) {
          if (other.pid !== member.pid) other.channel.tell(`${EMIT}:${name}`, value);
        }
      });
    },
  };
}
