import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { builtinTasks, resolveTasks } from '../../stages/input/tasks/resolve-tasks.js'
import { messagesProblem, promptProblem } from './golden-prompt.js'
import type { Context, GoldenTaskOptions, Loaded, TaskRow } from './golden-row.js'
import { aggregateProblem, scoreProblem } from './golden-score.js'
import { configProblem } from './golden-settings.js'
import { goldenRows } from './golden.js'

export type { GoldenTaskOptions, TaskRow } from './golden-row.js'

/**
 * Compares a task with every golden row of its benchmark: settings, prompts, messages, scores of single docs, aggregates. Rows that the reference
 * decides by chance must be unparsed.
 */
export function testGoldenTask(file: string, options: GoldenTaskOptions = {}): void {
  const rows = goldenRows<TaskRow>(`tasks/${file}.jsonl.gz`)
  const names = [...new Set(rows.map(row => row.task))]
  const cacheDir = mkdtempSync(join(tmpdir(), 'golden-task-'))
  afterAll(() => {
    rmSync(cacheDir, { recursive: true, force: true })
  })
  for (const name of names) {
    const own = rows.filter(row => row.task === name)
    describe(name, () => {
      const loaded = loadGoldenTask(name, { cacheDir })
      for (const kind of ['config', 'prompt', 'messages', 'score', 'aggregate'] as const) {
        const all = own.filter(row => row.kind === kind)
        const reasonOf = (row: TaskRow): string | undefined =>
          options.skip?.(row) ?? byChance(row, own) ?? ofFlaws(row, own, options) ?? ofSkipped(row, own, options)
        const compared = all.filter(row => reasonOf(row) === undefined)
        const skipped = skippedText(all, reasonOf) + (kind === 'score' ? uncomparedText(options) : '')
        if (compared.length === 0) continue
        it(`equals the reference's ${kind} on ${compared.length} rows${skipped}`, async () => {
          const context = { ...(await loaded), options, rows: own }
          const problems: string[] = []
          for (const row of compared) {
            const problem = await problemOf(row, context)
            if (problem !== undefined) problems.push(`${row.id}: ${problem}`)
          }
          expect(problems.slice(0, 12), `${problems.length} of ${compared.length} rows differ`).toEqual([])
        })
      }
    })
  }
}

/** Skips prompts that have fewer examples in the reference, because one of them equals the doc. */
export const skipFewerExamples =
  (ids: readonly string[]) =>
  ({ id }: TaskRow): string | undefined =>
    ids.includes(id) ? 'the reference shows one example fewer, since one equals the doc' : undefined

/** Skips an aggregate over docs that the reference scores by chance. */
function byChance(row: TaskRow, rows: readonly TaskRow[]): string | undefined {
  if (row.kind !== 'aggregate' || row.lmms_eval_flaw === true) return undefined
  const isDrawn = rows.some(other => other.random_fallback === true && row.score_rows.includes(other.id))
  return isDrawn ? 'decided by chance' : undefined
}

/** Accepts the reference's aggregate over docs whose scores are flawed, if it is not marked itself. */
function ofFlaws(row: TaskRow, rows: readonly TaskRow[], { parity }: GoldenTaskOptions): string | undefined {
  if (row.kind !== 'aggregate' || row.lmms_eval_flaw === true || parity !== undefined) return undefined
  const isFlawed = rows.some(other => other.lmms_eval_flaw === true && row.score_rows.includes(other.id))
  return isFlawed ? "holds scores that are the reference's flaws" : undefined
}

/** Skips an aggregate over docs that are not compared. */
function ofSkipped(
  { kind, score_rows: ids }: TaskRow,
  rows: readonly TaskRow[],
  { skip, judgeFails }: GoldenTaskOptions,
): string | undefined {
  if (kind !== 'aggregate') return undefined
  const named = rows.filter(({ id }) => ids.includes(id))
  if (judgeFails !== undefined && named.some(judgeFails)) return 'the reference counts replies that say nothing'
  return named.map(row => skip?.(row)).find(reason => reason !== undefined)
}

function skippedText(rows: readonly TaskRow[], reasonOf: (row: TaskRow) => string | undefined): string {
  const counts = new Map<string, number>()
  for (const row of rows) {
    const reason = reasonOf(row)
    if (reason !== undefined) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  }
  return [...counts].map(([reason, count]) => `; ${count} not compared: ${reason}`).join('')
}

const uncomparedText = ({ onlyAggregates = [] }: GoldenTaskOptions): string =>
  onlyAggregates.length === 0 ? '' : `; values of docs not compared: ${onlyAggregates.join(', ')}`

async function loadGoldenTask(name: string, { cacheDir }: { readonly cacheDir: string }): Promise<Loaded> {
  const [task] = await resolveTasks([name], { cacheDir, emit: () => undefined, includePaths: [builtinTasks] })
  if (task === undefined) throw new Error(`no task ${name}`)
  return { task, cacheDir }
}

function problemOf(row: TaskRow, context: Context): Promise<string | undefined> | string | undefined {
  switch (row.kind) {
    case 'config':
      return configProblem(row, context)
    case 'prompt':
      return promptProblem(row, context)
    case 'messages':
      return messagesProblem(row, context)
    case 'score':
      return scoreProblem(row, context)
    case 'aggregate':
      return aggregateProblem(row, context)
    default:
      return undefined
  }
}
