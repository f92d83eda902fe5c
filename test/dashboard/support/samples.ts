// What the extension may send to the dashboard, in the states that its tests show.
import type {
  AttestationSection,
  ClientsSection,
  ConnectionSection,
  DashboardState,
  RequestRow,
  ToDashboard,
  UsageView,
} from '../../../src/dashboard/model.ts';
import { PROMPTS } from './promptSamples.ts';

const HOUR = 60 * 60 * 1000;
const DAY = 24 * HOUR;

const MODELS: ConnectionSection['models'] = [
  { id: 'llama-3.3-70b', name: 'Llama 3.3 70B', contextWindow: 131_072, maxOutput: 16_384, capabilities: ['Tools'] },
  {
    id: 'gpt-oss-120b',
    name: 'GPT-OSS 120B',
    contextWindow: 131_072,
    maxOutput: 32_768,
    capabilities: ['Tools', 'Reasoning'],
  },
  {
    id: 'qwen3-vl-30b',
    name: 'qwen3-vl-30b',
    contextWindow: 262_144,
    maxOutput: 32_768,
    capabilities: ['Tools', 'Images', 'Reasoning'],
  },
];

export const VERIFIED_CONNECTION: ConnectionSection = {
  tone: 'good',
  headline: 'Sealed Proxy is connected to a verified enclave.',
  detail: 'Prompts to its models are encrypted on this computer and can only be read inside the enclave.',
  buttons: [
    { name: 'checkConnection', title: 'Check Connection' },
    { name: 'copyBaseUrl', title: 'Copy Base URL' },
    { name: 'restart', title: 'Restart' },
    { name: 'stop', title: 'Stop' },
  ],
  facts: [
    { name: 'Base URL', value: 'http://127.0.0.1:14114/v1' },
    { name: 'Backend', value: 'https://enclave.trymaple.ai' },
    { name: 'Port owner', value: 'Sealed Proxy 0.7.0 (this window)' },
    { name: 'Last check', value: '2 minutes ago, 84 ms' },
  ],
  models: MODELS,
};

const PCR0 = 'a3f1'.repeat(24);

function chain(now: number): AttestationSection['chain'] {
  return [
    {
      role: 'root',
      name: 'aws.nitro-enclaves',
      subject: 'CN=aws.nitro-enclaves, OU=AWS, O=Amazon, C=US',
      validFrom: Date.UTC(2019, 9, 28, 13, 28, 5),
      validTo: Date.UTC(2049, 9, 28, 14, 28, 5),
      sha256: '641a0321a3e244efe456463195d606317ed7cdcc3c1756e09893f3c68f79bb5b',
    },
    {
      role: 'intermediate',
      name: '4a2f1c7e9d0b6385.us-east-2.aws.nitro-enclaves',
      subject: 'CN=4a2f1c7e9d0b6385.us-east-2.aws.nitro-enclaves, OU=AWS, O=Amazon, C=US',
      validFrom: now - 6 * DAY,
      validTo: now + 14 * DAY,
      sha256: '9b'.repeat(32),
    },
    {
      role: 'intermediate',
      name: 'c81de0a1b2c3d4e5.zonal.us-east-2.aws.nitro-enclaves',
      subject: 'CN=c81de0a1b2c3d4e5.zonal.us-east-2.aws.nitro-enclaves, OU=AWS, O=Amazon, ST=WA, L=Seattle, C=US',
      validFrom: now - 20 * HOUR,
      validTo: now + 6 * DAY,
      sha256: '77'.repeat(32),
    },
    {
      role: 'leaf',
      name: 'i-0f2c4d6e8a1b3c5d7-enc0192.us-east-2.aws',
      subject: 'CN=i-0f2c4d6e8a1b3c5d7-enc0192.us-east-2.aws, OU=AWS, O=Amazon, ST=Washington, L=Seattle, C=US',
      validFrom: now - HOUR,
      validTo: now + 2 * HOUR,
      sha256: 'e4'.repeat(32),
    },
  ];
}

export function verifiedAttestation(now: number): AttestationSection {
  return {
    tone: 'good',
    headline: 'The enclave is verified.',
    detail: 'Verified on 22 Nov 2026, 10:15:02. The session ends at 11:15 and is renewed before.',
    steps: [
      {
        what: 'The attestation document answers this challenge',
        result: 'passed',
        found: 'The nonce matches.',
        examined: [
          { name: 'Sent', value: '0b6f0f62-1a6d-4c49-9c7a-3c8c0f3a9d10' },
          { name: 'In the document', value: '0b6f0f62-1a6d-4c49-9c7a-3c8c0f3a9d10' },
        ],
      },
      {
        what: 'AWS has signed it',
        result: 'passed',
        found: 'The chain of 4 certificates ends at the AWS Nitro root.',
        examined: [
          { name: 'Root, SHA-256', value: '641a0321a3e244efe456463195d606317ed7cdcc3c1756e09893f3c68f79bb5b' },
        ],
      },
      {
        what: 'The enclave image is approved',
        result: 'passed',
        found: 'In the signed history since 14 Nov 2026.',
        examined: [{ name: 'PCR0', value: PCR0 }],
      },
      {
        what: 'The session key belongs to the enclave',
        result: 'passed',
        found: 'The public key in the document is the one of the handshake.',
        examined: [{ name: 'Public key', value: '5c'.repeat(32) }],
      },
    ],
    chain: chain(now),
    image: { pcr0: PCR0, approval: 'Approved by the signed image history, where it is listed since 14 Nov 2026.' },
    limits: [
      'The verification shows which program the enclave runs. It does not show what this program does.',
      'The length and the time of each request are visible to the network.',
    ],
    canSaveEvidence: true,
  };
}

export function refusedAttestation(now: number): AttestationSection {
  const verified = verifiedAttestation(now);
  return {
    ...verified,
    tone: 'error',
    headline: 'The enclave was refused: its image is not approved.',
    detail: 'Nothing was sent. If the image is new, wait until the history lists it, or approve it in the settings.',
    steps: verified.steps.map((step, index) =>
      index === 2
        ? { ...step, result: 'failed', found: 'Not in the signed history, and no setting approves it.' }
        : index === 3
          ? { ...step, result: 'notReached', found: '', examined: [] }
          : step,
    ),
    image: { pcr0: PCR0, approval: 'Not approved.' },
    canSaveEvidence: false,
  };
}

export const DEVELOPMENT_ATTESTATION: AttestationSection = {
  tone: 'warning',
  headline: 'Not verified: this is a development backend.',
  detail: 'It runs on this computer and has no hardware that could sign an attestation document.',
  steps: [
    { what: 'AWS has signed it', result: 'notChecked', found: 'The document has a throwaway signature.', examined: [] },
  ],
  chain: [],
  image: null,
  limits: ['Do not use a development backend for prompts that must stay private.'],
  canSaveEvidence: false,
};

export function clients(now: number): ClientsSection {
  return {
    keys: [
      {
        id: 'extension',
        name: 'VS Code',
        origin: 'This extension',
        createdAt: now - 80 * DAY,
        lastUsedAt: now - 3 * 60_000,
        revocable: false,
      },
      {
        id: 'claude',
        name: 'Claude Code',
        origin: 'Claude Code',
        createdAt: now - 40 * DAY,
        lastUsedAt: now - 30_000,
        revocable: true,
      },
      {
        id: 'codex',
        name: 'Codex',
        origin: 'Codex',
        createdAt: now - 12 * DAY,
        lastUsedAt: now - 5 * HOUR,
        revocable: true,
      },
      {
        id: 'cline',
        name: 'Cline',
        origin: 'Cline',
        createdAt: now - 9 * DAY,
        lastUsedAt: now - 2 * DAY,
        revocable: true,
      },
      {
        id: 'scripts',
        name: 'nightly scripts',
        origin: 'Created by you',
        createdAt: now - 3 * DAY,
        lastUsedAt: null,
        revocable: true,
      },
    ],
    assistants: [
      {
        id: 'claude',
        name: 'Claude Code',
        tone: 'good',
        state: 'Connected, model llama-3.3-70b',
        actions: ['check', 'undo'],
        note: 'The test request was answered after 1.2 s.',
      },
      {
        id: 'codex',
        name: 'Codex',
        tone: 'warning',
        state: 'Connected, but its configuration has another address',
        actions: ['repair', 'check', 'undo'],
        note: '',
      },
      { id: 'cline', name: 'Cline', tone: 'good', state: 'Connected', actions: ['check', 'undo'], note: '' },
    ],
  };
}

export function verifiedState(now: number): DashboardState {
  return {
    connection: VERIFIED_CONNECTION,
    prompts: PROMPTS,
    attestation: verifiedAttestation(now),
    clients: clients(now),
  };
}

export const UNREACHABLE_CONNECTION: ConnectionSection = {
  ...VERIFIED_CONNECTION,
  tone: 'error',
  headline: 'The backend cannot be reached.',
  detail: 'The name enclave.trymaple.ai could not be resolved. Check the network, then check the connection again.',
  models: [],
};

export const REFUSED_CONNECTION: ConnectionSection = {
  ...UNREACHABLE_CONNECTION,
  headline: 'The enclave was refused: its image is not approved.',
  detail:
    'No prompt was sent. Wait until the signed history lists the image, or check whether you use the right backend.',
};

export const NO_KEY_CONNECTION: ConnectionSection = {
  ...UNREACHABLE_CONNECTION,
  tone: 'neutral',
  headline: 'There is no API key yet.',
  detail: 'Set the API key to connect. Create one at trymaple.ai, under API Keys.',
  buttons: [
    { name: 'setApiKey', title: 'Set API Key' },
    { name: 'getStarted', title: 'Get Started' },
  ],
  facts: [{ name: 'Base URL', value: 'http://127.0.0.1:14114/v1' }],
};

export const DEVELOPMENT_CONNECTION: ConnectionSection = {
  ...VERIFIED_CONNECTION,
  tone: 'warning',
  headline: 'Sealed Proxy is connected to a development backend, which is not verified.',
  detail: 'Use it for tests only.',
};

/** Before there was a handshake. */
export const UNVERIFIED_ATTESTATION: AttestationSection = {
  ...DEVELOPMENT_ATTESTATION,
  tone: 'neutral',
  headline: 'No enclave has been verified yet.',
  detail: 'The verification runs when the proxy connects to the backend.',
  steps: [],
  limits: [],
};

const CLIENTS = ['VS Code', 'Claude Code', 'Codex', 'Cline', 'nightly scripts'];
const ROUTES = ['Chat', 'Messages', 'Responses', 'Chat', 'Embeddings'];

/** A request that has ended, or is running. */
export function requestRow(id: number, at: number, part: Partial<RequestRow> = {}): RequestRow {
  const tokensOut = 80 + ((id * 37) % 900);
  const durationMs = 900 + ((id * 211) % 14_000);
  const failed = id % 17 === 0;
  return {
    id,
    at,
    client: CLIENTS[id % 5] ?? '',
    route: ROUTES[id % 5] ?? '',
    model: MODELS[id % 3]?.id ?? '',
    status: failed ? 503 : 200,
    firstByteMs: failed ? 40 : 180 + ((id * 13) % 700),
    durationMs,
    tokensIn: failed ? null : 1200 + ((id * 997) % 42_000),
    tokensOut: failed ? null : tokensOut,
    tokensCached: id % 3 === 0 && !failed ? 1024 : null,
    tokensPerSecond: failed ? null : Math.round((tokensOut / durationMs) * 1000),
    end: failed ? 'No capacity' : id % 23 === 0 ? 'Cancelled by the client' : 'Completed',
    tone: failed ? 'error' : id % 23 === 0 ? 'warning' : 'neutral',
    running: false,
    ...part,
  };
}

export function runningRow(id: number, at: number, durationMs: number): RequestRow {
  const tokens = { tokensIn: null, tokensOut: null, tokensCached: null, tokensPerSecond: null };
  return requestRow(id, at, {
    ...tokens,
    status: 200,
    firstByteMs: 320,
    durationMs,
    end: 'Running',
    tone: 'neutral',
    running: true,
  });
}

export function requests(now: number, count: number, running = 3): Extract<ToDashboard, { type: 'requests' }> {
  const ended = Array.from({ length: count - running }, (_, index) =>
    requestRow(index + 1, now - (count - index) * 47_000),
  );
  const live = Array.from({ length: running }, (_, index) => runningRow(count - running + index + 1, now - 4000, 4000));
  return { type: 'requests', reset: true, rows: [...ended, ...live] };
}

export function usage(now: number, part: Partial<UsageView> = {}): Extract<ToDashboard, { type: 'usage' }> {
  const { range = 'day', by = 'client' } = part;
  const [step, count] = range === 'quarter' ? [DAY, 90] : [HOUR, range === 'week' ? 168 : 48];
  const last = Math.floor(now / step) * step;
  const times = Array.from({ length: count }, (_, index) => last - (count - 1 - index) * step);
  const names = by === 'client' ? CLIENTS : MODELS.map(({ id }) => id);
  // Working hours, with a different weight for each series.
  const requestsOf = (index: number, at: number): number => {
    const hour = new Date(at).getUTCHours();
    const works = range === 'quarter' ? new Date(at).getUTCDay() % 6 !== 0 : hour > 6 && hour < 18;
    return works ? Math.round(((at / step) * (index + 3)) % (17 - index * 3)) : index === 4 && hour === 2 ? 6 : 0;
  };
  const series = names.map((name, index) => {
    const counts = times.map((at) => requestsOf(index, at));
    return {
      name,
      requests: counts,
      tokensIn: counts.map((value) => value * 8700),
      tokensOut: counts.map((value) => value * 620),
    };
  });
  const latency = (factor: number) =>
    times.map((at, index) =>
      series.some(({ requests: counts }) => (counts[index] ?? 0) > 0)
        ? factor * (300 + (((at / step) * 37) % 260))
        : null,
    );
  const view: UsageView = {
    range,
    by,
    recording: true,
    times,
    series,
    median: latency(1),
    percentile95: latency(3.2),
    ...part,
  };
  return { type: 'usage', view };
}
