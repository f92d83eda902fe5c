// Checks of the way to the backend: HTTP proxies and TLS certificates. The proxy reports what its connections use.
import { describeCertificates, describeRoute } from '../presentation/networkText.ts';
import type { NetworkReport, RouteReport } from '../shared/network.ts';
import { failed, passed, skipped, whereRemedyIs } from './check.ts';
import type { Check, CheckResult, DiagnosticsContext } from './check.ts';

export function networkChecks(context: DiagnosticsContext): readonly Check[] {
  const withReport = (name: string, run: (report: NetworkReport) => CheckResult): Check => ({
    name,
    run: async () => {
      const status = context.status();
      if (status.kind !== 'running') return skipped('Not tested: the proxy is not running');
      const found = await context.probe(status.port);
      if (found.kind !== 'own') return skipped('Not tested: the proxy does not respond');
      if (found.report.network === null) return skipped('The running version of the proxy does not report this');
      return run(found.report.network);
    },
  });
  return [
    withReport('HTTP proxy for the backend', ({ backend }) => checkBackendRoute(backend, context)),
    withReport('HTTP proxy for the list of images', ({ history }) => checkHistoryRoute(history, context)),
    withReport('TLS certificates', (report) => checkCertificates(report, context)),
  ];
}

function checkBackendRoute(route: RouteReport | null, { status }: DiagnosticsContext): CheckResult {
  const current = status();
  if (route === null) return skipped('Not known yet: no connection has been needed');
  const finding = describeRoute(route);
  if (current.kind !== 'running' || current.health.kind !== 'unreachable') return passed(finding);
  if (current.health.cause !== 'network' || route.source === 'local') return passed(finding);
  return failed(`${finding}; the backend is unreachable`, whereRemedyIs(current));
}

function checkHistoryRoute(route: RouteReport | null, { status }: DiagnosticsContext): CheckResult {
  const current = status();
  if (route === null) return skipped('Not needed: the signed list of images was not downloaded');
  const finding = describeRoute(route);
  if (current.kind !== 'running' || current.health.kind !== 'unreachable') return passed(finding);
  if (current.health.failure?.code !== 'history_unavailable') return passed(finding);
  return failed(`${finding}; raw.githubusercontent.com is unreachable`, whereRemedyIs(current));
}

function checkCertificates({ certificates }: NetworkReport, { network }: DiagnosticsContext): CheckResult {
  if (certificates === null) {
    return failed(
      'The certificates of the operating system are still being read',
      'Run the diagnostics again in a minute. If this takes long at each start, turn http.systemCertificates off.',
    );
  }
  const lax = network().strictTls === false ? '; http.proxyStrictSSL is off: TLS certificates are not verified' : '';
  const finding = describeCertificates(certificates) + lax;
  if (certificates.system !== 'failed') return passed(finding);
  return failed(finding, 'If the connection fails, name the file of a certificate in NODE_EXTRA_CA_CERTS.');
}
