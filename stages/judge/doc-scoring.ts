import { callLimited, ofDoc, TimeLimitError } from '../../base/time/time-limit.js'
import type { AnsweredDoc, ScoreBody } from '../../cache/records.js'
import type { CompiledScoring } from './compile/compile-scoring.js'
import type { ScoringSpec } from './compile/scoring-spec.js'
import { finishDoc, listAllNames, scoreSteps, startDoc } from './score-doc.js'
import { runSteps } from './steps.js'

/** The scoring of one doc. Code that does not end takes its own values with it, and the scoring goes on behind it. */
export interface DocScoring {
  /** Scores the doc; synchronous if no part of the scoring is asynchronous. */
  score(): ScoreBody | Promise<ScoreBody>
  /** Fails the values whose code was ended, and scores the rest. */
  skip(reason: string): ScoreBody | Promise<ScoreBody>
  /** Fails all values that have no verdict. */
  end(reason: string): ScoreBody
}

/**
 * Starts the scoring of one doc. If a metric or the task's code throws or exceeds the time limit, its values are left out of
 * the score, which names them with the reason.
 */
export function makeDocScoring(doc: AnsweredDoc, scoring: CompiledScoring, spec: ScoringSpec): DocScoring {
  const work = startDoc(doc, scoring, spec)
  const { verdicts } = work
  const turn = <Result>(step: () => Result): Result =>
    scoring.needsTimeLimit
      ? ofDoc({ task: spec.task, id: doc.id, limit: spec.timeLimit }, () => callLimited('scoring', step))
      : step()
  const skipOnTimeLimit = (error: unknown): ScoreBody | Promise<ScoreBody> => {
    if (!(error instanceof TimeLimitError)) throw error
    return skip(error.message)
  }
  const score = (): ScoreBody | Promise<ScoreBody> => {
    try {
      const body = runSteps(() => scoreSteps(work), turn)
      return body instanceof Promise ? body.catch(skipOnTimeLimit) : body
    } catch (error) {
      return skipOnTimeLimit(error)
    }
  }
  const end = (reason: string): ScoreBody => {
    verdicts.fail(listAllNames(scoring), reason)
    return finishDoc(work)
  }
  const skip = (reason: string): ScoreBody | Promise<ScoreBody> => {
    const { current } = verdicts
    // Without values to skip, the same code would be called again.
    if (current.length === 0) return end(reason)
    verdicts.fail(current, reason)
    return score()
  }
  return { score, skip, end }
}
