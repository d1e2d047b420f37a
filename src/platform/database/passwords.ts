import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';

/** For a role of the database. */
export function newPassword(): string {
  return randomBytes(24).toString('base64url');
}

/** The password of a role that nobody is told. Whoever knows the secret can derive it again. */
export function derivedPassword(secret: string, role: string): string {
  return createHmac('sha256', secret).update(role).digest('base64url');
}

const SCRAM_ITERATIONS = 4096;

/** The form in which the server would keep the password itself (RFC 5803): so the password never reaches its log. */
export function scramVerifier(password: string): string {
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(password, salt, SCRAM_ITERATIONS, 32, 'sha256');
  const hmac = (text: string) => createHmac('sha256', salted).update(text).digest();
  const storedKey = createHash('sha256').update(hmac('Client Key')).digest('base64');
  const serverKey = hmac('Server Key').toString('base64');
  return `SCRAM-SHA-256$${SCRAM_ITERATIONS}:${salt.toString('base64')}$${storedKey}:${serverKey}`;
}
