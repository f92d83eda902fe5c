// The page about metrics, the alerts and the dashboard name what the proxy has.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { createMetrics } from '../../src/proxy/metrics/metrics.ts';
import { fromRoot } from '../support/e2e/process.ts';
import { Metrics } from '../support/prometheusText.ts';

interface Rules {
  readonly groups: readonly {
    readonly rules: readonly { readonly alert: string; readonly expr: string; for?: string }[];
  }[];
}

interface Dashboard {
  readonly panels: readonly { readonly targets: readonly { readonly expr: string }[] }[];
}

const read = (path: string) => readFileSync(fromRoot(path), 'utf8');
const PAGE = read('docs/metrics.md');
const RULES = (parse(read('deploy/prometheus-rules.yaml')) as Rules).groups.flatMap(({ rules }) => rules);
const DASHBOARD = JSON.parse(read('docs/grafana-dashboard.json')) as Dashboard;
const LABELS = ['gen_ai_request_model', 'gen_ai_operation_name', 'gen_ai_token_type'];

const REFUSALS = 'sealed_proxy_refusals_total';

describe('The metrics', () => {
  let own: string[];

  before(async () => {
    const { types } = new Metrics(await (await createMetrics()).text());
    own = [...types.keys()].filter((name) => /^(?:sealed_proxy|gen_ai)_/.test(name));
  });

  it('are all on their page', () => {
    const rows = [...PAGE.matchAll(/^\| `((?:sealed_proxy|gen_ai)_\w+)` +\| (?:counter|gauge|histogram)/gm)];
    assert.deepEqual(rows.map(([, name]) => name).toSorted(), own.toSorted());
  });

  it('are those that the alerts and the dashboard use', () => {
    const panels = DASHBOARD.panels.flatMap(({ targets }) => targets);
    for (const { expr } of [...RULES, ...panels]) {
      for (const [name] of expr.matchAll(/\b(?:sealed_proxy|gen_ai)_\w+/g)) {
        const family = name.replace(/_(?:bucket|sum|count)$/, '');
        assert.ok(own.includes(family) || LABELS.includes(name), name);
      }
    }
  });

  it('begin with a series of zero for each alert about refusals, so that it sees the first burst', async () => {
    const alerts = RULES.filter(({ expr }) => expr.includes(REFUSALS));
    assert.deepEqual(
      alerts.map(({ alert }) => alert),
      ['ApiKeyRefused', 'KeysRefused', 'Busy'].map((name) => `SealedProxy${name}`),
    );
    const series = new Metrics(await (await createMetrics()).text()).find(REFUSALS);
    for (const { expr } of alerts) {
      const matchers = [...expr.matchAll(/[{,](\w+)=~?"([^"]*)"/g)];
      const matches = series.filter(({ labels }) =>
        matchers.every(([, label = '', pattern = '']) => new RegExp(`^(?:${pattern})$`).test(labels[label] ?? '')),
      );
      assert.ok(matches.length > 0, expr);
      assert.deepEqual(new Set(matches.map(({ value }) => value)), new Set([0]));
    }
  });

  it('have a reason and the query of each alert on their page', () => {
    for (const { alert, expr, for: time } of RULES) {
      const query = `# ${alert}${time === undefined ? '' : `, for ${time}`}\n${expr.replace(/\s+/g, ' ').trim()}\n`;
      assert.ok(PAGE.includes(query), query);
      assert.match(PAGE, new RegExp(`^\\| \`${alert}\``, 'm'));
    }
    assert.equal(PAGE.match(/^# Sealed/gm)?.length, RULES.length);
  });
});
