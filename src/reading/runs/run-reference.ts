import { PipelineError } from '../../../base/errors/errors.js'
import { command } from '../../../base/errors/option-words.js'
import { didYouMean } from '../../../base/text/suggest.js'
import type { RunKey } from '../../../cache/digest.js'
import type { Run } from '../../../cache/records.js'
import type { OpenedRun, Store } from '../../../cache/store.js'
import { readRunAbout } from './run-about.js'

/** A run, with the number of a judgement if the reference names one (`NAME@2`). */
export interface RunReference<R> {
  readonly run: R
  readonly judgement?: number
}

type RunIdentity = Pick<Run, 'id' | 'name'>

/**
 * Finds a run by a reference. A reference is a generated name or id, a unique beginning or end of one, a `--name` (the newest such run; `NAME~1` is
 * the run before), `last`, or `last~1`. The suffix `@2` selects the second judgement. Only a search for a `--name` reads other runs, because a store
 * may hold thousands.
 *
 * @throws PipelineError if no run matches, or several do
 */
export async function findRun({ runs }: Pick<Store, 'runs'>, reference: string): Promise<RunReference<Run>> {
  const [, name = reference, number] = /^(.*)@(\d+)$/.exec(reference) ?? []
  const judgement = number === undefined ? {} : { judgement: Number(number) }
  const runByKey = /^sha256:[0-9a-f]{64}$/.test(name) ? await runs.find(name as RunKey) : undefined
  if (runByKey !== undefined) return { run: runByKey, ...judgement }
  const back = /^last(?:~(\d+))?$/.exec(name)
  if (back !== null) return { run: await fromLast(runs, name, Number(back[1] ?? 0)), ...judgement }
  const names = await runs.names()
  const whole = names.filter(entry => isNamed(entry, name))
  const titled = whole.length === 0 ? await findTitled(runs, name) : undefined
  if (titled?.run !== undefined) return { run: titled.run, ...judgement }
  const run = await runs.find(chooseByName(name, whole, { names, titles: titled?.titles ?? [] }).id)
  // Another process may have removed it a moment ago.
  if (run === undefined) throw noRun(name, '')
  return { run, ...judgement }
}

async function fromLast(runs: Store['runs'], reference: string, back: number): Promise<Run> {
  const { runs: pageRuns, total } = await runs.page({ offset: Math.min(back, mostBack), limit: 1 })
  const [run] = pageRuns
  if (run !== undefined) return run
  throw noRun(reference, `The store holds ${total === 1 ? '1 run' : `${total} runs`}`)
}

const mostBack = 1e9

/** Finds the newest run with this `--name`, or the run `back` steps before it. It also returns all names, for suggestions. */
async function findTitled(
  runs: Store['runs'],
  reference: string,
): Promise<{ readonly run?: Run | undefined; readonly titles: readonly string[] }> {
  const [, name = reference, back = '0'] = /^(.*)~(\d+)$/.exec(reference) ?? []
  const titled = (await runs.list()).map(run => ({ run, title: readRunAbout(run).title }))
  const matchingRuns = titled.filter(({ title }) => title === name)
  return { run: matchingRuns.at(-1 - Number(back))?.run, titles: titled.flatMap(({ title }) => title ?? []) }
}

const isNamed = ({ id, name }: RunIdentity, reference: string): boolean =>
  name === reference || id === reference || bare(id) === reference

function chooseByName(
  reference: string,
  whole: readonly RunIdentity[],
  { names, titles }: { readonly names: readonly RunIdentity[]; readonly titles: readonly string[] },
): RunIdentity {
  const isPart = ({ id, name }: RunIdentity): boolean =>
    reference.length >= 2 && [name, bare(id)].some(text => text.startsWith(reference) || text.endsWith(reference))
  const matching = whole.length > 0 ? whole : names.filter(isPart)
  const [run, ...others] = matching
  if (run === undefined) {
    const knownNames = [...new Set(titles), ...names.map(({ name }) => name)]
    throw noRun(reference, didYouMean(reference, knownNames).trim())
  }
  if (others.length === 0) return run
  const references = matching.map(({ name, id }) => (whole.length > 0 ? `${name} (${bare(id).slice(0, 12)})` : name))
  throw new PipelineError(
    'usage',
    `"${reference}" may be ${references.slice(0, 5).join(', ')}${references.length > 5 ? ', …' : ''}: say more of it`,
  )
}

const bare = (id: string): string => id.replace(/^sha256:/, '')

const noRun = (reference: string, why: string): PipelineError =>
  new PipelineError('usage', `no run "${reference}".${why === '' ? '' : ` ${why}`}   (${command('runs list')})`)

/** Returns the name of a run in the words of the reference: its `--name` if the reference uses that, else its generated name. */
export function shownRunName(reference: string, run: Run): string {
  const [, name = reference] = /^(.*)@\d+$/.exec(reference) ?? []
  const { title } = readRunAbout(run)
  return title !== undefined && name.replace(/~\d+$/, '') === title ? name : run.name
}

/** Finds a run by a reference, with its judgement. @throws PipelineError if the run or the judgement does not exist */
export async function openRun(store: Store, reference: string): Promise<OpenedRun> {
  const { run, judgement: number } = await findRun(store, reference)
  const judgements = await store.judgements.list(run)
  if (number === undefined) {
    const newest = judgements.findLast(({ finishedAt }) => finishedAt !== undefined)
    return { run, ...(newest && { judgement: newest }) }
  }
  const judgement = judgements.find(candidate => candidate.number === number)
  if (judgement !== undefined) return { run, judgement }
  const there = judgements.map(candidate => `@${candidate.number}`).join(', ')
  throw new PipelineError(
    'usage',
    `${run.name} has no judgement @${number}; it has ${there === '' ? 'none' : there}   (${command('judge', [run.name])})`,
  )
}
