import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { JudgePrompt, JudgeReply } from '../../stages/judge/define/judge-model.js'
import { circularAccuracy, judgedScore, staticScore } from '../../tasks/mmbench/utils.js'
import { testGoldenTask } from '../support/golden-task.js'

// The rows were made without a judge. Random choices of the reference are wrong, and so is "none of them".
const judgeReply = (): string => 'E'
// The reference has no score of a doc: it judges when it aggregates.
const onlyAggregates = ['gpt_eval_score']

testGoldenTask('mmbench_en', { judgeReply, onlyAggregates })
testGoldenTask('mmbench_cn', { judgeReply, onlyAggregates })

describe('with parity', () => {
  testGoldenTask('mmbench_en', { judgeReply, onlyAggregates, parity: 'lmms-eval' })

  it('finds a missing option within a word', () => {
    const doc = { index: 1, A: '1', B: '10', C: '100', D: 'nan', answer: 'D' }
    const scoreOf = (context: { parity?: 'lmms-eval' }) => staticScore(doc, ['banana'], context)['gpt_eval_score']
    expect(scoreOf({ parity: 'lmms-eval' })).toMatchObject({ score: 1 })
    expect(scoreOf({})).toMatchObject({ type: 'unparsed' })
  })
})

it('scores a right option 1 and a wrong one 0', () => {
  const doc = { index: 1, A: 'red', B: 'teal', answer: 'B' }
  for (const [said, score] of [
    ['B', 1],
    ['teal', 1],
    ['A', 0],
  ] as const)
    expect(staticScore(doc, [said], {})['gpt_eval_score']).toEqual({ index: 1, options: 2, score })
})

describe('circularAccuracy', () => {
  const order = (index: number, score: number) => ({ index, options: 3, score })

  it('counts a question as right if it is right in all orders of its options', () => {
    const right = [order(1, 1), order(1_000_001, 1), order(2_000_001, 1)]
    const wrongOnce = [order(2, 1), order(1_000_002, 0), order(2_000_002, 1)]
    expect(circularAccuracy([...right, ...wrongOnce])).toBe(50)
  })

  it('leaves out a question whose missing orders would decide', () => {
    expect(circularAccuracy([order(1, 1), order(1_000_001, 1), order(2, 1)])).toBe(100)
    expect(circularAccuracy([order(1, 0), order(1_000_001, 1), order(2, 1)])).toBe(50)
    expect(circularAccuracy([order(1_000_001, 1)])).toBeNull()
  })
})

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

describe('judgedScore', () => {
  const doc = {
    index: 3,
    question: 'What is it',
    A: 'a dog',
    B: 'a cat',
    C: 'nan',
    D: null,
    answer: 'B',
    category: 'x',
  }
  const scoreOf = async (answer: string, reply: JudgeReply) => {
    const asked: JudgePrompt[] = []
    const ask = (prompt: JudgePrompt) => {
      asked.push(prompt)
      return Promise.resolve(reply)
    }
    const { gpt_eval_score: score } = await judgedScore(doc, [answer], { target: 'B', choices: [], bodies: [], ask })
    return { score, asked }
  }

  it('calls no judge if the answer names an option', async () => {
    expect(await scoreOf('a cat', { type: 'failed', reason: '' })).toEqual({
      score: { index: 3, options: 2, score: 1 },
      asked: [],
    })
  })

  it("takes the option in the judge's reply", async () => {
    const { score, asked } = await scoreOf('a feline', { type: 'answered', text: 'B' })
    expect(score).toEqual({ index: 3, options: 2, score: 1 })
    // The digest of the reference's judge prompt for the same doc.
    expect(sha256(asked[0]?.messages as string)).toBe(
      '51f015eb510980734af3c25d18a565447fed2c1b7619cc07a4d520ada1a93cac',
    )
    expect(asked[0]).toMatchObject({ maxTokens: 256, temperature: 0 })
  })

  it('has no value if the judge failed or its reply is unreadable', async () => {
    expect((await scoreOf('a pet', { type: 'failed', reason: 'busy' })).score).toEqual({
      type: 'judge_failed',
      reason: 'busy',
    })
    expect((await scoreOf('a pet', { type: 'answered', text: 'A or B' })).score).toMatchObject({ type: 'judge_failed' })
  })
})
