import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { readParquet as readWithArrow, writeParquet as writeWithArrow } from 'parquet-wasm'
import { expect, test } from 'vitest'
import type { Columns } from '../../../cache/parquet/columns.js'
import { readParquet, readRows } from '../../../cache/parquet/read.js'
import { writeParquet } from '../../../cache/parquet/write.js'
import { sha256 } from '../../../cache/digest.js'
import { table } from '../../support/portable-runs.js'
import { temporaryFolder } from '../../support/store.js'

interface Row {
  readonly key: string
  readonly kind: string
  readonly text: string | null
  readonly index: number
  readonly at: number
}

const columns: Columns<Row> = {
  key: { type: 'text', layout: 'digest' },
  kind: { type: 'text', layout: 'repeated' },
  text: { type: 'text', nullable: true },
  index: { type: 'integer' },
  at: { type: 'time' },
}

const someRows = fc.array(
  fc.record({
    key: fc.string(),
    kind: fc.constantFrom('red', 'green', ''),
    text: fc.option(fc.string({ unit: 'grapheme', maxLength: 40 })),
    index: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
    at: fc.integer({ min: 0, max: 8.64e15 }),
  }),
  { minLength: 1, maxLength: 40 },
)

async function readAll(file: string): Promise<readonly Row[]> {
  const rows: Row[] = []
  for await (const group of readParquet(file, columns)) rows.push(...group)
  return rows
}

test('rows are read unchanged, also by an independent reader (arrow-rs)', async () => {
  const folder = await temporaryFolder()
  await fc.assert(
    fc.asyncProperty(someRows, async rows => {
      const file = join(folder, 'rows.parquet')
      await writeParquet(file, columns, table(rows)())
      expect(await readAll(file)).toEqual(rows)
      // arrow-rs decodes and encodes the file, so that a wrong value would differ.
      const again = writeWithArrow(readWithArrow(await readFile(file)))
      await writeFile(file, again)
      expect(await readAll(file)).toEqual(rows)
    }),
    { numRuns: 40 },
  )
})

test('returns digest, size and row count of the file, for any batches', async () => {
  const folder = await temporaryFolder()
  const rows = Array.from({ length: 100 }, (_, index) => row(index))
  const written = []
  for (const batch of [1, 7, 100]) {
    const file = join(folder, `${batch}.parquet`)
    written.push(await writeParquet(file, columns, table(rows, batch)()))
    const bytes = await readFile(file)
    expect(written.at(-1)).toEqual({ digest: sha256(bytes), bytes: bytes.length, rows: 100 })
  }
  expect(written[1]).toEqual(written[0])
  expect(written[2]).toEqual(written[0])
})

test('splits large texts into row groups, so that a reader holds few at a time', async () => {
  const file = join(await temporaryFolder(), 'large.parquet')
  const rows = Array.from({ length: 30 }, (_, index) => ({ ...row(index), text: String(index).repeat(200_000) }))
  await writeParquet(file, columns, table(rows)())
  const sizes = []
  const seen: Row[] = []
  for await (const group of readParquet(file, columns)) {
    sizes.push(group.length)
    seen.push(...group)
  }
  expect(Math.max(...sizes)).toBeLessThan(30)
  expect(seen).toEqual(rows)
})

test('writes no file without rows', async () => {
  const folder = await temporaryFolder()
  async function* nothing(): AsyncGenerator<readonly Row[]> {
    yield await Promise.resolve([])
    yield []
  }
  expect(await writeParquet(join(folder, 'x.parquet'), columns, nothing())).toBeUndefined()
  expect(await readdir(folder)).toEqual([])
})

test('a failure during writing leaves no file', async () => {
  const folder = await temporaryFolder()
  async function* broken(): AsyncGenerator<readonly Row[]> {
    yield [row(1)]
    await Promise.reject(new Error('the power went'))
  }
  await expect(writeParquet(join(folder, 'x.parquet'), columns, broken())).rejects.toThrow('the power went')
  expect(await readdir(folder)).toEqual([])
})

test('rejects a value whose type differs from its column', async () => {
  const folder = await temporaryFolder()
  const file = join(folder, 'x.parquet')
  const wrong = { ...row(1), index: 0.5 }
  await expect(writeParquet(file, columns, table([wrong])())).rejects.toThrow('integer')
  await writeParquet(file, columns, table([row(1)])())
  const other: Columns<{ key: number }> = { key: { type: 'integer' } }
  await expect(readParquet(file, other).next()).rejects.toThrow('column key: expected integer, found string')
})

test('names a missing column', async () => {
  const file = join(await temporaryFolder(), 'x.parquet')
  await writeParquet(file, columns, table([row(1)])())
  const other: Columns<{ nowhere: string }> = { nowhere: { type: 'text' } }
  await expect(readParquet(file, other).next()).rejects.toThrow('nowhere')
})

test('refuses a file that is not Parquet', async () => {
  const file = join(await temporaryFolder(), 'x.parquet')
  await writeFile(file, 'not a table at all')
  await expect(readRows(file).next()).rejects.toThrow('parquet')
})

const row = (index: number): Row => ({
  key: sha256(String(index)),
  kind: index % 2 === 0 ? 'even' : 'odd',
  text: index % 5 === 0 ? null : `text ${index}`,
  index,
  at: 1_700_000_000_000 + index,
})
