import type { MailMessage } from '../../platform/mail.ts';
import { addDays, berlinMilliseconds, type CalendarDay } from '../../platform/time/berlin-calendar.ts';
import type { PlannedReminder } from './queries.ts';

/* What a customer reads who has not paid. The second reminder says that it is one: it puts him in default. */

interface ReminderFacts {
  readonly amount: string;
  readonly issuedOn: string;
  readonly dueOn: string;
  readonly payUntil: string;
}

interface Words {
  readonly locale: string;
  readonly subjects: readonly [string, string];
  readonly greeting: string;
  text(number: string, level: 1 | 2, facts: ReminderFacts): string;
  readonly recipient: string;
  readonly reference: string;
  readonly end: readonly string[];
}

const de: Words = {
  locale: 'de-DE',
  subjects: ['Zahlungserinnerung: Rechnung', 'Mahnung: Rechnung'],
  greeting: 'Guten Tag',
  text: (number, level, { amount, issuedOn, dueOn, payUntil }) =>
    level === 1
      ? `zu unserer Rechnung ${number} vom ${issuedOn}, fällig am ${dueOn}, fehlen noch ${amount}.\nBitte überweisen Sie den Betrag bis zum ${payUntil}:`
      : `unsere Rechnung ${number} vom ${issuedOn} war am ${dueOn} fällig. Trotz unserer Erinnerung fehlen ${amount}.\nWir mahnen den Betrag hiermit an. Bitte überweisen Sie ihn bis zum ${payUntil}:`,
  recipient: 'Empfänger',
  reference: 'Verwendungszweck',
  end: [
    'Haben Sie inzwischen bezahlt, so ist diese Nachricht gegenstandslos.',
    'Halten Sie die Rechnung für falsch, oder können Sie im Augenblick nicht zahlen, so sprechen Sie uns bitte an:',
  ],
};

const en: Words = {
  locale: 'en-GB',
  subjects: ['Payment reminder: invoice', 'Second reminder: invoice'],
  greeting: 'Hello',
  text: (number, level, { amount, issuedOn, dueOn, payUntil }) =>
    level === 1
      ? `of our invoice ${number} of ${issuedOn}, due on ${dueOn}, ${amount} are missing.\nPlease transfer the amount until ${payUntil}:`
      : `our invoice ${number} of ${issuedOn} was due on ${dueOn}. In spite of our reminder ${amount} are missing.\nWe hereby demand payment. Please transfer the amount until ${payUntil}:`,
  recipient: 'Recipient',
  reference: 'Reference',
  end: [
    'If you have paid meanwhile, please ignore this message.',
    'If you think that the invoice is wrong, or cannot pay at the moment, please talk to us:',
  ],
};

/** In the language of the bill. */
export function reminderMail(
  reminder: PlannedReminder & { readonly missing: string },
  today: CalendarDay,
  daysToPay: number,
): MailMessage {
  const words = reminder.language === 'en' ? en : de;
  const { invoice_number: number, level } = reminder;
  const euros = new Intl.NumberFormat(words.locale, { style: 'currency', currency: 'EUR' });
  const days = new Intl.DateTimeFormat(words.locale, { dateStyle: 'long', timeZone: 'Europe/Berlin' });
  const shown = (day: CalendarDay) => days.format(berlinMilliseconds(day));
  const said = {
    /* The text goes in as it is; a number would be a binary float. */
    amount: euros.format(reminder.missing as `${number}`),
    issuedOn: shown(reminder.issued_on),
    dueOn: shown(reminder.due_on),
    payUntil: shown(addDays(today, daysToPay)),
  };
  const account = [
    [words.recipient, reminder.account_holder],
    ['IBAN', reminder.iban],
    [words.reference, number],
  ];
  const lines = [
    ...[`${words.greeting} ${reminder.customer_name},`, '', words.text(number, level, said), ''],
    ...account.map(([name = '', value = '']) => `  ${name.padEnd(words.reference.length + 3)}${value}`),
    ...['', ...words.end, `${reminder.contact_email}, ${reminder.phone}`, '', reminder.issuer],
  ];
  return {
    to: reminder.email,
    subject: `${words.subjects[level - 1] ?? ''} ${number}`,
    text: `${lines.join('\n')}\n`,
  };
}
