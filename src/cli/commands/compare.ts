import { PipelineError } from '../../../base/errors.js'
import type { Judgement, Run } from '../../../cache/records.js'
import type { Store } from '../../../cache/store.js'
import { comparePaired } from '../../../stages/judge/statistics/compare-paired.js'
import { comparison, type ComparedMetric } from '../../report/comparing/comparison.js'
import { pairMetrics, scoredDocs, type PairedMetric, type ScoredDocs } from '../../report/comparing/pair-samples.js'
import type { DefineCommand, Tools } from '../command-table.js'
import { withOutput, withStore, type OutputFlags } from '../flags/evaluation-options.js'
import { openRun, storePlace, withOpenStore } from '../open-run.js'
import { storeFlag } from '../flags/store-flag.js'

const help = `
Examples:
  pipeline compare last~1 last
  pipeline compare calm-heron-19c2@1 calm-heron-19c2

Differences are the second run's against the first's, over the docs that both have a score for.`

export const defineCompare: DefineCommand = (command, tools) =>
  void withOutput(withStore(command))
    .argument('<run-a>', 'name, end of its id, or last; NAME@1 for its first judgement')
    .argument('<run-b>')
    .addHelpText('after', help)
    .action((a: string, b: string, flags: OutputFlags & { store?: string }) =>
      withOpenStore(storePlace(flags, tools), 'read', store =>
        compare(store, { a, b, isJson: flags.json === true }, tools),
      ),
    )

async function compare(
  store: Store,
  { a, b, isJson }: { a: string; b: string; isJson: boolean },
  { terminal, env }: Tools,
): Promise<void> {
  const flag = storeFlag(store.dir, env)
  const [first, second] = [await judged(store, a, flag), await judged(store, b, flag)]
  const compared = pairMetrics(first, second).map(comparedMetric)
  if (compared.length === 0) throw nothingInCommon(first, second)
  if (isJson) {
    const runs = { a: first.label, b: second.label }
    terminal.printData(JSON.stringify({ format: 1, ...runs, metrics: compared }, undefined, 2))
  } else terminal.print(comparison(compared, { a: first.label, b: second.label }, terminal.paint.out))
}

interface JudgedRun {
  readonly run: Run
  readonly judgement: Judgement
  readonly docs: ScoredDocs
  readonly label: string
}

/** @throws PipelineError where the run has no scores, with the command that makes or explains them. */
async function judged(store: Store, reference: string, flag: string): Promise<JudgedRun> {
  const { run, judgement } = await openRun(store, reference)
  const isNamed = reference.includes('@') && judgement !== undefined
  const label = isNamed ? `${run.name}@${judgement.number}` : run.name
  if (judgement?.aggregates === undefined) {
    const why = isNamed ? 'that judgement was not finished' : 'it is not judged yet'
    throw new PipelineError('usage', `${label} has no scores: ${why}. Score it:  pipeline judge ${run.name}${flag}`)
  }
  const docs = await scoredDocs(run, store.judgements.samples(run, judgement))
  if (docs.values.size === 0) {
    throw new PipelineError('usage', [
      `${label} has no scores: it is judged, and no doc has a number.`,
      `  See why:         pipeline report ${run.name}${flag}`,
      `  Score it again:  pipeline judge ${run.name}${flag}`,
    ])
  }
  return { run, judgement, docs, label }
}

function comparedMetric({ task, metric, higherIsBetter, pairs, onlyOne }: PairedMetric): ComparedMetric {
  const clusters = new Set(pairs.map(({ cluster }) => cluster))
  const isClustered = !clusters.has(undefined) && clusters.size < pairs.length
  return { task, metric, onlyOne, isClustered, ...comparePaired({ pairs, higherIsBetter }) }
}

function nothingInCommon(a: JudgedRun, b: JudgedRun): PipelineError {
  const tasks = ({ run }: JudgedRun): string => run.asked.tasks.map(({ name }) => name).join(', ')
  return new PipelineError('usage', [
    `${a.label} and ${b.label} have no metric of a task in common`,
    `  ${a.label}: ${tasks(a)}`,
    `  ${b.label}: ${tasks(b)}`,
  ])
}
