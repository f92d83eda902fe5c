// Checks that a tag may be released, and prints what depends on the version, for GITHUB_OUTPUT: node scripts/tag.mjs TAG NOTES
// It writes the section of CHANGELOG.md into the file NOTES.
import { readFileSync, writeFileSync } from 'node:fs';
import { MANIFEST, isPreRelease } from './pack.mjs';

const [tag, notes] = process.argv.slice(2);
const { version } = MANIFEST;
if (tag !== `v${version}`) fail(`the tag is ${tag}, and package.json has version ${version}`);
const sections = readFileSync('CHANGELOG.md', 'utf8').split(/^## /m);
const section = sections.find((text) => text.startsWith(`${version} - `));
if (section === undefined) fail(`CHANGELOG.md has no section "## ${version} - DATE"`);
const text = section.split('\n').slice(1).join('\n').trim();
// On the page of a release, relative links lead nowhere.
const files = `${MANIFEST.repository.url.replace(/\.git$/, '')}/blob/${tag}/`;
writeFileSync(notes, `${text.replaceAll(/\]\((?!https:)/g, `](${files}`)}\n`);
console.log(`version=${version}\nprerelease=${isPreRelease(version)}`);

function fail(reason) {
  console.error(`This cannot be released: ${reason}.`);
  process.exit(1);
}
