import { describe, expect, test } from 'vitest'
import { namesRightNumber, withNumbers, withoutRightOption } from '../../tasks/videomme/altered-options.js'
import { longWithSubtitles, questionWithSubtitles } from '../../tasks/videomme/utils.js'
import type { DocList } from '../../stages/input/tasks/doc.js'
import { docList } from '../../stages/input/datasets/doc-list.js'
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

/** What is asked of the long videos, where their file of subtitles is this one. */
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

test('the subtitles of a long video stand before its question, without their times', async () => {
  const file = '1\n00:00:01,000 --> 00:00:02,000\n<font color="white" size=".72c">Good evening.</font>\n\n'
  expect(await questionBeside(file)).toEqual([
    expect.stringContaining('below: \nGood evening.\nSelect the best answer'),
  ])
})

test('a video without subtitles is asked about all the same', async () => {
  expect(await questionBeside(undefined)).toEqual([expect.stringContaining('below: \nNo subtitles available\n')])
})

async function changed(change: (docs: DocList) => DocList): Promise<Record<string, unknown> | undefined> {
  for await (const each of change(docList(rows()))) return each
  return undefined
}

test('the right option gives way to "None"', async () => {
  const kept = ['A. a man', 'B. None', 'C. a woman', 'D. nobody']
  expect(await changed(withoutRightOption)).toMatchObject({ options: kept, answer: 'B' })
})

test('options are numbered, and the answer is a number', async () => {
  const numbered = ['1. a man', '2. a child', '3. a woman', '4. nobody']
  const each = (await changed(withNumbers)) ?? {}
  expect(each).toMatchObject({ options: numbered, answer: '2' })
  const scores = ['2', '2. a child', '(2)', 'It is 2', '3', 'two'].map(
    answer => namesRightNumber(each, [answer])['videomme_perception_score'],
  )
  expect(scores).toEqual([1, 1, 1, 1, 0, expect.objectContaining({ type: 'unparsed' })])
})
