import { changedTags } from '../../label-rules.js'
import type { Run } from '../../records.js'
import type { TagChange } from '../../store.js'
import type { Context } from '../connection/context.js'
import { DamagedRowError } from '../rows.js'

export interface TagRow {
  readonly id: number
  readonly run: number
  readonly tag: string
  readonly sum: number
}

export const sumOfTag = (context: Context, { run, tag }: Pick<TagRow, 'run' | 'tag'>): number =>
  context.sum('tag', run, tag)

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

export const tagRun = (context: Context, { ref }: Run, change: TagChange): Promise<readonly string[]> =>
  context.commit.add(() => {
    const rows = context.sql<TagRow>('SELECT * FROM run_tag WHERE run = ?').all(ref)
    const before = new Set(rows.map(row => soundTag(context, row)))
    const after = changedTags(before, change)
    const insert = context.sql('INSERT INTO run_tag (run, tag, sum) VALUES (?, ?, ?)')
    for (const tag of after) if (!before.has(tag)) insert.run(ref, tag, sumOfTag(context, { run: ref, tag }))
    for (const { id, tag } of rows) if (!after.includes(tag)) context.sql('DELETE FROM run_tag WHERE id = ?').run(id)
    return after
  })

function soundTag(context: Context, row: TagRow): string {
  if (sumOfTag(context, row) !== row.sum) throw new DamagedRowError('run_tag', row.id)
  return row.tag
}
