import { expect, test } from 'vitest'
import { sha256 } from '../../../../cache/digest.js'
import type { ContentPart, JsonObject } from '../../../../cache/records.js'
import type { JudgePrompt, JudgeReply, PanelJudge } from '../../../../stages/judge/define/judge-model.js'
import { answeredDoc, recordOf } from '../../../support/judged.js'
import { makeScorer } from '../../../support/scorer.js'

const sound = (name: string): ContentPart => ({ type: 'audio', media: sha256(name) })

/** Scores spoken answers, each a list of recordings, with a function as the recogniser. */
async function scoreSpoken(
  entry: JsonObject,
  answers: readonly { readonly says: readonly ContentPart[]; readonly target: string }[],
  hear: (medium: string) => string | JudgeReply,
  panel: readonly PanelJudge[] = [],
) {
  const prompts: JudgePrompt[] = []
  const scorer = makeScorer({
    task: 'spoken',
    outputType: 'generate_until',
    config: { metric_list: [{ name: 'errors', ...entry }] },
    scorerCode: { files: {} },
    ...(panel.length > 0 && { judges: new Map([['errors', panel]]) }),
    ask: prompt => {
      prompts.push(prompt)
      const [medium] = typeof prompt.messages === 'string' ? [] : (prompt.messages[0]?.content ?? [])
      const said = hear(medium?.type === 'audio' ? medium.media : '')
      return Promise.resolve(typeof said === 'string' ? { type: 'answered', text: said } : said)
    },
  })
  const scores = await Promise.all(
    answers.map(async ({ says, target }) => {
      const doc = answeredDoc(recordOf(target), ['the transcript that the model itself gives'])
      const body = { ...doc.answers[0]!.body, content: says }
      return scorer.score({ ...doc, answers: [{ ...doc.answers[0]!, body }] })
    }),
  )
  const [total] = scorer.aggregate(scores, { docs: scores.length })
  return { scores, prompts, total: total?.value }
}

test("computes the rate of the recogniser's transcripts over all docs, and keeps the transcripts", async () => {
  const heard: Readonly<Record<string, string>> = { [sha256('a')]: ' Red green blue. ', [sha256('b')]: 'cold' }
  const answers = [
    { says: [sound('a')], target: 'red green blue' },
    { says: [sound('b')], target: 'cold water' },
  ]
  const entry = { metric: 'asr_wer', normalizer: 'whisper_english' }
  const { scores, prompts, total } = await scoreSpoken(entry, answers, medium => heard[medium] ?? '')
  expect(total).toBeCloseTo(1 / 5)
  expect(scores[0]).toMatchObject({
    outcome: 'scored',
    values: { errors: { rate: 0, hits: 3 } },
    extracted: { errors: { transcript: 'Red green blue.' } },
  })
  expect(scores[1]?.values).toMatchObject({ errors: { rate: 0.5, deletions: 1 } })
  expect(prompts).toHaveLength(2)
  expect(prompts[0]).toMatchObject({
    maxTokens: 440,
    messages: [{ content: [sound('a'), { type: 'text', text: expect.stringMatching(/^Write down/) as string }] }],
  })
})

test('asr_cer compares characters, and transcribes several recordings in order', async () => {
  const answers = [{ says: [sound('b'), { type: 'text', text: '…' } as const, sound('a')], target: 'ab cd' }]
  const heard: Readonly<Record<string, string>> = { [sha256('b')]: 'ab', [sha256('a')]: 'xd' }
  const { scores } = await scoreSpoken({ metric: 'asr_cer' }, answers, medium => heard[medium] ?? '')
  expect(scores[0]).toMatchObject({
    values: { errors: { rate: 1 / 5, substitutions: 1 } },
    extracted: { errors: { transcript: 'ab xd' } },
  })
})

test('silence is a transcript without words, and an answer without sound is unparsed', async () => {
  const answers = [
    { says: [sound('a')], target: 'one two' },
    { says: [], target: 'one two' },
  ]
  const { scores, prompts } = await scoreSpoken({ metric: 'asr_wer' }, answers, () => '')
  expect(scores.map(({ outcome, values, reason }) => [outcome, values['errors'], reason])).toMatchObject([
    ['scored', { rate: 1, deletions: 2 }, undefined],
    ['unparsed', { rate: 1, deletions: 2 }, 'the answer has no sound'],
  ])
  expect(prompts).toHaveLength(1)
  expect(prompts[0]).toMatchObject({ mayBeEmpty: true })
})

test('a recogniser that fails leaves the doc without a value', async () => {
  const answers = [{ says: [sound('a')], target: 'one' }]
  const { scores, total } = await scoreSpoken({ metric: 'asr_wer' }, answers, () => ({
    type: 'failed',
    reason: 'gone',
  }))
  expect(scores[0]).toMatchObject({ outcome: 'judge_failed', reason: 'gone', values: {} })
  expect(total).toBeNull()
})

const hearing = (name: string, text: string): PanelJudge => ({
  name,
  ask: () => Promise.resolve({ type: 'answered', text }),
})

test('a panel of recognisers adds up all counts and keeps each transcript', async () => {
  const answers = [{ says: [sound('a')], target: 'one two three four' }]
  const panel = [hearing('first', 'one two three four'), hearing('second', 'one too three')]
  const { scores, total } = await scoreSpoken({ metric: 'asr_wer' }, answers, () => '', panel)
  expect(scores[0]).toMatchObject({
    outcome: 'scored',
    disputed: true,
    values: { errors: { rate: 2 / 8, hits: 6, substitutions: 1, deletions: 1, insertions: 0 } },
    extracted: {
      errors: {
        agreement: 0.5,
        judges: [
          { judge: 'first', value: 0, details: { transcript: 'one two three four' } },
          { judge: 'second', value: 0.5, details: { transcript: 'one too three' } },
        ],
      },
    },
  })
  expect(total).toBeCloseTo(2 / 8)
})

test('a panel reports an answer without sound as unparsed, and fails if one recogniser fails', async () => {
  const silent = [{ says: [], target: 'one two' }]
  const panel = [hearing('first', 'one'), hearing('second', 'two')]
  const { scores } = await scoreSpoken({ metric: 'asr_cer' }, silent, () => '', panel)
  expect(scores[0]).toMatchObject({ outcome: 'unparsed', values: { errors: { rate: 1 } } })
  const gone: PanelJudge = { name: 'gone', ask: () => Promise.resolve({ type: 'failed', reason: 'no answer' }) }
  const spoken = [{ says: [sound('a')], target: 'one' }]
  const failed = await scoreSpoken({ metric: 'asr_wer' }, spoken, () => '', [...panel, gone])
  expect(failed.scores[0]).toMatchObject({
    outcome: 'judge_failed',
    reason: '1 of the 3 judges of the panel failed: gone: no answer',
  })
})
