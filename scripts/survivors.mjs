// The changes of the code that no unit test notices, each with its reason: for each file the code, what takes its place, and why
// nobody notices. A name with `()` stands for everything in a function. Stryker's changes of sentences need no reason.

const ERROR_ANYWAY = 'It throws either way, and the caller takes every error for a malformed value.';
const TYPES = 'The condition is there for the compiler: the form of the document has been checked before.';
const BRAND = 'A brand: only the compiler reads it.';
const CAUSE = 'The cause is for those who debug: no decision and no text depends on it.';
const TEXT = 'Only a sentence changes.';
const MEMORY = 'It overwrites memory that nothing reads any more, and that no test can reach.';
const SPEED = 'It decides when, or in which portions, the same bytes are processed.';

export const SURVIVORS = {
  'src/attestation/cbor.ts': [
    ['container.itemsSeen += 1', 'container.itemsSeen -= 1', 'Only whether the number is even is looked at.'],
  ],
  'src/attestation/certificates.ts': [
    ['reader.end();', ';', 'OpenSSL refuses bytes behind the key too.'],
    ['point.length !== POINT_BYTES', 'false', 'OpenSSL refuses a point of another length too.'],
  ],
  'src/attestation/checks.ts': [
    ['root === undefined', 'false', TYPES],
    ['[verified]: true', '[verified]: false', BRAND],
    ['[approved]: true', '[approved]: false', BRAND],
  ],
  'src/attestation/cose.ts': [['{ cause }', '{}', CAUSE]],
  'src/attestation/der.ts': [
    ['second !== undefined', 'true', 'Without a second byte, the comparison with 0x80 is false.'],
    ['first === undefined', 'false', ERROR_ANYWAY],
    ['first < 80n', 'first <= 80n', 'For 80, both give 2.'],
    ['unused === undefined', 'false', 'Then there is no last byte either.'],
    ['last === undefined', 'false', ERROR_ANYWAY],
    ['TIMES[tag]?.exec(text)?.groups', 'TIMES[tag]?.exec(text).groups', ERROR_ANYWAY],
    ["year = ''", 'year = "Stryker was here!"', 'Each time has a year: the expression requires it.'],
  ],
  'src/attestation/document.ts': [
    ['[unsigned]: true', '[unsigned]: false', BRAND],
    ['{ indefiniteLengths: true }', '{}', 'The decoder accepts indefinite lengths unless it is told not to.'],
    [
      "{\n    throw malformed('payload', cause);\n  }",
      '{}',
      'Without a value, the next line throws the same error, without its cause.',
    ],
    ["typeof value !== 'number'", 'false', 'Only numbers are safe integers.'],
    ["typeof index === 'number'", 'true', 'Only numbers are integers.'],
    [
      "typeof index === 'number' && Number.isInteger(index)",
      "typeof index === 'number' || Number.isInteger(index)",
      'The decoder gives no number that is not an integer, except NaN, which is in no range.',
    ],
    ['{ cause }', '{}', CAUSE],
  ],
  'src/attestation/errors.ts': [['details.cause === undefined', 'false', CAUSE]],
  'src/attestation/evidence.ts': [['a < b', 'a <= b', 'An object has no name twice.']],
  'src/attestation/history.ts': [
    ["'ascii'", '""', 'The text is hexadecimal: its bytes are the same in each encoding.'],
    ['[parsed]: true', '[parsed]: false', BRAND],
    ["typeof entry !== 'object'", 'false', 'Anything else has no PCR0, for which it is refused.'],
    ['{ cause }', '{}', CAUSE],
  ],
  'src/attestation/signature.ts': [
    ['signature.length === SIGNATURE_BYTES', 'true', 'OpenSSL refuses a signature of another length too.'],
  ],
  'src/attestation/validity.ts': [
    ['clockSkewMs > 0', 'clockSkewMs >= 0', 'The sentence is used from half a minute on.'],
  ],
  'src/attestation/verifyEvidence.ts': [
    ["?? ''", '?? "Stryker was here!"', 'Where the form is wrong, a field has been found.'],
    ['findFormatError(value)?.slice(0, LONGEST_NAME)', 'findFormatError(value)', TEXT],
    [
      'findFormatError(value)?.slice',
      'findFormatError(value).slice',
      'Where the form is wrong, a field has been found.',
    ],
    ['pcr0 !== null', 'true', 'No image has the PCR0 null.'],
    ['[pcr0] : []', '[pcr0] : ["Stryker was here"]', 'No image has this PCR0.'],
    ["'pcr0_not_approved'", '""', 'For a document, the sentence is shown and not the code.'],
    ["error === 'certificate_not_yet_valid'", 'false', TEXT],
    ["'certificate_not_yet_valid'", '""', TEXT],
    ["'time'", '""', TEXT],
    ['failure?.message', 'failure.message', 'A check that failed has an error.'],
    ['document === undefined', 'false', 'Without a document, there is no chain either.'],
    ['refused.error ?? refused.result', 'refused.error && refused.result', TEXT],
    ['path.slice(0, LONGEST_PATH)', 'path', TEXT],
    ['findDifference()', 'It finds only which field the sentence names, for a file that is refused.'],
  ],
  'src/proxy/relay/modelRule.ts': [
    ['type !== null', 'true', 'The word null is no type of JSON either.'],
    ["typeof model === 'string'", 'true', 'The list has only texts.'],
  ],
  'src/proxy/server/accessKeys.ts': [
    ['decoded !== text', 'true', SPEED],
    ["!text.includes('%')", 'false', SPEED],
    ["'%'", '""', SPEED],
  ],
  'src/proxy/server/clientLimits.ts': [
    ['seconds < SECONDS', 'true', 'After 60 seconds the sum is 0, which is below each limit.'],
    ['seconds < SECONDS', 'seconds <= SECONDS', 'After 60 seconds the sum is 0, which is below each limit.'],
    ['expires !== undefined', 'true', 'A day that does not exist is never over.'],
    ['if (requests !== undefined) {', 'if (true) {', 'A limit that does not exist is never reached.'],
    ['if (tokens !== undefined) {', 'if (true) {', 'A limit that does not exist is never reached.'],
    ['if (requests !== undefined) sumOf', 'if (true) sumOf', 'Nobody reads the sum of a client without a limit.'],
  ],
  'src/proxy/server/guard.ts': [["?? ''", '?? "Stryker was here!"', 'This is no bearer token either.']],
  'src/proxy/server/requestHead.ts': [
    ['headers.length > MAX_REQUEST_HEADERS', 'false', 'The envelope refuses them too, with the same error.'],
    ['error instanceof SessionError', 'true', 'The metadata of an envelope throws no other error.'],
    ["name = ''", 'name = "Stryker was here!"', 'A text that is split has a first part.'],
    ["value.join('=')", 'value.join("")', 'A key contains no such character.'],
    ['bodyLength !== undefined', 'true', 'A length that is not known is not above the limit.'],
  ],
  'src/proxy/server/requestTarget.ts': [
    ['?? []', '?? ["Stryker was here"]', 'Only what follows the first element is read.'],
    ['authority === undefined', 'false', 'Without an authority there is no scheme either.'],
    ['named?.toLowerCase', 'named.toLowerCase', 'With an authority there is a scheme.'],
    ["?? ''", '?? "Stryker was here!"', 'This is no valid host either.'],
  ],
  'src/proxy/server/secretSearch.ts': [
    [
      'this.#checksums.has(checksum) && this.has',
      'this.#checksums.has(checksum) || this.has',
      'A random text with the checksum of a secret cannot be found by a test.',
    ],
    ['* 2 + 1', '* 2 - 1', SPEED],
    ['randomInt(2 ** 20, 2 ** 31) * 2', 'randomInt(2 ** 20, 2 ** 31) / 2', SPEED],
  ],
  'src/proxy/server/tls.ts': [["'TLSv1.2'", '""', 'It is the default of Node.']],
  'src/proxy/server/windowRequests.ts': [
    ['usage?.flush', 'usage.flush', 'Windows ask only a proxy with an extension, which has the sums.'],
    ['usage?.erase', 'usage.erase', 'Windows ask only a proxy with an extension, which has the sums.'],
    ['cursorOf()', 'The cursor decides only which requests a window gets again.'],
    ["typeof challenge !== 'string'", 'false', 'A challenge that is missing or repeated has the wrong length too.'],
  ],
  'src/session/aead.ts': [
    ['{ authTagLength: TAG_LENGTH }', '{}', 'It is the default length of a tag.'],
    ['{ plaintextLength: 0 }', '{}', 'Only the types require it: this cipher does not read it.'],
    ['{ plaintextLength: length }', '{}', 'Only the types require it: this cipher does not read it.'],
    ['wipe(plaintext);', ';', MEMORY],
    ['{ cause }', '{}', CAUSE],
  ],
  'src/session/attempt.ts': [
    [
      'if (this.#over) return;\n    try {',
      'if (false) return;\n    try {',
      'Records that were closed refuse everything, which has no effect after the end.',
    ],
    ['this.#call?.cancel', 'this.#call.cancel', 'A transport calls its handler after it has returned the call.'],
    ['this.#call?.pause', 'this.#call.pause', 'A transport calls its handler after it has returned the call.'],
    ['this.#call?.resume', 'this.#call.resume', 'A transport calls its handler after it has returned the call.'],
    ['this.cancel();', ';', 'The exchange cancels the attempt too.'],
    ['code !== undefined', 'true', 'The list has one code.'],
  ],
  'src/session/envelope.ts': [
    ['sealedInTurn += chunk.length', 'sealedInTurn -= chunk.length', SPEED],
    ['sealedInTurn >= SEALED_PER_TURN', 'true', SPEED],
    ['sealedInTurn >= SEALED_PER_TURN', 'false', SPEED],
    ['sealedInTurn >= SEALED_PER_TURN', 'sealedInTurn > SEALED_PER_TURN', SPEED],
    ['sealedInTurn >= SEALED_PER_TURN', 'sealedInTurn < SEALED_PER_TURN', SPEED],
    ['{\n      sealedInTurn = 0;\n      await new Promise(setImmediate);\n    }', '{}', SPEED],
  ],
  'src/session/exchange.ts': [
    ['this.#attempt?.isUnsent', 'this.#attempt.isUnsent', 'After the first attempt there is one.'],
    [
      'this.#attempt?.cancel();\n    this.#attempt?.use',
      'this.#attempt.cancel();\n    this.#attempt?.use',
      'Only an attempt is rejected.',
    ],
    ['this.#attempt?.use', 'this.#attempt.use', 'Only an attempt is rejected.'],
  ],
  'src/session/hkdf.ts': [
    ['scratch.destroy();', ';', MEMORY],
    ['expander.destroy();', ';', MEMORY],
    ['length === block.length', 'false', 'A copy of the block has the same bytes.'],
    ['wipe(block);', ';', MEMORY],
  ],
  'src/session/handshake.ts': [
    ['wipe(shared);', ';', MEMORY],
    ['wipe(keys.requestKey, keys.responseKey);', ';', MEMORY],
  ],
  'src/session/keys.ts': [
    ['shared.every((byte) => byte === 0)', 'false', 'OpenSSL and BoringSSL refuse such a key themselves.'],
    ['(byte) => byte === 0', '() => undefined', 'OpenSSL and BoringSSL refuse such a key themselves.'],
    ['byte === 0', 'false', 'OpenSSL and BoringSSL refuse such a key themselves.'],
    ['{ cause }', '{}', CAUSE],
    ['wipe(prk);', ';', MEMORY],
  ],
  'src/session/record.ts': [
    ['sequence / 2 ** 32', 'sequence * 2 ** 32', 'It differs from record 2 ** 32 on.'],
    ['this.#nonceSequence.setUint32(0, high);', ';', 'It differs from record 2 ** 32 on.'],
    ['this.#aadSequence.setUint32(0, high);', ';', 'It differs from record 2 ** 32 on.'],
  ],
  'src/session/recordStream.ts': [
    ['data.length - offset >= this.#length', 'data.length - offset > this.#length', SPEED],
    ['data.length - offset >= this.#length', 'false', SPEED],
    ["'in-body'", '""', 'No other state is compared with it.'],
  ],
  'src/session/replayableBody.ts': [
    ['bytes.length >= SMALL', 'bytes.length > SMALL', SPEED],
    ['last.filled + bytes.length <= last.bytes.length', 'last.filled + bytes.length < last.bytes.length', SPEED],
  ],
  'src/session/session.ts': [
    ['this.#offset === this.#pool.length', 'true', SPEED],
    ['256 * REQUEST_ID_LENGTH', '256 / REQUEST_ID_LENGTH', SPEED],
  ],
  'src/session/sessionManager.ts': [
    ['{ at: -Infinity, isOfUse: false }', '{}', 'Nothing waits before the first handshake.'],
    [
      '{ at: -Infinity, isOfUse: false }',
      '{ at: -Infinity, isOfUse: true }',
      'Nothing waits before the first handshake.',
    ],
    [
      'if (live?.doubt === undefined) return session === rejected ?',
      'if (live?.doubt === undefined) return false ?',
      'A session that has rejected a request is in doubt, or is no longer the live one.',
    ],
    ["live.doubt ?? 'bad_response'", 'live.doubt ?? ""', 'Requests are held only on a session in doubt.'],
    [
      'this.current() === undefined && !isSoonAfterFailure',
      'true && !isSoonAfterFailure',
      'With a session there is nothing to warm up; one in doubt gets its successor sooner.',
    ],
    ['stop();', ';', 'The timer then resolves a promise that is resolved already.'],
    ['renewing === undefined', 'false', 'Without a live session, there is no current one either.'],
    ['this.#heartbeat?.wall', 'this.#heartbeat.wall', 'A live session has a heartbeat.'],
    ['this.#options.onLost?.(loss)', 'this.#options.onLost(loss)', 'The proxy passes it; only tests do without.'],
  ],
  'src/session/wasmAead.ts': [
    ['length < 0', 'false', 'A tag that is too short is not equal to the right one either.'],
    ['at < length', 'at <= length', 'A portion of no bytes changes nothing.'],
    ['at < plaintext.length', 'at <= plaintext.length', 'A portion of no bytes changes nothing.'],
    ['Math.min(length, PART)', 'Math.max(length, PART)', 'It overwrites more than was used.'],
    [
      'Math.min(BLOCK + plaintext.length, BLOCK + PART)',
      'Math.max(BLOCK + plaintext.length, BLOCK + PART)',
      'It overwrites more than was used.',
    ],
    ['BLOCK + plaintext.length', 'BLOCK - plaintext.length', 'What it leaves there is encrypted.'],
    ['BLOCK + PART', 'BLOCK - PART', 'What it leaves there is encrypted.'],
    ['this.destroy();', ';', MEMORY],
  ],
  'src/session/wire.ts': [["typeof status !== 'number'", 'false', 'Only numbers are integers.']],
};
