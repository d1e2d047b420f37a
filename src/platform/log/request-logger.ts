import type { FastifyBaseLogger } from 'fastify';

type Bindings = Parameters<FastifyBaseLogger['child']>[0];
type ChildOptions = Parameters<FastifyBaseLogger['child']>[1];

const LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const;

/**
 * The logger of one request, whose lines carry its id. It is made with the first line: nearly all requests have none but
 * the one of their answer, which is written without it, and to make it takes 1 µs of each.
 */
class RequestLogger {
  declare readonly fatal: FastifyBaseLogger['fatal'];
  declare readonly error: FastifyBaseLogger['error'];
  declare readonly warn: FastifyBaseLogger['warn'];
  declare readonly info: FastifyBaseLogger['info'];
  declare readonly debug: FastifyBaseLogger['debug'];
  declare readonly trace: FastifyBaseLogger['trace'];
  private readonly parent: FastifyBaseLogger;
  private readonly bindings: Bindings;
  private readonly options: ChildOptions;
  private known: FastifyBaseLogger | null = null;

  constructor(parent: FastifyBaseLogger, bindings: Bindings, options: ChildOptions) {
    this.parent = parent;
    this.bindings = bindings;
    this.options = options;
  }

  made(): FastifyBaseLogger {
    this.known ??= this.parent.child(this.bindings, this.options);
    return this.known;
  }

  get level(): string {
    return this.made().level;
  }

  set level(level: string) {
    this.made().level = level;
  }

  get silent(): FastifyBaseLogger['silent'] {
    return this.made().silent;
  }

  child(bindings: Bindings, options?: ChildOptions): FastifyBaseLogger {
    return this.made().child(bindings, options);
  }
}

for (const level of LEVELS) {
  Object.defineProperty(RequestLogger.prototype, level, {
    value(this: RequestLogger, ...line: unknown[]) {
      const logger = this.made();
      Reflect.apply(logger[level], logger, line);
    },
  });
}

/** For Fastify's `childLoggerFactory`. */
export function requestLogger(
  parent: FastifyBaseLogger,
  bindings: Bindings,
  options: ChildOptions,
): FastifyBaseLogger {
  return new RequestLogger(parent, bindings, options);
}
