import { randomUUID } from 'node:crypto';
import type { Logger } from '../log/logger.ts';
import type { Signal } from '../process/signals.ts';
import type { PromptRedis } from './prompt-redis.ts';
import { openRedis, redisPrefix } from './redis.ts';

export interface SharedSignalParts<Value> {
  /** The same in all processes that hear each other. */
  name: string;
  /** What this process hears. */
  own: Signal<Value>;
  /** Tells this process and those that it reaches without Redis; `own` where it is alone. */
  near: Signal<Value>;
  form: MessageForm<Value>;
  url: string;
  databaseUrl: string;
  connectionName: string;
  /** Tells the others. */
  redis: PromptRedis;
  log: Logger;
}

export interface MessageForm<Value> {
  write(value: Value): string;
  /** Undefined for what cannot have been written by `write`: whoever reaches the server may send anything. */
  read(text: string): Value | undefined;
}

export interface SharedSignal<Value> {
  readonly signal: Signal<Value>;
  close(): void;
}

/** Longer ones are not read. */
const MESSAGE_CHARACTERS_MAX = 200;

/**
 * The same signal in all processes of the service, on whatever machine: in the others within some milliseconds, and perhaps
 * never. Messages are lost while Redis is away, and nobody hears of it: what is told must also be found in another way.
 */
export function openSharedSignal<Value>(parts: SharedSignalParts<Value>): SharedSignal<Value> {
  const { name, own, near, form, redis, log } = parts;
  const channelOf = (prefix: string) => `${prefix}:signal:${name}`;
  const channel = channelOf(redisPrefix(parts.databaseUrl));
  /* Stands before each message: Redis tells a process its own ones as well. */
  const sender = randomUUID();
  /* A connection that listens takes no other command. */
  const listening = openRedis({
    url: parts.url,
    use: 'commands',
    connectionName: parts.connectionName,
    onStateChange: () => {},
  });
  listening.on('ready', () => {
    listening.subscribe(channel).catch((error: unknown) => log.debug({ err: error, channel }, 'not heard'));
  });
  listening.on('message', (_channel, text) => {
    if (text.length > MESSAGE_CHARACTERS_MAX || text.startsWith(sender)) return;
    const value = form.read(text.slice(sender.length));
    if (value !== undefined) own.emit(value);
  });
  return {
    signal: {
      subscribe: own.subscribe,
      emit: (value) => {
        near.emit(value);
        void redis.ask((connection, prefix) =>
          connection.publish(channelOf(prefix), `${sender}${form.write(value)}`),
        );
      },
    },
    close: () => listening.disconnect(),
  };
}
