import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type CsvOptions, openCsv } from '../../../../../stages/input/datasets/csv/csv.js'
import { openDataset } from '../../../../../stages/input/datasets/open-dataset.js'
import { loadTask } from '../../../../../stages/input/tasks/load-task.js'
import { root } from '../../../../support/cli.js'
import { temporaryFolder } from '../../temp-folder.js'

interface Golden {
  readonly file: string
  readonly text: string
  readonly columns: readonly string[]
  readonly rows: readonly (readonly unknown[])[]
}

const golden = JSON.parse(await readFile(join(root, 'tests/golden/datasets/csv.json'), 'utf8')) as readonly Golden[]

const folder = temporaryFolder()

async function read(name: string, text: string, options?: CsvOptions) {
  const dataset = await openCsv(await folder.write(name, text), options)
  const rows = []
  for await (const row of dataset.rows()) rows.push(row)
  return { columns: dataset.columns.map(column => column.name), rows }
}

describe('CSV is read as `datasets` reads it', () => {
  test.each(golden)('$text', async ({ file, text, columns, rows }) => {
    const found = await read(file, text)
    expect(found.columns).toEqual(columns)
    expect(found.rows.map(row => Object.values(row))).toEqual(rows)
  })
})

test('integers too large for a number stay texts, whatever else the column contains', async () => {
  const { rows } = await read('large.csv', 'a,b,c\n9007199254740993,9007199254740993,1\n1,,2\n')
  expect(rows).toEqual([
    { a: '9007199254740993', b: '9007199254740993', c: 1 },
    { a: '1', b: null, c: 2 },
  ])
})

test("guesses a column's type from all of its values, however far down", async () => {
  const numbers = Array.from({ length: 30_000 }, (_, index) => String(index))
  const { rows } = await read('far.csv', ['n,t', ...numbers.map(n => `${n},${n}`), '5,five'].join('\n'))
  expect([rows[0], rows.at(-1)]).toEqual([
    { n: 0, t: '0' },
    { n: 5, t: 'five' },
  ])
})

test('rejects a file with a header and no rows', async () => {
  await expect(read('names.csv', 'a,b\n')).rejects.toThrow(/names\.csv holds no rows/)
})

test('a first row with more values than names begins with its index, as in pandas', async () => {
  const { columns, rows } = await read('index.csv', 'a,b\n\nx,1,2\ny,3\n')
  expect(columns).toEqual(['a', 'b', '__index_level_0__'])
  expect(rows).toEqual([
    { a: 1, b: 2, __index_level_0__: 'x' },
    { a: 3, b: null, __index_level_0__: 'y' },
  ])
  const named = await read('named.csv', '1,2,3,4\n', { names: ['a', 'b'] })
  expect(named.rows).toEqual([{ a: 3, b: 4, __index_level_0__: 1, __index_level_1__: 2 }])
})

test('missing values at the end of a line are null, as in pandas', async () => {
  const { rows } = await read('short.csv', 'a,b,c\n1,x,2\n2,y\n3\n')
  expect(rows).toEqual([
    { a: 1, b: 'x', c: 2 },
    { a: 2, b: 'y', c: null },
    { a: 3, b: null, c: null },
  ])
})

test('rejects a record with another number of values, or an unclosed quote', async () => {
  await expect(read('d.csv', 'a;b\n1;2\n1,5;2\n')).rejects.toThrow('record 3: 2 values for 1 column. If its values are')
  await expect(read('d.csv', 'a,b\n1,2\n1,2,3\n')).rejects.toThrow(/record 3: 3 values for 2 columns/)
  await expect(read('d.csv', 'a,b\n1,2,3\n1,2,3,4\n')).rejects.toThrow(/record 3: 4 values for 3 columns/)
  await expect(read('d.csv', 'a,b\n1,2\n\n3')).rejects.toThrow(/record 3: 1 values for 2 columns/)
  await expect(read('d.csv', 'a,b\n1,"2\n')).rejects.toThrow(/d\.csv:2 {2}the file ends inside the quoted value/)
  await expect(read('d.csv', '\n')).rejects.toThrow(/d\.csv is empty/)
})

describe("a task's `dataset_kwargs`", () => {
  const rowsOf = async (text: string, kwargs: string, name = 'd.csv') => {
    await folder.write(name, text)
    const yaml = `task: t\ndataset_path: csv\ntest_split: train\ndataset_kwargs: {data_files: ${name}, ${kwargs}}\ndoc_to_text: q\ndoc_to_target: a\n`
    const dataset = await openDataset(
      await loadTask(await folder.write('t.yaml', yaml), { cacheDir: folder.path('code') }),
    )
    const rows = []
    for await (const row of dataset.rows()) rows.push(row)
    return rows
  }

  test('set the separator', async () => {
    expect(await rowsOf('a;b\n1,5;x\n', 'sep: ;')).toEqual([{ a: '1,5', b: 'x' }])
    expect(await rowsOf('a|b\n1|x\n', 'delimiter: "|"')).toEqual([{ a: 1, b: 'x' }])
    await expect(rowsOf('a\n', 'sep: "\\\\s+"')).rejects.toThrow(
      /t\.yaml:4:\d+ {2}dataset_kwargs\.sep: expected one character/,
    )
  })

  test('name the columns if the file has no header', async () => {
    expect(await rowsOf('1,x\n2,y\n', 'column_names: [n, t]')).toEqual([
      { n: 1, t: 'x' },
      { n: 2, t: 'y' },
    ])
  })

  test('keep words such as None and NA as texts', async () => {
    expect(await rowsOf('a,b\nNone,\nNA,1\n', 'keep_default_na: false')).toEqual([
      { a: 'None', b: '' },
      { a: 'NA', b: '1' },
    ])
  })
})

test('a dataset card sets the types of columns, so that leading zeros are kept', async () => {
  const card = `---
dataset_info:
  features:
  - {name: code, dtype: string}
  - {name: n, dtype: float64}
---
`
  await folder.write('data/README.md', card)
  await folder.write('data/test.csv', 'code,n,other\n007,1,007\nNA,,008\n')
  const yaml = 'task: t\ndataset_path: ./data\ntest_split: test\ndoc_to_text: q\ndoc_to_target: a\n'
  const dataset = await openDataset(
    await loadTask(await folder.write('t.yaml', yaml), { cacheDir: folder.path('code') }),
  )
  const rows = []
  for await (const row of dataset.rows()) rows.push(row)
  expect(rows).toEqual([
    { code: '007', n: 1, other: 7 },
    { code: null, n: null, other: 8 },
  ])
})
