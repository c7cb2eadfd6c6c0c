import { PipelineError } from '../../../base/errors/errors.js'
import type { DatasetIdentity } from '../../../cache/records.js'
import type { CheckScoring } from '../../../stages/input/tasks/load-task.js'
import type { Task } from '../../../stages/input/tasks/task.js'
import type { Scorer } from '../../../stages/judge/scorer.js'
import { makeTaskScorer, makeStoredScoring } from '../../judging/scoring.js'

export const noDataset: DatasetIdentity = { path: '', files: {} }

/** Compiles the scorer of a task. @throws PipelineError with the YAML line of each wrong rule. */
export const compileScorer = (
  task: Task,
  options: Omit<Parameters<typeof makeTaskScorer>[2], 'locate' | 'functions' | 'revised'>,
): Promise<Scorer> =>
  makeTaskScorer(task.name, makeStoredScoring(task, noDataset), {
    repeats: task.config.repeats,
    ...options,
    locate: path => task.at(path),
    ...(task.functions && { functions: task.functions }),
  })

/** Checks scoring rules of a file that has other mistakes, so that all are reported together. */
export const scoringProblems =
  (options: Parameters<typeof compileScorer>[1]): CheckScoring =>
  async (scoring, at) => {
    try {
      await makeTaskScorer('-', scoring, { ...options, locate: at })
      return []
    } catch (error) {
      if (!(error instanceof PipelineError)) throw error
      return error.said
    }
  }
