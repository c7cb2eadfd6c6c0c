import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { evaluate, judge, mockModel } from '../../../src/index.js'
import { scoringOptions } from '../../../src/config/options/scoring-options.js'
import { goldenRows } from '../../support/golden.js'
import { temporaryFolder } from '../../support/store.js'

const read = (text: string): unknown => scoringOptions.reasoningTags.read(text, undefined, '--reasoning-tags')

interface Row {
  readonly id: string
  readonly kind: string
  readonly input: { readonly cli: string | null; readonly task: unknown }
  readonly expected: unknown
}

test('the flag accepts what lmms-eval accepts, and rejects unusable tags', () => {
  const rows = goldenRows<Row>('tasks/machinery.jsonl.gz').filter(
    ({ kind, input }) =>
      kind === 'reasoning_tags_config' && input.task === null && input.cli?.startsWith('[[') === true,
  )
  expect(rows.length).toBeGreaterThan(0)
  for (const { input, expected } of rows) expect(read(input.cli ?? '')).toEqual(expected)
  expect(read('none')).toEqual([])
  for (const text of ['', 'bad json', '["<a>","</a>"]', '[["<a>"]]', '5'])
    expect(() => read(text)).toThrow('--reasoning-tags: expected none, or pairs')
})

const yaml = (name: string, more: string): string =>
  `task: ${name}\ndataset_path: ./docs.jsonl\ndoc_to_text: q\ndoc_to_target: a\nmetric_list: [{metric: exact_match}]\n${more}`

test('tags of a run apply to tasks that set none, and when it is scored again', async () => {
  const folder = await temporaryFolder()
  await writeFile(join(folder, 'docs.jsonl'), '{"q": "x", "a": "blue"}\n')
  await writeFile(join(folder, 'plain.yaml'), yaml('plain', ''))
  await writeFile(join(folder, 'own.yaml'), yaml('own', 'reasoning_tags: [["<x>", "</x>"]]\n'))
  const store = join(folder, 'store')
  const tasks = [join(folder, 'plain.yaml'), join(folder, 'own.yaml')]
  const reply = () => '<mull>red?</mull>blue'
  const model = mockModel({ reply, version: '1' })
  const scoresOf = (run: Awaited<ReturnType<typeof evaluate>>): readonly unknown[] =>
    ['plain', 'own'].map(name => run.of(name).metrics['exact_match']?.value)
  const run = await evaluate({ model, tasks, store, reasoningTags: [['<mull>', '</mull>']] })
  expect(scoresOf(run)).toEqual([1, 0])
  expect(scoresOf(await judge(run, { store }))).toEqual([1, 0])
})
