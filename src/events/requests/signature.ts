import { createHmac } from 'node:crypto';

export interface Message {
  /** Of the event: the same for all attempts, without a dot. */
  readonly id: string;
  /** The exact bytes of the event, the same on every attempt. */
  readonly body: string;
  /** Unix seconds of this attempt. */
  readonly atSeconds: number;
}

/** Standard Webhooks: one signature for each secret, so that receivers with the old or the new one accept it. */
export function signatureHeaders(message: Message, secrets: readonly Buffer[]) {
  const signed = `${message.id}.${message.atSeconds}.${message.body}`;
  const signatures = secrets.map(
    (secret) => `v1,${createHmac('sha256', secret).update(signed, 'utf8').digest('base64')}`,
  );
  return {
    'webhook-id': message.id,
    'webhook-timestamp': String(message.atSeconds),
    'webhook-signature': signatures.join(' '),
  };
}
