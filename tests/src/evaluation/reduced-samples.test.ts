import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { evaluate, mockModel } from '../../../src/index.js'
import { temporaryFolder } from '../../support/store.js'

let folder = ''
const lines = (...more: string[]): string =>
  ['task: own', 'dataset_path: ./rows.jsonl', 'doc_to_text: q', 'doc_to_target: a', ...more].join('\n')

beforeEach(async () => {
  folder = await temporaryFolder()
  await writeFile(join(folder, 'rows.jsonl'), '{"q":"one","a":"1"}\n{"q":"two","a":"2"}\n')
})

async function evaluateWith(yaml: string, reduce: readonly string[]): Promise<Readonly<Record<string, number | null>>> {
  await writeFile(join(folder, 'task.yaml'), yaml)
  const result = await evaluate({
    store: join(folder, 'store'),
    model: mockModel({ replies: ['1', '9', '8', '1', '2', '2', '2', '7'] }),
    tasks: [join(folder, 'task.yaml')],
    repeats: 4,
    reduce,
    genKwargs: { temperature: 1, do_sample: true },
  })
  return Object.fromEntries(result.judgement!.aggregates!.map(({ metric, value }) => [metric, value]))
}

test('computes each metric by each rule without changing the task', async () => {
  const values = await evaluateWith(lines(), ['pass@2', 'majority', 'mean', 'max'])
  expect(values['exact_match_majority']).toBe(1)
  expect(values['exact_match_mean']).toBe(0.625)
  expect(values['exact_match_max']).toBe(1)
  // 1 − C(2,2)/C(4,2), and 1.
  expect(values['exact_match_pass@2']).toBeCloseTo((5 / 6 + 1) / 2)
})

test('keeps the filters of the task, except those that select one sample', async () => {
  const filters =
    'filter_list: [{name: digit, filter: [{function: regex, regex_pattern: "\\\\d"}, {function: take_first}]}]'
  const values = await evaluateWith(lines(filters, 'metric_list: [{metric: exact_match, name: hit}]'), ['mean'])
  expect(values).toEqual({ hit_mean: 0.625 })
})

test('rejects tasks without text samples, and too few samples', async () => {
  await expect(evaluateWith(lines(), ['pass@5'])).rejects.toThrow(
    /^reduce: pass@5 needs 5 samples of a doc, and 4 are requested for task own\. Give repeats: 5$/,
  )
  const choices = lines('output_type: multiple_choice', 'doc_to_choice: ["1", "2"]')
  await expect(evaluateWith(choices, ['mean'])).rejects.toThrow(/task own has no metrics of single samples/)
})
