import { present } from '../../base/values/present.js'
import { listAttemptFacts, scoredDigest, takeAttemptFacts } from '../../cache/facts/attempt-facts.js'
import { makeComparedDoc } from '../../cache/facts/compared-doc.js'
import { canonicalJson, type Json } from '../../base/values/canonical-json.js'
import type { ScoreKey } from '../../cache/digest.js'
import { codeKey, judgeConfigKey, judgeRecordKey, scoreKey } from '../../cache/keys.js'
import type { AnsweredDoc, Judgement, Run, ScoreBody, TaskJudging } from '../../cache/records.js'
import type {
  JudgeBatch,
  JudgeCursor,
  JudgementStore,
  PlacedScore,
  ReusedScore,
  Sample,
  SampleItem,
} from '../../cache/store.js'
import { placeOf, type MemoryData, type StoredItem } from './memory-data.js'
import type { MemoryHandle } from './memory-handle.js'

const failed = (outcome: ScoreBody['outcome']): boolean => outcome === 'judge_failed' || outcome === 'error'

export const memoryJudgements = ({ data, read, write }: MemoryHandle): JudgementStore => ({
  open: (run, tasks) => write(() => open(data, run, tasks)),
  list: run => read(() => judgementsOf(data, run).map(({ judgement }) => judgement)),
  reviseRecords: (judgement, task, records) =>
    write(() => {
      for (const { index, record } of records) {
        const { key } = judgeRecordKey(record)
        data.records.set(key, record)
        data.judgements.get(judgement.ref)?.revisions.set(placeOf({ task, doc: index }), key)
      }
    }),
  docsToJudge: (judgement, cursor, limit) => read(() => docsToJudge(data, judgement, cursor, limit)),
  commitScores: (judgement, scores) =>
    write(() => {
      for (const { doc, body } of scores) {
        const key = scoreKeyOf(judgement, doc)
        data.scores.set(key, JSON.parse(JSON.stringify(body)) as ScoreBody)
        data.judgements.get(judgement.ref)?.verdicts.set(placeOf({ task: doc.task, doc: doc.index }), key)
      }
    }),
  async *scores(judgement, before, after = { task: -1, index: -1 }) {
    const all = await read(() => placedScores(data, judgement, before))
    yield* all.filter(({ task, index }) => task > after.task || (task === after.task && index > after.index))
  },
  async *comparedDocs(run, judgement) {
    yield* (await read(() => docsIn(data, run).map(items => sampleOf(data, items, judgement)))).map(makeComparedDoc)
  },
  outcomes: judgement =>
    read(() => {
      const counts: Record<string, number> = {}
      for (const { body } of placedScores(data, judgement)) {
        const outcome = body.outcome === 'unparsed' ? 'scored' : body.outcome
        counts[outcome] = (counts[outcome] ?? 0) + 1
      }
      return counts
    }),
  close: (judgement, aggregates) =>
    write(() => {
      const stored = data.judgements.get(judgement.ref)
      if (stored === undefined) throw new Error('the judgement is not there')
      stored.judgement = { ...stored.judgement, finishedAt: Date.now(), aggregates }
      return stored.judgement
    }),
  findDoc: (run, task, id) =>
    read(() =>
      data
        .run(run)
        .items.filter(item => item.task === task && item.docId === id)
        .map(({ doc }) => doc)
        .sort((a, b) => a - b)
        .at(0),
    ),
  async *samples(run, judgement, after = { task: -1, index: -1 }) {
    const all = await read(() => docsIn(data, run).map(items => sampleOf(data, items, judgement)))
    yield* all.filter(({ task, index }) => task > after.task || (task === after.task && index > after.index))
  },
})

const judgementsOf = (data: MemoryData, run: Run) =>
  [...data.judgements.values()].filter(({ judgement }) => judgement.run === run.ref)

function open(data: MemoryData, run: Run, tasks: readonly TaskJudging[]): Judgement {
  const text = canonicalJson(tasks as object as Json)
  const newest = judgementsOf(data, run).at(-1)
  if (newest?.text === text) {
    for (const [place, key] of newest.verdicts)
      if (failed(data.scores.get(key)?.outcome ?? 'error')) newest.verdicts.delete(place)
    return newest.judgement
  }
  const ref = ++data.numbers.judgement
  const judgement: Judgement = {
    ref,
    run: run.ref,
    number: (newest?.judgement.number ?? 0) + 1,
    tasks: tasks.map(judging => ({
      judging,
      config: judgeConfigKey(judging.config).key,
      scorer: codeKey(judging.scorer).key,
    })),
    createdAt: Date.now(),
  }
  data.judgements.set(ref, { judgement, text, verdicts: new Map(), revisions: new Map() })
  return judgement
}

/** The items of each doc of a run, in the order of task, doc, choice and sample. */
function docsIn(data: MemoryData, run: Pick<Run, 'ref'>): readonly (readonly StoredItem[])[] {
  const docs = new Map<string, StoredItem[]>()
  for (const item of data.run(run).items) docs.set(placeOf(item), [...(docs.get(placeOf(item)) ?? []), item])
  const sorted = [...docs.values()].map(items => items.sort((a, b) => a.choice - b.choice || a.sample - b.sample))
  return sorted.sort(([a], [b]) => (a?.task ?? 0) - (b?.task ?? 0) || (a?.doc ?? 0) - (b?.doc ?? 0))
}

const recordKeyOf = (data: MemoryData, item: StoredItem, judgement: Judgement | undefined) =>
  (judgement && data.judgements.get(judgement.ref)?.revisions.get(placeOf(item))) ?? item.record

function docsToJudge(data: MemoryData, judgement: Judgement, cursor: JudgeCursor, limit: number): JudgeBatch {
  const run = { ref: judgement.run }
  const isStart = cursor.item === 0 && cursor.response === 0
  const since = isStart ? data.numbers.response : cursor.response
  const inOrder = docsIn(data, run).toSorted(([a], [b]) => (a?.id ?? 0) - (b?.id ?? 0))
  const left = inOrder.filter(([first]) => (first?.id ?? 0) > cursor.item)
  const page = left.slice(0, limit)
  const isThrough = page.length === left.length
  const late = isThrough ? [...data.responses].filter(([, { seq }]) => seq > since).slice(0, limit) : []
  const answeredNow = new Set(late.map(([request]) => request))
  const again = inOrder.filter(
    items =>
      !page.includes(items) && !left.includes(items) && items.some(({ request }) => answeredNow.has(request ?? 0)),
  )
  const docs: AnsweredDoc[] = []
  const reused: ReusedScore[] = []
  const verdicts = data.judgements.get(judgement.ref)?.verdicts ?? new Map<string, ScoreKey>()
  for (const items of [...page, ...again]) {
    const doc = answeredDoc(data, items, judgement)
    const place = items[0] && placeOf(items[0])
    if (doc === undefined || place === undefined || verdicts.has(place)) continue
    const key = scoreKeyOf(judgement, doc)
    const outcome = data.scores.get(key)?.outcome
    if (outcome === undefined || failed(outcome)) docs.push(doc)
    else {
      verdicts.set(place, key)
      reused.push({ task: doc.task, outcome })
    }
  }
  const item = page.at(-1)?.at(-1)?.id ?? cursor.item
  const response = late.at(-1)?.[1].seq ?? since
  return { docs, reused, next: { item, response }, exhausted: isThrough && late.length < limit }
}

/** @returns undefined if an answer is missing */
function answeredDoc(data: MemoryData, items: readonly StoredItem[], judgement: Judgement): AnsweredDoc | undefined {
  const [first] = items
  const answers = items.flatMap(({ choice, sample, request }) => {
    const answer = data.responses.get(request ?? 0)
    const key = data.requests.get(request ?? 0)?.keys.response
    return answer === undefined || key === undefined
      ? []
      : [
          {
            ...{ choice, sample, key, digest: answer.digest, body: answer.body },
            ...present({ attempt: takeAttemptFacts(answer.meta, listAttemptFacts(judgement, first?.task ?? 0)) }),
          },
        ]
  })
  if (first === undefined || answers.length < items.length) return undefined
  const recordKey = recordKeyOf(data, first, judgement)
  const record = data.records.get(recordKey)!
  return { task: first.task, index: first.doc, id: first.docId, recordKey, record, answers }
}

function scoreKeyOf(judgement: Judgement, { task, recordKey: record, answers }: AnsweredDoc) {
  const { config, scorer } = judgement.tasks[task]!
  return scoreKey({ answers: answers.map(scoredDigest), record, config, scorer })
}

function placedScores(data: MemoryData, judgement: Judgement, before?: Judgement): readonly PlacedScore[] {
  const bodiesOf = (of: Judgement | undefined): ReadonlyMap<string, ScoreBody> =>
    new Map(
      [...(data.judgements.get(of?.ref ?? 0)?.verdicts ?? [])].flatMap(([place, key]) => {
        const body = data.scores.get(key)
        return body === undefined ? [] : [[place, body]]
      }),
    )
  const earlier = bodiesOf(before)
  const draws = new Map<string, number>()
  const media = new Map<string, readonly string[] | undefined>()
  const { items = [] } = data.runs.get(judgement.run) ?? {}
  for (const item of items.toSorted((a, b) => a.choice - b.choice || a.sample - b.sample))
    if (item.request !== undefined) draws.set(placeOf(item), item.request)
  for (const item of items)
    if (item.choice + item.sample === 0)
      media.set(placeOf(item), makeComparedDoc(sampleOf(data, [item], undefined)).media)
  return [...bodiesOf(judgement)]
    .map(([place, body]) => {
      const [task = 0, index = 0] = place.split('/').map(Number)
      const old = earlier.get(place)
      const draw = draws.get(place)
      const shown = media.get(place)
      const placed = {
        ...{ task, index, body },
        ...(draw !== undefined && { draw }),
        ...(shown !== undefined && { media: shown }),
      }
      if (old === undefined) return placed
      return { ...placed, before: JSON.stringify(old) === JSON.stringify(body) ? body : old }
    })
    .sort((a, b) => a.task - b.task || a.index - b.index)
}

function sampleOf(data: MemoryData, items: readonly StoredItem[], judgement: Judgement | undefined): Sample {
  const [first] = items
  if (first === undefined) throw new Error('a doc without items')
  const key = judgement && data.judgements.get(judgement.ref)?.verdicts.get(placeOf(first))
  const score = key && data.scores.get(key)
  return {
    task: first.task,
    index: first.doc,
    id: first.docId,
    record: data.records.get(recordKeyOf(data, first, judgement))!,
    items: items.map(item => sampleItem(data, item)),
    ...(score === undefined ? {} : { score }),
  }
}

function sampleItem(data: MemoryData, item: StoredItem): SampleItem {
  const request = item.request === undefined ? undefined : data.requests.get(item.request)
  const answer = item.request === undefined ? undefined : data.responses.get(item.request)
  const failure = answer === undefined ? data.failureOf(item)?.failure : undefined
  return {
    choice: item.choice,
    sample: item.sample,
    ...(request && {
      request: {
        key: request.keys.response,
        inputKey: request.keys.input.key,
        input: request.asked.input,
        generation: (JSON.parse(request.keys.config.preimage) as Pick<NonNullable<SampleItem['request']>, 'generation'>)
          .generation,
      },
    }),
    ...(answer && { response: { body: answer.body, meta: answer.meta } }),
    ...(failure && { failure }),
  }
}
