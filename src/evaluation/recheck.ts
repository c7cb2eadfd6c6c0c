/** Asks a random part of a run's requests again, to find out whether the endpoint still answers alike. */
import { createHash } from 'node:crypto'
import { PipelineError } from '../../base/errors/errors.js'
import { command, option } from '../../base/errors/option-words.js'
import { canonicalJson } from '../../base/values/canonical-json.js'
import { present } from '../../base/values/present.js'
import { without } from '../../base/values/without.js'
import type { PortableStore } from '../../cache/bundle/portable.js'
import { isSettled } from '../../cache/facts/run-state.js'
import type { Run } from '../../cache/records.js'
import type { Store } from '../../cache/store.js'
import {
  defaultTolerance,
  detectChange,
  type ChangeDecision,
  type MatchCounts,
} from '../../stages/judge/statistics/stability/detect-change.js'
import type { EvalSettings, Hooks } from '../config/settings.js'
import {
  areAnswersEqual,
  readAnswers,
  type DocAnswers,
  type RecheckSource,
} from '../reading/recheck/compare-answers.js'
import { realClock } from '../clock.js'
import { evaluateIn } from './evaluate.js'

/** The source of the share of equal answers that is expected. */
export type RecheckBasis = 'repeats' | 'earlier recheck' | 'tolerance'

/** The result of a recheck. */
export interface Recheck extends ChangeDecision {
  /** The name of the rechecked run. */
  readonly run: string
  /** The run that holds the new answers. */
  readonly recheck: string
  readonly basis: RecheckBasis
  /** Requests of docs that got no answer now. They are not counted. */
  readonly unanswered: number
  /** The docs with another answer, as `TASK/DOC`. */
  readonly differing: readonly string[]
  /** The model names that the server reported then and now. Absent if both are the requested model. */
  readonly served: { readonly then: readonly string[]; readonly now: readonly string[] }
}

/** Settings of a recheck. */
export interface RecheckSettings {
  /** The number of docs. Each task has at least one. @default 50 */
  readonly count?: number | undefined
  /** The seed of the choice of docs. @default 0 */
  readonly seed?: number | undefined
  /** The share of equal answers that is expected where neither repeats nor an earlier recheck tell. @default 0.9 */
  readonly tolerance?: number | undefined
}

/**
 * Sends the requests of a seeded random part of a run's docs again, as fresh samples. The new answers form a separate, tagged run. The old answers
 * stay. A recheck of the same docs that was interrupted less than a day ago is continued.
 *
 * @param settings the settings of the run (`resumedSettings`)
 * @throws PipelineError if the run was sampled and has no repeats, because its answers differ by chance
 * @throws the reason of the abort if it was interrupted
 */
export async function recheckRun(
  store: Store & PortableStore,
  run: Run,
  {
    settings,
    hooks,
    count = 50,
    seed = 0,
    tolerance = defaultTolerance,
  }: RecheckSettings & { readonly settings: EvalSettings; readonly hooks: Hooks },
): Promise<Recheck> {
  const source = await readAnswers(run, store.judgements.samples(run))
  if (source.docs.length === 0)
    throw new PipelineError('usage', `${run.name} has no answered doc that could be sent again.`)
  if (source.isSampled && source.repeats === undefined) throw sampledRun(run)
  const basis = await findBasis(store, run, { source, tolerance })
  const chosen = chooseDocs(source.docs, count, seed)
  const newest = await store.runs.newest()
  const settingsWithoutDocs = without(
    settings,
    'resume',
    'limit',
    'limitBy',
    'offset',
    'subset',
    'subsetSeed',
    'shard',
    'docs',
    'name',
    'note',
  )
  const samples = nameDocs(chosen)
  const begun = await findInterrupted(store, run, samples)
  if (begun !== undefined) hooks.emit({ type: 'note', text: `the interrupted recheck ${begun.name} continues` })
  const { run: recheck, counts: asking } = await evaluateIn(
    store,
    {
      ...settingsWithoutDocs,
      ...{ offset: 0, samples, fresh: true, newRun: false, tag: [formatTag(run)] },
      ...present({ begun: begun?.asked }),
    },
    { hooks, stages: { judge: false } },
  )
  // A recheck does not change which run `last` names.
  if (newest !== undefined) await store.runs.touch(newest)
  if (!isSettled(asking)) for (const signal of [hooks.drain, hooks.stop]) signal.throwIfAborted()
  const compared = await compareRecheck(store, recheck, chosen)
  if (compared.n === 0)
    throw new PipelineError('usage', [
      `None of the ${chosen.length} docs was answered.`,
      `See why: ${command('report', [recheck.name])}`,
    ])
  const { differing, served, ...counts } = compared
  return {
    ...{ run: run.name, recheck: recheck.name, basis: basis.basis, differing, served },
    unanswered: chosen.length - counts.n,
    ...detectChange(counts, basis.expected),
  }
}

const formatTag = ({ name }: Run): string => `recheck of ${name}`

/** Lists the rechecks of a run, the first one first. */
async function listRechecks(store: Store, run: Run): Promise<readonly Run[]> {
  const tags = await store.runs.tags()
  return (await store.runs.list())
    .filter(({ ref }) => tags.get(ref)?.includes(formatTag(run)) === true)
    .sort((a, b) => a.createdAt - b.createdAt)
}

/** An interrupted recheck older than this (in milliseconds) is not continued, because its answers are too old to mix with new ones. */
const longestPause = 24 * 3_600_000

/** Finds the last recheck of the same docs if some of its requests were not sent yet. */
async function findInterrupted(
  store: Store,
  run: Run,
  samples: Readonly<Record<string, readonly number[]>>,
): Promise<Run | undefined> {
  const last = (await listRechecks(store, run)).findLast(
    ({ asked: { selection } }) => canonicalJson(selection.samples ?? null) === canonicalJson(samples),
  )
  if (last === undefined || realClock.wallNow() - last.createdAt > longestPause) return undefined
  return isSettled(await store.runs.counts(last)) ? undefined : last
}

/** Docs in the order of a digest of seed, task and index: a random choice that each machine makes alike. */
function chooseDocs(docs: readonly DocAnswers[], count: number, seed: number): readonly DocAnswers[] {
  const rank = ({ task, index }: DocAnswers): string =>
    createHash('sha256').update(`${seed}\u0000${task}\u0000${index}`).digest('hex')
  const ranked = docs
    .map(doc => ({ doc, rank: rank(doc) }))
    .sort((a, b) => (a.rank < b.rank ? -1 : 1))
    .map(({ doc }) => doc)
  // A selection of docs has to name some of each task.
  const firsts = [...new Map(ranked.toReversed().map(doc => [doc.task, doc])).values()]
  const others = ranked.filter(doc => !firsts.includes(doc))
  return [...firsts, ...others.slice(0, Math.max(0, count - firsts.length))]
}

function nameDocs(docs: readonly DocAnswers[]): Readonly<Record<string, readonly number[]>> {
  const indicesByTask = new Map<string, number[]>()
  for (const { task, index } of docs) indicesByTask.set(task, [...(indicesByTask.get(task) ?? []), index])
  return Object.fromEntries([...indicesByTask].map(([task, indices]) => [task, indices.sort((a, b) => a - b)]))
}

interface Compared extends MatchCounts, Pick<Recheck, 'differing' | 'served'> {}

async function compareRecheck(store: Store, recheck: Run, docs: readonly DocAnswers[]): Promise<Compared> {
  const now = await readAnswers(recheck, store.judgements.samples(recheck))
  const nameDoc = ({ task, index }: DocAnswers): string => `${task}\u0000${index}`
  const docsByName = new Map(now.docs.map(doc => [nameDoc(doc), doc]))
  const pairs = docs.flatMap(then => {
    const again = docsByName.get(nameDoc(then))
    return again === undefined ? [] : [{ then, again }]
  })
  const differing = pairs.filter(({ then, again }) => !areAnswersEqual(then.answers, again.answers))
  const listServed = (of: readonly DocAnswers[]): readonly string[] =>
    [...new Set(of.flatMap(({ answers }) => answers.flatMap(({ served }) => served ?? [])))].sort()
  return {
    matches: pairs.length - differing.length,
    n: pairs.length,
    differing: differing.map(({ then }) => `${then.task}/${then.id}`),
    served: { then: listServed(pairs.map(({ then }) => then)), now: listServed(pairs.map(({ again }) => again)) },
  }
}

interface Basis {
  readonly basis: RecheckBasis
  readonly expected: MatchCounts | number
}

/** The minimum number of docs for a comparison with an earlier recheck. With fewer, no change would be significant. */
const fewestDocs = 5

/** The run's own repeats, else the earliest recheck that found no change, else the tolerance. */
async function findBasis(
  store: Store,
  run: Run,
  { source, tolerance }: { readonly source: RecheckSource; readonly tolerance: number },
): Promise<Basis> {
  if (source.repeats !== undefined) return { basis: 'repeats', expected: source.repeats }
  for (const recheck of await listRechecks(store, run)) {
    if (!isSettled(await store.runs.counts(recheck))) continue
    const { matches, n } = await compareRecheck(store, recheck, source.docs)
    if (n >= fewestDocs && !detectChange({ matches, n }, tolerance).isChanged)
      return { basis: 'earlier recheck', expected: { matches, n } }
  }
  return { basis: 'tolerance', expected: tolerance }
}

const sampledRun = ({ name }: Run): PipelineError =>
  new PipelineError('usage', [
    `The requests of ${name} were sampled, so that answers differ by chance, and it has no repeats that tell how often.`,
    `Recheck a run at temperature 0, or one with ${option('repeats', '2')} or more.`,
  ])
