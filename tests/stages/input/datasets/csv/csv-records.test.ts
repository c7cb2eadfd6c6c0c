import fc from 'fast-check'
import { expect, test } from 'vitest'
import { csvRecords, type CsvRecord } from '../../../../../stages/input/datasets/csv/csv-records.js'

async function recordsOf(pieces: readonly string[]): Promise<readonly CsvRecord[]> {
  const found: CsvRecord[] = []
  for await (const records of csvRecords(inTurn(pieces), { separator: ',' })) found.push(...records)
  return found
}

async function* inTurn(pieces: readonly string[]): AsyncGenerator<string> {
  await Promise.resolve()
  yield* pieces
}

const quoted = (value: string): string => (/[",\r\n]|^\s*$/.test(value) ? `"${value.replaceAll('"', '""')}"` : value)

const values = fc.array(fc.array(fc.stringMatching(/^[a", \r\n\tä]*$/), { minLength: 1, maxLength: 4 }), {
  minLength: 1,
  maxLength: 6,
})

test('reads back the written records, wherever the text is split into chunks', () =>
  fc.assert(
    fc.asyncProperty(
      values,
      fc.constantFrom('\n', '\r\n', '\r'),
      fc.integer({ min: 1, max: 9 }),
      async (rows, end, size) => {
        const text = rows.map(row => row.map(quoted).join(',') + end).join('')
        const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, at) =>
          text.slice(at * size, (at + 1) * size),
        )
        expect(await recordsOf(pieces)).toEqual(rows)
      },
    ),
  ))

test.each([
  ['a "b" c,5"', [['a "b" c', '5"']]],
  ['"ab"c,"d" ', [['abc', 'd ']]],
  [
    'a,\n,b\n',
    [
      ['a', ''],
      ['', 'b'],
    ],
  ],
  ['a,', [['a', '']]],
  ['\n  \n a\n\t\n\n"b"', [[' a'], ['b']]],
])('parses quotes, blank lines and empty values: %j', async (text, records) => {
  expect(await recordsOf([text])).toEqual(records)
  expect(await recordsOf(text.split(/(?<=.)/s))).toEqual(records)
})
