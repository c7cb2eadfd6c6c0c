import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import type { AnsweredDoc } from '../../cache/records.js'
import { makeTaskScorer } from '../../src/judging/scoring.js'
import { makeRecord } from '../../stages/input/render/judge-record.js'
import type { Doc } from '../../stages/input/tasks/doc.js'
import { builtinTasks, resolveTasks } from '../../stages/input/tasks/resolve-tasks.js'
import type { Task } from '../../stages/input/tasks/task.js'
import { goldenRows } from '../support/golden.js'
import { judgedBy } from '../support/judged.js'

interface Row {
  readonly kind: string
  readonly task: string
  readonly doc: Doc
}

const cacheDir = mkdtempSync(join(tmpdir(), 'named-metrics-'))
afterAll(() => {
  rmSync(cacheDir, { recursive: true, force: true })
})

const folderOf = (task: Task): string => dirname(task.at([]).split(':')[0]!)

/** Two golden docs for each folder of tasks. */
function docsByFolder(tasks: readonly Task[]): ReadonlyMap<string, readonly Doc[]> {
  const folders = new Map(tasks.map(task => [task.name, folderOf(task)]))
  const docs = new Map<string, readonly Doc[]>()
  for (const file of readdirSync(new URL('../golden/tasks/', import.meta.url))) {
    if (!file.endsWith('.jsonl.gz')) continue
    for (const { kind, task, doc } of goldenRows<Row>(`tasks/${file}`)) {
      const folder = folders.get(task)
      const known = docs.get(folder ?? '') ?? []
      if (kind === 'score' && folder !== undefined && known.length < 2) docs.set(folder, [...known, doc])
    }
  }
  return docs
}

async function reasonsOf(task: Task, docs: readonly Doc[]): Promise<readonly string[]> {
  const scorer = await makeTaskScorer(task.name, task.scoring, {
    cacheDir,
    exported: [],
    judges: judgedBy(() => Promise.resolve({ type: 'answered', text: '1' })),
  })
  const samples = Array.from({ length: task.config.repeats }, (_, sample) => sample)
  const answers = samples.map(sample => ({ choice: 0, sample, body: { text: '\\boxed{B}', finishReason: 'stop' } }))
  const bodies = await Promise.all(
    docs.map(async doc => scorer.score({ record: makeRecord(doc, null), answers } as unknown as AnsweredDoc)),
  )
  return bodies.map(({ reason }) => `${task.name}: ${reason ?? ''}`)
}

test('the metric_list of each task names every value that its scoring returns', async () => {
  const tasks = await resolveTasks(['*'], { cacheDir, emit: () => undefined, includePaths: [builtinTasks] })
  const docs = docsByFolder(tasks)
  const tried = tasks.filter(task => 'process_results' in task.scoring && docs.has(folderOf(task)))
  const reasons: string[] = []
  for (const task of tried) reasons.push(...(await reasonsOf(task, docs.get(folderOf(task)) ?? [])))
  expect(reasons.filter(reason => reason.includes('metric_list does not name'))).toEqual([])
  expect(tried.length).toBeGreaterThan(150)
})
