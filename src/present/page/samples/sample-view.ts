import { PipelineError } from '../../../../base/errors/errors.js'
import type { PictureSize } from '../../../../base/media/picture-size.js'
import type { Json } from '../../../../base/values/canonical-json.js'
import type { JsonObject, StoredLabel } from '../../../../cache/records.js'
import type { DocPlace, OpenedRun, Sample, Store } from '../../../../cache/store.js'
import { readSampleLabels } from '../../../../cache/facts/current-labels.js'
import { addRounds } from '../../../model/kept-conversations.js'
import { openJudgeExchanges, type JudgeExchanges } from '../../../reading/samples/judge-exchanges.js'
import { readStatedReason } from '../../../reading/samples/stated-reason.js'
import { describeReasons } from '../../../reading/samples/unjudged-docs.js'
import { sampleAt } from '../../../reading/samples/sample-at.js'
import { factsReader } from '../../../../cache/facts/sample-facts.js'
import type { Box, ItemView, Mark, SampleView, JudgeCall } from '../data/index.js'
import { itemView, answerView } from './answers.js'
import { parseBoxes } from './boxes.js'
import { findSpans } from './spans.js'
import { cutJson, cutText } from './texts.js'
import { listedModel } from '../../text/results/run-header.js'
import { messageViews } from './messages.js'

/**
 * Reads one sample with everything that its page shows.
 *
 * @throws PipelineError if the run has no doc at this place
 */
export async function sampleView(store: Store, opened: OpenedRun, place: DocPlace): Promise<SampleView> {
  const sample = await sampleAt(store, opened, place)
  if (sample === undefined) {
    const name = opened.run.asked.tasks[place.task]?.name ?? `number ${place.task}`
    throw new PipelineError('usage', `run ${opened.run.name} has no doc ${place.index} in its task ${name}`)
  }
  return viewOfSample(store, opened, sample, await openJudgeExchanges(store, opened))
}

/** Makes the view of a sample that was read already. @param exchanges the judge calls of the run */
export async function viewOfSample(
  store: Store,
  opened: OpenedRun,
  sample: Sample,
  exchanges: JudgeExchanges,
): Promise<SampleView> {
  const { run } = opened
  const { task, index, id, record, items, score } = await addRounds(store, run, sample, { withTimes: true })
  const { outcome, isRight, isEmpty, isCut } = factsReader(opened)(sample)
  const itemViews = await Promise.all(items.map(item => itemView(store.media, run, item)))
  const answer = itemViews.find(item => item.answer !== undefined)?.answer?.text ?? ''
  const extracted = Object.entries(score?.extracted ?? {})
  const reasons = score && describeReasons(score)
  return {
    task,
    index,
    id,
    taskName: run.asked.tasks[task]?.name ?? '',
    outcome,
    isRight,
    ...(isEmpty && { empty: true }),
    ...(isCut && { cut: true }),
    target: cutJson(record.target),
    ...(record.choices && { choices: record.choices.map(choice => cutText(choice)) }),
    doc: cutJson(record.doc) as JsonObject,
    values: Object.fromEntries(Object.entries(score?.values ?? {}).map(([name, value]) => [name, cutJson(value)])),
    extracted: extracted.map(([filter, value]) => {
      const reason = readStatedReason(value)
      const spans = findSpans(answer, value)
      return { filter, value: cutJson(value), spans, ...(reason !== undefined && { reason }) }
    }),
    ...(reasons !== undefined && { reason: cutText(reasons) }),
    groups: score?.groups ?? {},
    items: itemViews,
    boxes: allBoxes(
      record.target,
      extracted.map(([, value]) => value),
      firstPicture(itemViews),
    ),
    judgeCalls: await judgeCallViews(store, exchanges, sample),
    marks: (await readSampleLabels(store, sample)).flatMap(makeMarks),
  }
}

const makeMarks = ({ label, note, author, at }: StoredLabel): readonly Mark[] =>
  label === null ? [] : [{ label, ...(note !== '' && { note }), author, at: new Date(at).toISOString() }]

function allBoxes(target: Json, answers: readonly Json[], picture: PictureSize | undefined): readonly Box[] {
  const read = answers.flatMap(value => parseBoxes('answer', value, picture))
  // A box that several filters read is drawn once.
  const boxesByCorners = new Map(read.map(box => [box.corners.join(), box]))
  return [...parseBoxes('target', target, picture), ...boxesByCorners.values()]
}

/** Returns the size of the first picture, over which boxes are drawn. Undefined without a picture. */
function firstPicture(items: readonly ItemView[]): PictureSize | undefined {
  for (const { parts } of items[0]?.messages ?? [])
    for (const part of parts) {
      if (part.type !== 'image') continue
      const { width, height } = part.medium
      return width === undefined || height === undefined ? undefined : { width, height }
    }
  return undefined
}

/** The views of a doc's exchanges with judge models. */
async function judgeCallViews(store: Store, exchanges: JudgeExchanges, sample: Sample): Promise<readonly JudgeCall[]> {
  const sampleExchanges = await exchanges.read(sample)
  return Promise.all(
    sampleExchanges.map(async ({ run, item: { request, response, failure }, verdict }) => ({
      model: listedModel(run),
      ...(response?.meta.served !== undefined && { served: response.meta.served }),
      key: request?.key ?? '',
      messages: await messageViews(store.media, request?.input.messages ?? []),
      ...(response && { answer: await answerView(store.media, run, response) }),
      ...(failure && { failure }),
      ...(verdict && { verdict }),
    })),
  )
}
