import { expect, test } from 'vitest'
import { openDataset } from '../../../../../stages/input/datasets/open-dataset.js'
import { loadTask } from '../../../../../stages/input/tasks/load-task.js'
import { temporaryFolder } from '../../temp-folder.js'

const folder = temporaryFolder()

async function read(content: string, field: string) {
  await folder.write('d.json', content)
  const yaml = `task: t\ndataset_path: json\ndataset_kwargs: {data_files: d.json, field: ${field}}\ndoc_to_text: a\ndoc_to_target: a\n`
  const task = await loadTask(await folder.write('t.yaml', yaml), { cacheDir: folder.path('cache') })
  const dataset = await openDataset(task)
  const rows: unknown[] = []
  for await (const row of dataset.rows()) rows.push(row)
  return { rows, columns: dataset.columns.map(({ name }) => name), floats: await dataset.findFloats?.() }
}

const expected = {
  rows: [
    { a: 1, b: 2 },
    { a: 2, b: 2.5 },
  ],
  columns: ['a', 'b'],
  floats: { b: true },
}

test('reads rows from a field of a JSON file, as a list or by columns', async () => {
  const list = '{\n "version": 1.5,\n "data": [{"a": 1, "b": 2.0},\n  {"a": 2, "b": 2.5}]\n}'
  expect(await read(list, 'data')).toEqual(expected)
  expect(await read('{"data": {"a": [1, 2], "b": [2.0, 2.5]}}', 'data')).toEqual(expected)
})

test('finds a field wherever it is among other fields', async () => {
  const others =
    '{"a": "} ] \\" data", "b": [{"data": [1]}], "c": {}, "data"\n:\n[ {"a": 1, "b": 2.0} , {"a": 2, "b": 2.5}], "d": null}'
  expect(await read(others, 'data')).toEqual(expected)
})

test.each([
  ['{"data": [{"a": 1}], "data": [{"a": 2}]}', /d\.json:1 {2}there is a field "data" before this one/],
  ['{"data": [{"a": 1}]', /d\.json:1 {2}not JSON: the end of the file in place of , or }/],
  ['{"x":\n, "data": [{"a": 1}]}', /d\.json:2 {2}not JSON: "," in place of a value/],
  ['{1: 2, "data": [{"a": 1}]}', /d\.json:1 {2}not JSON: 1 in place of a field's name/],
  ['[{"data": [{"a": 1}]}]', /d\.json:1 {2}expected an object with the field "data"/],
  ['{"data": 3}', /d\.json:1, data {2}expected an object/],
])('rejects %j with its line', async (text, message) => {
  await expect(read(text, 'data')).rejects.toThrow(message)
})

test('reports a field that is missing or has no rows', async () => {
  await expect(read('{"data": []}', 'dat')).rejects.toThrow(
    /d\.json has no field "dat" \(it has data\)\. Did you mean "data"/,
  )
  await expect(read('{"data": []}', 'data')).rejects.toThrow(/d\.json holds no rows in its field "data"/)
  await expect(read('{"data": {"a": [1], "b": []}}', 'data')).rejects.toThrow(
    /d\.json:1, data: expected a list of rows, or lists of one length/,
  )
  await expect(read('{"data": [[1]]}', 'data')).rejects.toThrow(/d\.json:1, data\[0\] {2}expected an object/)
})
