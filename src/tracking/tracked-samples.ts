/** Samples as rows of a table, as trackers show them. */
import type { MediaDigest } from '../../cache/digest.js'
import type { OpenedRun, Sample, Store } from '../../cache/store.js'
import type { Json } from '../../base/values/canonical-json.js'
import { factsReader } from '../../cache/facts/sample-facts.js'
import { extractQuestion, formatAnswer } from '../present/page/samples/sample-row.js'
import { formatValue } from '../present/page/samples/texts.js'

/** A row of a table of samples. All texts are texts, and all scores numbers, because trackers refuse columns of mixed types. */
export interface TrackedSample {
  readonly task: string
  readonly doc: string
  readonly prompt: string
  readonly answer: string
  readonly target: string
  readonly outcome: string
  readonly scores: Readonly<Record<string, number>>
  /** The pictures of the prompt, in order. */
  readonly pictures: readonly MediaDigest[]
}

/** Reads the first samples of a run. */
export async function* readTrackedSamples(
  store: Store,
  { run, judgement }: OpenedRun,
  most: number,
): AsyncGenerator<TrackedSample> {
  if (most === 0) return
  const readFacts = factsReader({ run, ...(judgement && { judgement }) })
  let remainingSamples = most
  for await (const sample of store.judgements.samples(run, judgement)) {
    yield {
      task: run.asked.tasks[sample.task]?.name ?? '',
      doc: sample.id,
      prompt: extractQuestion(sample),
      answer: formatAnswer(sample),
      target: formatValue(sample.record.target),
      outcome: readFacts(sample).outcome,
      scores: numericScores(sample.score?.values ?? {}),
      pictures: pictureDigests(sample),
    }
    remainingSamples -= 1
    if (remainingSamples === 0) return
  }
}

const numericScores = (values: Readonly<Record<string, Json | undefined>>): Readonly<Record<string, number>> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => {
      if (typeof value === 'boolean') return [[name, value ? 1 : 0]]
      return typeof value === 'number' && Number.isFinite(value) ? [[name, value]] : []
    }),
  )

const pictureDigests = ({ items }: Sample): readonly MediaDigest[] =>
  (items[0]?.request?.input.messages ?? [])
    .flatMap(({ content }) => content)
    .flatMap(part => (part.type === 'image' ? [part.media] : []))
