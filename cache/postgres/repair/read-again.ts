import type { MediaDigest } from '../../digest.js'
import { sumOfProgress } from '../../rows/sums.js'
import type { Context } from '../connection/context.js'
import type { Query } from '../connection/query.js'

/** The number of media of one transaction, so that no lock is held for long. */
const atOnce = 100

/** SQL that lists the requests that show one of the media `$1`. */
const showing = `SELECT r.id FROM request r JOIN instance n ON n.id = r.instance
  WHERE strpos(n.preimage, '"media":') > 0 AND EXISTS (SELECT 1 FROM unnest($1::text[]) u(digest) WHERE strpos(n.preimage, u.digest) > 0)`

interface FirstDoc {
  readonly run: number
  readonly task: number
  readonly doc: number
  readonly asked: string
}

/** Makes the input stage read the docs of missing media again. Their failures for want of a medium are deleted. */
export async function readAgainFor(context: Context, media: readonly MediaDigest[]): Promise<void> {
  for (let from = 0; from < media.length; from += atOnce) {
    const digests = media.slice(from, from + atOnce)
    await context.db.write(async query => {
      const firstDocs = await query<FirstDoc>(
        `SELECT i.run, i.task, min(i.doc) AS doc, n.asked FROM item i JOIN run n ON n.id = i.run
         WHERE i.request IN (${showing}) GROUP BY i.run, i.task, n.asked`,
        [digests],
      )
      for (const first of firstDocs) if (isReadFromDataset(first.asked)) await rewind(context, query, first)
      await query(`DELETE FROM failure WHERE class = 'media' AND request IN (${showing})`, [digests])
    })
  }
}

/** Tells whether a run reads its docs from a dataset. Runs of judge calls and of conversation rounds do not. */
function isReadFromDataset(asked: string): boolean {
  const { judge, rounds } = JSON.parse(asked) as { readonly judge?: unknown; readonly rounds?: unknown }
  return judge === undefined && rounds === undefined
}

/** Makes the input stage continue from a doc. */
async function rewind(context: Context, query: Query, { run, task, doc }: FirstDoc): Promise<void> {
  const [row] = await query<{ docs: number }>(
    'UPDATE input_progress SET docs = least(docs, $3), finished = 0 WHERE run = $1 AND task = $2 RETURNING docs',
    [run, task, doc],
  )
  if (row === undefined) return
  await query('UPDATE input_progress SET sum = $3 WHERE run = $1 AND task = $2', [
    run,
    task,
    sumOfProgress(context, run, task, row.docs, 0),
  ])
}
