import { z } from 'zod';

/*
 * The variables of the environment that a source of prices has. Their names follow from its name: those of
 * `energy-charts` begin with PRICES_ENERGY_CHARTS.
 */

/** What the table of variables says about one. */
export interface VariableText {
  readonly meaning: string;
  /** In the place of the default, where that would not say enough. */
  readonly absent?: string;
}

export interface AddressSetting extends VariableText {
  /** As many as may be configured; a later one is tried where the one before is away. */
  readonly defaults: readonly [string, ...string[]];
  /** Refuses every address of another machine. */
  readonly thisMachineOnly?: true;
}

export interface LicenceTerms {
  /** Kept with each fetch and published; null: each body says it. */
  readonly text: string | null;
  /** The text of a body does not count. */
  readonly ignoresBody?: true;
  /** The operator may set another text. */
  readonly setting?: VariableText;
}

/** What decides about the variables of a source. */
export interface ConfiguredSource {
  readonly name: string;
  readonly address: AddressSetting;
  /** Without its token the source is not asked. */
  readonly token?: VariableText;
  /** The source is asked only where this is switched on. */
  readonly switchedOn?: VariableText;
  readonly licence: LicenceTerms;
}

/** What decides about the variables of every source, in their order. The rest of a source stands with its reader. */
export const configuredSources = {
  entsoe: {
    name: 'entsoe',
    licence: { text: 'ENTSO-E Transparency Platform' },
    token: {
      absent: 'none: ENTSO-E is not asked',
      meaning:
        'token of the ENTSO-E Transparency Platform. Re-publication of its prices is legally unsettled: whoever sets it says that this was cleared',
    },
    address: {
      defaults: ['https://web-api.tp.entsoe.eu', 'https://external-api.tp.entsoe.eu'],
      absent: 'both hosts of the platform',
      meaning:
        'https address; a second one behind a comma is tried after a failed connection or a 5xx of the first. Like the addresses below: `http://127.0.0.1` for tests and the demo, refused in production',
    },
  },
  smard: {
    name: 'smard',
    licence: { text: 'Bundesnetzagentur | SMARD.de, CC BY 4.0' },
    address: { defaults: ['https://www.smard.de'], meaning: 'what stands before `/app/chart_data`' },
  },
  energyCharts: {
    name: 'energy-charts',
    licence: { text: null },
    address: { defaults: ['https://api.energy-charts.info'], meaning: 'what stands before `/price`' },
  },
  synthetic: {
    name: 'synthetic',
    licence: {
      text: 'invented numbers of a feed on this machine, no market prices; free for every use',
      ignoresBody: true,
    },
    address: {
      defaults: ['http://127.0.0.1:4310/energy-charts'],
      thisMachineOnly: true,
      meaning:
        'the feed of invented prices on this machine; asked, and nobody else, where `PRICES_SOURCES` is `synthetic`; refused in production',
    },
  },
  awattar: {
    name: 'awattar',
    licence: { text: 'none stated; fair use' },
    address: {
      defaults: ['https://api.awattar.de'],
      meaning: 'what stands before `/v1/marketdata`: hourly means, for comparison only',
    },
  },
  energyforecast: {
    name: 'energyforecast',
    licence: {
      text: "energyforecast.de, terms of the operator's contract",
      setting: {
        absent: 'a reference to the contract',
        meaning: 'licence text kept with its forecasts and published with the other attributions',
      },
    },
    token: { absent: 'none: not asked', meaning: 'token of energyforecast.de' },
    address: {
      defaults: ['https://www.energyforecast.de'],
      meaning: 'what stands before `/api/v2/forecast`',
    },
  },
  nordpool: {
    name: 'nordpool',
    licence: { text: 'undocumented use' },
    switchedOn: {
      absent: '`false`',
      meaning:
        "`true`: Nord Pool's portal is asked when it published tomorrow; kept as evidence are state, version and time, no price. A use that is not documented there",
    },
    address: {
      defaults: ['https://dataportal-api.nordpoolgroup.com'],
      meaning: 'what stands before `/api/DayAheadPrices`',
    },
  },
} as const satisfies Record<string, ConfiguredSource>;

/** Sources of market prices, best first. */
export const MARKET_SOURCES = [
  configuredSources.entsoe,
  configuredSources.smard,
  configuredSources.energyCharts,
] as const;

/** The variables of all sources after they were read. */
export type SourceValues = Readonly<
  Record<`PRICES_${string}`, string | readonly string[] | boolean | undefined>
>;

export interface SourceSettings {
  readonly addresses: readonly string[];
  readonly token: string | undefined;
  readonly licence: string | null;
  /** Off only where the source has a switch. */
  readonly isOn: boolean;
}

type VariableName = `PRICES_${string}`;

export interface SourceVariable extends VariableText {
  readonly name: VariableName;
  readonly kind: 'token' | 'licence' | 'switch' | 'address';
  readonly schema: z.ZodType<string | readonly string[] | boolean | undefined>;
}

/** Plain http only to this machine: a price that was changed on the way would be billed. */
const ADDRESS = /^(https:\/\/[^/?#]+|http:\/\/127\.0\.0\.1(:\d+)?)(\/[^?#]*[^/?#])?$/;
const ADDRESS_RULE = 'needs an https:// address, or http://127.0.0.1, without a slash at the end';
const OWN_ADDRESS = /^http:\/\/127\.0\.0\.1(:\d+)?(\/[^?#]*[^/?#])?$/;
const OWN_ADDRESS_RULE = 'needs an address of this machine, http://127.0.0.1';

const LICENCE_CHARACTERS_MAX = 1000;

/** The parts between commas, each held against the schema. */
export function listOf<Item extends z.ZodType>(fallback: string, items: z.ZodArray<Item>) {
  return z
    .string()
    .default(fallback)
    .transform((text, context) => {
      const parts = text.split(',').map((part) => part.trim());
      const parsed = items.safeParse(parts.filter((part) => part !== ''));
      if (parsed.success) return parsed.data;
      context.addIssue({ code: 'custom', message: parsed.error.issues[0]?.message ?? '' });
      return z.NEVER;
    });
}

export const switchedOff = z.stringbool({ truthy: ['true', '1'], falsy: ['false', '0'] }).default(false);

const token = z
  .string()
  .regex(/^[\x21-\x7e]{1,200}$/, 'needs 1 to 200 printable characters without a space')
  .optional();

function addressSchema({ defaults, thisMachineOnly }: AddressSetting) {
  const address =
    thisMachineOnly === true
      ? z.string().regex(OWN_ADDRESS, OWN_ADDRESS_RULE)
      : z.string().regex(ADDRESS, ADDRESS_RULE);
  if (defaults.length === 1) return address.default(defaults[0]);
  const several = z
    .array(address)
    .min(1, 'needs an address')
    .max(defaults.length, `takes ${defaults.length} addresses at most`);
  return listOf(defaults.join(','), several);
}

function nameOf(source: Pick<ConfiguredSource, 'name'>, suffix: '' | '_URL' | '_TOKEN' | '_LICENCE') {
  return `PRICES_${source.name.toUpperCase().replaceAll('-', '_')}${suffix}` as const;
}

export function addressVariable(source: Pick<ConfiguredSource, 'name'>): VariableName {
  return nameOf(source, '_URL');
}

export function tokenVariable(source: Pick<ConfiguredSource, 'name'>): VariableName {
  return nameOf(source, '_TOKEN');
}

/** The variables that the source has, with what they accept. */
export function variablesOf(source: ConfiguredSource): SourceVariable[] {
  const variables: SourceVariable[] = [];
  const { address, licence, switchedOn } = source;
  if (source.token !== undefined) {
    variables.push({ ...source.token, name: tokenVariable(source), kind: 'token', schema: token });
  }
  if (licence.setting !== undefined) {
    const schema = z
      .string()
      .max(LICENCE_CHARACTERS_MAX)
      .default(licence.text ?? '');
    variables.push({ ...licence.setting, name: nameOf(source, '_LICENCE'), kind: 'licence', schema });
  }
  if (switchedOn !== undefined) {
    variables.push({ ...switchedOn, name: nameOf(source, ''), kind: 'switch', schema: switchedOff });
  }
  const [first] = address.defaults;
  const { meaning, absent = `\`${first}\`` } = address;
  const schema = addressSchema(address);
  variables.push({ meaning, absent, name: addressVariable(source), kind: 'address', schema });
  return variables;
}

/** What the configuration says about the source. */
export function settingsOf(config: SourceValues, source: ConfiguredSource): SourceSettings {
  const given = config[tokenVariable(source)];
  const licence = config[nameOf(source, '_LICENCE')];
  return {
    addresses: [config[addressVariable(source)]].flat().filter((address) => typeof address === 'string'),
    token: typeof given === 'string' ? given : undefined,
    licence: typeof licence === 'string' ? licence : source.licence.text,
    isOn: source.switchedOn === undefined || config[nameOf(source, '')] === true,
  };
}

/** Whether the configuration lets the source be asked. */
export function isEnabled(config: SourceValues, source: ConfiguredSource): boolean {
  const settings = settingsOf(config, source);
  return settings.isOn && (source.token === undefined || settings.token !== undefined);
}
