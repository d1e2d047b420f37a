import {
  createConsoleUser,
  newestConsoleUsers,
  removeConsoleUser,
} from '../../identity/console-users/service.ts';
import { command } from '../engine/command.ts';
import { CHANGE, LISTING, needed, option } from '../engine/fields.ts';

export const commands = {
  create: command({
    words: 'lets somebody sign in to /console with codes that are mailed to this address',
    examples: [
      "--email ada@supplier.example --reason 'develops the gateway'",
      "--email eva@supplier.example --organization org_… --reason 'back office' --json",
    ],
    options: {
      ...CHANGE,
      email: needed(option('<address>', 'where codes are mailed to; one organization per address')),
    },
    work: ({ database, organization, act }, { email }) =>
      createConsoleUser(database, organization, email, act),
  }),
  list: command({
    words: 'who may sign in to the console of an organization, newest first',
    examples: ['', '--organization org_… --json'],
    options: LISTING,
    work: ({ database, organization }, { limit }) => newestConsoleUsers(database, organization, limit),
    columns: ['id', 'email', 'created_at'],
  }),
  remove: command({
    words: 'lets somebody sign in no more; who is signed in is out at once',
    examples: ["usr_… --reason 'left the company'", "usr_… --reason 'another address' --json"],
    arguments: { user: 'usr_…' },
    thing: 'user of the console',
    options: CHANGE,
    work: ({ database, organization, act }, { user }) => removeConsoleUser(database, organization, user, act),
  }),
};
