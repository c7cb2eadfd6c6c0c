/** Creates runs as plain rows with valid keys, and dumps the content of a store as text. */
import { canonicalJson, type Json } from '../../base/values/canonical-json.js'
import type {
  ExportedRun,
  FailureRow,
  ItemRow,
  PortableStore,
  ResponseRow,
  Table,
} from '../../cache/bundle/portable.js'
import { sha256, type AnswerDigest, type MediaDigest } from '../../cache/digest.js'
import {
  answerDigest,
  codeKey,
  configKey,
  inputKey,
  judgeConfigKey,
  judgeRecordKey,
  responseKey,
  runKey,
  scoreKey,
} from '../../cache/keys.js'
import type { Input, Run, TaskJudging } from '../../cache/records.js'
import { runName } from '../../cache/run-name.js'
import { testAsked, testCode, testModel, testProvenance } from './store.js'

export interface RunPlan {
  /** Distinguishes runs. */
  readonly seed?: number
  readonly docs: number
  /** Returns the model's answer to a doc: `undefined` for none yet, `null` for a failed request. */
  readonly answer?: (doc: number) => string | null | undefined
  readonly media?: readonly MediaDigest[]
  /** Creation times of the judgements. Each scores every answered doc. */
  readonly judgedAt?: readonly number[]
  /** Returns a doc's score in all judgements. */
  readonly score?: (doc: number) => number
}

const rules: TaskJudging = { config: { metric_list: [] }, scorer: testCode }
const code = codeKey(testCode)
const config = configKey(testModel, { max_new_tokens: 8 })
const judging = judgeConfigKey(rules.config)

export const table = <Row>(rows: readonly Row[], batch = 3): Table<Row> =>
  async function* () {
    for (let start = 0; start < rows.length; start += batch)
      yield await Promise.resolve(rows.slice(start, start + batch))
  }

export function portableRun(plan: RunPlan): ExportedRun {
  const asked = testAsked(['t'], { selection: { subset_seed: plan.seed ?? 0 } })
  const id = runKey(asked).key
  const docs = Array.from({ length: plan.docs }, (_, doc) => portableDoc(plan, doc))
  const answered = docs.flatMap(({ response }) => response ?? [])
  const failed = docs.flatMap(({ failure }) => failure ?? [])
  const verdicts = docs.flatMap(({ item, response }, doc) => (response ? [verdictOf(plan, item, response, doc)] : []))
  return {
    id,
    name: runName(id),
    asked,
    provenance: testProvenance,
    createdAt: 1000,
    progress: [{ docs: plan.docs, finished: true }],
    pending: plan.docs - answered.length - failed.length,
    preimages: table([
      { kind: 'code', key: code.key, preimage: code.preimage },
      { kind: 'config', key: config.key, preimage: config.preimage },
      { kind: 'judge-config', key: judging.key, preimage: judging.preimage },
    ]),
    items: table(docs.map(({ item }) => item)),
    responses: table(answered),
    failures: table(failed),
    judgements: (plan.judgedAt ?? []).map((createdAt, index) => ({
      number: index + 1,
      tasks: [rules],
      createdAt,
      finishedAt: createdAt + 1,
      aggregates: [],
      verdicts: table(verdicts),
      stamp: `${createdAt}`,
    })),
    stamp: `${answered.length} ${failed.length}`,
  }
}

interface PortableDoc {
  readonly item: ItemRow
  readonly response?: ResponseRow
  readonly failure?: FailureRow
}

function portableDoc(plan: RunPlan, doc: number): PortableDoc {
  const text = `question ${doc} of ${plan.seed ?? 0}: “é” 🦦`
  const medium = plan.media?.[doc % plan.media.length]
  const content: Input['messages'][number]['content'] = [
    ...(medium === undefined ? [] : [{ type: 'image' as const, media: medium }]),
    { type: 'text', text },
  ]
  const input = inputKey({ type: 'generate_until', messages: [{ role: 'user', content }] })
  const record = judgeRecordKey({ target: `answer ${doc}`, doc: { question: text } })
  const key = responseKey({ input: input.key, config: config.key, code: code.key, sample: 0 })
  const place = { task: 't', doc_index: doc, choice: 0, sample: 0 }
  const item: ItemRow = {
    ...place,
    draw: null,
    doc_id: `doc ${doc}`,
    response_key: key,
    input_key: input.key,
    input: input.preimage,
    config_key: config.key,
    code_key: code.key,
    record_key: record.key,
    record: record.preimage,
  }
  const answer = plan.answer === undefined ? `answer ${doc}` : plan.answer(doc)
  if (answer === undefined) return { item }
  if (answer === null)
    return { item, failure: { ...place, class: 'timeout', message: 'no answer in 60 s', attempts: 6, at: 5000 + doc } }
  const body = answerDigest({ text: answer, finishReason: 'stop' })
  const meta = canonicalJson({ durationMs: 12, attempts: 1, answeredAt: 2000 + doc })
  return { item, response: { response_key: key, answer: body.key, body: body.preimage, meta } }
}

function verdictOf(plan: RunPlan, item: ItemRow, response: ResponseRow, doc: number) {
  const record = item.record_key as ReturnType<typeof judgeRecordKey>['key']
  const answers = [response.answer as AnswerDigest]
  const value = plan.score?.(doc) ?? doc % 2
  return {
    task: 't',
    doc_index: doc,
    doc_id: item.doc_id,
    score_key: scoreKey({ answers, record, config: judging.key, scorer: code.key }),
    answers: JSON.stringify(answers),
    body: canonicalJson({ outcome: 'scored', values: { exact_match: value }, extracted: { none: 'x' } }),
    record_key: record,
    revision: null,
  }
}

/** Dumps the runs of a store, without what may differ between machines. Equal stores have equal dumps. */
export async function dump(store: PortableStore, runs: readonly Run[]): Promise<string> {
  const sorted = [...runs].sort((a, b) => (a.id < b.id ? -1 : 1))
  const contents: unknown[] = []
  for (const run of sorted) {
    const { id, name, asked, progress, pending, ...tables } = await store.exportRun(run)
    contents.push({
      ...{ id, name, asked, progress, pending },
      preimages: await collect(tables.preimages),
      items: await collect(tables.items),
      responses: (await collect(tables.responses)).map(row => ({ ...row, meta: '' })),
      failures: await collect(tables.failures),
      judgements: await Promise.all(
        tables.judgements.map(async judgement => ({
          ...judgement,
          stamp: '',
          verdicts: await collect(judgement.verdicts),
        })),
      ),
    })
  }
  return canonicalJson(contents as Json)
}

export async function collect<Row>(rows: Table<Row>): Promise<Row[]> {
  const all: Row[] = []
  for await (const batch of rows()) all.push(...batch)
  return all
}

export const mediumOf = (text: string): { readonly bytes: Buffer; readonly digest: MediaDigest } => {
  const bytes = Buffer.from(text)
  return { bytes, digest: sha256(bytes) }
}
