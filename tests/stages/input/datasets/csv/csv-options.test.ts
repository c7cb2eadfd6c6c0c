import { writeFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { openDataset } from '../../../../../stages/input/datasets/open-dataset.js'
import { loadTask } from '../../../../../stages/input/tasks/load-task.js'
import { temporaryFolder } from '../../temp-folder.js'

const folder = temporaryFolder()

async function read(content: string | Uint8Array, kwargs: string, name = 'd.csv') {
  await folder.write(name, '')
  await writeFile(folder.path(name), content)
  const yaml = `task: t\ndataset_path: ./${name}\ntest_split: test\ndataset_kwargs: {${kwargs}}\ndoc_to_text: a\ndoc_to_target: a\n`
  const task = await loadTask(await folder.write('t.yaml', yaml), { cacheDir: folder.path('cache') })
  const dataset = await openDataset(task)
  const rows: unknown[] = []
  for await (const row of dataset.rows()) rows.push(row)
  return rows
}

// Expected rows are those of pandas 3.1.1.
test.each<[string, string, readonly unknown[]]>([
  ['# x\n# y\na,b\n1,2\n', 'skiprows: 2', [{ a: 1, b: 2 }]],
  ['\n"x\n y",z\na,b\n1,2\n', 'skiprows: 2', [{ a: 1, b: 2 }]],
  ["it's\na,b\n1,2\n", 'skiprows: 1, quotechar: "\'"', [{ a: 1, b: 2 }]],
  ['a,b\n1,2\n3,x\n', 'nrows: 1', [{ a: 1, b: 2 }]],
  [
    'a,b\n1,2\n',
    'header: null',
    [
      { 0: 'a', 1: 'b' },
      { 0: '1', 1: '2' },
    ],
  ],
  ['x,y\na,b\n1,2\n', 'header: 1', [{ a: 1, b: 2 }]],
  ['a,b\n1,2\n', 'header: 0, names: [c, d]', [{ c: 1, d: 2 }]],
  ['a, b\n1, "x, y"\n', 'skipinitialspace: true', [{ a: 1, b: 'x, y' }]],
  ["a;b\n'1;''';\"\n", 'sep: ";", quotechar: "\'"', [{ a: "1;'", b: '"' }]],
])('reads %j with %s as pandas does', async (text, kwargs, rows) => {
  expect(await read(text, kwargs)).toEqual(rows)
})

test.each([
  ['latin-1', Uint8Array.of(0x61, 0x0a, 0xe9, 0x80, 0x0a), 'é\u0080'],
  ['cp1252', Uint8Array.of(0x61, 0x0a, 0xe9, 0x80, 0x0a), 'é€'],
  ['utf-8-sig', Uint8Array.of(0xef, 0xbb, 0xbf, 0x61, 0x0a, 0x78, 0x0a), 'x'],
  ['utf_16', Uint8Array.of(0xff, 0xfe, 0x61, 0, 0x0a, 0, 0xe9, 0, 0x0a, 0), 'é'],
])('reads a file in the encoding %s', async (encoding, bytes, text) => {
  expect(await read(bytes, `encoding: ${encoding}`)).toEqual([{ a: text }])
})

test.each([
  ['data_file: d.csv', /t\.yaml:4:29 {2}dataset_kwargs\.data_file: no such key\. Did you mean "data_files"\?/],
  ['index_col: 0', /t\.yaml:4:29 {2}dataset_kwargs\.index_col: is not followed here\. Change the file/],
  ['skiprows: -1', /dataset_kwargs\.skiprows: expected a whole number, 0 or more/],
  ['header: first', /dataset_kwargs\.header: expected a whole number, 0 or more, or null/],
  ['encoding: utf-99', /d\.csv: no encoding "utf-99" is known/],
  ['encoding: ascii', /d\.csv is not ASCII text/],
])('rejects %s', async (kwargs, message) => {
  await expect(read(Uint8Array.of(0x61, 0x0a, 0xc3, 0xa9, 0x0a, 0xff), kwargs)).rejects.toThrow(message)
})

test('accepts options without effect and options of other loaders', async () => {
  expect(await read('a\n1\n', 'index_col: null, quoting: 0, qa_filename: x, token: true')).toEqual([{ a: 1 }])
})

test('rejects other encodings than UTF-8 for files that are not CSV, and unsupported compression', async () => {
  await expect(read('{"a": 1}\n', 'encoding: latin-1', 'd.jsonl')).rejects.toThrow(
    /only CSV may be of another encoding/,
  )
  await expect(read('', '', 'd.jsonl.bz2')).rejects.toThrow(
    /dataset_path: d\.jsonl\.bz2 is packed as \.bz2, which is not read here\. Unpack it \(bunzip2 -k\), or pack it as \.gz/,
  )
})
