import { expect, test } from 'vitest'
import { builtinTask } from '../support/builtin-task.js'
import { withMedia } from '../support/golden-media.js'

const doc = {
  questionId: '98313',
  question: 'How many ships sailed?',
  answers: ['1,200', '1200'],
  image: withMedia({ $image: [16, 12, 'RGB'] }),
}

test('puts the question below its infographic and asks for a short answer', async () => {
  const { prompt, target, task } = await builtinTask('infovqa_val')
  const asked = '<image 16x12>How many ships sailed?\nAnswer the question using a single word or phrase.'
  expect([prompt(doc), prompt(doc, 'qwen_vl')]).toEqual([asked, asked])
  expect(target(doc)).toEqual(['1,200', '1200'])
  expect(task.config).toMatchObject({
    dataset_path: 'lmms-lab-encoder/DocVQA',
    dataset_name: 'InfographicVQA',
    test_split: 'validation',
    generation_kwargs: { max_new_tokens: 32, temperature: 0, do_sample: false },
  })
})

test('the score is the similarity to the nearest answer, or 0 below a half', async () => {
  const { score, aggregates } = await builtinTask('infovqa_val')
  const bodies = await Promise.all(['1200', '1,20', 'many', ''].map(answer => score(doc, answer)))
  expect(bodies.map(({ values }) => values['anls'])).toEqual([1, 0.8, 0, 0])
  expect(aggregates(bodies)).toEqual({ anls: 0.45 })
})

test('answers to questions without a public answer become rows of a submission', async () => {
  const { score, aggregates } = await builtinTask('infovqa_test')
  const body = await score({ ...doc, answers: null }, '1200')
  expect(body).toMatchObject({ outcome: 'scored', values: { submission: { questionId: 98313, answer: '1200' } } })
  expect(aggregates([body])).toEqual({ submission: null })
  const unnumbered = await score({ ...doc, questionId: 'a' }, '1200')
  expect(unnumbered).toMatchObject({ outcome: 'error', reason: expect.stringContaining('"questionId"') as string })
})
