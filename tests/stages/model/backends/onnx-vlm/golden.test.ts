import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Input, ResponseBody } from '../../../../../cache/records.js'
import type { Model } from '../../../../../stages/model/model.js'
import { onnxVlm } from '../../../../../stages/model/backends/onnx-vlm.js'
import {
  ask,
  goldenAnswers,
  greedy,
  lettered,
  letters,
  likelihood,
  memoryContext,
  picturesOf,
  questions,
  tinyvlm,
  type Split,
} from './tinyvlm.js'

// Golden: examples/tinyvlm/README.md. All of it is asked through the backend as a run would ask, by two workers.
const { add, context } = memoryContext()
const never = new AbortController().signal

const open = (dtype: 'fp32' | 'int8') => onnxVlm.open({ model: tinyvlm, dtype, threads: 1, workers: 2 }, context)

/** Sends four requests at a time, as the scheduler would. Returns the answers in the order of the inputs. */
async function askAll(model: Model, inputs: readonly Input[]): Promise<readonly ResponseBody[]> {
  const bodies: ResponseBody[] = []
  let next = 0
  const lane = async () => {
    for (let i = next++; i < inputs.length; i = next++) {
      const { body } = await model.answer({ input: inputs[i]!, generation: {}, sample: 0 }, never)
      bodies[i] = body
    }
  }
  await Promise.all([lane(), lane(), lane(), lane()])
  return bodies
}

async function load(split: Split) {
  const answers = goldenAnswers(split)
  return (await questions(split)).map(question => {
    const pictures = picturesOf(question).map(add)
    return { question, golden: answers.get(question.id)!, pictures, messages: ask(question.question, pictures) }
  })
}

/** The largest difference of a log-probability from the reference. */
const farthest = (bodies: readonly ResponseBody[], expected: readonly number[]): number =>
  Math.max(...bodies.map((body, i) => Math.abs((body.logprob ?? Number.NaN) - expected[i]!)))

describe('fp32', () => {
  let model: Model
  beforeAll(async () => {
    model = await open('fp32')
  })
  afterAll(() => model.close?.())

  test.each([
    ['test', 1_000],
    ['test_resize', 24],
  ] as const)(
    'every greedy answer of %s equals the reference, with its leading space',
    { timeout: 180_000 },
    async (split, n) => {
      const items = await load(split)
      const bodies = await askAll(
        model,
        items.map(item => greedy(item.messages)),
      )
      expect(bodies.map(body => body.text)).toEqual(items.map(item => item.golden.greedy))
      expect(bodies.every(body => body.finishReason === 'stop')).toBe(true)
      expect(bodies).toHaveLength(n)
    },
  )

  test.each(['test', 'test_resize'] as const)(
    'the log-probability of every gold answer of %s equals the reference',
    { timeout: 180_000 },
    async split => {
      const items = await load(split)
      const bodies = await askAll(
        model,
        items.map(item => likelihood(item.messages, item.golden.gold.continuation)),
      )
      const gold = items.map(item => item.golden.gold)
      const expected = gold.map(({ logprob }) => logprob)
      expect(farthest(bodies, expected)).toBeLessThan(1e-3)
      expect(bodies.map(body => body.isGreedy)).toEqual(gold.map(({ is_greedy }) => is_greedy))
      expect(bodies.map(body => body.continuationTokens)).toEqual(gold.map(({ num_tokens }) => num_tokens))
    },
  )

  test(
    'options and letters have the log-probabilities of the reference, and the same letters are chosen',
    { timeout: 180_000 },
    async () => {
      const items = (await load('test')).filter(item => item.golden.mc !== undefined)
      const withLetters = items.map(item => ask(lettered(item.question), item.pictures))
      const texts = await askAll(
        model,
        items.flatMap(item => letters.map(letter => likelihood(item.messages, ` ${item.question[letter]!}`))),
      )
      const chosen = await askAll(model, withLetters.map(greedy))
      const likely = await askAll(
        model,
        withLetters.flatMap(messages => letters.map(letter => likelihood(messages, ` ${letter}`))),
      )
      const expected = (of: 'options' | 'letters') =>
        items.flatMap(({ golden }) =>
          letters.map(letter => (of === 'options' ? golden.options! : golden.mc!.letters)[letter]),
        )
      expect(items).toHaveLength(282)
      expect(farthest(texts, expected('options'))).toBeLessThan(1e-3)
      expect(farthest(likely, expected('letters'))).toBeLessThan(1e-3)
      expect(chosen.map(body => body.text)).toEqual(items.map(item => item.golden.mc!.greedy))
    },
  )
})

test('int8 answers .911 ± .005 of the questions correctly', { timeout: 180_000 }, async () => {
  const model = await open('int8')
  const items = await load('test')
  const bodies = await askAll(
    model,
    items.map(item => greedy(item.messages)),
  )
  await model.close?.()
  const right = items.filter(
    (item, i) => bodies[i]!.text.trim().toLowerCase() === item.question.answer.toLowerCase(),
  ).length
  expect(Math.abs(right / items.length - 0.911)).toBeLessThanOrEqual(0.005)
})
