import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { csvRecords } from '../../../../stages/input/datasets/csv/csv-records.js'
import { openDataFile } from '../../../../stages/input/datasets/data-file.js'
import { temporaryFolder } from '../temp-folder.js'

const folder = temporaryFolder()

async function read(name: string, content: string | Uint8Array, limit?: number): Promise<readonly unknown[]> {
  const { dataset } = await openDataFile(await folder.write(name, content), { limit })
  const rows: unknown[] = []
  for await (const row of dataset.rows()) rows.push(row)
  return rows
}

const long = 'x'.repeat(3 * 2 ** 20)
const limit = 'is longer than 1 MB, the maximum for one record'
const cases: readonly (readonly [string, string | Uint8Array, string])[] = [
  ['d.jsonl', `{"a":1}\n{"a":"${long}"}\n`, `d.jsonl:2  this line ${limit}`],
  ['d.jsonl.gz', gzipSync(`{"a":1}\n{"a":"${long}"}\n`), `d.jsonl.gz:2  this line ${limit}`],
  ['d.txt', `a\n\n${long}`, `d.txt:3  this line ${limit}`],
  ['d.json', `[{"a":1},\n\n{"a":"${long}"}]`, `d.json:3  the value that begins here ${limit}`],
  ['d.csv', `a,b\n1,2\n3,"${long}"\n`, `d.csv:3  the record that begins here ${limit}`],
  ['d.csv', 'a,b\n1,2\n3,"4\n5,6\n', 'd.csv:3  the file ends inside the quoted value that begins here'],
  ['d.jsonl', Buffer.from('{"a":"1"}\n{"a":"\u00e9"}\n', 'latin1'), 'd.jsonl:2  not UTF-8'],
  ['d.json', Buffer.from('[{"a":"1"},\n\n{"a":"\u00e9"}]', 'latin1'), 'd.json:3  not UTF-8'],
  ['d.csv', Buffer.from('a\n1\n\u00e9\n', 'latin1'), 'd.csv:3  not UTF-8'],
  [
    'd.jsonl',
    `{"a":1}\n{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}\n`,
    'd.jsonl:2  lists and objects are nested more than 500 deep',
  ],
  ['d.json', `[{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}]`, 'nested more than 500 deep'],
]

for (const [name, content, message] of cases)
  test(`rejects ${name}: ${message}`, async () => {
    await expect(read(name, content, 2 ** 20)).rejects.toThrow(message)
  })

test('reads a string of many megabytes beside a number with many digits', async () => {
  const text = `${'x'.repeat(12 * 2 ** 20)}\\"1234567890123456789`
  const [row] = await read('d.jsonl', `{"a":"${text}","n":12345678901234567890,"f":1.0}\n`)
  expect(row).toEqual({ a: text.replace('\\"', '"'), n: '12345678901234567890', f: 1 })
})

test('reads a quoted value across many chunks about twice, not once per chunk', async () => {
  let given = 0
  async function* pieces(): AsyncGenerator<string> {
    yield 'a,b\n1,"'
    for (; given < 500; given++) yield await Promise.resolve(`${'x'.repeat(1_000)}""\n`)
    yield '"\n2,3\n'
  }
  const records: (readonly string[])[] = []
  for await (const some of csvRecords(pieces(), { separator: ',' })) records.push(...some)
  expect(records.map(([first, second]) => [first, second?.length])).toEqual([
    ['a', 1],
    ['1', 500 * 1_002],
    ['2', 1],
  ])
})
