import { shownAddress } from '../../base/text/server-address.js'
import { canonicalJson, type Json } from '../../base/values/canonical-json.js'
import { PipelineError } from '../../base/errors/errors.js'
import { without } from '../../base/values/without.js'
import { buildInfo } from '../../cache/code/build-info.js'
import type { JsonObject, Run } from '../../cache/records.js'
import type { OpenedRun } from '../../cache/store.js'
import type { EvalSettings, Hooks } from '../config/settings.js'
import type { Plan } from '../evaluation/plan.js'
import { describeChanges, addRunIdentity } from '../evaluation/which-run.js'
import { collectProvenance } from '../present/page/runs/provenance.js'
import { withPlan } from './preview.js'

/** A version of the program or of Node, when the run began and now. */
export interface VersionChange {
  readonly name: 'version' | 'commit' | 'uncommitted changes' | 'node'
  readonly then: string
  readonly now: string
}

/** A run's command line, and how an evaluation by it would differ now. */
export interface Reproduction {
  readonly run: string
  /** The command line, with the change to the run's folder before it. Secrets are left out. */
  readonly command: string
  /** The configuration as a file, where a command line cannot hold it. */
  readonly yaml: string
  readonly versions: readonly VersionChange[]
  /** Whether the same command would be this run: the same docs, prompts, model and code. Null if it is unknown. */
  readonly isSameRun: boolean | null
  /** Sentences about tasks, data, model, code and settings that changed. */
  readonly changes: readonly string[]
  /** Sentences about rules and code of the scoring that changed. */
  readonly scoringChanges: readonly string[]
  /** The reason why nothing more is known, such as data or a file that is missing. */
  readonly problem?: string
}

/**
 * Compares a run with what its command would be now: versions, code, data, model files, settings and scoring. Nothing
 * is sent, and the store stays unchanged. Missing data is downloaded.
 *
 * @param settings the settings of the run, or why they cannot be read
 */
export async function compareReproduction(
  opened: OpenedRun,
  settings: EvalSettings | PipelineError,
  hooks: Hooks,
): Promise<Reproduction> {
  const { run } = opened
  const { command, yaml } = collectProvenance(run, {}, listFurtherSettings(run, settings))
  const facts = { run: run.name, command, yaml, versions: listVersionChanges(run) }
  const unknown = { isSameRun: null, changes: [], scoringChanges: [] }
  if (settings instanceof PipelineError) return { ...facts, ...unknown, problem: settings.message }
  try {
    // The plan must not count repeats and samples further: those of the run are compared.
    const counted = { ...without(settings, 'resume'), fresh: false, newRun: false }
    return await withPlan(counted, hooks, plan => {
      const changes = describeChanges(run.asked, addRunIdentity(run.asked, plan.asked))
      const scoringChanges = listScoringChanges(opened, plan)
      return Promise.resolve({ ...facts, isSameRun: changes.length === 0, changes, scoringChanges })
    })
  } catch (error) {
    if (!(error instanceof PipelineError)) throw error
    return { ...facts, ...unknown, problem: error.message }
  }
}

/** The store is no part of the stored configuration, and neither is that a run is a numbered repeat. */
function listFurtherSettings({ asked }: Run, settings: EvalSettings | PipelineError): JsonObject {
  const isFresh = asked.selection.firstSample !== undefined
  return {
    ...(isFresh ? { fresh: true } : asked.repeat === undefined ? {} : { new_run: true }),
    ...(settings instanceof PipelineError ? {} : { store: shownAddress(settings.store) }),
  }
}

function listVersionChanges({ provenance }: Run): readonly VersionChange[] {
  const { version, commit, dirty } = buildInfo()
  const formatDirty = (isDirty: boolean | undefined): string => (isDirty === true ? 'yes' : 'no')
  const pairs: readonly VersionChange[] = [
    { name: 'version', then: provenance.version, now: version },
    { name: 'commit', then: provenance.commit ?? 'unknown', now: commit ?? 'unknown' },
    { name: 'uncommitted changes', then: formatDirty(provenance.dirty), now: formatDirty(dirty) },
    { name: 'node', then: provenance.node, now: process.version },
  ]
  return pairs.filter(({ then, now }) => then !== now)
}

/** Compares with the judgement that is open, if there is one. */
function listScoringChanges({ run, judgement }: OpenedRun, { scorers }: Plan): readonly string[] {
  if (judgement === undefined) return []
  const isOther = (a: object | undefined, b: object | undefined): boolean =>
    canonicalJson((a ?? null) as Json) !== canonicalJson((b ?? null) as Json)
  return run.asked.tasks.flatMap(({ name }, i) => {
    const now = scorers.find(({ task }) => task === name)?.judging
    const then = judgement.tasks[i]?.judging
    if (now === undefined || then === undefined) return []
    return [
      ...(isOther(then.config, now.config)
        ? [`The rules of scoring of task ${name} changed since the judgement.`]
        : []),
      ...(isOther(then.scorer, now.scorer) ? [`The code of scoring of task ${name} changed since the judgement.`] : []),
    ]
  })
}
