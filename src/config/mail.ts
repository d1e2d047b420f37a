import { z } from 'zod';

/** Messages to people: one-time codes, and what contacts of webhook endpoints are told. */
export const mailVariables = {
  /** Mail server. */
  SMTP_URL: z
    .string()
    .regex(/^smtps?:\/\//, 'needs an smtp:// or smtps:// address')
    .optional(),
  /** Sender of mail. */
  MAIL_FROM: z.string().regex(/@/, 'needs an e-mail address').default('Voltstream <voltstream@localhost>'),
  /** Without SMTP_URL, outside production: mail becomes files here. */
  MAIL_FOLDER: z.string().default('.data/mail'),
};

export function mailProblems(config: {
  APP_ENV: string;
  SMTP_URL?: string | undefined;
  MAIL_FROM: string;
}): string[] {
  const isMissing =
    config.APP_ENV === 'production' &&
    config.SMTP_URL !== undefined &&
    config.MAIL_FROM.endsWith('@localhost>');
  return isMissing ? ['MAIL_FROM is missing: SMTP_URL needs a sender'] : [];
}
