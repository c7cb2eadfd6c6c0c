import { expect, test } from 'vitest'
import { askForDoc } from '../../../stages/judge/define/judge-draws.js'
import { noJudge, type JudgePrompt } from '../../../stages/judge/define/judge-model.js'

function judge() {
  const samples: (number | undefined)[] = []
  const ask = ({ sample }: JudgePrompt) => {
    samples.push(sample)
    return Promise.resolve({ type: 'answered', text: 'yes' } as const)
  }
  return { ask, samples }
}

test('docs with the same question get different sampled replies, in any order of judging', async () => {
  const [forward, backward] = [judge(), judge()]
  for (const index of [0, 1, 2]) await askForDoc(forward.ask, index)({ messages: 'right?', temperature: 1 })
  for (const index of [2, 1, 0]) await askForDoc(backward.ask, index)({ messages: 'right?', temperature: 1 })
  expect(new Set(forward.samples).size).toBe(3)
  expect(backward.samples.toReversed()).toEqual(forward.samples)
  expect(forward.samples[0]).toBe(0)
})

test('a doc that asks the same again gets another sample, unless it sets sample', async () => {
  const { ask, samples } = judge()
  const own = askForDoc(ask, 2)
  for (const messages of ['a', 'a', 'b']) await own({ messages, temperature: 0.5 })
  await own({ messages: 'a', temperature: 0.5, sample: 7 })
  expect(samples).toEqual([2000, 2001, 2000, 2007])
})

test.each([1000, 5000, -1, 0.5, NaN])('rejects a sample number that is not below 1000: %d', sample => {
  const { ask, samples } = judge()
  expect(() => askForDoc(ask, 2)({ messages: 'a', temperature: 0.5, sample })).toThrow(
    `ask: sample must be below 1000, as a whole number from 0, not ${sample}`,
  )
  expect(samples).toEqual([])
})

test.each([null, undefined, 'right?', 7, { temperature: 1 }, { messages: undefined, temperature: 1 }])(
  'passes a prompt of an unknown form to the judge, which rejects it: %j',
  async prompt => {
    const received: unknown[] = []
    const ask = (given: unknown) => {
      received.push(given)
      return Promise.resolve({ type: 'failed', reason: 'another form' } as const)
    }
    await askForDoc(ask, 2)(prompt as unknown as JudgePrompt)
    expect(received).toEqual([prompt])
  },
)

test('replies without a temperature are shared between docs', async () => {
  const { ask, samples } = judge()
  for (const index of [0, 1]) await askForDoc(ask, index)({ messages: 'right?' })
  await askForDoc(ask, 5)({ messages: 'right?', temperature: 0, sample: 1 })
  expect(samples).toEqual([undefined, undefined, 1])
})

test('does not number samples without a judge model', () => {
  expect(askForDoc(noJudge, 3)).toBe(noJudge)
})
