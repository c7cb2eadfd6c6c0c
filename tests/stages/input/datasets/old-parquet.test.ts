import { ParquetSchema, ParquetWriter } from 'parquetjs-lite'
import { expect, test } from 'vitest'
import { openParquet } from '../../../../stages/input/datasets/parquet/parquet.js'
import { temporaryFolder } from '../temp-folder.js'

const folder = temporaryFolder()

/** A file of version 1, as the writer of 2018 made it. */
async function roundTrip(
  type: string,
  values: readonly unknown[],
  compression = 'UNCOMPRESSED',
): Promise<readonly unknown[]> {
  const file = folder.path('old.parquet')
  const schema = new ParquetSchema({ value: { type, optional: true, compression } })
  const writer = await ParquetWriter.openFile(schema, file, { rowGroupSize: 2 })
  for (const value of values) await writer.appendRow(value === null ? {} : { value })
  await writer.close()
  const rows = []
  for await (const row of (await openParquet(file)).rows()) rows.push(row['value'])
  return rows
}

const time = new Date('2020-02-03T04:05:06.000Z')

test.each([
  ['BOOLEAN', [true, false, null], [true, false, null]],
  ['INT32', [1, -5, null], [1, -5, null]],
  ['INT64', [1, -5, null], [1, -5, null]],
  ['FLOAT', [0.5, -2, null], [0.5, -2, null]],
  ['DOUBLE', [0.1, -2, null], [0.1, -2, null]],
  ['UTF8', ['a', 'ä€😀', null], ['a', 'ä€😀', null]],
  ['BYTE_ARRAY', [Buffer.from([0, 255]), null], [Uint8Array.of(0, 255), null]],
  ['UINT_8', [255], [255]],
  ['UINT_32', [7], [7]],
  ['INT_16', [-7], [-7]],
  ['JSON', [{ a: [1] }], ['{"a":[1]}']],
  ['DATE', [new Date('2020-02-03')], ['2020-02-03']],
  ['TIMESTAMP_MILLIS', [time], ['2020-02-03 04:05:06']],
  ['TIMESTAMP_MICROS', [time], ['2020-02-03 04:05:06']],
])('reads %s from an old file', async (type, values, expected) => {
  const read = await roundTrip(type, values)
  expect(read.map(value => (value instanceof Uint8Array ? new Uint8Array(value) : value))).toEqual(expected)
})

test.each(['UNCOMPRESSED', 'GZIP', 'SNAPPY'])('reads an old file compressed with %s', async compression => {
  const values = Array.from({ length: 9 }, (_, i) => `text ${i} `.repeat(100))
  expect(await roundTrip('UTF8', values, compression)).toEqual(values)
})
