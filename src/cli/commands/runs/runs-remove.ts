import { PipelineError } from '../../../../base/errors/errors.js'
import { present } from '../../../../base/values/present.js'
import { dateTime, formatCount, formatQuantity } from '../../../../base/text/numbers.js'
import type { Run } from '../../../../cache/records.js'
import type { Store } from '../../../../cache/store.js'
import { readSince } from '../../../config/values/since.js'
import type { Paint } from '../../../present/text/layout/paint.js'
import { table } from '../../../present/text/layout/table.js'
import { modelLabel, tasksLabel } from '../../../present/text/results/run-header.js'
import { findRemovedRuns, removeEach, type RemovalChoice } from '../../../upkeep/removed-runs.js'
import { readRunAbout } from '../../../reading/runs/run-about.js'
import { askToConfirm, isPersonThere } from '../../ask-person.js'
import type { Tools } from '../../command.js'
import type { OutputFlags } from '../../flags/evaluation-options.js'
import { locateStore, withOpenStore } from '../../open-run.js'

/** The flags of `runs rm`. */
export type RemoveFlags = OutputFlags &
  Pick<RemovalChoice, 'model' | 'task' | 'state' | 'tag' | 'all'> & {
    readonly store?: string
    readonly olderThan?: string
    readonly dryRun?: boolean
    readonly yes?: boolean
  }

/** A run that is to be removed. */
export interface Removal {
  readonly run: Run
  readonly docs: number
  readonly judgements: number
}

/**
 * Removes runs. A single named run is removed at once. Several runs, or runs found by filters, are listed for confirmation first.
 *
 * @throws PipelineError if nothing is named, a run is worked on, or nobody confirms the removal of several
 */
export async function removeRuns(references: readonly string[], flags: RemoveFlags, tools: Tools): Promise<void> {
  const choice = readRemovalChoice('runs rm', references, flags, tools)
  if (choice === undefined)
    throw new PipelineError('usage', "runs rm: name runs, or choose some: --older-than 30d, --tag draft, 'nightly/*'")
  const isNamed =
    references.length === 1 && Object.keys(choice).length === 1 && !references.some(name => /[*?[]/.test(name))
  const removals = await withOpenStore(locateStore(flags, tools), 'read', store => describeRemovals(store, choice))
  if (flags.dryRun === true || !isNamed) printRemovals(removals, flags, tools)
  if (flags.dryRun === true || removals.length === 0) return
  if (!isNamed && flags.yes !== true) {
    if (!isPersonThere()) throw new PipelineError('usage', 'runs rm: nothing was removed. Confirm with --yes')
    if (!(await askToConfirm(`Remove ${formatQuantity(removals.length, 'run')}?`))) {
      tools.terminal.tell('nothing was removed')
      return
    }
  }
  const removed = await withOpenStore(locateStore(flags, tools), 'change', store =>
    removeEach(
      store,
      removals.map(({ run }) => run),
      problem => {
        if (isNamed) throw new PipelineError('usage', problem)
        tools.terminal.tell(`note: ${problem}`)
      },
    ),
  )
  if (flags.json === true)
    tools.terminal.printData(JSON.stringify({ removed: isNamed ? (removed[0] ?? null) : removed }))
  else if (flags.quiet !== true)
    tools.terminal.print(isNamed ? `removed ${removed.join(', ')}` : `removed ${formatQuantity(removed.length, 'run')}`)
}

/**
 * Reads which runs references and flags choose.
 *
 * @returns undefined if they choose none
 * @throws PipelineError (usage) if a name changes its meaning, such as `last`
 */
export function readRemovalChoice(
  command: string,
  references: readonly string[],
  { olderThan, model, task, state, tag, all }: RemoveFlags,
  tools: Tools,
): RemovalChoice | undefined {
  const changing = references.find(reference => /^last(~\d+)?$/.test(reference))
  if (changing !== undefined)
    throw new PipelineError('usage', `${command} takes a name; "${changing}" changes. Names: pipeline runs list`)
  const before = olderThan === undefined ? undefined : readSince('--older-than', olderThan, tools.clock.wallNow())
  const filters = present({ model, task, state, tag, before })
  if (references.length === 0 && Object.keys(filters).length === 0) return undefined
  return { references, ...filters, ...(all === true && { all }) }
}

/** Finds the runs that are to be removed, with their sizes. */
async function describeRemovals(store: Store, choice: RemovalChoice): Promise<readonly Removal[]> {
  const runs = await findRemovedRuns(store, choice, modelLabel)
  return Promise.all(runs.map(run => describeRemoval(store, run)))
}

/** Counts the data that is removed with a run. */
export async function describeRemoval(store: Store, run: Run): Promise<Removal> {
  const { docs } = await store.runs.counts(run)
  return { run, docs, judgements: (await store.judgements.list(run)).length }
}

function printRemovals(removals: readonly Removal[], flags: RemoveFlags, { terminal }: Tools): void {
  if (flags.json === true) {
    const runs = removals.map(({ run, docs, judgements }) => ({ name: run.name, docs, judgements }))
    if (flags.dryRun === true) terminal.printData(JSON.stringify({ would_remove: runs }, undefined, 2))
    return
  }
  if (removals.length === 0) {
    terminal.print('no run fits')
    return
  }
  if (flags.quiet === true) return
  const verb = flags.dryRun === true ? 'would be removed' : 'to be removed'
  terminal.print(removalLines(removals, `${verb}: `, '. Answers stay in the store.', terminal.paint.out))
}

/** Lists runs that are to be removed, with a line that sums them up. */
export function removalLines(removals: readonly Removal[], before: string, after: string, paint: Paint): string[] {
  const columns = [
    { title: 'run', least: 16 },
    { title: 'model', least: 10 },
    { title: 'tasks', least: 10, isCut: true },
    { title: 'docs', align: 'right' },
    { title: 'made', drop: 1 },
  ] as const
  const rows = removals.map(({ run, docs }) => [
    readRunAbout(run).title === undefined ? run.name : `${run.name} (${readRunAbout(run).title ?? ''})`,
    modelLabel(run),
    tasksLabel(run),
    formatCount(docs),
    dateTime(run.createdAt),
  ])
  const docs = removals.reduce((sum, removal) => sum + removal.docs, 0)
  const judgements = removals.reduce((sum, removal) => sum + removal.judgements, 0)
  const sum = `${formatQuantity(removals.length, 'run')} with ${formatQuantity(docs, 'doc')} and ${formatQuantity(judgements, 'judgement')}`
  return [...table(columns, rows, paint), '', `${before}${sum}${after}`]
}
