// The changes of the code that no unit test notices, each with its reason: for each file the code, what takes its place, and why
// nobody notices. A name with `()` stands for everything in a function. Stryker's changes of sentences need no reason.

const ERROR_ANYWAY = 'It throws either way, and the caller takes every error for a malformed value.';
const TYPES = 'The condition is there for the compiler: the form of the document has been checked before.';
const BRAND = 'A brand: only the compiler reads it.';
const CAUSE = 'The cause is for those who debug: no decision and no text depends on it.';
const TEXT = 'Only a sentence changes.';

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
};
