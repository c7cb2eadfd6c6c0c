import { expect, test } from 'vitest'
import { readYamlFile } from '../../../../stages/input/tasks/yaml/yaml-file.js'
import { temporaryFolder } from '../temp-folder.js'

const folder = temporaryFolder()

test.each([
  ['y', 'y'],
  ['n', 'n'],
  ['no', false],
  ['on', true],
  ['.', '.'],
  ['e5', 'e5'],
  ['1e-5', 0.00001],
  ['1.0', 1],
  ['-.5', -0.5],
  ['1:30', '1:30'],
  ['2024-01-01', '2024-01-01'],
  ['010', 8],
  ['08', '08'],
  ['12345678901234567890', '12345678901234567890'],
  ['~', null],
  ['"no"', 'no'],
  ['!!float 3', 3],
  ['!!float "2.5"', 2.5],
  ['!!float -.inf', -Infinity],
  ['!!timestamp 2024-01-01', '2024-01-01'],
  ['!!set {a, 2}', ['a', 2]],
  [
    '!!omap [a: 1, b: [x]]',
    [
      ['a', 1],
      ['b', ['x']],
    ],
  ],
  [
    '!!pairs [a: 1, a: 2]',
    [
      ['a', 1],
      ['a', 2],
    ],
  ],
  ['!!python/tuple [1, b]', [1, 'b']],
])('reads %s as other tools do, without surprising conversions', async (text, value) => {
  const { values, problems } = await readYamlFile(await folder.write('t.yaml', `key: ${text}\n`))
  expect([problems, values]).toEqual([[], { key: value }])
})

test('reports a value that is declared as a number but is not one', async () => {
  const { problems } = await readYamlFile(await folder.write('t.yaml', 'key: !!float x\n'))
  expect(problems).toEqual([expect.stringMatching(/t\.yaml:1:6 {2}!!float x: expected a number/)])
})

test('a key may be y or n', async () => {
  const { values } = await readYamlFile(await folder.write('t.yaml', 'y: 1\nn: 2\n'))
  expect(values).toEqual({ y: 1, n: 2 })
})

// Expected values are those of PyYAML 6.0.3.
test.each<[string, unknown]>([
  ['a: {x: 1\n, y2: 2}\nb: 3\n', { a: { x: 1, y2: 2 }, b: 3 }],
  ['a: {\nx: 1,\nz: [\n1,\n2\n]\n}\nb: 3\n', { a: { x: 1, z: [1, 2] }, b: 3 }],
  ['k:\n  a: {\n x: 1,\nz: 2\n}\n  b: 3\n', { k: { a: { x: 1, z: 2 }, b: 3 } }],
  ['k:\n- a: [\n  1\n]\n- b\n', { k: [{ a: [1] }, 'b'] }],
  ['a: "x\n\ny"\nb: 1\n', { a: 'x\ny', b: 1 }],
  ["a: 'x\r\ny'\r\nb: 1\r\n", { a: 'x y', b: 1 }],
])('reads %j whatever the indentation within brackets and quotes', async (text, values) => {
  const yaml = await readYamlFile(await folder.write('t.yaml', text))
  expect([yaml.problems, yaml.values]).toEqual([[], values])
})

test('positions refer to the file, even if its lines were moved', async () => {
  const yaml = await readYamlFile(await folder.write('t.yaml', 'a: {\nx: 1,\nz: 2\n}\nb: !function u.f\nc: !x 1\n'))
  expect(yaml.problems.map(place)).toEqual(['6:4'])
  expect([['a'], ['a', 'z'], ['b']].map(path => place(yaml.at(path)))).toEqual(['1:4', '3:4', '5:4'])
  expect(place(yaml.atKey(['a', 'z']))).toBe('3:1')
})

test('reports the position of an unterminated value', async () => {
  const yaml = await readYamlFile(await folder.write('t.yaml', 'a: {x: 1\nb: 2\nc: "open\n'))
  expect(yaml.problems[0]).toMatch(/t\.yaml:2:1 {2}the closing } is missing/)
})

test('reports a second document in a file with the line where it begins', async () => {
  const yaml = await readYamlFile(await folder.write('t.yaml', 'a: 1\n---\nb: 2\n'))
  expect(yaml.problems).toEqual([
    expect.stringMatching(/t\.yaml:2:1 {2}one task per file: a second document begins here$/),
  ])
})

test('a duplicate key is accepted with equal values, and below the top level with a note', async () => {
  const text = 'a: {d: 5}\nb: {c: [1], c: 2}\na: {d: 5}\ne: &e {f: 1}\ng:\n  <<: *e\n  f: 3\na: {d: 6}\n'
  const yaml = await readYamlFile(await folder.write('t.yaml', text.replace('a: {d: 6}\n', '').replace('[1]', '2')))
  expect(yaml.problems).toEqual([])
  expect(yaml.values).toEqual({ a: { d: 5 }, b: { c: 2 }, e: { f: 1 }, g: { f: 3 } })
  const { problems, notes } = await readYamlFile(await folder.write('t.yaml', text))
  expect(problems.map(problem => problem.replace(/^.*t\.yaml:/, ''))).toEqual(['8:1  a: this key is given twice'])
  expect(notes.map(note => note.replace(/^.*t\.yaml:/, ''))).toEqual([
    '2:13  c: this key is given twice, and the last counts',
  ])
})

test('reports an alias without an anchor, also below a duplicate key', async () => {
  const { problems } = await readYamlFile(await folder.write('t.yaml', 'a: *b\na: *b\n'))
  const words = '*b: a text that begins with * needs quotes'
  expect(problems).toEqual([expect.stringContaining(words)])
})

test('an anchor may be used hundreds of times', async () => {
  const { problems } = await readYamlFile(await folder.write('t.yaml', `a: [&x {k: [1]}${', *x'.repeat(500)}]\n`))
  expect(problems).toEqual([])
})

test('numbers in choices are texts if Python prints them differently', async () => {
  const text = 'doc_to_choice: [0.0, 0.50, 1., 3, 1e5, 1.0e+5, 1e-7, 0x10]\ntask: [{doc_to_choice: {a: 2.0, b: t}}]\n'
  const { values } = await readYamlFile(await folder.write('t.yaml', text))
  expect(values).toEqual({
    doc_to_choice: ['0.0', 0.5, '1.0', 3, '1e5', '100000.0', 1e-7, 16],
    task: [{ doc_to_choice: { a: '2.0', b: 't' } }],
  })
})

const place = (text: string): string => /:(\d+:\d+)/.exec(text)?.[1] ?? ''
