const PORTS: Readonly<Record<string, number>> = {
  'postgres:': 5432,
  'postgresql:': 5432,
  'redis:': 6379,
  'rediss:': 6379,
  'smtp:': 587,
  'smtps:': 465,
};

/**
 * For an operator: which variable names the server that cannot be used, where it is looked for, and what to do. Its address
 * without user and password.
 */
export function unreachable(variable: string, url: string, error: unknown): string {
  const { protocol = '', hostname = '', port = '' } = URL.parse(url) ?? {};
  const server = `${hostname}:${port || (PORTS[protocol] ?? '')}`;
  const what = `${variable} leads to ${server}, which cannot be used (${reasonOf(error)})`;
  return `${what}: start that server, or correct ${variable}`;
}

/** The sentence of the deepest cause. A name with several addresses has no sentence that says it all, but a code. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error ?? 'the connection was closed');
  if (error.cause !== undefined) return reasonOf(error.cause);
  return error.message || (error as NodeJS.ErrnoException).code || error.name;
}
