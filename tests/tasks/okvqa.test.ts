import { expect, test } from 'vitest'
import { builtinTask } from '../support/builtin-task.js'
import { withMedia } from '../support/golden-media.js'

const doc = {
  question_id: 2971475,
  question: 'What sport can you use this for?',
  answers: ['race', 'race', 'race', 'race', 'race', 'race', 'motocross', 'motocross', 'ride', 'ride'],
  image: withMedia({ $image: [16, 12, 'RGB'] }),
}

test('keeps the question, and allows "Unanswerable"', async () => {
  const { prompt, target, task } = await builtinTask('ok_vqa_val2014')
  const brief = 'Answer the question using a single word or phrase.'
  expect(prompt(doc)).toBe(
    `<image 16x12>${doc.question}\nWhen the provided information is insufficient, respond with 'Unanswerable'.\n${brief}`,
  )
  expect(prompt(doc, 'plm')).toBe(`<image 16x12>${doc.question}\nRespond with one word.`)
  expect(target(doc)).toEqual(doc.answers)
  expect(task.config).toMatchObject({ test_split: 'val2014', generation_kwargs: { until: ['ASSISTANT:'] } })
})

test('three of the other people make an answer right, two of them two thirds', async () => {
  const { score, aggregates } = await builtinTask('ok_vqa_val2014')
  const bodies = await Promise.all(['The race.', 'motocross', 'swim'].map(answer => score(doc, answer)))
  const accuracies = bodies.map(({ values }) => values['exact_match'])
  // Each of ten people is left out once: for two of them one other remains, for eight both.
  expect(accuracies).toEqual([1, expect.closeTo((8 * (2 / 3) + 2 * (1 / 3)) / 10, 12), 0])
  expect(bodies[0]?.values['submission']).toEqual({ image: '2971475.jpg', answer: 'race' })
  expect(aggregates(bodies)).toEqual({ exact_match: expect.closeTo(1.6 / 3, 12) as number, submission: null })
})
