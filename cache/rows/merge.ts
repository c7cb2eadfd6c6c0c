/** The part of an import of a bundle that is the same in every store. */
import { PipelineError } from '../../base/errors/errors.js'
import {
  conflictMessage,
  type Conflict,
  type FailureRow,
  type ImportOutcome,
  type ItemRow,
  type OnConflict,
  type PortableJudgement,
  type RowCounts,
} from '../bundle/portable.js'
import { parseDigest } from '../digest.js'
import { mostTags } from '../facts/label-rules.js'
import type { MadeLabel, RunSpec } from '../records.js'
import type { RequestKeys } from '../request-keys.js'
import { judgingKeys } from './judging/judgements.js'
import { preimageKinds } from './key-checks.js'

/** The state of an import. */
export interface MergeState {
  readonly run: number
  /** True if the run holds requests to a judge model, whose records only name the doc that asked first. */
  readonly holdsJudgeCalls: boolean
  /** The numbers of the run's tasks by name. */
  readonly tasks: ReadonlyMap<string, number>
  readonly added: Mutable<RowCounts>
  readonly present: Mutable<RowCounts>
  readonly conflicts: Conflict[]
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

/** Starts the import of a run. @param run the number of its row */
export const startMergeState = (run: number, spec: RunSpec): MergeState => ({
  run,
  holdsJudgeCalls: spec.judge !== undefined,
  tasks: new Map(spec.tasks.map(({ name }, index) => [name, index])),
  added: { items: 0, responses: 0, scores: 0 },
  present: { items: 0, responses: 0, scores: 0 },
  conflicts: [],
})

/**
 * Sums up the import of a run and of the runs that hold its judge calls.
 *
 * @throws PipelineError (bundle) if there are conflicts and the policy is `refuse`
 */
export function summarizeMerge(
  name: string,
  {
    state,
    calls,
    onConflict,
  }: { readonly state: MergeState; readonly calls: readonly MergeState[]; readonly onConflict: OnConflict },
): Pick<ImportOutcome, 'added' | 'present' | 'conflicts' | 'judgeCalls'> {
  const conflicts = [state, ...calls].flatMap(part => part.conflicts)
  if (conflicts.length > 0 && onConflict === 'refuse')
    throw new PipelineError('bundle', conflictMessage(name, conflicts), {
      reason: 'bundle-conflict',
      data: { run: name, conflicts: conflicts.length },
    })
  const judgeCalls = {
    added: calls.reduce((sum, { added }) => sum + added.responses, 0),
    present: calls.reduce((sum, { present }) => sum + present.responses, 0),
  }
  const { added, present } = state
  return { added, present, conflicts, ...(calls.length > 0 && { judgeCalls }) }
}

/** Returns the number of a task in its run. @throws PipelineError (bundle) if the run has no such task */
export function taskNumber({ tasks }: Pick<MergeState, 'tasks'>, name: string): number {
  const number = tasks.get(name)
  if (number === undefined)
    throw new PipelineError('bundle', `the bundle has rows of a task "${name}" that its run does not name`)
  return number
}

/** Checks a kind of preimage that a bundle names. */
export function parsePreimageKind(kind: string): (typeof preimageKinds)[number] {
  const match = preimageKinds.find(name => name === kind)
  if (match === undefined)
    throw new PipelineError(
      'bundle',
      `the bundle has a preimage of unknown kind ${JSON.stringify(kind)}: it needs a newer version of pipeline`,
    )
  return match
}

/**
 * Returns the keys of an item's request. They are undefined for a broken doc, which has none. The config's preimage is
 * empty because preimages are merged first, so that the store has it already.
 */
export function readRequestKeys(row: ItemRow): RequestKeys | undefined {
  const { response_key, input_key, input, config_key, code_key, sample, draw } = row
  if (response_key === null || input_key === null || input === null || config_key === null || code_key === null)
    return undefined
  return {
    response: parseDigest(response_key),
    input: { key: parseDigest(input_key), preimage: input },
    config: { key: parseDigest(config_key), preimage: '' },
    code: parseDigest(code_key),
    sample: draw ?? sample,
  }
}

/** Notes that an item has another content in the bundle than in the store. */
export function addItemConflict({ conflicts }: Pick<MergeState, 'conflicts'>, row: ItemRow): void {
  const which = row.choice > 0 || row.sample > 0 ? ` choice ${row.choice} sample ${row.sample}` : ''
  conflicts.push({ kind: 'item', key: `${row.task}/${row.doc_id}${which}` })
}

/** Makes the error for a failure whose item the bundle lacks. */
export const lostItemError = ({ task, doc_index }: FailureRow): PipelineError =>
  new PipelineError('bundle', `the bundle has a failure of ${task}/${doc_index}, which it does not have`)

/** Returns the keys of the rules that a judgement has for a task. @throws PipelineError (bundle) if it has none */
export function readJudgingKeys(from: PortableJudgement, task: number): ReturnType<typeof judgingKeys> {
  const judging = from.tasks[task]
  if (judging === undefined)
    throw new PipelineError('bundle', `the bundle's judgement ${from.number} has no rules for its task ${task}`)
  return judgingKeys(judging)
}

/** Makes the error for a label of a doc that the run does not have. */
export const foreignLabelError = ({ author, task, doc }: MadeLabel): PipelineError =>
  new PipelineError('bundle', `the label of ${author} of ${task}/${doc} is of no doc of this run`)

/** @throws PipelineError (bundle) if the run would have too many tags */
export function checkTagCount(ours: readonly string[], theirs: readonly string[]): void {
  const { size } = new Set([...ours, ...theirs])
  if (size > mostTags)
    throw new PipelineError(
      'bundle',
      `the run would have ${size} tags, those here and those of the bundle; at most ${mostTags} are possible. Take some away first.`,
    )
}
