import { expect, test } from 'vitest'
import { openJson } from '../../../../stages/input/datasets/json/json.js'
import { openJsonl } from '../../../../stages/input/datasets/json/jsonl.js'
import { compileTemplate } from '../../../../stages/input/render/template.js'
import { temporaryFolder } from '../temp-folder.js'

const folder = temporaryFolder()

async function read(text: string, open = openJson) {
  const dataset = await open(await folder.write('d.json', text))
  const rows: unknown[] = []
  for await (const row of dataset.rows()) rows.push(row)
  return rows
}

// Expected rows are those of `datasets` 5.2.0.
test.each<[string, readonly unknown[]]>([
  ['{\n "a": 1,\n "b": "}{"\n}', [{ a: 1, b: '}{' }]],
  ['{\n "a": [1,2],\n "b": ["x","y"]\n}', [{ a: [1, 2], b: ['x', 'y'] }]],
  ['{"a":1}{"a":2}', [{ a: 1 }, { a: 2 }]],
  ['{\n"a":1\n}\n{\n"a":2\n}\n', [{ a: 1 }, { a: 2 }]],
  ['{"a":1}\n{"a":2}\n', [{ a: 1 }, { a: 2 }]],
  ['["x", "y"]', [{ text: 'x' }, { text: 'y' }]],
  [
    '[{"a":1},{"b":2}]',
    [
      { a: 1, b: null },
      { a: null, b: 2 },
    ],
  ],
])('reads the same rows from %j as `datasets`', async (text, rows) => {
  expect(await read(text)).toEqual(rows)
})

test('a field that is missing in a row of JSON Lines is null', async () => {
  const rows = await read('{"a":1}\n{"b":"x"}\n{"b":"y","a":2}\n', openJsonl)
  expect(rows).toEqual([
    { a: 1, b: null },
    { a: null, b: 'x' },
    { a: 2, b: 'y' },
  ])
})

test('reads NaN and Infinity as numbers, and strings with these names as texts', async () => {
  const rows = await read('{"a":NaN,"b":"NaN, Infinity"}\n{"a":-Infinity,"b":""}\n{"a":[Infinity],"b":""}\n', openJsonl)
  expect(rows).toEqual([
    { a: Number.NaN, b: 'NaN, Infinity' },
    { a: -Infinity, b: '' },
    { a: [Infinity], b: '' },
  ])
  await expect(read('{"a":NaNN}\n', openJsonl)).rejects.toThrow(/d\.json:1 {2}not JSON/)
})

test('prints large integers in lists as numbers, and numbers of a column with NaN with a fraction', async () => {
  const dataset = await openJsonl(
    await folder.write(
      'p.jsonl',
      '{"a":[9007199254740993,1],"c":{"d":9007199254740993},"n":NaN}\n{"a":[],"c":null,"n":1}\n',
    ),
  )
  const compiled = compileTemplate('{{ a }} {{ c }} {{ n }}', await dataset.findFloats?.())
  const texts: string[] = []
  for await (const row of dataset.rows()) texts.push(compiled.render(row))
  expect(texts).toEqual(["[9007199254740993, 1] {'d': 9007199254740993} nan", '[] None 1.0'])
})

test('a line across many chunks of a file is one line', async () => {
  const long = 'x'.repeat(700_000)
  expect(await read(`{"a":"${long}"}\n{"a":"y"}`, openJsonl)).toEqual([{ a: long }, { a: 'y' }])
})

test('an error names the number of an object that is cut short', async () => {
  await expect(read('{\n"a":1\n}\n{\n"a":')).rejects.toThrow(/d\.json:4, object 1 {2}not JSON/)
})

test('reads a list of numbers as rows, all with a fraction if one has it', async () => {
  const dataset = await openJson(await folder.write('n.json', '[1, 2.0,\n3]'))
  const compiled = compileTemplate('{{ text }}', await dataset.findFloats?.())
  const texts: string[] = []
  for await (const row of dataset.rows()) texts.push(compiled.render(row))
  expect(texts).toEqual(['1.0', '2.0', '3.0'])
})

test.each([
  ['[{"a":1},\n{"a":2},\n]', /d\.json:3 {2}not JSON: "]" in place of a value/],
  ['[{"a":1}\n{"a":2}]', /d\.json:2 {2}not JSON: "{" in place of , or ]/],
  ['[{"a":1},\n\n{"a":2', /d\.json:3, row 1 {2}not JSON/],
  ['[{"a":1},\n{"a":2]]', /d\.json:2, row 1 {2}not JSON/],
  ['[{"a":1}', /d\.json:1 {2}not JSON: the end of the file in place of , or ]/],
  ['[{"a":1}]\n[', /d\.json:2 {2}not JSON: "\[" in place of nothing more/],
  ['[{"a":1},\n[2]]', /d\.json:2, row 1 {2}expected an object/],
  ['[{"a":1}, {"a":\n tru}]', /d\.json:1, row 1 {2}not JSON/],
  ['[ ]', /d\.json holds no rows/],
])('rejects %j with its line', async (text, message) => {
  await expect(read(text)).rejects.toThrow(message)
})
