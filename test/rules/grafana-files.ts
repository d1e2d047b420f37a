import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { projectFolder } from './project-files.ts';

interface Target {
  refId: string;
  /** Of SQL. */
  rawSql?: string;
  format?: 'table' | 'time_series';
  /** Of PromQL. */
  expr?: string;
}

interface Panel {
  id: number;
  title: string;
  description: string;
  type: string;
  datasource: { type: string; uid: string };
  gridPos: { x: number; y: number; w: number; h: number };
  targets: Target[];
}

export interface Dashboard {
  uid: string;
  title: string;
  panels: Panel[];
}

const folder = join(projectFolder, 'ops/grafana');
const yamlOf = (path: string) => parse(readFileSync(join(folder, path), 'utf8'));

export const dashboards: readonly Dashboard[] = readdirSync(join(folder, 'dashboards'))
  .sort()
  .map((name) => JSON.parse(readFileSync(join(folder, 'dashboards', name), 'utf8')) as Dashboard);

export const dataSources = yamlOf('provisioning/datasources/voltstream.yaml').datasources as {
  uid: string;
  type: string;
  user?: string;
  url: string;
  jsonData: Record<string, unknown>;
  secureJsonData?: Record<string, string>;
}[];

export const dashboardProvider = yamlOf('provisioning/dashboards/voltstream.yaml').providers[0] as {
  options: { path: string };
};

export const prometheusFile = yamlOf('prometheus.yml');

export const alarms = (
  yamlOf('alarms.yml').groups as {
    rules: {
      alert: string;
      expr: string;
      for: string;
      labels: Record<string, string>;
      annotations: Record<string, string>;
    }[];
  }[]
).flatMap(({ rules }) => rules);

/** Each query with where it stands. */
export const queries = dashboards.flatMap(({ uid, panels }) =>
  panels.flatMap(({ title, type, datasource, targets }) =>
    targets.map((target) => ({ place: `${uid}: ${title} ${target.refId}`, panel: type, datasource, target })),
  ),
);
