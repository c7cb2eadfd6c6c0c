import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { builtinTask } from '../support/builtin-task.js'
import type { JudgePrompt } from '../../stages/judge/define/judge-model.js'
import {
  captioningScores,
  captionMatching,
  captionMatchingScores,
  multipleChoice,
  multipleChoiceScores,
  yesOrNoScores,
} from '../../tasks/tempcompass/utils.js'

type Score = typeof multipleChoiceScores
type Doc = Parameters<Score>[0]

/** Returns the scores of an answer, and the prompts to a judge with this reply. */
async function scored(score: Score, doc: Doc, { answer, reply }: { readonly answer: string; readonly reply?: string }) {
  const prompts: JudgePrompt[] = []
  const ask = (prompt: JudgePrompt) => {
    prompts.push(prompt)
    return Promise.resolve(
      reply === undefined
        ? { type: 'failed' as const, reason: 'not there' }
        : { type: 'answered' as const, text: reply },
    )
  }
  const values = await score(doc, [answer], { ask })
  return { value: values['avg_accuracy'], values, prompts }
}

/** Digests of the user's turns. */
const digestsOf = (prompts: readonly JudgePrompt[]): readonly string[] =>
  prompts.map(({ messages }) => {
    const turns = typeof messages === 'string' ? [{ role: 'user', text: messages }] : messages
    expect(turns.map(({ role }) => role)).toEqual(['system', 'user'])
    return createHash('sha256')
      .update(turns[1]?.text ?? '')
      .digest('hex')
  })

const choice = { question: 'Q?\nA. x', answer: 'A. x', dim: 'speed' }
const captions = {
  question: 'Which one?\nSentence A: The mill turns left.\nSentence B: The mill stands still.',
  answer: 'Sentence B: The mill stands still.',
  dim: 'direction',
}

describe('the questions of TempCompass', () => {
  it('end with the instruction of their kind', () => {
    const kwargs = { pre_prompt: '', post_prompt: { 'multi-choice': '!', caption_matching: '?' } }
    expect(multipleChoice(choice, kwargs)).toBe('Q?\nA. x!')
    expect(captionMatching(choice, kwargs)).toBe('Q?\nA. x?')
  })
})

describe.each([
  ['tempcompass_multi_choice', 'Please directly give the best option:', 'Only give the best option.'],
  ['tempcompass_yes_no', 'Please answer yes or no:', 'Only answer yes or no.'],
  ['tempcompass_caption_matching', 'Please directly give the best option:', 'Only give the best option.'],
])('%s', (name, ending, plmEnding) => {
  const doc = { video_id: 'v1', question: 'Q?\nA: x', answer: 'A: x', dim: 'attribute_change' }

  it('sends the video with the prompt of the model', async () => {
    const task = await builtinTask(name)
    expect(task.prompt(doc)).toBe(`<videos/v1.mp4>Q?\nA: x\n${ending}`)
    expect(task.prompt(doc, 'plm')).toBe(`<videos/v1.mp4>Q?\nA: x\n${plmEnding}`)
    expect(task.target(doc)).toBe('A: x')
  })

  it('aggregates percentages of the evaluated aspects', async () => {
    const task = await builtinTask(name, { ask: () => Promise.resolve({ type: 'answered', text: 'Correct' }) })
    const scores = [await task.score(doc, 'eh'), await task.score({ ...doc, dim: 'speed' }, 'eh')]
    const values = { avg_accuracy: 100, speed_accuracy: 100, attribute_change_accuracy: 100 }
    expect(task.aggregates(scores)).toEqual({
      ...values,
      direction_accuracy: null,
      action_accuracy: null,
      order_accuracy: null,
    })
  })
})

describe('the rules of TempCompass', () => {
  it.each([
    ['A', 1],
    ['A. x', 1],
    ['A.', 1],
    ['A) y', 1],
    ['B', 0],
    ['C. x', 0],
  ])('score %j in multiple choice as %i without a judge', async (answer, score) => {
    const { values, prompts } = await scored(multipleChoiceScores, choice, { answer })
    expect(values).toEqual({ avg_accuracy: score, speed_accuracy: score })
    expect(prompts).toEqual([])
  })

  it.each([
    ['Yes, it does', 0],
    ['NO.', 1],
    ['nobody', 1],
  ])('score %j as %i where no is right', async (answer, score) => {
    const doc = { question: 'Does it?', answer: 'no', dim: 'order' }
    expect(await scored(yesOrNoScores, doc, { answer })).toMatchObject({ value: score, prompts: [] })
  })

  it.each([
    ['Sentence B: The mill stands still.', 1],
    ['The mill stands still.', 1],
    ['(B) The mill stands still.', 1],
    ['Sentence B.', 1],
    ['B', 1],
    ['B.', 1],
    ['A', 0],
    ['The mill turns left.', 0],
  ])('score the caption %j as %i', async (answer, score) => {
    expect(await scored(captionMatchingScores, captions, { answer })).toMatchObject({ value: score, prompts: [] })
  })

  it('reject an unknown aspect', async () => {
    await expect(scored(multipleChoiceScores, { ...choice, dim: 'colour' }, { answer: 'A' })).rejects.toThrow('"dim"')
  })
})

describe('the judge of TempCompass', () => {
  it.each([
    [multipleChoiceScores, '5bb0e2417e8e8dd966d472b9aa1c5310af933de1761cca99e9690b81aa3a374f'],
    [yesOrNoScores, '499479c8822d32974e286c1454d88140dc568a14847f8aaab2484154d5d4ccaa'],
  ])('gets the prompt of the benchmark', async (score, digest) => {
    const { value, prompts } = await scored(score, choice, { answer: 'eh', reply: 'Correct' })
    expect(value).toBe(1)
    expect(digestsOf(prompts)).toEqual([digest])
    expect(prompts).toMatchObject([{ maxTokens: 128, temperature: 1 }])
  })

  it("gets the benchmark's prompt for captions", async () => {
    const doc = { ...choice, question: 'Q?\nA: x' }
    const { prompts } = await scored(captionMatchingScores, doc, { answer: 'eh', reply: 'Correct' })
    const [turn] = prompts.flatMap(({ messages }) => (typeof messages === 'string' ? [] : [messages[1]?.text]))
    const task = 'You will receive a caption matching question, the ground-truth answer and the prediction'
    expect(turn).toContain(task)
    expect(turn).toContain('\nCaption Matching Question:\nQ?\nA: x\nGround-Truth Answer: A. x\nModel Prediction: eh')
  })

  it.each([
    ['Incorrect', 0],
    ['Correct, not Incorrect', 1],
    ['I say Correct', 1],
    ['Not Correct: Incorrect', 0],
  ])('replies %j, which counts as %i', async (reply, score) => {
    expect((await scored(multipleChoiceScores, choice, { answer: 'eh', reply })).value).toBe(score)
  })

  it.each(['', 'correct', 'Who knows?'])('replies %j, which is a failure', async reply => {
    expect((await scored(multipleChoiceScores, choice, { answer: 'eh', reply })).value).toMatchObject({
      type: 'judge_failed',
    })
  })

  it('that is missing is a failure', async () => {
    expect((await scored(yesOrNoScores, choice, { answer: 'eh' })).value).toMatchObject({ type: 'judge_failed' })
  })
})

describe('captions of TempCompass', () => {
  const doc = { mc_question: 'Q?\nA. x', mc_answer: 'A. x', dim: 'action' }

  it('are judged with the prompt of the benchmark', async () => {
    const { values, prompts } = await scored(captioningScores, doc, {
      answer: 'eh',
      reply: 'Reasoning: so\nAnswer: A. x',
    })
    expect(values).toEqual({ avg_accuracy: 1, action_accuracy: 1 })
    expect(digestsOf(prompts)).toEqual(['4ce6ee1d1b48a733de7d46fdc87912b59c15b1bed7559578488bcd33960913cc'])
  })

  it.each(['Answer: B. x', 'Answer: None of the choices are correct', 'Answer: A. x or B. y', 'x'])(
    'are wrong if the judge replies %j',
    async reply => {
      expect((await scored(captioningScores, doc, { answer: 'eh', reply })).value).toBe(0)
    },
  )

  it('are requested with the words of the question', async () => {
    const task = await builtinTask('tempcompass_captioning')
    const whole = { ...doc, video_id: 'v1', question: 'Describe it.' }
    expect(task.prompt(whole)).toBe('<videos/v1.mp4>Describe it.')
    expect([task.target(whole), task.target({ ...whole, answer: 'It is x.' })]).toEqual(['A. x', 'It is x.'])
  })

  it("have no score if the judge's reply is unreadable", async () => {
    expect((await scored(captioningScores, doc, { answer: 'eh', reply: '' })).value).toMatchObject({
      type: 'judge_failed',
    })
  })
})
