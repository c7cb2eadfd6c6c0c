import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { evaluate } from '../../../src/index.js'
import { temporaryFolder } from '../../support/store.js'

async function evaluateTargets(rows: readonly object[], ...lines: string[]) {
  const folder = await temporaryFolder()
  await writeFile(join(folder, 'rows.jsonl'), rows.map(row => `${JSON.stringify(row)}\n`).join(''))
  const file = join(folder, 'task.yaml')
  await writeFile(file, ['task: own', 'dataset_path: ./rows.jsonl', 'doc_to_text: "Which?"', ...lines].join('\n'))
  const notes: string[] = []
  const result = await evaluate({
    store: join(folder, 'store'),
    model: 'dummy',
    modelArgs: { mode: 'target' },
    tasks: [file],
    onEvent: event => {
      if (event.type === 'note') notes.push(event.text)
    },
  })
  return { result, notes, metrics: result.of(file).metrics }
}

const exact = ['doc_to_target: a', 'metric_list: [{metric: exact_match}]']

test('answers each doc with its own target, although all have the same prompt', async () => {
  const { metrics, notes, result } = await evaluateTargets([{ a: 'red' }, { a: ['blue', 'azure'] }, { a: 3 }], ...exact)
  expect(metrics['exact_match']).toMatchObject({ value: 1, n: 3 })
  expect(notes.join()).toContain('the answers are the targets of the docs')
  expect(result.run.provenance.config['note']).toContain('the answers are the targets')
})

test('fails docs without a target and names them', async () => {
  const { metrics, result } = await evaluateTargets([{ a: 'red' }, { a: null }, { a: '' }], ...exact)
  expect(metrics['exact_match']).toMatchObject({ value: 1, n: 1 })
  expect(result.failures.map(({ doc, failure }) => [doc, failure.message])).toEqual([
    ['1', expect.stringContaining('no target that can be read')],
    ['2', expect.stringContaining('no target that can be read')],
  ])
})

test('gives the right choice the highest likelihood', async () => {
  const { metrics } = await evaluateTargets(
    [{ a: 1 }, { a: 0 }],
    'output_type: multiple_choice',
    'doc_to_target: a',
    'doc_to_choice: ["yes", "no"]',
    'metric_list: [{metric: acc}]',
  )
  expect(metrics['acc']).toMatchObject({ value: 1, n: 2 })
})
