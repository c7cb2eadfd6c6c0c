import { expect, test } from 'vitest'
import { capitalised } from '../../tasks/_shared/question.js'
import { judged } from '../../tasks/activitynetqa/utils.js'
import { testGoldenTask } from '../support/golden-task.js'

testGoldenTask('activitynetqa', {
  values: { gpt_eval_accuracy: ({ Correctness }: { readonly Correctness: string }) => Number(Correctness === 'yes') },
})

const doc = { question: 'what is it', answer: 'a kite' }
const scoresBy = (text: string) => judged(doc, ['a kite'], { ask: () => Promise.resolve({ type: 'answered', text }) })

test('truncates a fractional score, and ignores words around it', async () => {
  expect(await scoresBy(`Sure: {"pred": "No", "score": 2.9}`)).toEqual({ gpt_eval_score: 2, gpt_eval_accuracy: 0 })
})

test.each([
  '',
  'yes, 5',
  "{'pred': 'maybe', 'score': 3}",
  "{'pred': 'yes'}",
  "{'pred': 'yes', 'score': True}",
  "{'pred': 'yes', 'score': 0x3}",
])('a judge reply of %j is a failure, not a zero', async reply => {
  expect(await scoresBy(reply)).toMatchObject({ gpt_eval_score: { type: 'judge_failed' } })
})

test.each([
  ['is IT red', 'Is it red'],
  ['ßa', 'Ssa'],
  ['ǆA', 'ǅa'],
  ['ﬁSH', 'Fish'],
  ['აბ', 'აბ'],
  ['', ''],
])('capitalizes a question as Python does: %j', (question, asked) => {
  expect(capitalised(question)).toBe(asked)
})
