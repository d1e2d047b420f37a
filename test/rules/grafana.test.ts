import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parser } from '@prometheus-io/lezer-promql';
import GithubSlugger from 'github-slugger';
import { expect, test } from 'vitest';
import { deliveryGauges } from '../../src/events/deliveries/gauges.ts';
import { endsOfAnalystSessions } from '../../src/governance/analysts/end-sessions.ts';
import { fetchSeconds } from '../../src/spot-prices/store/store.ts';
import { priceGauges } from '../../src/spot-prices/upkeep/gauges.ts';
import { startApi } from '../setup/api.ts';
import { composeFile, composeFileWith } from './compose-file.ts';
import {
  alarms,
  dashboardProvider,
  dashboards,
  dataSources,
  prometheusFile,
  queries,
} from './grafana-files.ts';
import { projectFolder } from './project-files.ts';

const { grafana, prometheus } = composeFile.services;
const PASSWORDS = { POSTGRES_PASSWORD: 'a', VALKEY_PASSWORD: 'b', VALKEY_ADMIN_PASSWORD: 'c' };

test('Grafana and its collector start when they are asked for only, and are reached from this machine only', () => {
  const { services } = composeFileWith(PASSWORDS);
  expect([services.grafana.profiles, services.prometheus.profiles]).toEqual([['grafana'], ['grafana']]);
  expect(services.grafana.ports).toEqual(['127.0.0.1:3000:3000']);
  expect(services.prometheus.ports).toBeUndefined();
  for (const { image, healthcheck, volumes = [] } of [grafana, prometheus]) {
    expect(image).toMatch(/:v?\d+\.\d+\.\d+$/);
    expect(healthcheck?.test[0]).toBe('CMD');
    /* What they keep outlives them. */
    expect(
      volumes.map((volume) => volume.split(':')[0]).filter((name = '') => name in composeFile.volumes),
    ).toHaveLength(1);
  }
});

test('Grafana calls nobody', () => {
  expect(grafana.environment).toMatchObject({
    GF_ANALYTICS_REPORTING_ENABLED: 'false',
    GF_ANALYTICS_CHECK_FOR_UPDATES: 'false',
    GF_ANALYTICS_CHECK_FOR_PLUGIN_UPDATES: 'false',
    GF_NEWS_NEWS_FEED_ENABLED: 'false',
    GF_SECURITY_DISABLE_GRAVATAR: 'true',
    GF_PLUGINS_PREINSTALL_DISABLED: 'true',
    GF_PLUGINS_PUBLIC_KEY_RETRIEVAL_DISABLED: 'true',
  });
});

test('without its passwords Grafana does not start: its own default for one is known to everybody', () => {
  for (const name of ['GF_SECURITY_ADMIN_PASSWORD', 'ANALYST_USER', 'ANALYST_PASSWORD']) {
    expect(grafana.environment[name]).toBe(`\${${name}:-}`);
    expect(grafana.entrypoint?.at(-1)).toContain(`: "$$\{${name}:?is missing, see docs/analysts.md}"`);
  }
  expect(prometheus.entrypoint?.at(-1)).toContain('METRICS_TOKEN:?is missing');
  const guide = readFileSync(join(projectFolder, 'docs/analysts.md'), 'utf8');
  for (const name of ['GF_SECURITY_ADMIN_PASSWORD', 'ANALYST_USER', 'ANALYST_PASSWORD', 'METRICS_TOKEN']) {
    expect(guide).toContain(name);
  }
});

test('data sources name servers of the compose file or a database of your own, and take the account of an analyst from the environment', () => {
  const [database, ofMetrics] = dataSources;
  expect(new URL(ofMetrics?.url ?? '').hostname in composeFile.services).toBe(true);
  expect([database?.user, database?.secureJsonData]).toEqual([
    '$ANALYST_USER',
    { password: '$ANALYST_PASSWORD' },
  ]);
  expect([database?.url, database?.jsonData]).toMatchObject([
    '$ANALYST_HOST',
    { database: '$ANALYST_DATABASE', sslmode: '$ANALYST_SSLMODE' },
  ]);
  const named = {
    ANALYST_HOST: 'db.example.com:5432',
    ANALYST_DATABASE: 'energy',
    ANALYST_SSLMODE: 'verify-full',
  };
  expect(composeFileWith(PASSWORDS).services.grafana.environment).toMatchObject({
    ...{ ANALYST_HOST: 'timescaledb:5432', ANALYST_DATABASE: 'voltstream', ANALYST_SSLMODE: 'disable' },
  });
  expect(composeFileWith({ ...PASSWORDS, ...named }).services.grafana.environment).toMatchObject(named);
  const path = dashboardProvider.options.path;
  expect(grafana.volumes).toContain(`./ops/grafana/dashboards:${path}:ro`);
  expect(grafana.environment.GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH).toBe(`${path}/fleet.json`);
  const targets = prometheusFile.scrape_configs[0].static_configs[0].targets;
  const { api, worker } = composeFile.services;
  expect(targets).toEqual([`api:${api.environment.PORT}`, `worker:${worker.environment.WORKER_PORT}`]);
  expect(prometheusFile.scrape_configs[0].authorization.credentials_file).toBe('/tmp/metrics-token');
});

test('each panel has a name of its own, a sentence, a known data source and a place of its own', () => {
  expect(dashboards.map(({ uid }) => uid)).toEqual([
    'voltstream-bills',
    'voltstream-fleet',
    'voltstream-health',
    'voltstream-prices',
  ]);
  const known = dataSources.map(({ uid, type }) => ({ type, uid }));
  for (const { panels } of dashboards) {
    expect(new Set(panels.map(({ title }) => title)).size).toBe(panels.length);
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)},${y + Math.floor(cell / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    for (const { description, datasource, gridPos } of panels) {
      expect(description).toMatch(/\.$/);
      expect(known).toContainEqual(datasource);
      expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
    }
  }
});

/** Name, kind and labels of each metric that the service has. */
const metrics = new Map(
  [
    ...readFileSync(join(projectFolder, 'docs/metrics.md'), 'utf8').matchAll(
      /^\| `(voltstream_\w+)` \| (\w+) \| ([^|]+) \|/gm,
    ),
  ].map(([, name = '', kind = '', labels = '']) => [
    name,
    { kind, labels: labels.split(',').map((label) => label.trim()) },
  ]),
);

/** What a PromQL expression asks for that the service does not have. */
function unknownIn(expr: string): string[] {
  const names = [...expr.matchAll(/\bvoltstream_\w+/g)].map(([name]) => name);
  const grouped = [...expr.matchAll(/ by \(([^)]*)\)/g)].flatMap(([, labels = '']) => labels.split(/, */));
  return names.flatMap((name) => {
    const found = metrics.get(name) ?? metrics.get(name.replace(/_(bucket|sum|count)$/, ''));
    if (found === undefined) return [name];
    if (!metrics.has(name) && found.kind !== 'histogram') return [`${name} is no histogram`];
    if (found.kind === 'counter' && !/\b(rate|increase)\(/.test(expr)) return ['a counter without rate'];
    return grouped
      .filter((label) => label !== 'le' && !found.labels.includes(label))
      .map((label) => `${name} has no ${label}`);
  });
}

test('charts of metrics ask for metrics and labels that docs/metrics.md has', () => {
  const expressions = queries.filter(({ target }) => target.expr !== undefined);
  expect(expressions.length).toBeGreaterThan(15);
  const wrong = expressions.flatMap(({ place, target: { expr = '' } }) => {
    if (!/\bvoltstream_/.test(expr) && !/^(process|nodejs)_\w+$/.test(expr)) return [`${place}: no metric`];
    return unknownIn(expr).map((problem) => `${place}: ${problem}`);
  });
  expect(wrong).toEqual([]);
});

/** Where an expression is no PromQL; the names between two `$` are put in by Grafana. */
function brokenIn(expr: string): string[] {
  const text = expr.replaceAll(/\$__(range|rate_interval|interval)/g, '5m');
  const broken: string[] = [];
  parser.parse(text).iterate({
    enter: ({ type, from }) => {
      if (type.isError) broken.push(`"${text}" breaks at ${from}`);
    },
  });
  return broken;
}

test('each alarm and each chart of metrics is PromQL', () => {
  const charts = queries.flatMap(({ target: { expr } }) => (expr === undefined ? [] : [expr]));
  expect([...alarms.map(({ expr }) => expr), ...charts].flatMap(brokenIn)).toEqual([]);
  for (const broken of [
    'sum(rate(a_total[5m]) > 0',
    'sum(a) > > 1',
    'rate(a_total[5 minutes])',
    'a{b=c} == 1',
  ])
    expect([broken, brokenIn(broken).length]).not.toEqual([broken, 0]);
});

test.skipIf(spawnSync('promtool', ['--version']).error !== undefined)(
  'promtool takes the alarms, where it is on the path',
  () => {
    const { status, stdout, stderr } = spawnSync(
      'promtool',
      ['check', 'rules', join(projectFolder, 'ops/grafana/alarms.yml')],
      { encoding: 'utf8' },
    );
    expect(`${status} ${stdout}${stderr}`).toMatch(/^0 /);
  },
);

test('each metric has an alarm, or says why it has none', () => {
  const inRules = alarms.map(({ expr }) => expr).join('\n');
  const lines = readFileSync(join(projectFolder, 'docs/metrics.md'), 'utf8').split('\n');
  const wrong = [...metrics.keys()].filter((name) => {
    const hasAlarm = new RegExp(`\\b${name}(_bucket|_sum|_count)?\\b`).test(inRules);
    const says = /no alarm: \S/.test(lines.find((line) => line.startsWith(`| \`${name}\` |`)) ?? '');
    return hasAlarm === says;
  });
  expect(metrics.size).toBeGreaterThan(50);
  expect(wrong).toEqual([]);
});

test('Prometheus has the alarms, and keeps the label job of metrics of jobs', () => {
  expect(prometheusFile.rule_files).toEqual(['alarms.yml']);
  expect(prometheusFile.scrape_configs[0].honor_labels).toBe(true);
  expect(prometheus.volumes).toContain('./ops/grafana/alarms.yml:/etc/prometheus/alarms.yml:ro');
});

test('each alarm asks for metrics that the service has, and has a summary, a severity and a place to read on', () => {
  expect(alarms.length).toBeGreaterThan(20);
  expect(new Set(alarms.map(({ alert }) => alert)).size).toBe(alarms.length);
  const slugger = (path: string) => {
    const text = readFileSync(join(projectFolder, path), 'utf8');
    const slugs = new GithubSlugger();
    return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => slugs.slug(heading));
  };
  const wrong = alarms.flatMap(({ alert, expr, labels, annotations: { summary = '', runbook = '' } }) => {
    const [path = '', anchor] = runbook.split('#');
    const problems = unknownIn(expr);
    /* `up` is Prometheus' own. */
    if (!/\bvoltstream_/.test(expr) && !/^up\{/.test(expr)) problems.push('no metric');
    if (!/\.$/.test(summary)) problems.push('no sentence');
    if (labels.severity !== 'critical' && labels.severity !== 'warning') problems.push('no severity');
    if (!/^docs\/[a-z]+\.md$/.test(path)) problems.push(`${runbook} is no page`);
    else if (anchor !== undefined && !slugger(path).includes(anchor)) problems.push(`no ${runbook}`);
    return problems.map((problem) => `${alert}: ${problem}`);
  });
  expect(wrong).toEqual([]);
});

test('the limit of an alarm about times is a border of the histogram: between two borders times are guessed', async () => {
  const api = await startApi();
  try {
    fetchSeconds(api.deps.metrics).observe({ source: 'smard' }, 1);
    await api.client(null).get('/plans');
    const shown = await api.deps.metrics.text();
    const limits = alarms.flatMap(({ expr }) => [
      ...expr.matchAll(/^histogram_quantile\(.*\b(\w+_bucket)\[.*\) > (\d+)$/g),
    ]);
    expect(limits.length).toBe(alarms.filter(({ expr }) => expr.includes('histogram_quantile')).length);
    const hasBorder = (name = '', limit = '') => new RegExp(`^${name}\\{le="${limit}"`, 'm').test(shown);
    expect(limits.filter(([, name, limit]) => !hasBorder(name, limit)).map(([expr]) => expr)).toEqual([]);
  } finally {
    await api.close();
  }
});

test('a gauge that an alarm wants not to be 0 is not 0 in a service of which nobody asked anything yet', async () => {
  const api = await startApi({ alone: true });
  try {
    const shown = await api.deps.metrics.text();
    const compared = alarms.flatMap(({ expr }) => [...expr.matchAll(/^(?:min|max)\((\w+)\) == 0$/g)]);
    const names = compared.map(([, name = '']) => name);
    expect(names).toContain('voltstream_changes_watched');
    expect(names.filter((name) => new RegExp(`^${name} 0$`, 'm').test(shown))).toEqual([]);
    expect(shown).toMatch(/^voltstream_changes_watched 1$/m);
  } finally {
    await api.close();
  }
});

test('an alarm ends with its cause: counters are looked at over the last minutes, and nothing holds it longer', () => {
  for (const alarm of alarms) {
    expect(Object.keys(alarm).sort()).toEqual(['alert', 'annotations', 'expr', 'for', 'labels']);
    const counters = [...alarm.expr.matchAll(/(\w+)\((voltstream_\w+_(?:total|count|bucket))\b/g)];
    for (const [, inside] of counters)
      expect([alarm.alert, inside]).toEqual([alarm.alert, expect.stringMatching(/^(rate|increase)$/)]);
    expect(alarm.expr).not.toMatch(/absent|\[\d+[dwy]\]/);
  }
});

test('a counter that an alarm wants to see growing is 0 from the start: its first step is seen', async () => {
  const api = await startApi({ alone: true });
  try {
    for (const makes of [endsOfAnalystSessions, priceGauges, deliveryGauges]) makes(api.deps);
    const shown = await api.deps.metrics.text();
    /* The first process of several makes this one as it starts, and the first batch those of nodes (node-writers.test.ts). */
    const elsewhere = /api_process_ends|snapshot_(node|shard_map|coordinator)_/;
    const growing = alarms
      .flatMap(({ expr }) => [
        ...expr.matchAll(/(?:rate|increase)\((\w+_total)(?:\{(\w+)=~?"([^"]+)"\})?\[/g),
      ])
      .flatMap(([, name = '', label, values = '']) =>
        label === undefined
          ? [`${name}(\\{.*\\})?`]
          : values.split('|').map((value) => `${name}\\{.*${label}="${value}".*\\}`),
      )
      .filter((series) => !elsewhere.test(series));
    expect(growing).toContain('voltstream_snapshot_rows_stored_total(\\{.*\\})?');
    expect(growing.filter((series) => !new RegExp(`^${series} 0$`, 'm').test(shown))).toEqual([]);
  } finally {
    await api.close();
  }
});
