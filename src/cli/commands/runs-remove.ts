import { PipelineError } from '../../../base/errors/errors.js'
import { dateTime, formatCount, formatQuantity } from '../../../base/text/numbers.js'
import { removeSeal } from '../../../cache/bundle/seal.js'
import type { Run } from '../../../cache/records.js'
import type { Store } from '../../../cache/store.js'
import { readSince } from '../../config/values/since.js'
import { table } from '../../present/text/layout/table.js'
import { modelLabel, tasksLabel } from '../../present/text/results/run-header.js'
import { chooseRuns, type RunChoice } from '../../reading/runs/choose-runs.js'
import { compileNamePattern } from '../../reading/runs/name-pattern.js'
import { readRunAbout } from '../../reading/runs/run-about.js'
import { askToConfirm, isPersonThere } from '../ask-person.js'
import type { Tools } from '../command.js'
import type { OutputFlags } from '../flags/evaluation-options.js'
import { openRun, storePlace, withOpenStore } from '../open-run.js'

/** The flags of `runs rm`. */
export type RemoveFlags = OutputFlags &
  Pick<RunChoice, 'model' | 'task' | 'state' | 'tag' | 'all'> & {
    readonly store?: string
    readonly olderThan?: string
    readonly dryRun?: boolean
    readonly yes?: boolean
  }

interface Removal {
  readonly run: Run
  readonly docs: number
  readonly judgements: number
}

/**
 * Removes runs. One run that is named is removed at once; several, or those that filters find, are listed first.
 *
 * @throws PipelineError if nothing is named, a run is worked on, or nobody confirms the removal of several
 */
export async function removeRuns(references: readonly string[], flags: RemoveFlags, tools: Tools): Promise<void> {
  const changing = references.find(reference => /^last(~\d+)?$/.test(reference))
  if (changing !== undefined)
    throw new PipelineError('usage', `runs rm takes a name; "${changing}" changes. Names: pipeline runs list`)
  const isFiltered = [flags.olderThan, flags.model, flags.task, flags.state, flags.tag].some(flag => flag !== undefined)
  if (references.length === 0 && !isFiltered)
    throw new PipelineError('usage', "runs rm: name runs, or choose some: --older-than 30d, --tag draft, 'nightly/*'")
  const isNamed = references.length === 1 && !isFiltered && !references.some(isPattern)
  const found = await withOpenStore(storePlace(flags, tools), 'read', async store => {
    const runs = await findRuns(store, references, { flags, isFiltered, tools })
    return Promise.all(runs.map(run => describeRemoval(store, run)))
  })
  if (flags.dryRun === true || !isNamed) printRemovals(found, flags, tools)
  if (flags.dryRun === true || found.length === 0) return
  if (!isNamed && flags.yes !== true) {
    if (!isPersonThere()) throw new PipelineError('usage', 'runs rm: nothing was removed. Confirm with --yes')
    if (!(await askToConfirm(`Remove ${formatQuantity(found.length, 'run')}?`))) {
      tools.terminal.tell('nothing was removed')
      return
    }
  }
  const removed = await withOpenStore(storePlace(flags, tools), 'change', store =>
    removeEach(store, found, { isNamed, tools }),
  )
  if (flags.json === true)
    tools.terminal.printData(JSON.stringify({ removed: isNamed ? (removed[0] ?? null) : removed }))
  else if (flags.quiet !== true)
    tools.terminal.print(isNamed ? `removed ${removed.join(', ')}` : `removed ${formatQuantity(removed.length, 'run')}`)
}

const isPattern = (reference: string): boolean => /[*?[]/.test(reference)

/** The runs that fit a name or pattern, if there are any, and the filters. */
async function findRuns(
  store: Store,
  references: readonly string[],
  {
    flags: { olderThan, ...filters },
    isFiltered,
    tools,
  }: { readonly flags: RemoveFlags; readonly isFiltered: boolean; readonly tools: Tools },
): Promise<readonly Run[]> {
  const named: Run[] = []
  for (const reference of references.filter(each => !isPattern(each))) named.push((await openRun(store, reference)).run)
  if (!isFiltered && named.length === references.length) return named
  const { model, task, state, tag, all } = filters
  const before = olderThan === undefined ? undefined : readSince('--older-than', olderThan, tools.clock.wallNow())
  const chosen = await chooseRuns(store, { model, task, state, tag, all, before }, modelLabel)
  if (references.length === 0) return chosen
  const refs = new Set(named.map(({ ref }) => ref))
  const patterns = references.filter(isPattern).map(compileNamePattern)
  const isMeant = (run: Run): boolean =>
    refs.has(run.ref) || patterns.some(fits => fits(run.name) || fits(readRunAbout(run).title ?? ''))
  return [...named.filter(run => !isFiltered && !chosen.some(({ ref }) => ref === run.ref)), ...chosen.filter(isMeant)]
}

async function describeRemoval(store: Store, run: Run): Promise<Removal> {
  const { docs } = await store.runs.counts(run)
  return { run, docs, judgements: (await store.judgements.list(run)).length }
}

function printRemovals(found: readonly Removal[], flags: RemoveFlags, { terminal }: Tools): void {
  if (flags.json === true) {
    const runs = found.map(({ run, docs, judgements }) => ({ name: run.name, docs, judgements }))
    if (flags.dryRun === true) terminal.printData(JSON.stringify({ would_remove: runs }, undefined, 2))
    return
  }
  if (found.length === 0) {
    terminal.print('no run fits')
    return
  }
  if (flags.quiet === true) return
  const columns = [
    { title: 'run', least: 16 },
    { title: 'model', least: 10 },
    { title: 'tasks', least: 10, isCut: true },
    { title: 'docs', align: 'right' },
    { title: 'made', drop: 1 },
  ] as const
  const rows = found.map(({ run, docs }) => [
    readRunAbout(run).title === undefined ? run.name : `${run.name} (${readRunAbout(run).title ?? ''})`,
    modelLabel(run),
    tasksLabel(run),
    formatCount(docs),
    dateTime(run.createdAt),
  ])
  const docs = found.reduce((sum, removal) => sum + removal.docs, 0)
  const judgements = found.reduce((sum, removal) => sum + removal.judgements, 0)
  terminal.print([
    ...table(columns, rows, terminal.paint.out),
    '',
    `${flags.dryRun === true ? 'would be removed' : 'to be removed'}: ${formatQuantity(found.length, 'run')} with ${formatQuantity(docs, 'doc')} and ${formatQuantity(judgements, 'judgement')}. Answers stay in the store.`,
  ])
}

async function removeEach(
  store: Store,
  found: readonly Removal[],
  { isNamed, tools }: { readonly isNamed: boolean; readonly tools: Tools },
): Promise<readonly string[]> {
  const removed: string[] = []
  for (const { run } of found) {
    if (await store.runs.isWorkedOnElsewhere(run)) {
      const problem = `run ${run.name} is worked on by another process: end that first`
      if (isNamed) throw new PipelineError('usage', problem)
      tools.terminal.tell(`note: ${problem}`)
      continue
    }
    await removeSeal(store, run)
    await store.runs.remove(run)
    removed.push(run.name)
  }
  return removed
}
