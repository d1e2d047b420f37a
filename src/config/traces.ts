import { z } from 'zod';
import { count, list } from './kinds.ts';

/*
 * The address for traces, in the variables of OpenTelemetry: names, meanings and defaults are those of its specification.
 * The part of the configuration that service and worker share; read by config.ts.
 */

const address = z
  .string()
  .refine((text) => /^https?:\/\//.test(text) && URL.canParse(text), 'needs an http(s) address');

/** As in a header of W3C Baggage: signs that would end a part are percent-encoded. */
function pairs(value: RegExp) {
  return list
    .transform((parts) => parts.map(pairOf))
    .refine(
      (found) =>
        found.every((pair) => pair !== null && /^[\w.!#$&*+^|~-]+$/.test(pair[0]) && value.test(pair[1])),
      'needs name=value, several separated by commas, other signs percent-encoded',
    )
    .transform((found) => Object.fromEntries(found.filter((pair) => pair !== null)));
}

function pairOf(part: string): [name: string, value: string] | null {
  const sign = part.indexOf('=');
  if (sign === -1) return null;
  try {
    return [part.slice(0, sign).trim(), decodeURIComponent(part.slice(sign + 1).trim())];
  } catch {
    return null;
  }
}

export const traceVariables = {
  /** Address of a collector that takes OTLP by HTTP; `/v1/traces` is added to it. Without one of the two nothing is traced. */
  OTEL_EXPORTER_OTLP_ENDPOINT: address.optional(),
  /** The same, taken as it is. */
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: address.optional(),
  /** Only this one: another value would be a collector that understands nothing of what it gets. */
  OTEL_EXPORTER_OTLP_PROTOCOL: z
    .literal('http/json', 'needs http/json, which is the only one here')
    .optional(),
  /** Headers that the collector wants to see. */
  OTEL_EXPORTER_OTLP_HEADERS: pairs(/^[\x20-\x7e]*$/),
  /** How long the collector may take for one batch, with all repetitions. */
  OTEL_EXPORTER_OTLP_TIMEOUT: count(10_000, 60_000),
  /** `voltstream-api` or `voltstream-worker` where absent. */
  OTEL_SERVICE_NAME: z.string().optional(),
  /** What is told of the process with its traces. */
  OTEL_RESOURCE_ATTRIBUTES: pairs(/^\P{Cc}*$/u),
  /** Which traces are recorded. */
  OTEL_TRACES_SAMPLER: z
    .enum([
      'always_on',
      'always_off',
      'traceidratio',
      'parentbased_always_on',
      'parentbased_always_off',
      'parentbased_traceidratio',
    ])
    .default('parentbased_always_on'),
  /** The share of them, of a sampler by ratio. */
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number().min(0).max(1).default(1),
  /** Spans wait for each other so long. */
  OTEL_BSP_SCHEDULE_DELAY: count(5_000, 60_000),
  /** Spans that wait; further ones are dropped. */
  OTEL_BSP_MAX_QUEUE_SIZE: count(2_048, 100_000),
};

const schema = z.object(traceVariables);

export type TracesConfig = Readonly<z.output<typeof schema>>;

/** Where traces go; null where nothing is traced. */
export function tracesAddress(config: TracesConfig): string | null {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: base, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: own } = config;
  if (own !== undefined) return own;
  return base === undefined ? null : `${base.replace(/\/$/, '')}/v1/traces`;
}
