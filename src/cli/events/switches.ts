import { Command } from 'commander';
import { type RotationKind, rotateSecret } from '../../events/endpoints/rotate.ts';
import {
  deleteEndpoint,
  disableEndpoint,
  enableEndpoint,
  type SwitchedOff,
} from '../../events/endpoints/switch.ts';
import type { StaffAct } from '../../platform/staff-act.ts';
import { type OrganizationOptions, ofOrganization, withOrganization } from '../of-organization.ts';
import { printObject } from '../output.ts';
import { type ActOptions, known, type Session, staffAct, withActOptions } from '../session.ts';
import { SECRET_NOTE } from './endpoints.ts';
import { shownEndpoint } from './shown.ts';

type SwitchOptions = OrganizationOptions & ActOptions & { compromised?: boolean; lost?: boolean };

/** A command that does one thing to one endpoint. */
function ofEndpoint(
  name: string,
  work: (
    session: Session,
    target: { organization: string; id: string; act: StaffAct; options: SwitchOptions },
  ) => Promise<void>,
): Command {
  return withActOptions(ofOrganization(new Command(name)))
    .argument('<endpoint>', 'whe_…')
    .action((id: string, options: SwitchOptions) =>
      withOrganization(options, async (session, organization) => {
        const act = staffAct(session, options, `webhooks ${name}`);
        await known(`endpoint ${id} in ${organization}`, work(session, { organization, id, act, options }));
      }),
    );
}

export function rotateCommand(): Command {
  return ofEndpoint('rotate', async (session, { organization, id, act, options }) => {
    const kind = rotationOf(options);
    const { secret, previous_until } = await rotateSecret(session, organization, id, kind, act);
    printObject({ endpoint: id, secret, previous_until }, options, [SECRET_NOTE]);
  })
    .description('a new secret; for 24 hours the one before signs as well')
    .option('--compromised', 'earlier secrets end at once: somebody else may have them')
    .option('--lost', 'the newest secret, which nobody has put in, ends at once; the one before signs on');
}

function rotationOf(options: SwitchOptions): RotationKind {
  if (options.compromised && options.lost) throw new Error('Give --compromised or --lost, not both');
  if (options.compromised) return 'compromised';
  return options.lost ? 'lost' : 'overlap';
}

/** With how many deliveries are not sent any more. */
function printSwitchedOff({ endpoint, cancelled }: SwitchedOff, options: SwitchOptions, note: string): void {
  printObject({ ...shownEndpoint(endpoint), cancelled }, options, cancelled === 0 ? [] : [note]);
}

export function disableCommand(): Command {
  return ofEndpoint('disable', async ({ database }, { organization, id, act, options }) => {
    const note = 'What was cancelled stands in "webhooks deliveries --state cancelled".';
    printSwitchedOff(await disableEndpoint(database, organization, id, act), options, note);
  }).description('nothing is sent to it any more; what waited is cancelled and listed');
}

export function enableCommand(): Command {
  return ofEndpoint('enable', async ({ database }, { organization, id, act, options }) => {
    printObject(shownEndpoint(await enableEndpoint(database, organization, id, act)), options);
  }).description('it is told again of what happens from now on; "webhooks resend" sends what was cancelled');
}

export function deleteCommand(): Command {
  return ofEndpoint('delete', async ({ database }, { organization, id, act, options }) => {
    printSwitchedOff(await deleteEndpoint(database, organization, id, act), options, 'Nothing more is sent.');
  }).description('ends it for good: what waited is cancelled, its secrets are gone');
}
