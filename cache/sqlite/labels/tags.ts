import { changedTags } from '../../facts/label-rules.js'
import type { Run } from '../../records.js'
import type { TagChange } from '../../store.js'
import type { Context } from '../connection/context.js'
import { type TagRow, soundTag, sumOfTag } from '../../rows/remarks.js'

/** Reads the tags of all runs with one query, because lists show many runs. */
export function allTags(context: Context): ReadonlyMap<number, readonly string[]> {
  const tags = new Map<number, string[]>()
  for (const row of context.sql<TagRow>('SELECT * FROM run_tag ORDER BY run, tag').iterate()) {
    const ofRun = tags.get(row.run)
    if (ofRun === undefined) tags.set(row.run, [soundTag(context, row)])
    else ofRun.push(soundTag(context, row))
  }
  return tags
}

/** Adds tags to a run and removes others, and resolves to its tags. */
export const tagRun = (context: Context, { ref }: Run, change: TagChange): Promise<readonly string[]> =>
  context.commit.add(() => changeTags(context, ref, change).after)

/** Call inside a write transaction. @throws PipelineError (usage) if a tag is malformed, or if there would be too many */
export function changeTags(
  context: Context,
  run: number,
  change: TagChange,
): { readonly before: readonly string[]; readonly after: readonly string[] } {
  const rows = tagRows(context, run)
  const before = new Set(rows.map(row => soundTag(context, row)))
  const after = changedTags(before, change)
  const insert = context.sql('INSERT INTO run_tag (run, tag, sum) VALUES (?, ?, ?)')
  for (const tag of after) if (!before.has(tag)) insert.run(run, tag, sumOfTag(context, { run, tag }))
  for (const { id, tag } of rows) if (!after.includes(tag)) context.sql('DELETE FROM run_tag WHERE id = ?').run(id)
  return { before: [...before], after }
}

/** Returns the tags of one run in alphabetical order. */
export const tagsOfRun = (context: Context, run: number): readonly string[] =>
  tagRows(context, run).map(row => soundTag(context, row))

const tagRows = (context: Context, run: number): readonly TagRow[] =>
  context.sql<TagRow>('SELECT * FROM run_tag WHERE run = ? ORDER BY tag').all(run)
