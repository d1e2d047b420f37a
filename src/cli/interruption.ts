/** Aborted by the first Ctrl-C, the second one ends the process; and when the process that started this one is gone. */
export function interruption(): AbortSignal {
  const stopping = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stopping.abort());
  process.once('disconnect', () => stopping.abort());
  /* Else the channel to that process would keep this one alive when its work is done. */
  process.channel?.unref();
  return stopping.signal;
}
