import { PipelineError } from '../../../base/errors/errors.js'
import { valueKind } from '../../../base/values/value-kind.js'
import type { Run } from '../../../cache/records.js'

/** A run that a function of this library returned, or its name (`last`, `calm-heron-19c2`, `calm-heron-19c2@1`). */
export type RunOrName = string | { readonly run: Pick<Run, 'name'>; readonly store: string }

/** Reads the name of a run from a result or a reference. @throws PipelineError (usage) if the value is no run */
export function readRunName(run: RunOrName): string {
  requireRun(run)
  return typeof run === 'string' ? run : run.run.name
}

/** Makes a list of one run or several. @throws PipelineError (usage) if a value is no run */
export function toRunList(runOrRuns: RunOrName | readonly RunOrName[]): readonly RunOrName[] {
  const runs = isList(runOrRuns) ? runOrRuns : [runOrRuns]
  for (const run of runs) requireRun(run)
  return runs
}

/** `Array.isArray` does not narrow a union with a read-only array. */
const isList = (runOrRuns: RunOrName | readonly RunOrName[]): runOrRuns is readonly RunOrName[] =>
  Array.isArray(runOrRuns)

/** @throws PipelineError (usage) if a value is no run, which TypeScript does not find in a JavaScript program */
export function requireRun(value: unknown): asserts value is RunOrName {
  if (isRun(value)) return
  const advice = value instanceof Promise ? '. Write await before the call that returns it' : ''
  throw new PipelineError(
    'usage',
    `expected a run, which is a name such as 'last' or what evaluate() returns, given ${valueKind(value)}${advice}`,
  )
}

/** Tells whether a value is a run or its name. */
export function isRun(value: unknown): value is RunOrName {
  if (typeof value === 'string') return true
  if (typeof value !== 'object' || value === null || !('run' in value)) return false
  const { run } = value
  return typeof run === 'object' && run !== null && 'name' in run && typeof run.name === 'string'
}
