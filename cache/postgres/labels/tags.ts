import { changedTags } from '../../facts/label-rules.js'
import type { Run } from '../../records.js'
import { soundTag, sumOfTag, type TagRow } from '../../rows/remarks.js'
import type { TagChange } from '../../store.js'
import { splitColumns, type Context } from '../connection/context.js'
import type { Query } from '../connection/query.js'

/** Reads the tags of all runs with one query, because lists show many runs. */
export async function allTags(context: Context, query: Query): Promise<ReadonlyMap<number, readonly string[]>> {
  const tags = new Map<number, string[]>()
  for (const row of await query<TagRow>('SELECT * FROM run_tag ORDER BY run, tag')) {
    const ofRun = tags.get(row.run)
    if (ofRun === undefined) tags.set(row.run, [soundTag(context, row)])
    else ofRun.push(soundTag(context, row))
  }
  return tags
}

/** Adds tags to a run and removes others, and resolves to its tags. */
export const tagRun = (context: Context, { ref }: Run, change: TagChange): Promise<readonly string[]> =>
  context.db.write(async query => (await changeTags(context, query, ref, change)).after)

/** Call inside a write transaction. @throws PipelineError (usage) if a tag is malformed, or if there would be too many */
export async function changeTags(
  context: Context,
  query: Query,
  run: number,
  change: TagChange,
): Promise<{ readonly before: readonly string[]; readonly after: readonly string[] }> {
  // Nobody else changes the tags of the run meanwhile.
  await query('SELECT 1 FROM run WHERE id = $1 FOR UPDATE', [run])
  const before = await tagsOfRun(context, query, run)
  const after = changedTags(before, change)
  const added = after.filter(tag => !before.includes(tag)).map(tag => ({ tag, sum: sumOfTag(context, { run, tag }) }))
  await query(
    'INSERT INTO run_tag (run, tag, sum) SELECT $1, u.tag, u.sum FROM unnest($2::text[], $3::bigint[]) u(tag, sum)',
    [run, ...splitColumns(added, ['tag', 'sum'])],
  )
  await query('DELETE FROM run_tag WHERE run = $1 AND NOT tag = ANY($2::text[])', [run, after])
  return { before, after }
}

/** Returns the tags of one run in alphabetical order. */
export async function tagsOfRun(context: Context, query: Query, run: number): Promise<readonly string[]> {
  const rows = await query<TagRow>('SELECT * FROM run_tag WHERE run = $1 ORDER BY tag', [run])
  return rows.map(row => soundTag(context, row))
}
