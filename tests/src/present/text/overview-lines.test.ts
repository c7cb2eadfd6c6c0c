import { expect, test } from 'vitest'
import { displayWidth } from '../../../../src/present/text/layout/width.js'
import { plain } from '../../../../src/present/text/layout/paint.js'
import { overviewJson } from '../../../../src/present/json/overview-json.js'
import { overviewLine, overviewTable } from '../../../../src/present/text/overview-lines.js'
import type { RunOverview } from '../../../../src/reading/progress/run-overview.js'
import type { WatchedRun } from '../../../../src/reading/progress/watched-runs.js'
import { aggregate, someRun } from '../../../support/report-data.js'

const overview: RunOverview = {
  state: 'running',
  docs: 1000,
  requests: 1000,
  isInputFinished: false,
  answered: 250,
  failed: 3,
  scored: 240,
  scores: [],
  startedAt: 1_000,
}
const running: WatchedRun = {
  run: someRun,
  overview,
  running: [{ task: 'shapes_vqa', metric: 'exact_match', value: 0.5, interval: [0.437, 0.563], n: 240 }],
  workers: [],
  queue: { jobs: 0, byStage: {}, declined: [] },
  perSecond: 12.5,
  elapsedMs: 65_000,
}
const tasks = ['a_task_with_a_long_name', 'b'].map(name => ({ ...someRun.asked.tasks[0]!, name }))
const complete: WatchedRun = {
  run: { ...someRun, name: 'calm-heron-19c2', asked: { ...someRun.asked, tasks } },
  overview: {
    ...overview,
    state: 'complete',
    isInputFinished: true,
    answered: 1000,
    failed: 0,
    scored: 1000,
    scores: [aggregate({ task: 'a_task_with_a_long_name' }), aggregate({ task: 'b' })],
    fromJudgement: 1,
  },
  running: [],
  workers: [],
  queue: { jobs: 0, byStage: {}, declined: [] },
  elapsedMs: 80_000,
}
const both = [running, complete]
const at = (columns: number): string[] => overviewTable(both, { ...plain, columns })

test('a wide screen shows a row for each run with counts, score, times and state', () => {
  expect(overviewTable(both, plain)).toEqual([
    'run                model                     tasks                                          answered   answers/s   failed   metric                                          score   95 % CI            elapsed   left   state',
    'brave-otter-7f3a   onnx_vlm tinyvlm (int8)   shapes_vqa                   ███▒░░░░░░░░    250/1,000+        12.5        3   exact_match                              0.500 of 240   0.437 – 0.563    1 min 5 s      –   running',
    'calm-heron-19c2    onnx_vlm tinyvlm (int8)   a_task_with_a_long_name +1   ████████████   1,000/1,000           –        0   a_task_with_a_long_name exact_match +1          0.905   0.885 – 0.922   1 min 20 s      –   complete',
  ])
})

test('a row fits one line on every screen, and a narrow one keeps run, answers and state', () => {
  for (let columns = 40; columns <= 250; columns += 1) {
    const lines = at(columns)
    expect(lines).toHaveLength(3)
    for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(columns)
    expect(lines[1]).toMatch(/250\/1,000\+.*running$/)
  }
  expect(at(40)).toEqual([
    'run                  answered  state',
    'brave-otter-7f3a   250/1,000+  running',
    'calm-heron-19c2   1,000/1,000  complete',
  ])
})

test('without a screen, prints one line per run', () => {
  expect(both.map(one => overviewLine(one, plain))).toEqual([
    'brave-otter-7f3a · running · answered 250/1,000+ · 12.5/s · failed 3 · exact_match 0.500 of 240 (0.437 – 0.563)',
    'calm-heron-19c2 · complete · answered 1,000/1,000 · failed 0 · a_task_with_a_long_name exact_match +1 0.905 (0.885 – 0.922)',
  ])
})

test('an incomplete run is interrupted, unless everything left has failed', () => {
  const word = (changes: Partial<RunOverview>): unknown =>
    (
      overviewJson({
        ...running,
        overview: { ...overview, state: 'incomplete', isInputFinished: true, ...changes },
      }) as {
        readonly state: string
      }
    ).state
  expect(word({})).toBe('interrupted')
  expect(word({ answered: 997 })).toBe('incomplete')
  expect(word({ answered: 997, isInputFinished: false })).toBe('interrupted')
})

test('JSON contains numbers, and null for unknown values', () => {
  expect(overviewJson(running)).toEqual({
    run: 'brave-otter-7f3a',
    id: someRun.id,
    name: 'brave-otter-7f3a',
    created_at: new Date(someRun.createdAt).toISOString(),
    model: 'onnx_vlm tinyvlm (int8)',
    tasks: ['shapes_vqa'],
    state: 'running',
    docs: 1000,
    input_finished: false,
    requests: 1000,
    answered: 250,
    failed: 3,
    scored: 240,
    answers_per_second: 12.5,
    elapsed_seconds: 65,
    left_seconds: null,
    workers: [],
    queue: { jobs: 0, oldest_seconds: null, by_next_stage: {}, declined: [] },
    last_answer_at: null,
    judgement: null,
    scores: [],
    running_scores: [{ task: 'shapes_vqa', metric: 'exact_match', value: 0.5, interval: [0.437, 0.563], n: 240 }],
  })
})

test('lists processes that share a run, and always a silent one', () => {
  const worker = (pid: number, silentMs = 5_000): WatchedRun['workers'][number] => ({
    ...{ pid, silentMs, host: 'node1', isHere: false, items: 8, isAlive: true, isStale: silentMs > 30_000 },
    ...{ runs: [], runNames: [], jobs: [], answers: 40, perSecond: 2.5 },
  })
  const shared = (...workers: WatchedRun['workers']): WatchedRun => ({ ...running, workers })
  expect(overviewTable([shared(worker(1))], plain)).toHaveLength(2)
  expect(overviewTable([shared(worker(1), worker(2, 75_000))], plain).slice(2)).toEqual([
    'brave-otter-7f3a   process 1 on node1   8 requests leased   2.5/s',
    'brave-otter-7f3a   process 2 on node1   8 requests leased   2.5/s   silent for 1 min 15 s',
  ])
  expect(overviewTable([shared(worker(2, 75_000))], plain)).toHaveLength(3)
  expect(overviewJson(shared(worker(1)))).toMatchObject({
    workers: [{ host: 'node1', pid: 1, requests: 8, answers_per_second: 2.5, silent_seconds: 5, stale: false }],
  })
})

test('lists waiting jobs with the workers that they wait for', () => {
  const queue = { jobs: 5, oldestMs: 130_000, byStage: { input: 2, judge: 3 }, declined: [] }
  expect(overviewTable([{ ...complete, queue }], plain).at(-1)).toBe(
    '5 jobs in the queue   the oldest since 2 min 10 s   3 waiting for a worker with the judge stage',
  )
  expect(overviewJson({ ...complete, queue })).toMatchObject({
    queue: { jobs: 5, oldest_seconds: 130, by_next_stage: { input: 2, judge: 3 } },
  })
})

test('a job that workers left to others is listed with each reason', () => {
  const why = ['/tasks is not allowed: --allow-dir /tasks\n/plugins is not allowed: --allow-dir /plugins', 'no key']
  const queue = { jobs: 1, oldestMs: 130_000, byStage: { input: 1 }, declined: [{ id: 'job-7', why }] }
  expect(overviewTable([{ ...complete, queue }], plain).slice(-4)).toEqual([
    'job job-7 waits for another worker. Those that looked at it cannot do it:',
    '  /tasks is not allowed: --allow-dir /tasks',
    '  /plugins is not allowed: --allow-dir /plugins',
    '  no key',
  ])
})
