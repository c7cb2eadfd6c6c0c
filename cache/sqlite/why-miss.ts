import { differences } from '../../base/json-difference.js'
import type { Json } from '../../base/canonical-json.js'
import type { Run } from '../records.js'
import type { MissReason, MissReport } from '../store.js'
import type { Context } from './context.js'
import { pages } from './pages.js'

interface PairRow {
  readonly task: number
  readonly doc: number
  readonly choice: number
  readonly sample: number
  readonly doc_id: string
  readonly before: number | null
  readonly after: number | null
}

const pairsSql = `
  SELECT b.task, b.doc, b.choice, b.sample, b.doc_id, a.request AS before, b.request AS after
  FROM item b JOIN item a ON a.run = @a AND a.task = @taskA AND a.doc = b.doc AND a.choice = b.choice
    AND a.sample - @firstA = b.sample - @firstB
  WHERE b.run = @b AND b.task = @taskB AND (b.doc, b.choice, b.sample) > (@doc, @choice, @sample)
  ORDER BY b.doc, b.choice, b.sample LIMIT 1000`

/** Says in which fields of their preimages the requests of two runs differ, over the docs that both have. */
export async function whyMiss(context: Context, a: Run, b: Run): Promise<MissReport> {
  const reasons = new Map<string, { -readonly [K in keyof MissReason]: MissReason[K] }>()
  let shared = 0
  let differing = 0
  for (const [taskB, { name }] of b.asked.tasks.entries()) {
    const taskA = a.asked.tasks.findIndex(task => task.name === name)
    if (taskA < 0) continue
    const read = (last: PairRow | undefined): readonly PairRow[] =>
      context.sql<PairRow>(pairsSql).all({
        a: a.ref,
        b: b.ref,
        firstA: firstSample(a),
        firstB: firstSample(b),
        taskA,
        taskB,
        doc: last?.doc ?? -1,
        choice: last?.choice ?? -1,
        sample: last?.sample ?? -1,
      })
    for await (const rows of pages<PairRow>(read)) {
      for (const { before, after, doc_id } of rows) {
        shared += 1
        if (before === after) continue
        differing += 1
        for (const { path, before: was, after: is } of differences(explain(context, before), explain(context, after))) {
          const known = reasons.get(path)
          if (known === undefined)
            reasons.set(path, {
              path,
              before: was,
              after: is,
              requests: 1,
              example: `${name}/${doc_id}`,
              isUniform: true,
            })
          else {
            known.requests += 1
            known.isUniform &&= JSON.stringify([known.before, known.after]) === JSON.stringify([was, is])
          }
        }
      }
    }
  }
  return {
    shared,
    differing,
    reasons: [...reasons.values()].sort((x, y) => y.requests - x.requests || (x.path < y.path ? -1 : 1)),
  }
}

/** Runs that were asked anew count their samples from a later one. */
function firstSample({ asked }: Run): number {
  const first = asked.selection['firstSample']
  return typeof first === 'number' ? first : 0
}

/** The preimage of a request's response key with the preimages of the keys in it in their places. */
function explain(context: Context, request: number | null): Json | undefined {
  if (request === null) return undefined
  const row = context
    .sql<{ input: string; config: string; code: string; sample: number }>(
      `SELECT n.preimage AS input, g.preimage AS config, o.preimage AS code, r.sample
       FROM request r JOIN instance n ON n.id = r.instance JOIN preimage g ON g.id = r.config JOIN preimage o ON o.id = r.code WHERE r.id = ?`,
    )
    .get(request)
  if (row === undefined) return undefined
  return {
    input: JSON.parse(row.input) as Json,
    config: JSON.parse(row.config) as Json,
    code: JSON.parse(row.code) as Json,
    sample: row.sample,
  }
}
