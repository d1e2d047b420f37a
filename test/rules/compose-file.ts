import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { projectFolder } from './project-files.ts';

export interface ComposeService {
  image: string;
  command: string[];
  entrypoint?: string[];
  profiles?: string[];
  volumes?: string[];
  environment: Record<string, string>;
  ports?: string[];
  depends_on?: Record<string, { condition: string }>;
  healthcheck?: { test: string[] };
  init?: boolean;
  read_only?: boolean;
  tmpfs?: string[];
  cap_drop?: string[];
  security_opt?: string[];
  stop_grace_period?: string;
  restart: string;
}

export interface ComposeFile {
  services: Record<
    | 'timescaledb'
    | 'valkey'
    | 'setup'
    | 'api'
    | 'worker'
    | 'cli'
    | 'prometheus'
    | 'grafana'
    | 'coordinator'
    | 'worker-1'
    | 'worker-2',
    ComposeService
  >;
  volumes: Record<string, unknown>;
}

export const composeText = readFileSync(join(projectFolder, 'docker-compose.yml'), 'utf8');

/** The file as it stands, its variables not yet replaced. */
export const composeFile = parse(composeText, { merge: true }) as ComposeFile;

/**
 * What Compose makes of the file with these variables: it replaces them everywhere, whichever services are started.
 * Throws where a required one is missing or empty.
 */
export function composeFileWith(variables: Record<string, string>): ComposeFile {
  return replaced(composeFile, variables) as ComposeFile;
}

function replaced(value: unknown, variables: Record<string, string>): unknown {
  if (typeof value === 'string') return replacedText(value, variables);
  if (Array.isArray(value)) return value.map((item) => replaced(item, variables));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, replaced(item, variables)]));
}

function replacedText(text: string, variables: Record<string, string>): string {
  return text.replace(
    /\$\$|\$\{(\w+):([-?])([^}]*)\}|\$/g,
    (found, name: string | undefined, kind: string, rest: string) => {
      if (found === '$$') return '$';
      if (name === undefined) throw new Error(`A dollar sign that means nothing here: ${text}`);
      const value = variables[name] ?? '';
      if (value === '' && kind === '?') throw new Error(`${name} ${rest}`);
      return value === '' ? rest : value;
    },
  );
}

/** Lines of NAME=value, as Compose reads them from `.env`. */
export function variablesOf(text: string): Record<string, string> {
  const lines = text.split('\n').filter((line) => line !== '');
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
}
