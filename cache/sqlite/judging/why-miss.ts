import type { Json } from '../../../base/values/canonical-json.js'
import type { Run } from '../../records.js'
import type { KeyParts, MissReport } from '../../store.js'
import type { Context } from '../connection/context.js'
import { digestBytes, type ResponseKey } from '../../digest.js'
import { pages } from '../pages.js'
import { digestSql } from '../rows.js'
import {
  type KeyRow,
  type MissPair,
  type RequestPreimages,
  explainedKey,
  explainedRequest,
  firstSample,
  reportMisses,
} from '../../rows/why-miss.js'

interface ItemOfBoth {
  readonly doc: number
  readonly choice: number
  readonly sample: number
  readonly doc_id: string
  readonly request: number | null
  /** 1 if the other run has the same request for any doc. */
  readonly isAsked: 0 | 1
}

const itemsSql = `
  SELECT b.doc, b.choice, b.sample, b.doc_id, b.request,
    EXISTS (SELECT 1 FROM item a WHERE a.request = b.request AND a.run = @a AND a.task = @taskA) AS isAsked
  FROM item b WHERE b.run = @b AND b.task = @taskB AND (b.doc, b.choice, b.sample) > (@doc, @choice, @sample)
  ORDER BY b.doc, b.choice, b.sample LIMIT 1000`

/**
 * Finds the preimage fields in which the requests of two runs differ, over the docs that both have. A request that the
 * other run has for any doc counts as equal.
 */
export const whyMiss = (context: Context, a: Run, b: Run): Promise<MissReport> =>
  reportMisses(pairs(context, a, b), request => explainRequest(context, request))

async function* pairs(context: Context, a: Run, b: Run): AsyncGenerator<MissPair> {
  for (const [taskB, { name }] of b.asked.tasks.entries()) {
    const taskA = a.asked.tasks.findIndex(task => task.name === name)
    if (taskA < 0) continue
    const first = { doc: -1, choice: -1, sample: -1 }
    const read = (last: ItemOfBoth | undefined): readonly ItemOfBoth[] => {
      const { doc, choice, sample } = last ?? first
      return context.sql<ItemOfBoth>(itemsSql).all({ a: a.ref, b: b.ref, taskA, taskB, doc, choice, sample })
    }
    const requestIn = makeRequestFinder(context, a, taskA)
    for await (const rows of pages<ItemOfBoth>(read)) {
      for (const row of rows) {
        const sample = row.sample - firstSample(b) + firstSample(a)
        const before = row.isAsked === 1 ? row.request : requestIn({ ...row, sample })
        if (before !== undefined) yield { name: `${name}/${row.doc_id}`, before, after: row.request }
      }
    }
  }
}

type DocPlace = Pick<ItemOfBoth, 'doc_id' | 'choice' | 'sample'>

/** Returns a function that finds a run's request for a doc, by the doc's id. */
function makeRequestFinder(context: Context, run: Run, task: number): (place: DocPlace) => number | null | undefined {
  let docs: ReadonlyMap<string, number> | undefined
  return ({ doc_id, choice, sample }) => {
    docs ??= new Map(
      context
        .sql<{ doc_id: string; doc: number }>('SELECT DISTINCT doc_id, doc FROM item WHERE run = ? AND task = ?')
        .all(run.ref, task)
        .map(row => [row.doc_id, row.doc]),
    )
    return context
      .sql<{ request: number | null }>(
        'SELECT request FROM item WHERE run = ? AND task = ? AND doc = ? AND choice = ? AND sample = ?',
      )
      .get(run.ref, task, docs.get(doc_id) ?? -1, choice, sample)?.request
  }
}

const keySql = `
  SELECT ${digestSql('n.key')} AS input_key, n.preimage AS input, ${digestSql('g.key')} AS config_key, g.preimage AS config,
    ${digestSql('o.key')} AS code_key, o.preimage AS code, r.sample
  FROM request r JOIN instance n ON n.id = r.instance JOIN preimage g ON g.id = r.config JOIN preimage o ON o.id = r.code WHERE r.key = ?`

function explainRequest(context: Context, request: number | null): Json | undefined {
  if (request === null) return undefined
  const row = context
    .sql<RequestPreimages>(
      `SELECT n.preimage AS input, g.preimage AS config, o.preimage AS code, r.sample
       FROM request r JOIN instance n ON n.id = r.instance JOIN preimage g ON g.id = r.config JOIN preimage o ON o.id = r.code WHERE r.id = ?`,
    )
    .get(request)
  return row && explainedRequest(row)
}

/** Returns the parts of a response key with their preimages. */
export function explainKey(context: Context, key: ResponseKey): KeyParts | undefined {
  const row = context.sql<KeyRow>(keySql).get(digestBytes(key))
  return row && explainedKey(row)
}
