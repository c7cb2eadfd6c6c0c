import { describe, expect, it } from 'vitest'
import { answersOfSamples, anyAnswer, firstAnswer, readLetter } from '../../tasks/gpqa/openai.js'
import { withShuffledChoices, withShuffledOptions } from '../../tasks/gpqa/utils.js'
import { docList } from '../../stages/input/datasets/dataset.js'
import type { Doc } from '../../stages/input/tasks/doc.js'
import { builtinTask } from '../support/builtin-task.js'
import { testGoldenTask } from '../support/golden-task.js'

/** simple-evals count an answer without a letter as wrong. */
const takenForA = 'lmms-eval takes an answer without a letter for A'

testGoldenTask('gpqa', {
  values: { extracted_answers: (letters: readonly string[], row) => (row.responses[0] === '' ? [null] : letters) },
  skip: ({ kind, task, responses, expected }) => {
    const isUnread = kind === 'score' && task === 'gpqa_diamond_openai' && responses[0] === ''
    return isUnread && JSON.stringify(expected).includes('"exact_match":1') ? takenForA : undefined
  },
})

describe('with parity', () => {
  testGoldenTask('gpqa', { parity: 'lmms-eval' })
})

describe('the letter of an answer', () => {
  it.each([
    ['a box before what stands behind Answer:', 'Answer: C, so \\boxed{B}', 'B'],
    ['a box with a space, up to the dollar', 'so $\\boxed D$', 'D'],
    ['what stands behind Answer:, in any case', 'ANSWER : c', 'C'],
    ['the turn that is marked as the answer', '<|im_start|>think\nAnswer: A<|im_start|>answer\nAnswer: D', 'D'],
    ['the last turn without its name', 'Answer: A<|im_start|>final\nB', 'B'],
    ['a bare letter', 'd', 'D'],
    ['nothing where more than a letter stands there', 'Answer: (B)', null],
    ['nothing where the last box does not close', '\\boxed{A} \\boxed{B', null],
    ['nothing of an empty answer', '', null],
  ])('is %s', (_, answer, letter) => {
    expect(readLetter(answer)).toBe(letter)
  })
})

describe('the score of an answer', () => {
  const doc = { answer: 'A' }

  it('is unparsed if it contains no letter, where lmms-eval scores A', () => {
    const unread = { type: 'unparsed', value: 0, reason: 'the answer names no letter from A to D' }
    expect(firstAnswer(doc, ['teal'], {})).toEqual({ exact_match: unread, extracted_answers: [null] })
    expect(firstAnswer(doc, ['teal'], { parity: 'lmms-eval' })).toEqual({ exact_match: 1, extracted_answers: ['A'] })
  })

  it('is 1 if any filtered answer is right, where lmms-eval scores the first', () => {
    expect(anyAnswer(doc, ['B', 'teal', 'A'], {})).toEqual({ exact_match: 1 })
    expect(anyAnswer(doc, ['B', 'teal', 'A'], { parity: 'lmms-eval' })).toEqual({ exact_match: 0 })
  })

  it('is computed for each power of two of answers, as coverage and as majority', () => {
    expect(answersOfSamples(doc, ['B', 'A', 'C', 'A', 'B', 'B', 'B', 'teal'], {})).toEqual({
      exact_match: 0,
      extracted_answers: ['B', 'A', 'C', 'A', 'B', 'B', 'B', null],
      exact_matches: [0, 1, 0, 1, 0, 0, 0, 0],
      'cov@2': 1,
      'maj@2': 0,
      'cov@4': 1,
      'maj@4': 1,
      'cov@8': 1,
      'maj@8': 0,
    })
  })
})

describe('the options', () => {
  const docOf = (number: number): Doc => ({
    'Incorrect Answer 1': ` ${number}w1 [title] more`,
    'Incorrect Answer 2': `${number}w2`,
    'Incorrect Answer 3': `${number}w3 [citation]`,
    'Correct Answer': `${number}r`,
  })
  const docs = [docOf(0), docOf(1)]

  it('are shuffled like a generator with the seed 42, in the order of docs, without markup', async () => {
    const shuffled = await listOf(withShuffledChoices(docList(streamed(docs))))
    expect(shuffled.map(({ choices, answer }) => [choices, answer])).toEqual([
      [['0w3 ', '0w2', '0r', '0w1. more'], '(C)'],
      [['1r', '1w3 ', '1w1. more', '1w2'], '(A)'],
    ])
    expect(shuffled[0]).toMatchObject({ choice1: '0w3 ', choice4: '0w1. more' })
  })

  it('keep the order of a doc that has them', async () => {
    const doc = { ...docOf(0), choice1: '0w2', choice2: '0r', choice3: '0w1', choice4: '0w3', answer: '(B)' }
    expect(await listOf(withShuffledChoices(docList(streamed([doc]))))).toEqual([doc])
  })

  it('keep their markup, with bare letters, for simple-evals', async () => {
    const [first] = await listOf(withShuffledOptions(docList(streamed(docs))))
    expect(first).toMatchObject({ choice1: '0w3 [citation]', choice4: ' 0w1 [title] more', answer: 'C' })
  })
})

async function* streamed(docs: readonly Doc[]): AsyncGenerator<Doc> {
  await Promise.resolve()
  yield* docs
}

async function listOf(docs: AsyncIterable<Doc>): Promise<readonly Doc[]> {
  const list: Doc[] = []
  for await (const doc of docs) list.push(doc)
  return list
}

describe('gpqa_diamond_reasoning', () => {
  const doc = { Question: 'Which is red?', choice1: 'a', choice2: 'b', choice3: 'c', choice4: 'd', answer: '(B)' }

  it('requests reasoning and answer in tags, and reads the letter of the answer', async () => {
    const { prompt, score } = await builtinTask('gpqa_diamond_reasoning')
    expect(prompt(doc)).toMatch(/question\.Question: Which is red\?\nChoices:\n\(A\) a \(B\) b \(C\) c \(D\) d$/)
    expect((await score(doc, '<think>A or B</think><answer>B</answer>')).values).toEqual({ acc_score: 1 })
    expect((await score(doc, '<think>B</think><answer>(A)</answer>')).values).toEqual({ acc_score: 0 })
    expect(await score(doc, 'B it is')).toMatchObject({ outcome: 'unparsed', values: { acc_score: 0 } })
  })
})
