import { hexDigits, type ResponseKey } from '../../digest.js'
import type { Run } from '../../records.js'
import {
  explainedKey,
  explainedRequest,
  firstSample,
  reportMisses,
  type KeyRow,
  type MissPair,
  type RequestPreimages,
} from '../../rows/why-miss.js'
import type { KeyParts, MissReport } from '../../store.js'
import { digestSql, fromColumn, type Context } from '../connection/context.js'
import type { Query } from '../connection/query.js'
import { pages } from '../pages.js'

interface ItemOfBoth {
  readonly doc: number
  readonly choice: number
  readonly sample: number
  readonly doc_id: string
  readonly request: number | null
  /** True if the other run has the same request for any doc. */
  readonly is_asked: boolean
}

const itemsSql = `
  SELECT b.doc, b.choice, b.sample, b.doc_id, b.request,
    EXISTS (SELECT 1 FROM item a WHERE a.request = b.request AND a.run = $1 AND a.task = $3) AS is_asked
  FROM item b WHERE b.run = $2 AND b.task = $4 AND (b.doc, b.choice, b.sample) > ($5, $6, $7)
  ORDER BY b.doc, b.choice, b.sample LIMIT 1000`

/**
 * Finds the preimage fields in which the requests of two runs differ, over the docs that both have. A request that the
 * other run has for any doc counts as equal.
 */
export const whyMiss = ({ db }: Context, a: Run, b: Run): Promise<MissReport> =>
  reportMisses(pairs(db, a, b), request => db.read(query => explainRequest(query, request)))

async function* pairs(db: Context['db'], a: Run, b: Run): AsyncGenerator<MissPair> {
  for (const [taskB, { name }] of b.asked.tasks.entries()) {
    const taskA = a.asked.tasks.findIndex(task => task.name === name)
    if (taskA < 0) continue
    const findRequests = makeRequestFinder(db, a, taskA, firstSample(a) - firstSample(b))
    const read = (last: ItemOfBoth | undefined): Promise<readonly ItemOfBoth[]> => {
      const { doc, choice, sample } = last ?? { doc: -1, choice: -1, sample: -1 }
      return db.read(query => query(itemsSql, [a.ref, b.ref, taskA, taskB, doc, choice, sample]))
    }
    for await (const rows of pages<ItemOfBoth>(read)) {
      const otherRequests = await findRequests(rows.filter(({ is_asked }) => !is_asked))
      for (const row of rows) {
        const before = row.is_asked ? row.request : otherRequests.get(row)
        if (before !== undefined) yield { name: `${name}/${fromColumn(row.doc_id)}`, before, after: row.request }
      }
    }
  }
}

/** Returns a function that finds a run's requests for docs, by the docs' ids. */
function makeRequestFinder(
  db: Context['db'],
  run: Run,
  task: number,
  shift: number,
): (rows: readonly ItemOfBoth[]) => Promise<ReadonlyMap<ItemOfBoth, number | null>> {
  let docs: ReadonlyMap<string, number> | undefined
  return async rows => {
    if (rows.length === 0) return new Map()
    docs ??= await db.read(query => readDocIds(query, run, task))
    const byId = docs
    const placedRequests = await db.read(query =>
      query<{ place: number; request: number | null }>(
        `SELECT u.place, i.request FROM unnest($3::integer[], $4::integer[], $5::integer[]) WITH ORDINALITY u(doc, choice, sample, place)
           JOIN item i ON i.run = $1 AND i.task = $2 AND i.doc = u.doc AND i.choice = u.choice AND i.sample = u.sample`,
        [
          ...[run.ref, task, rows.map(row => byId.get(row.doc_id) ?? -1)],
          ...[rows.map(({ choice }) => choice), rows.map(({ sample }) => sample + shift)],
        ],
      ),
    )
    return new Map(
      placedRequests.flatMap(({ place, request }) => {
        const row = rows[place - 1]
        return row === undefined ? [] : [[row, request] as const]
      }),
    )
  }
}

async function readDocIds(query: Query, run: Run, task: number): Promise<ReadonlyMap<string, number>> {
  const rows = await query<{ doc_id: string; doc: number }>(
    'SELECT DISTINCT doc_id, doc FROM item WHERE run = $1 AND task = $2 ORDER BY doc',
    [run.ref, task],
  )
  return new Map(rows.map(({ doc_id, doc }) => [doc_id, doc]))
}

const partsSql = `FROM request r JOIN instance n ON n.id = r.instance JOIN preimage g ON g.id = r.config JOIN preimage o ON o.id = r.code`

async function explainRequest(query: Query, request: number | null) {
  if (request === null) return undefined
  const [row] = await query<RequestPreimages>(
    `SELECT n.preimage AS input, g.preimage AS config, o.preimage AS code, r.sample ${partsSql} WHERE r.id = $1`,
    [request],
  )
  return row && explainedRequest(row)
}

/** Returns the parts of a response key with their preimages. */
export async function explainKey(query: Query, key: ResponseKey): Promise<KeyParts | undefined> {
  const [row] = await query<KeyRow>(
    `SELECT ${digestSql('n.key')} AS input_key, n.preimage AS input, ${digestSql('g.key')} AS config_key, g.preimage AS config,
       ${digestSql('o.key')} AS code_key, o.preimage AS code, r.sample ${partsSql} WHERE r.key = decode($1, 'hex')`,
    [hexDigits(key)],
  )
  return row && explainedKey(row)
}
