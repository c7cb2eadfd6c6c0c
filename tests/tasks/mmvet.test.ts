import { describe, expect, test } from 'vitest'
import type { JudgePrompt } from '../../stages/judge/define/judge-model.js'
import { builtinTask } from '../support/builtin-task.js'
import { testGoldenTask } from '../support/golden-task.js'

testGoldenTask('mmvet', {
  skip: row =>
    row.kind === 'score' && !/^[\d.]+\s?/.test(row.judge_reply ?? '') ? 'the judge gives no grade' : undefined,
})

describe('with parity', () => {
  testGoldenTask('mmvet', { parity: 'lmms-eval' })
})

const doc = { question_id: 'v1_0', question: 'What is x?', answer: '-1<AND>-5', capability: 'ocr,math' }

/** A judge with these replies, one after another, that then fails. */
function judgeSaying(...replies: readonly string[]) {
  const asked: JudgePrompt[] = []
  const ask = (prompt: JudgePrompt) => {
    const text = replies[asked.length]
    asked.push(prompt)
    return Promise.resolve(
      text === undefined ? ({ type: 'failed', reason: 'gone' } as const) : ({ type: 'answered', text } as const),
    )
  }
  return { asked, ask }
}

test('averages grades as a percentage', async () => {
  const { score, aggregates } = await builtinTask('mmvet', judgeSaying('1.0 because', '0.3\n', '0'))
  const bodies = [await score(doc, 'a'), await score(doc, 'b'), await score(doc, 'c')]
  expect(bodies.map(({ values }) => values)).toEqual([1, 0.3, 0].map(value => ({ gpt_eval_score: value })))
  expect(aggregates(bodies)).toEqual({ gpt_eval_score: expect.closeTo(130 / 3, 9) as number })
})

test('repeats the judge call at a higher temperature without a grade, and fails if it never gets one', async () => {
  const late = judgeSaying('good', '7', '0.5')
  expect(await (await builtinTask('mmvet', late)).score(doc, 'a')).toMatchObject({ values: { gpt_eval_score: 0.5 } })
  expect(late.asked.map(({ temperature, maxTokens }) => [temperature, maxTokens])).toEqual([
    [0, 128],
    [0.5, 128],
    [1, 128],
  ])
  const never = await builtinTask('mmvet', judgeSaying('good', 'fair', 'nan', '-1'))
  const body = await never.score(doc, 'a')
  expect(body).toMatchObject({ outcome: 'judge_failed', reason: 'the judge gives no grade from 0 to 1, but "good"' })
  const gone = await builtinTask('mmvet', judgeSaying())
  expect(await gone.score(doc, 'a')).toMatchObject({ outcome: 'judge_failed', reason: 'gone' })
})
