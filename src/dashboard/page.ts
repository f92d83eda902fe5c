// The HTML of the dashboard: a frame without content, with the strictest content security policy that its bundle needs.

export interface PageSources {
  /** The origin of the editor's web view resources, as the editor names it. */
  readonly cspSource: string;
  readonly scriptUri: string;
  readonly styleUri: string;
  /** Random for each page: limits scripts to its own one, instead of all below `cspSource`. */
  readonly nonce: string;
}

/** The page; everything it shows arrives in messages. */
export function dashboardPage({ cspSource, scriptUri, styleUri, nonce }: PageSources): string {
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src ${cspSource}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return `<!DOCTYPE html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="${asAttribute(policy)}">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Sealed Proxy</title>
    <link rel="stylesheet" href="${asAttribute(styleUri)}">
    <script type="module" nonce="${asAttribute(nonce)}" src="${asAttribute(scriptUri)}"></script>
  </head>
  <body>
    <div id="dashboard"></div>
  </body>
</html>
`;
}

function asAttribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
