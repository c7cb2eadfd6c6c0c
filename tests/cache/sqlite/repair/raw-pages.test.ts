import { join } from 'node:path'
import Database from 'better-sqlite3'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { rawRows, type RawValue } from '../../../../cache/sqlite/repair/raw-pages.js'
import { temporaryFolder } from '../../../support/store.js'

const value = fc.oneof(
  fc.constant(null),
  fc.maxSafeInteger(),
  fc.integer({ min: -130, max: 130 }),
  fc.double({ noNaN: true }).filter(number => !Object.is(number, -0)),
  fc.string({ unit: 'grapheme' }),
  // Rows larger than a page, which use overflow pages.
  fc.integer({ min: 4000, max: 20_000 }).map(length => 'ä'.repeat(length)),
  fc.uint8Array({ maxLength: 200 }).map(bytes => Buffer.from(bytes)),
)

test('rows read from raw pages equal those that SQLite reads', async () => {
  const folder = await temporaryFolder()
  let files = 0
  fc.assert(
    fc.property(fc.array(fc.tuple(value, value), { maxLength: 60 }), rows => {
      const file = join(folder, `${(files += 1)}.sqlite`)
      const db = new Database(file)
      db.exec('CREATE TABLE t (id INTEGER PRIMARY KEY, a, b)')
      const insert = db.prepare('INSERT INTO t (a, b) VALUES (?, ?)')
      db.transaction(() => rows.forEach(row => insert.run(...row)))()
      const expected = db.prepare<[], RawValue[]>('SELECT id, a, b FROM t ORDER BY id').raw().all()
      db.close()
      const found = [...rawRows(file)].filter(({ values }) => values.length === 3 && values[0] === null)
      expect(
        found.map(({ rowid, values }) => [rowid, ...values.slice(1)]).sort((a, b) => Number(a[0]) - Number(b[0])),
      ).toEqual(expected)
    }),
    { numRuns: 60 },
  )
})
