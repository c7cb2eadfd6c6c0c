import { describe, expect, test } from 'vitest'
import { longWithSubtitles, questionWithSubtitles } from '../../tasks/videomme/utils.js'
import { docList } from '../../stages/input/datasets/doc-list.js'
import { testGoldenTask } from '../support/golden-task.js'

testGoldenTask('videomme', { right: row => ({ videomme_perception_score: row.right?.['score'] }) })

describe('with parity', () => {
  testGoldenTask('videomme', { parity: 'lmms-eval' })
})

const doc = {
  videoID: 'v1',
  duration: 'long',
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
