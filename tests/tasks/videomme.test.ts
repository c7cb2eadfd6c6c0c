import { describe, expect, test } from 'vitest'
import {
  namesRightNumber,
  withNumbers,
  withoutRightOption,
  withShuffledOptions,
} from '../../tasks/videomme/altered-options.js'
import { builtinTask } from '../support/builtin-task.js'
import { longWithSubtitles, questionWithSubtitles } from '../../tasks/videomme/utils.js'
import type { DocList } from '../../stages/input/tasks/doc.js'
import { docList } from '../../stages/input/datasets/dataset.js'
import { testGoldenTask } from '../support/golden-task.js'

testGoldenTask('videomme', { right: row => ({ videomme_perception_score: row.right?.['score'] }) })

describe('with parity', () => {
  testGoldenTask('videomme', { parity: 'lmms-eval' })
})

const doc = {
  videoID: 'v1',
  duration: 'long',
  answer: 'B',
  question: 'Who speaks?',
  options: ['A. a man', 'B. a child', 'C. a woman', 'D. nobody'],
}

async function* rows(): AsyncGenerator<Record<string, unknown>> {
  yield* await Promise.resolve([doc, { ...doc, duration: 'short' }])
}

/** Returns the prompt of the long videos with this file of subtitles. */
async function questionBeside(file: string | undefined): Promise<string[]> {
  const read = (path: unknown): Promise<Uint8Array> =>
    file === undefined
      ? Promise.reject(new Error(`no file ${String(path)}`))
      : Promise.resolve(new TextEncoder().encode(file))
  const docs = docList(rows())
  const questions: string[] = []
  for await (const each of longWithSubtitles(docs, { read, rows: () => docs }))
    questions.push(questionWithSubtitles(each, {}))
  return questions
}

test('puts the subtitles of a long video before its question, without times', async () => {
  const file = '1\n00:00:01,000 --> 00:00:02,000\n<font color="white" size=".72c">Good evening.</font>\n\n'
  expect(await questionBeside(file)).toEqual([
    expect.stringContaining('below: \nGood evening.\nSelect the best answer'),
  ])
})

test('evaluates a video without subtitles, too', async () => {
  expect(await questionBeside(undefined)).toEqual([expect.stringContaining('below: \nNo subtitles available\n')])
})

async function changed(change: (docs: DocList) => DocList): Promise<Record<string, unknown> | undefined> {
  for await (const each of change(docList(rows()))) return each
  return undefined
}

test('replaces the right option by "None"', async () => {
  const kept = ['A. a man', 'B. None', 'C. a woman', 'D. nobody']
  expect(await changed(withoutRightOption)).toMatchObject({ options: kept, answer: 'B' })
})

test('numbers the options, and the answer is a number', async () => {
  const numbered = ['1. a man', '2. a child', '3. a woman', '4. nobody']
  const each = (await changed(withNumbers)) ?? {}
  expect(each).toMatchObject({ options: numbered, answer: '2' })
  const scores = ['2', '2. a child', '(2)', 'It is 2', '3', 'two'].map(
    answer => namesRightNumber(each, [answer])['videomme_perception_score'],
  )
  expect(scores).toEqual([1, 1, 1, 1, 0, expect.objectContaining({ type: 'unparsed' })])
})

/** A doc with all columns. */
const whole = { ...doc, domain: 'Life', sub_category: 'Travel', task_type: 'OCR' }

test('shuffles the options, and updates the letter of the right one', async () => {
  const shuffled = await changed(docs => withShuffledOptions(docs.map(each => ({ ...each, question_id: '001-1' }))))
  const options = shuffled?.['options'] as readonly string[]
  expect(options.map(option => option.slice(3)).sort()).toEqual(['a child', 'a man', 'a woman', 'nobody'])
  expect(options.find(option => option.startsWith(shuffled?.['answer'] as string))).toMatch(/a child$/)
  expect(options).not.toEqual(doc.options)
})

test('without options, answer and target must contain each other', async () => {
  const { prompt, target, score } = await builtinTask('videomme_revert_oe_mcq')
  expect(prompt(whole)).toBe('<data/v1.mp4>Who speaks?\nPlease answer the question with a short answer.')
  expect(target(whole)).toBe('a child')
  const outcomes = await Promise.all(
    ['A  child!', 'It is a child.', 'child', 'a man', '?'].map(said => score(whole, said)),
  )
  expect(outcomes.map(({ values }) => values['acc_score'])).toEqual([1, 1, 1, 0, 0])
  expect(outcomes.at(-1)?.outcome).toBe('unparsed')
})

test('a judge model decides which option an answer means', async () => {
  const asked: string[] = []
  const replies = ['B', 'X', 'Answer: C', 'none of them']
  const { score } = await builtinTask('videomme_convert_mcq_oe', {
    ask: ({ messages }) => {
      asked.push(typeof messages === 'string' ? messages : '')
      return Promise.resolve({ type: 'answered', text: replies[asked.length - 1]! })
    },
  })
  const outcomes = []
  for (const said of ['kid', 'no idea', 'a lady', '']) outcomes.push(await score(whole, said))
  expect(asked[0]).toContain("Model's Answer: kid\n\nOptions:\nA. a man\nB. a child\nC. a woman\nD. nobody\n\n")
  expect(outcomes.slice(0, 3).map(({ values }) => values)).toEqual([
    { acc_score: 1, llm_match_score: 1 },
    { acc_score: 0, llm_match_score: 0 },
    { acc_score: 0, llm_match_score: 1 },
  ])
  expect(outcomes[3]?.outcome).toBe('judge_failed')
})

test('video_only sends the video alone, and a letter must be guessed', async () => {
  const { prompt, score } = await builtinTask('videomme_video_only_abcd')
  expect(prompt(whole)).toBe(
    'You will receive ONLY a video. There is no question. Guess which option letter (A, B, C, or D) is correct. Output exactly one capital letter: A, B, C, or D.<data/v1.mp4>',
  )
  const outcomes = await Promise.all(['b', 'Maybe: B.', 'It is a B', '1'].map(said => score(whole, said)))
  expect(outcomes.map(({ values }) => values)).toEqual([
    { acc_score: 1, format_score: 1 },
    { acc_score: 1, format_score: 1 },
    { acc_score: 0, format_score: 1 },
    { acc_score: 0, format_score: 0 },
  ])
})
