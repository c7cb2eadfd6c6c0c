import { expect, test } from 'vitest'
import type { StageEvent } from '../../../../cache/events.js'
import { LiveProgress } from '../../../../src/cli/display/progress.js'
import { taskRows } from '../../../../src/cli/display/task-rows.js'
import { TasksProgress } from '../../../../src/cli/display/task-progress.js'
import { terminalOn } from '../../../../src/cli/display/terminal.js'
import { paintFor, plain } from '../../../../src/present/text/layout/paint.js'
import { displayWidth } from '../../../../src/present/text/layout/width.js'
import { counts, someRun } from '../../../support/report-data.js'
import { virtualClock } from '../../../support/virtual-clock.js'

const stages = { input: true, model: true, judge: true }

const scored = (task: string, values: readonly number[]): Extract<StageEvent, { readonly type: 'docs-scored' }> => ({
  ...{ type: 'docs-scored' as const, docs: values.length, reused: 0, unparsed: 0, empty: 0, failed: 0 },
  tasks: [{ task, docs: values.length }],
  running: [
    {
      ...{ task, metric: 'exact_match', n: values.length },
      sum: values.reduce((sum, value) => sum + value, 0),
      squares: values.reduce((sum, value) => sum + value * value, 0),
    },
  ],
})
const opened = (task: string): StageEvent => ({ type: 'task-opened', task, docs: 1000 })

function after(...events: readonly (readonly [number, StageEvent])[]): TasksProgress {
  const tasks = new TasksProgress()
  for (const [now, event] of events) tasks.note(event, now)
  return tasks
}

const rowsOf = (tasks: TasksProgress, rows: number, columns = Infinity): string[] =>
  taskRows(tasks.all, { now: 6_000, stages, rows }, { ...plain, columns })

const two = after(
  [0, opened('shapes_vqa')],
  [0, opened('a_captioning_task_with_a_long_name')],
  [1_000, { type: 'answered', requests: 1, task: 'shapes_vqa' }],
  [2_000, { type: 'answered', requests: 9, task: 'shapes_vqa' }],
  [3_000, { type: 'request-failed', class: 'timeout', message: 'late', task: 'shapes_vqa' }],
  [3_000, scored('shapes_vqa', [1, 0, 1, 1])],
)

test('shows docs, running score with interval, answers per second and failures of each task', () => {
  expect(rowsOf(two, 20)).toEqual([
    '  task                                    docs   metric        score   95 % CI         answers/s   failed',
    '  shapes_vqa                           4/1,000   exact_match   0.750   0.301 – 0.954         2.0        1',
    '  a_captioning_task_with_a_long_name   0/1,000   –                 –   –                       –        0',
  ])
})

test('a finished task shows its mean rate, and a running one its current rate', () => {
  const answers = [1, 2, 3, 4].map(second => {
    const event: StageEvent = { type: 'answered', requests: 250, task: 'done' }
    return [second * 1_000, event] as const
  })
  const begun = after([0, opened('done')], ...answers)
  const done = after([0, opened('done')], ...answers, [
    5_000,
    { ...scored('done', [1]), tasks: [{ task: 'done', docs: 1000 }] },
  ])
  const rateAt = (tasks: TasksProgress, now: number): string | undefined =>
    taskRows(tasks.all, { now, stages, rows: 9 }, plain)[1]?.trim().split(/ {3,}/u).at(-2)
  expect(rateAt(begun, 5_000)).toBe('250.0')
  expect(rateAt(begun, 1_001_000)).toBe('1.0')
  expect([5_000, 60_000, 86_400_000].map(now => rateAt(done, now))).toEqual(['250.0', '250.0', '250.0'])
})

test('a row fits one line on every screen, and a narrow one keeps task and docs', () => {
  for (let columns = 40; columns <= 250; columns += 1) {
    const lines = rowsOf(two, 20, columns)
    expect(lines).toHaveLength(3)
    for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(columns)
    expect(lines[1]).toMatch(/^ {2}shapes_vqa .*4\/1,000/)
  }
  expect(rowsOf(two, 20, 40)).toEqual([
    '  task               docs  score  failed',
    '  shapes_vqa      4/1,000  0.750       1',
    '  a_capt…ng_name  0/1,000      –       0',
  ])
})

test('shows the tasks that changed last if there are more tasks than rows, and counts the others', () => {
  const names = Array.from({ length: 9 }, (_, index) => `t${index}`)
  const tasks = after(
    ...names.map(name => [0, opened(name)] as const),
    [1, { ...scored('t0', []), tasks: [{ task: 't0', docs: 1000 }] }],
    [3, scored('t5', [1])],
    [2, scored('t2', [0])],
  )
  const lines = rowsOf(tasks, 4)
  expect(lines.map(line => line.trim().split(/ +/u)[0])).toEqual(['task', 't2', 't5', '…'])
  expect(lines.at(-1)).toBe('  … and 7 other tasks: 1 done, 6 not begun')
  expect(rowsOf(tasks, 10)).toHaveLength(10)
  expect(rowsOf(tasks, 2)).toEqual([])
})

test('shows no columns of a stage that does not run', () => {
  const at = { now: 6_000, stages: { input: true, model: true, judge: false }, rows: 9 }
  expect(taskRows(two.all, at, plain)[0]).toBe('  task                                    docs   answers/s   failed')
})

test('the live view fits every screen with any content', async () => {
  for (const [columns, height] of [
    [40, 9],
    [60, 10],
    [80, 24],
    [250, 50],
  ] as const) {
    const clock = virtualClock()
    const written: string[] = []
    const paint = paintFor(false, () => columns)
    const screen = { isLive: true, rows: () => height, paint: { out: paint, err: paint } }
    const write = (text: string): void => void written.push(text)
    const progress = new LiveProgress(terminalOn({ ...screen, out: write, err: write }), clock, stages)
    const names = Array.from({ length: 30 }, (_, index) => `task_of_a_large_suite_${index}`)
    const run = {
      ...someRun,
      asked: { ...someRun.asked, tasks: names.map(name => ({ ...someRun.asked.tasks[0]!, name })) },
    }
    const none = counts({ docs: 0, docsByTask: [], items: 0, answered: 0, inputFinished: false })
    progress.start(run, { store: 's', version: '0', isNew: true, counts: none })
    for (const name of names) {
      progress.emit(opened(name))
      progress.emit({ type: 'docs-read', task: name, docs: 1000, requests: 1000, shared: 0, newMedia: 0 })
    }
    progress.emit({ type: 'requests-sent', requests: 64 })
    progress.emit({ type: 'answered', requests: 20, task: names[3]! })
    progress.emit({ type: 'request-failed', class: 'timeout', message: 'late', task: names[3]! })
    progress.emit({ type: 'pace', concurrency: 64, inFlight: 43, waitingMs: 0, throttled: 0, oldestMs: 4_000 })
    progress.emit(scored(names[3]!, [1, 0, 1]))
    await clock.advance(2_000)
    const lines = (written.at(-1) ?? '')
      .replace(/\p{Cc}\[\d+[A-Z]|\r/gu, '')
      .split('\n')
      .slice(0, -1)
    const drawn = lines.slice(lines.findLastIndex(line => line.includes('input  ')))
    expect(drawn.length).toBeLessThan(height)
    for (const line of drawn) expect(displayWidth(line)).toBeLessThan(columns)
    expect(drawn.join('\n')).toMatch(/ failed 1[^]* time /)
    expect(drawn.join('\n')).toMatch(/… and \d+ other tasks|task_of_a_large_suite_29/)
    progress.finish()
  }
})
