// Pictures to look at: .cache/screenshots/web-view-*.png
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import type { ToDashboard } from '../../src/dashboard/messages.ts';
import { SECTIONS } from '../../src/dashboard/model.ts';
import type { DashboardState } from '../../src/dashboard/model.ts';
import { fromRoot } from '../support/e2e/process.ts';
import { THEMES } from './support/browser.ts';
import { SEALED_SIDE_PROMPTS } from './support/promptSamples.ts';
import {
  developmentState,
  failures,
  noKeyState,
  refusedState,
  requests,
  unreachableState,
  usage,
} from './support/samples.ts';
import { NOW, STATE, dashboardSuite } from './support/suite.ts';

const FOLDER = fromRoot('.cache/screenshots');
const VERIFIED: readonly ToDashboard[] = [STATE, requests(NOW, 500), usage(NOW)];

const OTHER_STATES: Readonly<Record<string, DashboardState>> = {
  development: developmentState(NOW),
  refused: refusedState(NOW),
  unreachable: unreachableState(NOW),
  noKey: noKeyState(NOW),
};

describe('The dashboard has pictures', () => {
  const suite = dashboardSuite();
  before(() => {
    mkdirSync(FOLDER, { recursive: true });
  });

  for (const theme of THEMES) {
    it(`of each section in the theme ${theme}`, async () => {
      const view = await suite.open({ theme });
      await view.show(...VERIFIED);
      for (const section of SECTIONS) {
        await view.show({ type: 'show', section });
        await view.page.screenshot({ path: `${FOLDER}/web-view-${section}-${theme}.png` });
      }
    });
  }

  for (const width of [400, 926, 1600]) {
    it(`of each section in a tab of ${width} pixels`, async () => {
      const view = await suite.open({ width });
      await view.show(...VERIFIED);
      for (const section of SECTIONS) {
        await view.show({ type: 'show', section });
        await view.page.screenshot({ path: `${FOLDER}/web-view-${section}-${width}.png` });
      }
    });
  }

  for (const theme of THEMES) {
    it(`of requests that failed in the theme ${theme}, and in narrow and wide tabs`, async () => {
      const view = await suite.openAt('requests', { theme });
      await view.show(failures(NOW));
      for (const width of [1440, 800, 400]) {
        await view.page.setViewportSize({ width, height: 800 });
        await view.page.screenshot({ path: `${FOLDER}/web-view-requests-failures-${theme}-${width}.png` });
      }
    });
  }

  const pictures: string[] = [];
  for (const [name, state] of Object.entries(OTHER_STATES)) {
    it(`of the state ${name}`, async () => {
      const view = await suite.open();
      await view.show({ type: 'state', state });
      for (const section of ['overview', 'prompts', 'sidePrompts', 'attestation'] as const) {
        await view.show({ type: 'show', section });
        const picture = await view.page.screenshot({ path: `${FOLDER}/web-view-${section}-${name}.png` });
        if (section === 'prompts') pictures.push(picture.toString('base64'));
      }
    });
  }

  it('that differ from state to state', () => {
    assert.equal(new Set(pictures).size, Object.keys(OTHER_STATES).length);
  });

  it('of the complete attestation, with its examined values', async () => {
    const view = await suite.open({ height: 3400 });
    await view.show({ type: 'state', state: refusedState(NOW) }, { type: 'show', section: 'attestation' });
    await view.page.evaluate(() => {
      for (const details of document.querySelectorAll('details')) details.open = true;
    });
    await view.page.screenshot({ path: `${FOLDER}/web-view-attestation-complete.png` });
  });

  it('of side prompts before and after sealing, with details', async () => {
    const view = await suite.openAt('sidePrompts', { height: 1100 });
    await view.page.locator('summary', { hasText: 'Risk of tool calls' }).click();
    await view.page.screenshot({ path: `${FOLDER}/web-view-sidePrompts-details.png` });
    await view.show({ type: 'state', state: { ...STATE.state, sidePrompts: SEALED_SIDE_PROMPTS } });
    await view.page.screenshot({ path: `${FOLDER}/web-view-sidePrompts-sealed.png` });
  });

  it('of 90 days of usage, and of sections without data', async () => {
    const quarter = { range: 'quarter', by: 'model' } as const;
    const view = await suite.openAt('usage', { saved: { section: 'usage', ...quarter }, height: 1100 });
    await view.show(usage(NOW, quarter));
    const over = await view.page.locator('.u-over').first().boundingBox();
    if (over !== null) await view.page.mouse.move(over.x + over.width * 0.8, over.y + over.height / 2);
    await view.page.screenshot({ path: `${FOLDER}/web-view-usage-quarter.png` });
    await view.page.getByText('7 days').click();
    await view.show(usage(NOW, { range: 'week', by: 'model' }));
    await view.page.screenshot({ path: `${FOLDER}/web-view-usage-week.png` });
    await view.page.getByText('90 days', { exact: true }).click();
    await view.show(usage(NOW, { ...quarter, series: [], recording: false }));
    await view.page.screenshot({ path: `${FOLDER}/web-view-usage-off.png` });
    await view.show({ type: 'show', section: 'requests' });
    await view.page.screenshot({ path: `${FOLDER}/web-view-requests-none.png` });
  });
});
