/** Small models answer the small tasks, with the scores that they are known to have. */
import { join } from 'node:path'
import { expect, inject, test } from 'vitest'
import { evaluate, type EvaluateOptions } from '../../src/index.js'
import { openClassifier } from '../support/local-models/classifier.js'
import { openOcr } from '../support/local-models/ocr.js'
import { openStories } from '../support/local-models/stories.js'
import { openVoiceDetector } from '../support/local-models/voice-detector.js'
import { hasFfmpeg } from '../support/framed-videos.js'
import { temporaryFolder } from '../support/store.js'
import { findTestData } from '../support/test-data.js'

const small = inject('smallModels')
const packaged = 'missing' in small ? small.missing : undefined
const models = 'missing' in small ? { recognition: '', letters: '', voice: '' } : small
const classifier = findTestData('efficientnet-lite0-onnx')
const stories = findTestData('stories260k')
const blimp = findTestData('blimp')

const titled = (title: string, missing: string | undefined): string =>
  missing === undefined ? title : `${title} (skipped: there is no ${missing})`

async function scoreTask(task: string, options: Omit<EvaluateOptions, 'tasks'>) {
  const store = join(await temporaryFolder(), 'store')
  const run = await evaluate({ store, tasks: [task], ...options })
  expect(run.failures).toEqual([])
  return run.of(task).metrics
}

test.skipIf(packaged !== undefined)(titled('PP-OCRv4 reads printed words', packaged), async () => {
  const metrics = await scoreTask('ocr_words', { model: await openOcr(models), limit: 20 })
  expect(metrics).toMatchObject({ exact_match: { value: 1, n: 20 }, cer: { value: 0 } })
})

test.skipIf(packaged !== undefined)(titled('PP-OCRv4 finds the most likely digit', packaged), async () => {
  const { acc } = await scoreTask('digits', { model: await openOcr(models), limit: 50 })
  expect(acc).toMatchObject({ value: 0.8, n: 50 })
})

const ffmpeg = hasFfmpeg ? undefined : 'ffmpeg'

test.skipIf((packaged ?? ffmpeg) !== undefined)(
  titled('Silero tells speech from other sounds', packaged ?? ffmpeg),
  async () => {
    const metrics = await scoreTask('speech_or_not', { model: await openVoiceDetector(models.voice), limit: 16 })
    expect(metrics).toMatchObject({ yes_no: { value: 1, n: 16 }, yes_no_f1: { value: 1 } })
  },
)

test.skipIf(classifier.missing !== undefined)(
  titled('EfficientNet finds the class of photographs', classifier.missing),
  async () => {
    if (classifier.missing !== undefined) return
    const { acc } = await scoreTask('zero_shot_classes', { model: await openClassifier(classifier.path) })
    expect(acc).toMatchObject({ value: 1, n: 5 })
  },
)

const grammar = stories.missing ?? blimp.missing

/** The accuracies over the first 50 pairs. Over all 500 pairs of the test data they are .764, .680, .910 and .652. */
const paradigms = [
  ['anaphor_gender_agreement', 0.76],
  ['determiner_noun_agreement_1', 0.72],
  ['irregular_past_participle_verbs', 0.96],
  ['regular_plural_subject_verb_agreement_1', 0.56],
] as const

test.skipIf(grammar !== undefined)(titled('stories260K prefers acceptable sentences of BLiMP', grammar), async () => {
  if (stories.missing !== undefined || blimp.missing !== undefined) return
  const model = await openStories(stories.path)
  const tasks = paradigms.map(([name]) => `blimp_${name}`)
  const override = Object.fromEntries(
    paradigms.map(([name]) => [
      `blimp_${name}`,
      { dataset_path: join(blimp.path, `${name}.jsonl`), dataset_name: null },
    ]),
  )
  const run = await evaluate({ store: join(await temporaryFolder(), 'store'), tasks, model, limit: 50, override })
  for (const [name, value] of paradigms)
    expect(run.of(`blimp_${name}`).metrics['acc'], name).toMatchObject({ value, n: 50 })
})
