import { expect, test } from 'vitest'
import { readYamlFile } from '../../../../stages/input/tasks/yaml-file.js'
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
  ['~', null],
  ['"no"', 'no'],
])('%s is read as other tools read it, but never surprisingly', async (text, value) => {
  const { values, problems } = await readYamlFile(await folder.write('t.yaml', `key: ${text}\n`))
  expect([problems, values]).toEqual([[], { key: value }])
})

test('a key may be called y or n', async () => {
  const { values } = await readYamlFile(await folder.write('t.yaml', 'y: 1\nn: 2\n'))
  expect(values).toEqual({ y: 1, n: 2 })
})
