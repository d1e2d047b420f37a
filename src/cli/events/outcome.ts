import type { Outcome } from '../../events/requests/send.ts';

/** Why no answer came. */
export const ERRORS: Readonly<Record<Extract<Outcome, { kind: 'failed' }>['error'], string>> = {
  connection: 'no connection',
  tls: 'the TLS certificate or connection was refused',
  time_out: 'no whole answer in time',
  address: 'the address is one that must not be reached',
};

export function isSuccess(outcome: Outcome): boolean {
  return outcome.kind === 'answered' && outcome.status >= 200 && outcome.status < 300;
}
