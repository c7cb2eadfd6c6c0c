import { expect, test } from 'vitest'
import { docList } from '../../stages/input/datasets/dataset.js'
import { withCommonNames } from '../../tasks/aime/utils.js'
import { builtinTask } from '../support/builtin-task.js'
import { testGoldenTask } from '../support/golden-task.js'

testGoldenTask('aime')

test("renames the fields of Maxwell-Jia's data, and accepts digits of any script", async () => {
  async function* docs() {
    yield* await Promise.resolve([{ ID: '2024-I-1', Problem: 'How long?', Solution: 'So.', Answer: 25 }])
  }
  const { prompt, score } = await builtinTask('aime_2024_rebase')
  for await (const doc of withCommonNames(docList(docs()))) {
    expect(doc).toEqual({ problem: 'How long?', solution: 'So.', answer: 25 })
    expect(prompt(doc)).toBe('How long?')
    for (const answer of ['Answer: 025', 'Answer: \u0662\u0665', '\\boxed{25}'])
      expect((await score(doc, answer)).values['exact_match'], answer).toBe(1)
  }
})

test('each requested number of 64 answers has a value', async () => {
  const { score, task } = await builtinTask('aime24_figures_agg64')
  const doc = { problem: 'How long?', solution: '', answer: '025' }
  const { outcome, values } = await score(doc, ['24', '24', ...Array<string>(62).fill('\\boxed{25}')])
  expect(outcome).toBe('scored')
  expect(Object.keys(values).sort()).toEqual(
    task.config.metric_list?.map(({ metric }) => `${String(metric)},all`).sort(),
  )
  expect(values).toMatchObject({ 'exact_match,all': 0, 'cov@2,all': 0, 'cov@4,all': 1, 'maj@4,all': 0, 'maj@8,all': 1 })
})
