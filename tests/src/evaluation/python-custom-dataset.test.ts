import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { evaluate } from '../../../src/index.js'
import { hasPython, python } from '../../support/python-pool.js'
import { temporaryFolder } from '../../support/store.js'

/** In the shape of lm-evaluation-harness's ruler and mmlu_early_training, and of lmms-eval's saco. */
const yaml = `task: made
custom_dataset: !function utils.load
dataset_kwargs: {count: 3}
metadata: {prefix: number}
test_split: test
process_docs: !function utils.without_first
doc_to_text: question
doc_to_target: right
doc_to_choice: [a, b]
output_type: multiple_choice
metric_list:
  - {metric: likelihood, aggregation: !function utils.difference}
  - {metric: acc, aggregation: !function utils.by_threshold}
  - {metric: acc_norm}
`

const code = `
def load(prefix, count):
    return {"test": [{"question": f"{prefix} {at}", "right": at % 2} for at in range(count)]}

def without_first(docs):
    return docs.filter(lambda doc: doc["question"] != "number 0")

def difference(items):
    assert all(len(likelihoods) == 2 for _, likelihoods in items), items
    return sum(likelihoods[gold] - likelihoods[1 - gold] for gold, likelihoods in items) / len(items)

def by_threshold(values):
    return {"tp": [1.0, 2.5], "n": len(values)}
`

async function evaluated(file: string) {
  const folder = await temporaryFolder()
  await writeFile(join(folder, 'utils.py'), code)
  const task = join(folder, 'made.yaml')
  await writeFile(task, file)
  const run = await evaluate({ store: join(folder, 'store'), model: 'dummy', tasks: [task], python })
  const samples = []
  for await (const sample of run.samples()) samples.push(sample)
  return { metrics: run.of(task).metrics, samples }
}

describe.skipIf(!hasPython('json'))('a Python function that creates the docs (needs python3)', () => {
  test('gets metadata and dataset_kwargs, and its docs go through process_docs', async () => {
    const { samples } = await evaluated(yaml)
    expect(samples.map(({ doc }) => doc['question'])).toEqual(['number 1', 'number 2'])
  })

  test('the metric likelihood passes the index and all log-likelihoods to an aggregation', async () => {
    const { metrics, samples } = await evaluated(yaml)
    const differences = samples.map(({ values }) => {
      const [gold, likelihoods] = values['likelihood'] as [number, [number, number]]
      return likelihoods[gold === 0 ? 0 : 1] - likelihoods[gold === 0 ? 1 : 0]
    })
    const mean = differences.reduce((sum, one) => sum + one, 0) / differences.length
    expect(metrics['likelihood']?.value).toBeCloseTo(mean, 9)
  })

  test('an aggregation that returns named lists has a number for each entry', async () => {
    const { metrics } = await evaluated(yaml)
    const numbers = Object.entries(metrics).map(([name, { value }]) => [name, value])
    expect(numbers).toEqual(
      expect.arrayContaining([
        ['acc.tp.0', 1],
        ['acc.tp.1', 2.5],
        ['acc.n', 2],
      ]),
    )
  })

  test('a missing split, or a class beside it, is rejected with its line', async () => {
    await expect(evaluated(yaml.replace('test_split: test', 'test_split: dev'))).rejects.toThrow(
      /custom_dataset utils\.load:.*made no split dev \(it made test\)/,
    )
    await expect(evaluated(`${yaml}class: !function utils.load\n`)).rejects.toThrow(
      /made\.yaml:2:\d+ {2}custom_dataset: class makes the docs, too/,
    )
  })
})
