import type { Json } from '../../../base/values/canonical-json.js'
import { without } from '../../../base/values/without.js'
import { queueJson, workerJson } from './work-json.js'
import { runJson } from './run-json.js'
import { stateWord } from '../text/overview-lines.js'
import type { WatchedRun } from '../../reading/progress/watched-runs.js'

/** A watched run for programs. */
export function overviewJson({
  run,
  overview,
  running,
  workers,
  queue,
  perSecond,
  elapsedMs,
  leftMs,
}: WatchedRun): Json {
  const { docs, requests, isInputFinished, answered, failed, scored, scores, fromJudgement, lastAnswerAt } = overview
  const finished = scores.map(({ task, metric, filter, value, interval, n }) => ({
    task,
    metric,
    filter,
    value,
    interval,
    n,
  }))
  return {
    run: run.name,
    ...without(runJson(run), 'tags'),
    state: stateWord(overview),
    docs,
    input_finished: isInputFinished,
    requests,
    answered,
    failed,
    scored,
    answers_per_second: perSecond === undefined ? null : Math.round(perSecond * 100) / 100,
    elapsed_seconds: elapsedMs === undefined ? null : Math.round(elapsedMs / 1000),
    left_seconds: leftMs === undefined ? null : Math.round(leftMs / 1000),
    workers: workers.map(workerJson),
    queue: queueJson(queue),
    last_answer_at: lastAnswerAt === undefined ? null : new Date(lastAnswerAt).toISOString(),
    judgement: fromJudgement ?? null,
    scores: finished,
    running_scores: running.map(({ task, metric, value, interval, n }) => ({ task, metric, value, interval, n })),
  }
}
