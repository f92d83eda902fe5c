import assert from 'node:assert/strict';
import { SECTIONS } from '../../src/dashboard/model.ts';
import { THEMES } from './support/browser.ts';
import type { DashboardView } from './support/browser.ts';
import { developmentState, requests, usage } from './support/samples.ts';
import { NOW, dashboardSuite } from './support/suite.ts';

type Rgb = readonly [number, number, number];

interface DrawnIcon {
  readonly classes: string;
  readonly color: Rgb;
  readonly background: Rgb;
}

/** The icons of the section with their colours, from 0 to 255. */
function iconsOf(view: DashboardView): Promise<readonly DrawnIcon[]> {
  return view.page.evaluate(() => {
    const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
    if (canvas === null) throw new Error('The browser has no canvas.');
    const fill = (color: string): void => {
      canvas.fillStyle = color;
      canvas.fillRect(0, 0, 1, 1);
    };
    const drawn = (): Rgb => {
      const [red = 0, green = 0, blue = 0] = canvas.getImageData(0, 0, 1, 1).data;
      return [red, green, blue];
    };
    return [...document.querySelectorAll('.icon')].map((icon) => {
      const under: Element[] = [];
      for (let element = icon.parentElement; element !== null; element = element.parentElement) under.unshift(element);
      for (const element of under) fill(getComputedStyle(element).backgroundColor);
      const background = drawn();
      fill(getComputedStyle(icon).color);
      return { classes: icon.classList.value, color: drawn(), background };
    });
  });
}

/** The backgrounds of the first buttons of both kinds, and of the page. */
function buttonsOf(view: DashboardView): Promise<Readonly<Record<'primary' | 'secondary' | 'page', Rgb>>> {
  return view.page.evaluate(() => {
    const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
    if (canvas === null) throw new Error('The browser has no canvas.');
    const drawn = (selector?: string): Rgb => {
      const button = selector && document.querySelector(selector)?.shadowRoot?.querySelector('.base');
      for (const element of [document.body, ...(button ? [button] : [])]) {
        canvas.fillStyle = getComputedStyle(element).backgroundColor;
        canvas.fillRect(0, 0, 1, 1);
      }
      const [red = 0, green = 0, blue = 0] = canvas.getImageData(0, 0, 1, 1).data;
      return [red, green, blue];
    };
    return {
      primary: drawn('vscode-button:not([secondary])'),
      secondary: drawn('vscode-button[secondary]'),
      page: drawn(),
    };
  });
}

/** As WCAG 2.2 defines it. */
function contrast(one: Rgb, other: Rgb): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].toSorted((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(color: Rgb): number {
  const [red = 0, green = 0, blue = 0] = color.map((value) => {
    const part = value / 255;
    return part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

describe('The icons', () => {
  const suite = dashboardSuite();

  for (const theme of THEMES) {
    it(`have a contrast of at least 3:1 in the theme ${theme}, and warnings are amber`, async () => {
      const view = await suite.open({ theme });
      await view.show({ type: 'state', state: developmentState(NOW) }, requests(NOW, 30), usage(NOW));
      const seen = new Set<string>();
      for (const section of SECTIONS) {
        await view.show({ type: 'show', section });
        for (const { classes, color, background } of await iconsOf(view)) {
          seen.add(classes);
          const ratio = contrast(color, background);
          assert.ok(ratio >= 3, `${section}: ${classes} has ${ratio.toFixed(2)}:1`);
          if (!classes.includes('tone-warning')) continue;
          const [red, green, blue] = color;
          assert.ok(red > green && green > 0.6 * red && blue < green, `rgb(${color.join(', ')}) is not amber`);
          // The colour of high-contrast themes is VS Code's own.
          if (theme === 'light') assert.ok(red >= 170, `rgb(${color.join(', ')}) is brown`);
        }
      }
      for (const tone of ['good', 'warning', 'error', 'neutral', 'running'])
        assert.ok(
          [...seen].some((classes) => classes.includes(`tone-${tone}`)),
          `no icon is ${tone}`,
        );
    });
  }
});

describe('The buttons', () => {
  const suite = dashboardSuite();

  for (const theme of THEMES) {
    it(`stand out only if they are primary in the theme ${theme}`, async () => {
      const { primary, secondary, page } = await buttonsOf(await suite.openAt('overview', { theme }));
      const [first, others] = [contrast(primary, page), contrast(secondary, page)];
      assert.ok(first >= 3 && others < 1.5, `${first.toFixed(2)}:1 and ${others.toFixed(2)}:1`);
    });
  }
});
