import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ImageChoices, NO_CHOICE, decided, seen } from '../../../src/keys/imageChoices.ts';
import type { ImageChoice } from '../../../src/keys/imageChoices.ts';
import { EventQueue } from '../../support/e2e/eventQueue.ts';

const [ONE, OTHER] = ['ab'.repeat(48), 'cd'.repeat(48)];
const BACKEND = 'https://enclave.example/base';

describe('ImageChoices', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sealed-proxy-images-'));
  });

  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  const open = () => new ImageChoices(folder);
  const files = () => readdirSync(join(folder, 'images'));

  it('knows nothing of a backend at first, and creates nothing to find out', async () => {
    assert.deepEqual(await open().read(BACKEND), NO_CHOICE);
    assert.ok(!existsSync(join(folder, 'images')));
  });

  it('keeps the choices of each backend, for other windows and after a restart', async () => {
    assert.ok(await open().change(BACKEND, (before) => seen(before, ONE)));
    assert.ok(await open().change('https://other.example', (before) => decided(before, OTHER, false)));
    assert.deepEqual(await open().read(BACKEND), { last: ONE, accepted: [ONE], refused: [] });
    for (const url of [`${BACKEND}/`, ' HTTPS://Enclave.example:443/base//'])
      assert.equal((await open().read(url)).last, ONE, url);
    assert.deepEqual(await open().read('https://other.example'), { last: null, accepted: [], refused: [OTHER] });
  });

  it('remembers that there was a choice if its file is damaged or deleted, until all data is removed', async () => {
    const choices = open();
    await choices.read(BACKEND);
    assert.ok(!choices.hadChoice(BACKEND));
    await open().change(BACKEND, (before) => seen(before, ONE));
    const [name = assert.fail()] = files();
    const path = join(folder, 'images', name);
    const content = readFileSync(path);
    for (const found of [content, '{']) {
      const other = open();
      writeFileSync(path, found);
      await other.read(BACKEND).catch(() => undefined);
      rmSync(path);
      assert.deepEqual(await other.read(BACKEND), NO_CHOICE);
      assert.ok(other.hadChoice(`${BACKEND}/`), 'the next image is not the first one');
      assert.ok(!other.hadChoice('https://other.example'));
    }
    writeFileSync(path, content);
    await choices.read(BACKEND);
    rmSync(join(folder, 'images'), { recursive: true });
    await choices.read(BACKEND);
    assert.ok(!choices.hadChoice(BACKEND));
  });

  it('lets one of many windows succeed that make the same change at the same time', async () => {
    await open().change(BACKEND, (before) => seen(before, ONE));
    const changes = await Promise.all(
      Array.from({ length: 16 }, () => open().change(BACKEND, (before) => seen(before, OTHER))),
    );
    assert.equal(changes.filter(Boolean).length, 1);
    assert.deepEqual(await open().read(BACKEND), { last: OTHER, accepted: [ONE, OTHER], refused: [] });
  });

  it('loses no change of many that are different', async () => {
    const images = Array.from({ length: 12 }, (_, index) => index.toString(16).repeat(96));
    await Promise.all(images.map((image) => open().change(BACKEND, (before) => decided(before, image, false))));
    assert.deepEqual((await open().read(BACKEND)).refused.toSorted(), images);
  });

  it('keeps only a few files, and no drafts', async () => {
    for (let count = 0; count < 10; count++)
      await open().change(BACKEND, (before) => seen(before, count % 2 === 0 ? ONE : OTHER));
    assert.ok(files().length <= 3, files().join());
    assert.ok(files().every((name) => /^[0-9a-f]{16}\.\d+$/.test(name)));
  });

  it('keeps the latest 200 images', async () => {
    const images = Array.from({ length: 201 }, (_, index) => index.toString(16).padStart(96, '0'));
    await open().change(BACKEND, () => ({ last: null, accepted: images, refused: [] }));
    assert.deepEqual((await open().read(BACKEND)).accepted, images.slice(1));
  });

  it('reports a damaged file, and does not replace it', async () => {
    await open().change(BACKEND, (before) => seen(before, ONE));
    const [name = ''] = files();
    for (const text of ['', '{}', '[]', JSON.stringify({ last: 'x', accepted: [], refused: [] })]) {
      writeFileSync(join(folder, 'images', name), text);
      await assert.rejects(open().read(BACKEND), /is damaged\. Delete it\./);
      await assert.rejects(open().change(BACKEND, (before) => seen(before, OTHER)));
      assert.equal(readFileSync(join(folder, 'images', name), 'utf8'), text);
    }
  });

  it('notifies other windows of a change, and of the removal of its folder', async () => {
    const events = new EventQueue<boolean>();
    const watcher = await open().watch((isRemoved) => {
      events.add(isRemoved);
    });
    await open().change(BACKEND, (before) => seen(before, ONE));
    await events.find('a change', (isRemoved) => !isRemoved);
    rmSync(folder, { recursive: true });
    await events.find('the removal', (isRemoved) => isRemoved);
    watcher?.close();
  });

  it('does not create the folder of the extension again after it was removed', async () => {
    const choices = open();
    rmSync(folder, { recursive: true });
    await assert.rejects(
      choices.change(BACKEND, (before) => seen(before, ONE)),
      { code: 'ENOENT' },
    );
    assert.equal(await choices.watch(() => assert.fail()), undefined);
    assert.ok(!existsSync(folder));
  });

  it('does nothing if there is nothing to change', async () => {
    await open().change(BACKEND, (before) => seen(before, ONE));
    const before = files();
    assert.equal(await open().change(BACKEND, (choice) => seen(choice, ONE)), false);
    assert.deepEqual(files(), before);
  });
});

describe('seen()', () => {
  it('makes an image the last one, and accepts it unless it was refused', () => {
    assert.deepEqual(seen(NO_CHOICE, ONE), { last: ONE, accepted: [ONE], refused: [] });
    const refused: ImageChoice = { last: ONE, accepted: [ONE], refused: [OTHER] };
    assert.deepEqual(seen(refused, OTHER), { last: OTHER, accepted: [ONE], refused: [OTHER] });
    assert.equal(seen(refused, ONE), undefined);
  });
});

describe('decided()', () => {
  it('moves an image from one list to the other; one that was accepted needs no notice', () => {
    const accepted = decided({ last: null, accepted: [], refused: [ONE] }, ONE, true);
    assert.deepEqual(accepted, { last: ONE, accepted: [ONE], refused: [] });
    assert.ok(accepted);
    assert.equal(decided(accepted, ONE, true), undefined);
    assert.deepEqual(decided(accepted, ONE, false), { last: ONE, accepted: [], refused: [ONE] });
  });
});
