import { PipelineError } from '../../../base/errors/errors.js'
import { mediaIn } from '../../bundle/media.js'
import type { MediaDigest } from '../../digest.js'
import type { MediaLocation } from '../../media/media-location.js'
import type { MediaStore, VerifyReport } from '../../store.js'
import type { Context } from '../connection/context.js'
import type { Query } from '../connection/query.js'
import { pages } from '../pages.js'
import { readAgainFor } from './read-again.js'
import {
  filesSql,
  isFileSound,
  isProgressSound,
  progressSql,
  rowChecks,
  type FileRow,
  type ProgressRow,
  type RowCheck,
} from './row-checks.js'

interface DamagedRow {
  readonly kind: string
  readonly name: string
  /** The row's number. Undefined in a table without numbers. */
  readonly id?: number
}

interface Media {
  readonly location: MediaLocation
  readonly store: MediaStore
}

/** Checks rows and media. `repair` drops damaged rows that are computed again, and damaged media, whose docs are read again. @throws PipelineError (store) if others are damaged */
export async function verifyRowsAndMedia(
  context: Context,
  media: Media,
  { repair }: { readonly repair: boolean },
): Promise<VerifyReport> {
  const checked: Record<string, number> = {}
  const damaged: DamagedRow[] = []
  for (const check of rowChecks) {
    const tableDamage = await findDamagedRows(context, check)
    checked[check.table] = tableDamage.count
    damaged.push(...tableDamage.damaged)
  }
  damaged.push(...(await findDamagedMarks(context)))
  if (repair) await dropRows(context, damaged)
  const files = await media.location.verify(repair)
  const missing = (await findMissingMedia(context, media)).filter(digest => !files.damaged.includes(digest))
  if (repair) await readAgainFor(context, [...files.damaged, ...missing])
  return {
    checked: { ...checked, media: files.checked },
    damaged: [
      ...damaged.map(({ kind, name }) => ({ kind, name })),
      ...files.damaged.map(name => ({ kind: 'medium', name })),
      ...missing.map(name => ({ kind: 'missing medium', name })),
    ],
    repaired: repair,
  }
}

async function findDamagedRows(
  context: Context,
  { table, sql, name, isSound }: RowCheck,
): Promise<{ readonly count: number; readonly damaged: readonly DamagedRow[] }> {
  let count = 0
  const damaged: DamagedRow[] = []
  const read = (last: { readonly id: number } | undefined): Promise<readonly { readonly id: number }[]> =>
    context.db.read(query => query(sql, [last?.id ?? -1]))
  for await (const rows of pages(read)) {
    count += rows.length
    // The check was defined together with the query, so it knows the type of its rows.
    for (const row of rows)
      if (!isSound(context, row as never)) damaged.push({ kind: table, name: name(row as never), id: row.id })
  }
  return { count, damaged }
}

function findDamagedMarks(context: Context): Promise<readonly DamagedRow[]> {
  return context.db.read(async query => {
    const progress = await query<ProgressRow>(progressSql)
    const files = await query<FileRow>(filesSql)
    return [
      ...progress
        .filter(row => !isProgressSound(context, row))
        .map(({ run, task }) => ({ kind: 'input_progress', name: `task ${task} of run ${run}` })),
      ...files.filter(row => !isFileSound(context, row)).map(({ path }) => ({ kind: 'run_file', name: path })),
    ]
  })
}

/** The statements that drop a row of each kind, so that it is computed again or no longer misleads. `$1` is the row's number. */
const drops: Readonly<Record<string, readonly string[]>> = {
  response: [
    `DELETE FROM verdict v USING judgement j, item i, response s
     WHERE s.seq = $1 AND i.request = s.request AND j.run = i.run AND v.judgement = j.id AND v.task = i.task AND v.doc = i.doc`,
    'DELETE FROM response WHERE seq = $1',
  ],
  score: ['DELETE FROM verdict WHERE score = $1', 'DELETE FROM score WHERE id = $1'],
  failure: ['DELETE FROM failure WHERE id = $1'],
  memory: ['DELETE FROM memory WHERE id = $1'],
  label: ['DELETE FROM label WHERE id = $1'],
  run_tag: ['DELETE FROM run_tag WHERE id = $1'],
  batch: ['DELETE FROM batch WHERE id = $1'],
  job: ['DELETE FROM job WHERE id = $1'],
  token: ['DELETE FROM token WHERE number = $1'],
}

async function dropRows(context: Context, damaged: readonly DamagedRow[]): Promise<void> {
  const unrepairableKinds = [
    ...new Set(damaged.filter(({ kind }) => drops[kind] === undefined).map(({ kind }) => kind)),
  ]
  if (unrepairableKinds.length > 0)
    throw new PipelineError(
      'store',
      `the store ${context.db.shown} has damaged rows that cannot be repaired there (${unrepairableKinds.join(', ')}). Nothing was changed. Restore the database from its backup, or export the sound runs to a new store.`,
      { reason: 'store-damaged' },
    )
  await context.db.write(async query => {
    for (const { kind, id } of damaged) {
      if (kind === 'response' || kind === 'score') await reopenJudgements(context, query, kind, id ?? 0)
      for (const sql of drops[kind] ?? []) await query(sql, [id])
    }
  })
}

/** Judgements that lose a score are not finished any more. */
async function reopenJudgements(context: Context, query: Query, kind: 'response' | 'score', id: number): Promise<void> {
  const ofScore = 'SELECT v.judgement FROM verdict v WHERE v.score = $1'
  const ofResponse =
    'SELECT j.id FROM response s JOIN item i ON i.request = s.request JOIN judgement j ON j.run = i.run WHERE s.seq = $1'
  const rows = await query<{ id: number; tasks: string }>(
    `SELECT id, tasks FROM judgement WHERE id IN (${kind === 'score' ? ofScore : ofResponse})`,
    [id],
  )
  for (const row of rows)
    await query('UPDATE judgement SET finished = NULL, aggregates = NULL, sum = $2 WHERE id = $1', [
      row.id,
      context.sum(row.tasks, null),
    ])
}

/** Lists missing media of requests without an answer. Answered requests no longer need theirs, for example after an import. */
async function findMissingMedia(context: Context, { store }: Media): Promise<readonly MediaDigest[]> {
  const neededMedia = new Set<MediaDigest>()
  const read = (last: { readonly id: number } | undefined) =>
    context.db.read(query =>
      query<{ id: number; preimage: string }>(
        `SELECT i.id, n.preimage FROM item i JOIN request r ON r.id = i.request JOIN instance n ON n.id = r.instance
         WHERE i.id > $1 AND NOT EXISTS (SELECT 1 FROM response s WHERE s.request = i.request) AND strpos(n.preimage, '"media":') > 0
         ORDER BY i.id LIMIT 1000`,
        [last?.id ?? -1],
      ),
    )
  for await (const rows of pages(read))
    for (const { preimage } of rows) for (const digest of mediaIn(preimage)) neededMedia.add(digest)
  const missing: MediaDigest[] = []
  for (const digest of [...neededMedia].sort()) if (!(await store.has(digest))) missing.push(digest)
  return missing
}
