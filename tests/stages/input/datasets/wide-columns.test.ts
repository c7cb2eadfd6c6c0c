import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { openParquet } from '../../../../stages/input/datasets/parquet/parquet.js'
import { parquetOf } from '../../../support/parquet-table.js'
import { temporaryFolder } from '../temp-folder.js'

const folder = temporaryFolder()

const noise = (seed: string, length: number): Uint8Array =>
  new Uint8Array(createHash('shake256', { outputLength: length }).update(seed).digest())

const rows = Array.from({ length: 50 }, (_, i) => ({
  id: i,
  image: i % 7 === 3 ? null : { bytes: i % 7 === 5 ? null : noise(`image ${i}`, 400_000), path: `${i}.png` },
  question: i % 5 === 0 ? null : `What is in picture ${i}?`,
  more: i % 3 === 0 ? [] : [{ bytes: noise(`more ${i}`, 300_000), path: `m${i}.png` }],
}))

const digests = (value: unknown): unknown =>
  value instanceof Uint8Array
    ? createHash('sha256').update(value).digest('hex')
    : Array.isArray(value)
      ? value.map(digests)
      : typeof value === 'object' && value !== null
        ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, digests(item)]))
        : value

test.each(['SNAPPY', 'UNCOMPRESSED'] as const)(
  'reads large pictures separately from other columns, with unchanged rows (%s)',
  async codec => {
    const dataset = await openParquet(await folder.write('wide.parquet', parquetOf(rows, codec)))
    for (const columns of [undefined, ['image'], ['id', 'question'], ['more', 'id']]) {
      const read = []
      for await (const row of dataset.rows(columns === undefined ? {} : { columns })) read.push(row)
      const wanted = rows.map(row =>
        columns === undefined
          ? row
          : Object.fromEntries(Object.entries(row).filter(([name]) => columns.includes(name))),
      )
      expect(read.map(digests)).toEqual(wanted.map(digests))
    }
  },
)
