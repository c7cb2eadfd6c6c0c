import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { evaluate, judge, mockModel } from '../../../src/index.js'
import { temporaryFolder } from '../../support/store.js'

const yaml = `task: colours
dataset_path: json
dataset_kwargs: {data_files: {test: test.jsonl, dev: dev.jsonl}}
test_split: test
doc_to_text: q
doc_to_target: a
metric_list: [{metric: exact_match}]
parity: {lmms-eval: {test_split: dev}}
`

test('a run has the docs of its parity, also when it is scored again with another', async () => {
  const folder = await temporaryFolder()
  await writeFile(join(folder, 'test.jsonl'), '{"q": "x", "a": "blue"}\n{"q": "y", "a": "red"}\n')
  await writeFile(join(folder, 'dev.jsonl'), '{"q": "z", "a": "blue"}\n')
  await writeFile(join(folder, 'colours.yaml'), yaml)
  const store = join(folder, 'store')
  const given = {
    model: mockModel({ reply: () => 'blue', version: '1' }),
    tasks: [join(folder, 'colours.yaml')],
    store,
  }
  const plain = await evaluate(given)
  const published = await evaluate({ ...given, parity: 'lmms-eval' })
  const scoreOf = (run: typeof plain): unknown => run.of('colours').metrics['exact_match']?.value
  expect([scoreOf(plain), scoreOf(published)]).toEqual([0.5, 1])
  expect(published.run.id).not.toBe(plain.run.id)
  expect(scoreOf(await judge(plain, { store, parity: 'lmms-eval' }))).toBe(0.5)
  expect(scoreOf(await judge(published, { store }))).toBe(1)
  // Each finds its own answers and docs again.
  expect((await evaluate({ ...given, parity: 'lmms-eval' })).run.id).toBe(published.run.id)
})
