// Names and texts from outside that try to be more than text.
import assert from 'node:assert/strict';
import { SECTIONS } from '../../src/dashboard/model.ts';
import type { DashboardState, UsageView } from '../../src/dashboard/model.ts';
import { endedRequest, runningRequest, usage } from './support/samples.ts';
import { NOW, STATE, dashboardSuite } from './support/suite.ts';

const HOSTILE = {
  HTML: '<img src=x onerror="document.title=\'owned\'"><script>document.title="owned"</script>',
  'an attribute': '" onmouseover="document.title=\'owned\'" x="${1}`',
  'a template': '</template>${alert(1)}{{x}}<!--?lit$123$-->',
  'ANSI escapes': '\u001b[31mred\u001b[0m\u0007\u009b1m',
  'bidirectional marks': 'safe\u202Egnp.exe\u202C\u2066x\u2069\u200F',
  'line breaks': 'one\r\ntwo\u2028three\u0000four',
  'a very long name': 'long'.repeat(2560),
  'a long name without a break': '\u{1F512}'.repeat(4000),
  'right-to-left text': 'نموذج اللغة الكبير',
  'combining marks': `z${'\u0301\u0489'.repeat(300)}`,
  'half a character': 'x\ud83d',
} as const;

/** All except the line feeds between the elements of the page. */
// eslint-disable-next-line no-control-regex -- these must not be shown
const MISLEADING = /[\0-\u0009\u000b-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

/** A state in which each text is this one. */
function stateOf(text: string): DashboardState {
  const { connection, prompts, sidePrompts, attestation, clients } = STATE.state;
  assert.ok(sidePrompts);
  const fact = { name: text, value: text };
  return {
    connection: {
      ...connection,
      ...{ headline: text, detail: text, facts: [fact], otherModels: [text] },
      chatModels: connection.chatModels.map((model) => ({ ...model, id: `${text}2`, name: text })),
    },
    offeredModels: [],
    prompts: {
      ...prompts,
      reach: { kind: 'nothing', why: text },
      senders: prompts.senders.map((sender) => ({ ...sender, name: text, sentence: text, details: [fact] })),
    },
    sidePrompts: {
      ...sidePrompts,
      recommended: { utility: text, agent: text },
      rows: [
        {
          ...{ title: text, reason: text, settings: [{ key: text, now: text, after: { [text]: text } }] },
          now: { kind: 'goesTo', recipient: text, ifSignedIn: true },
          after: { kind: 'goesTo', recipient: text, ifSignedIn: false },
          canTurnOff: false,
        },
      ],
    },
    attestation: {
      ...attestation,
      ...{ headline: text, detail: text, limits: [text], image: { pcr0: text, approval: text } },
      groups: (['passed', 'failed'] as const).map((result) => ({
        ...{ question: 'Who signed it?', result, verdict: text, reason: text },
        steps: [{ what: text, result, found: text, examined: [fact] }],
      })),
      chain: attestation.chain.map((certificate) => ({ ...certificate, name: text, subject: text, sha256: text })),
    },
    clients: clients.map((row) => ({
      ...row,
      name: text,
      config: row.config === null ? null : { ...row.config, state: text, note: text },
    })),
  };
}

function usageOf(text: string): { type: 'usage'; view: UsageView } {
  const { view } = usage(NOW);
  return { type: 'usage', view: { ...view, series: view.series.map((series) => ({ ...series, name: text })) } };
}

describe('The dashboard shows as text', () => {
  const suite = dashboardSuite();

  for (const [kind, text] of Object.entries(HOSTILE)) {
    it(kind, async () => {
      const view = await suite.open({ width: 900 });
      const part = {
        client: text,
        path: text,
        model: text,
        requestedModel: `${text}2`,
        outcome: 'broken',
        end: text,
      } as const;
      await view.show(
        { type: 'state', state: stateOf(text) },
        { type: 'requests', reset: true, requests: [endedRequest(1, NOW, part), runningRequest(2, NOW, 1)] },
        usageOf(text),
      );
      for (const section of SECTIONS) {
        await view.show({ type: 'show', section });
        const found = await view.page.evaluate(() => {
          for (const details of document.querySelectorAll('details')) details.open = true;
          const attributes = [...document.querySelectorAll('#dashboard *')].flatMap((element) => [
            ...element.attributes,
          ]);
          return {
            text: document.body.textContent + attributes.map(({ value }) => value).join(''),
            handlers: attributes.map(({ name }) => name).filter((name) => name.startsWith('on')),
            elements: document.querySelectorAll('#dashboard :is(img, script, template)').length,
            title: document.title,
            // How far the page could be scrolled to the side.
            overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
            panelOverflow: (({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(
              document.querySelector('#panel') ?? document.body,
            ),
            longest: Math.max(...attributes.map(({ value }) => value.length)),
          };
        });

        assert.equal(MISLEADING.exec(found.text)?.[0], undefined, section);
        assert.ok(found.text.isWellFormed());
        assert.deepEqual(
          { handlers: found.handlers, elements: found.elements, title: found.title },
          { handlers: [], elements: 0, title: 'Sealed Proxy' },
        );
        assert.deepEqual([found.overflow, found.panelOverflow], [0, 0], section);
        assert.ok(found.longest < 5000, `${section}: an attribute has ${found.longest} characters`);
      }
    });
  }

  it('the name of a client in the filter, and selects it by its real name', async () => {
    const view = await suite.openAt('requests');
    const client = `${HOSTILE.HTML}${HOSTILE['bidirectional marks']}`;
    await view.show({
      type: 'requests',
      reset: true,
      requests: [endedRequest(1, NOW, { client }), endedRequest(2, NOW)],
    });
    const [, option] = await view.page.locator('#client option').allTextContents();
    assert.match(option ?? '', /^<img src=x/);
    await view.page.getByLabel('Client').selectOption({ index: 1 });
    await view.show();
    assert.equal(await view.page.locator('.requests > li').count(), 1);
    assert.equal(((await view.saved()) as { client?: unknown }).client, client);
  });
});
