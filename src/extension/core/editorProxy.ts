// Asks the editor which proxy it would use: only the editor knows the operating system's settings and evaluates PAC
// scripts. It publishes the answer for its own extensions on a module of its own; there is no other interface.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { findEditorRoute } from '../../settings/editorRoute.ts';
import type { NetworkSettings } from '../../shared/messages.ts';
import type { ProxyRoute } from '../../shared/network.ts';

const MODULE = '@vscode/proxy-agent';

export function findEditorProxy(url: string, network: NetworkSettings): Promise<ProxyRoute> {
  return findEditorRoute(url, network, process.env, loadProxyAgent());
}

/** Undefined in an editor without it. */
function loadProxyAgent(): unknown {
  const { appRoot } = vscode.env;
  const load = createRequire(join(appRoot, 'package.json'));
  for (const folder of ['node_modules.asar', 'node_modules']) {
    try {
      return load(join(appRoot, folder, MODULE));
    } catch {
      // In the other folder: a desktop editor has its modules in an archive.
    }
  }
  return undefined;
}
