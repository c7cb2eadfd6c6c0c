/** Files of parquetjs-lite 0.8.7, which users still have, read with the project's reader. */
import { join } from 'node:path'
import { ParquetSchema, ParquetWriter } from 'parquetjs-lite'
import { expect, test } from 'vitest'
import { readRows } from '../../../cache/parquet/read.js'
import { temporaryFolder } from '../../support/store.js'

type Rows = readonly Readonly<Record<string, unknown>>[]

async function throughFile(
  fields: ConstructorParameters<typeof ParquetSchema>[0],
  rows: Rows,
  options: { readonly useDataPageV2?: boolean } = {},
): Promise<readonly Rows[]> {
  const file = join(await temporaryFolder(), 'old.parquet')
  const writer = await ParquetWriter.openFile(new ParquetSchema(fields), file, { ...options, rowGroupSize: 4 })
  for (const row of rows) await writer.appendRow(row)
  await writer.close()
  const groups: Rows[] = []
  for await (const group of readRows(file)) groups.push(group)
  return groups
}

const types = {
  text: { type: 'UTF8' },
  count: { type: 'INT32' },
  large: { type: 'INT64' },
  share: { type: 'DOUBLE' },
  right: { type: 'BOOLEAN' },
  at: { type: 'TIMESTAMP_MILLIS' },
  image: { type: 'BYTE_ARRAY' },
}
const row = (index: number) => ({
  text: `Zeile ${index}: “é” 🦦`,
  count: index - 3,
  large: 2 ** 40 + index,
  share: index / 7,
  right: index % 3 === 0,
  at: new Date(1_600_000_000_000 + index),
  image: Buffer.from([0xff, 0xd8, index]),
})
const rows = Array.from({ length: 10 }, (_, index) => row(index))
const asRead = rows.map(({ large, image, ...rest }) => ({
  ...rest,
  large: BigInt(large),
  image: new Uint8Array(image),
}))

const compressed = (compression: 'UNCOMPRESSED' | 'GZIP' | 'SNAPPY') =>
  Object.fromEntries(Object.entries(types).map(([name, field]) => [name, { ...field, compression }]))

test.each(['UNCOMPRESSED', 'GZIP', 'SNAPPY'] as const)('%s: reads every type', async compression => {
  const groups = await throughFile(compressed(compression), rows)
  expect(groups.map(group => group.length)).toEqual([4, 4, 2])
  expect(groups.flat()).toEqual(asRead)
})

test('reads pages of version 2, too', async () => {
  expect((await throughFile(types, rows, { useDataPageV2: true })).flat()).toEqual(asRead)
})

test('omitted fields are absent', async () => {
  const fields = { text: { type: 'UTF8', optional: true }, count: { type: 'INT32' } }
  const [group] = await throughFile(fields, [{ count: 1 }, { text: 'two', count: 2 }])
  expect(group!.map(({ text, count }) => [text ?? null, count])).toEqual([
    [null, 1],
    ['two', 2],
  ])
})

test('lists and nested fields keep their shape', async () => {
  const fields = {
    choices: { type: 'UTF8', repeated: true },
    messages: { type: 'UTF8', repeated: true, fields: { role: { type: 'UTF8' }, content: { type: 'UTF8' } } },
  }
  const doc = {
    choices: ['red', 'blue'],
    messages: [
      { role: 'user', content: 'which?' },
      { role: 'assistant', content: 'red' },
    ],
  }
  expect((await throughFile(fields, [doc])).flat()).toEqual([doc])
})

test('writes no row group without rows', async () => {
  expect(await throughFile(types, [])).toEqual([])
})
