import { canonicalDump } from '../../cache/canonical-dump.js'
import { sha256 } from '../../cache/digest.js'
import { codeKey } from '../../cache/keys.js'
import { openStore } from '../../cache/open.js'
import type { PortableStore } from '../../cache/bundle/portable.js'
import type { Aggregate, Judgement, Run, TaskJudging } from '../../cache/records.js'
import type { Store } from '../../cache/store.js'
import { answer, question, testAsked, testCode, testProvenance } from './store.js'

/** Number of docs of a {@link line}. */
export const docs = 5
const rules: TaskJudging = {
  config: { metric_list: [{ metric: 'length' }] },
  scorer: { files: { 'stages/judge/length.ts': 'b'.repeat(40) } },
}

/** The outcome of a line. */
export interface Ended {
  readonly run: Run
  readonly judgement: Judgement
  readonly asked: number
}

/** Does what one command line does: reads new docs, sends requests without an answer, scores answers without a score. */
export async function line(store: Store, most = docs): Promise<Ended> {
  const { run } = await store.runs.create(testAsked(), testProvenance, [{ kind: 'code', ...codeKey(testCode) }])
  const { docs: read, finished } = await store.docs.progress(run, 0)
  const left = Array.from({ length: docs }, (_, index) => ({
    ...question(index),
    files: [{ path: `/pictures/${index}.png`, digest: sha256<'media'>(String(index)) }],
  })).slice(read)
  if (!finished) await store.docs.commit(run, 0, left, true)
  const { leases } = await store.requests.lease(run, { after: 0, limit: most, retryFailed: false })
  for (const lease of leases) await answer(store, lease, `an answer to ${lease.item.doc}`)
  return { run, judgement: await judged(store, run), asked: leases.length }
}

async function judged(store: Store, run: Run): Promise<Judgement> {
  const judgement = await store.judgements.open(run, [rules])
  const { docs: unscored } = await store.judgements.docsToJudge(judgement, { item: 0, response: 0 }, 100)
  await store.judgements.commitScores(
    judgement,
    unscored.map(doc => ({
      doc,
      body: {
        outcome: 'scored',
        values: { length: doc.answers[0]!.body.text.length },
        extracted: { none: doc.record.target },
      },
    })),
  )
  let n = 0
  for await (const { body } of store.judgements.scores(judgement)) n += body.outcome === 'scored' ? 1 : 0
  return store.judgements.close(judgement, [aggregate(n)])
}

const aggregate = (n: number): Aggregate => ({
  ...{ task: 't', metric: 'length', filter: 'none', value: n, stderr: null, interval: null, intervalMethod: 'none' },
  ...{ higherIsBetter: true, n, total: docs, unparsed: 0, empty: 0 },
})

/** Opens a store while `work` runs. */
export async function inStore<T>(dir: string, work: (store: Store & PortableStore) => Promise<T>): Promise<T> {
  const store = await openStore(dir)
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

/** Dumps the outcome of a run. */
export async function dumpOf(store: Store, { run, judgement }: Pick<Ended, 'run' | 'judgement'>): Promise<string> {
  let dump = ''
  for await (const row of canonicalDump(store, run, judgement)) dump += `${row}\n`
  return dump
}
