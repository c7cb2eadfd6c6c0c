import sharp from 'sharp'
import { present } from '../../base/values/present.js'
import { codeKey } from '../../cache/keys.js'
import type { Aggregate, Failure, JudgeRecord, ResponseBody, Run, RunSpec, ScoreBody } from '../../cache/records.js'
import type { DraftDoc, OpenedRun, Store } from '../../cache/store.js'
import { aggregate } from './report-data.js'
import { testAsked, testCode, testProvenance } from './store.js'

/** A doc of a scored run. */
export interface ViewedDoc {
  readonly id?: string
  readonly prompt?: string
  readonly picture?: Uint8Array
  readonly record?: Partial<JudgeRecord>
  /** Absent for a doc that is not answered. */
  readonly answer?: string | ResponseBody
  /** The model that the server says answered. */
  readonly served?: string
  readonly failure?: Failure
  readonly score?: Partial<ScoreBody>
  /** Requests for the same question, which have the same answer. @default 1 */
  readonly repeats?: number
}

export const png = (width: number, height: number, red = 200): Promise<Buffer> =>
  sharp({ create: { width, height, channels: 3, background: { r: red, g: 80, b: 40 } } })
    .png()
    .toBuffer()

const rules = { config: { metric_list: [] }, scorer: testCode }

/** Stores a run with these answers and scores, and closes its judgement. */
export async function viewedRun(
  store: Store,
  docs: readonly ViewedDoc[],
  {
    task = 'shapes_vqa',
    aggregates = [aggregate()],
    extra = {},
    provenance = {},
  }: {
    readonly task?: string
    readonly aggregates?: readonly Aggregate[]
    readonly extra?: Partial<RunSpec>
    readonly provenance?: Partial<Run['provenance']>
  } = {},
): Promise<OpenedRun> {
  const { run } = await store.runs.create(testAsked([task], extra), { ...testProvenance, ...provenance }, [
    { kind: 'code', ...codeKey(testCode) },
  ])
  await store.docs.commit(run, 0, await Promise.all(docs.map((doc, index) => draftOf(store, doc, index))), true)
  for (;;) {
    const { leases } = await store.requests.lease(run, { after: 0, limit: 1000, retryFailed: false })
    const open = leases.filter(({ item }) => docAt(docs, item.doc)?.answer ?? docAt(docs, item.doc)?.failure)
    for (const lease of open) {
      const { answer, failure, served } = docAt(docs, lease.item.doc)!
      if (failure !== undefined) await store.requests.commitFailure(lease, failure)
      else {
        const body = typeof answer === 'object' ? answer : { text: answer ?? '', finishReason: 'stop' as const }
        const meta = {
          durationMs: 120,
          attempts: 1,
          answeredAt: run.createdAt + 1000,
          usage: { outputTokens: 3 },
          ...present({ served }),
        }
        await store.requests.commitResponse(lease, body, meta)
      }
    }
    await store.requests.release(leases.filter(lease => !open.includes(lease)))
    if (open.length === 0) break
  }
  const judgement = await store.judgements.open(run, [rules])
  const batch = await store.judgements.docsToJudge(judgement, { item: 0, response: 0 }, 10_000)
  await store.judgements.commitScores(
    judgement,
    batch.docs.map(doc => ({
      doc,
      body: { outcome: 'scored', values: { exact_match: 0 }, extracted: {}, ...docs[doc.index]?.score },
    })),
  )
  return { run, judgement: await store.judgements.close(judgement, aggregates) }
}

const idOf = (doc: ViewedDoc | undefined, index: number): string => doc?.id ?? `q${index}`
const docAt = (docs: readonly ViewedDoc[], id: string): ViewedDoc | undefined =>
  docs.find((doc, index) => idOf(doc, index) === id)

async function draftOf(store: Store, doc: ViewedDoc, index: number): Promise<DraftDoc> {
  const { prompt = `question ${index}`, picture, record, repeats = 1 } = doc
  const media = picture === undefined ? [] : [(await store.media.addBytes(picture)).digest]
  const content = [
    ...media.map(digest => ({ type: 'image' as const, media: digest })),
    { type: 'text' as const, text: prompt },
  ]
  return {
    index,
    id: idOf(doc, index),
    record: { target: 'blue', doc: { question: prompt }, ...record },
    requests: Array.from({ length: repeats }, (_, at) => ({
      choice: 0,
      sample: at,
      input: { type: 'generate_until', messages: [{ role: 'user', content }] },
      generation: { max_new_tokens: 16 },
    })),
  }
}
