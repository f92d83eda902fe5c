import assert from 'node:assert/strict';
import { imageChange, imageQuestion } from '../../../src/presentation/imageText.ts';

const PCR0 = '0123456789abcdef'.repeat(6);
const BACKEND = 'https://enclave.example/base';
const AT = Date.UTC(2026, 10, 12, 12);
const DATE = new Date(AT).toLocaleDateString(undefined, { dateStyle: 'long' });

describe('imageChange()', () => {
  const text = (approvedBy: 'pinned' | 'additional' | 'history', listedSince?: number | null) =>
    imageChange(BACKEND, { pcr0: PCR0, approvedBy, listedSince });
  const RUNS = 'The enclave at enclave.example runs a different image than before: PCR0 01234567…89abcdef. ';

  it('says what approved the image, and that the date is the statement of the history', () => {
    assert.equal(
      text('history', AT),
      `${RUNS}The signed history of images lists it since ${DATE}; this date is not signed.`,
    );
    assert.equal(text('history'), `${RUNS}The signed history of images lists it.`);
    assert.equal(text('additional', null), `${RUNS}You have added it in sealedProxy.additionalPcr0.`);
    assert.equal(text('pinned', null), `${RUNS}It is on the list built into this version of Sealed Proxy.`);
    assert.equal(
      text('pinned', AT),
      `${text('pinned')} The history of images lists it since ${DATE}; this date is not signed.`,
    );
  });
});

describe('imageQuestion()', () => {
  const ask = (refused: boolean) =>
    imageQuestion(BACKEND, { pcr0: PCR0, approvedBy: 'additional', listedSince: null, refused });

  it('asks about a new image, and says what waits', () => {
    const [question, detail] = ask(false);
    assert.match(question, /^The enclave at enclave\.example runs a new image: PCR0 0123.*\. Do you want to use it\?$/);
    assert.match(
      detail,
      /^You have added it .* Your requests wait .* Nothing is sent to this image before you accept it\.$/,
    );
  });

  it('asks again about an image that was refused, and says what fails', () => {
    const [question, detail] = ask(true);
    assert.match(question, /You have chosen not to use it\. Do you want to use it now\?$/);
    assert.match(detail, /Your requests fail until you accept it/);
  });
});
