// A strict parser of Prometheus's text format, version 0.0.4.
import assert from 'node:assert/strict';

type Labels = Readonly<Record<string, string>>;

interface Sample {
  readonly name: string;
  readonly labels: Labels;
  readonly value: number;
}

const HELP = /^# HELP ([a-z_][a-z0-9_]*) (\S.*)$/;
const TYPE = /^# TYPE ([a-z_][a-z0-9_]*) (counter|gauge|histogram)$/;
const SAMPLE = /^([a-z_][a-z0-9_]*)(?:\{(.*)\})? (-?\d[\d.e+-]*|Nan)$/; // Prometheus reads NaN in any case
const LABEL = /([a-z_][a-z0-9_]*)="((?:[^"\\\n]|\\[\\n"])*)"(,|$)/y;

export class Metrics {
  readonly text: string;
  readonly samples: readonly Sample[];
  /** By the name of the family. */
  readonly types: ReadonlyMap<string, string>;

  /** @throws AssertionError if anything is not as the format wants it */
  constructor(text: string) {
    this.text = text;
    assert.ok(text.endsWith('\n'), 'the last line ends with a line feed');
    const types = new Map<string, string>();
    const samples: Sample[] = [];
    const seen = new Set<string>();
    let family = '';
    for (const line of text.split('\n')) {
      if (line === '') continue;
      const [, help] = HELP.exec(line) ?? [];
      const [, typed, type = ''] = TYPE.exec(line) ?? [];
      if (help !== undefined) {
        assert.ok(!types.has(help), `${help} is there twice`);
        family = help;
      } else if (typed !== undefined) {
        assert.equal(typed, family);
        types.set(typed, type);
      } else {
        const sample = parseSample(line);
        const isHistogram = types.get(family) === 'histogram';
        const suffix = sample.name.slice(family.length);
        assert.ok(
          sample.name.startsWith(family) && (isHistogram ? /^_(?:bucket|sum|count)$/ : /^$/).test(suffix),
          line,
        );
        const key = `${sample.name}${JSON.stringify(Object.entries(sample.labels).toSorted())}`;
        assert.ok(!seen.has(key), `twice: ${line}`);
        seen.add(key);
        samples.push(sample);
      }
    }
    this.samples = samples;
    this.types = types;
    for (const [name, type] of types) {
      assert.equal(name.endsWith('_total'), type === 'counter', name);
      if (type === 'histogram') this.#checkHistogram(name);
    }
  }

  /** The samples with this name and at least these labels; undefined: the label is not there. */
  find(name: string, labels: Readonly<Record<string, string | undefined>> = {}): readonly Sample[] {
    return this.samples.filter((sample) => {
      return sample.name === name && Object.entries(labels).every(([label, value]) => sample.labels[label] === value);
    });
  }

  /** The sum of the same. */
  sum(name: string, labels: Readonly<Record<string, string | undefined>> = {}): number {
    return this.find(name, labels).reduce((sum, { value }) => sum + value, 0);
  }

  /** All values of a label. */
  values(label: string): ReadonlySet<string> {
    return new Set(this.samples.flatMap(({ labels }) => labels[label] ?? []));
  }

  #checkHistogram(name: string): void {
    for (const { labels, value } of this.find(`${name}_count`)) {
      const buckets = this.find(`${name}_bucket`, labels).filter((bucket) => {
        return Object.keys(bucket.labels).length === Object.keys(labels).length + 1;
      });
      const counts = buckets.map((bucket) => bucket.value);
      assert.deepEqual(
        counts,
        counts.toSorted((a, b) => a - b),
        `the buckets of ${name} add up`,
      );
      assert.equal(buckets.at(-1)?.labels['le'], '+Inf');
      assert.equal(buckets.at(-1)?.value, value);
      assert.equal(this.find(`${name}_sum`, labels).length > 0, true);
    }
  }
}

function parseSample(line: string): Sample {
  const [, name = '', list = '', value] = SAMPLE.exec(line) ?? assert.fail(`not a sample: ${line}`);
  const labels: Record<string, string> = {};
  LABEL.lastIndex = 0;
  while (LABEL.lastIndex < list.length) {
    const [, label = '', text = ''] = LABEL.exec(list) ?? assert.fail(`not labels: ${line}`);
    assert.ok(!Object.hasOwn(labels, label), `a label is there twice: ${line}`);
    labels[label] = text.replaceAll(/\\(.)/g, (_, escaped: string) => (escaped === 'n' ? '\n' : escaped));
  }
  return { name, labels, value: Number(value) };
}
