// The dashboard's web view. Everything it shows arrives in messages, and everything that the user does leaves in messages.
import '@vscode-elements/elements/dist/vscode-badge/index.js';
import { VscodeButton } from '@vscode-elements/elements/dist/vscode-button/index.js';
import type { ToDashboard } from '../messages.ts';
import { App } from './app.ts';
import { Host } from './host.ts';
import { watchTheme } from './theme.ts';
import { UsageChart } from './usageChart.ts';

const root = document.getElementById('dashboard');
if (root === null) throw new Error('The page has no element for the dashboard.');
customElements.define('usage-chart', UsageChart);
const app = new App(root, new Host());
// Only the editor can send messages to its web view.
window.addEventListener('message', ({ data }: MessageEvent<ToDashboard>) => {
  app.receive(data);
});
// The buttons act on the space key, which also scrolls.
document.addEventListener('keydown', (event) => {
  if (event.key === ' ' && event.target instanceof VscodeButton) event.preventDefault();
});
app.start();
watchTheme(() => {
  for (const chart of document.querySelectorAll('usage-chart')) if (chart instanceof UsageChart) chart.redraw();
});
