import { describe, expect, test } from 'vitest'
import { docList } from '../../stages/input/datasets/dataset.js'
import { markedQuestion, withSubtitles } from '../../tasks/longvideobench/interleaved.js'
import { withShuffledOptions } from '../../tasks/longvideobench/random-choice.js'
import { namesRightLetter } from '../../tasks/longvideobench/utils.js'
import type { Doc, TaskKwargs } from '../../stages/input/tasks/doc.js'
import { builtinTask } from '../support/builtin-task.js'
import { goldenRows } from '../support/golden.js'
import { testGoldenTask } from '../support/golden-task.js'

interface Read {
  readonly parsed_pred: string
  readonly answer: string
}

describe('with parity', () => {
  testGoldenTask('longvideobench', {
    parity: 'lmms-eval',
    values: { lvb_acc: ({ parsed_pred: named, answer }: Read) => Number(named === answer) },
  })
})

test.each([
  ['B', 1],
  ['Answer: B', 1],
  ['It is the B', 1],
  ['Dark, so B', 1],
  ['Definitely C', 0],
])('scores the option in %j', (answer, value) => {
  expect(namesRightLetter({ correct_choice: 1 }, [answer])).toEqual({ lvb_acc: value })
})

test.each(['E', 'The best answer is E', 'It is (E)'])('knows five options, also with parity: %j', answer => {
  for (const context of [{}, { parity: 'lmms-eval' } as const])
    expect(namesRightLetter({ correct_choice: 4 }, [answer], context)).toEqual({ lvb_acc: 1 })
})

test('reads no option from a word, but with parity its first capital', () => {
  expect(namesRightLetter({ correct_choice: 1 }, ['Both'])).toMatchObject({ lvb_acc: { type: 'unparsed' } })
  expect(namesRightLetter({ correct_choice: 1 }, ['Both'], { parity: 'lmms-eval' })).toEqual({ lvb_acc: 1 })
})

test('shuffles options, and keeps missing ones last', async () => {
  const words = ['a man', 'a child', 'a woman']
  const options = { option0: words[0], option1: words[1], option2: words[2], option3: 'N/A', option4: 'N/A' }
  async function* docs() {
    yield* await Promise.resolve(['a', 'b', 'c', 'd'].map(id => ({ id, ...options, correct_choice: 1 })))
  }
  const orders = new Set<string>()
  for await (const doc of withShuffledOptions(docList(docs()))) {
    const order = [0, 1, 2, 3, 4].map(index => doc[`option${index}`] as string)
    expect([order.slice(0, 3).sort(), order.slice(3)]).toEqual([[...words].sort(), ['N/A', 'N/A']])
    expect(doc[`option${String(doc['correct_choice'])}`]).toBe('a child')
    orders.add(order.join())
  }
  expect(orders.size).toBeGreaterThan(1)
})

interface Marked {
  readonly doc: Doc
  readonly kwargs: TaskKwargs
  readonly expected: string
}

const marked = goldenRows<Marked>('tasks/longvideobench_subtitles.jsonl.gz')

test(`places subtitles between frame marks as the reference does, in ${marked.length} prompts`, () => {
  const wrong = marked.filter(({ doc, kwargs, expected }) => markedQuestion(doc, kwargs) !== expected)
  expect(wrong).toEqual([])
  expect(marked).toHaveLength(60)
})

test('shows moments of the video at the marks', async () => {
  const { task, prompt } = await builtinTask('longvideobench_val_i')
  const doc = {
    ...{ id: 'i1', video_path: 'v.mp4', subtitle_path: 's.json', duration: 3.5, starting_timestamp_for_subtitles: 0 },
    ...{ question: 'Which?', correct_choice: 1, duration_group: 15, question_category: 'x' },
    ...{ option0: 'a', option1: 'b', option2: 'N/A', option3: 'N/A', option4: 'N/A' },
  }
  const subtitles = [{ timestamp: [0.5, 1.7], text: 'Now look.' }]
  async function* docs() {
    yield* await Promise.resolve([doc])
  }
  const read = (path: unknown) =>
    Promise.resolve(Buffer.from(path === 'subtitles/s.json' ? JSON.stringify(subtitles) : ''))
  for await (const whole of withSubtitles(docList(docs()), { read, rows: () => docList(docs()) })) {
    const question = "Which?\nA. a\nB. b\nAnswer with the option's letter from the given choices directly.\n"
    expect(prompt(whole)).toBe(`<videos/v.mp4><videos/v.mp4>Now look.<videos/v.mp4>${question.slice(0, -1)}`)
    expect(task.config.test_split).toBe('validation')
  }
})
