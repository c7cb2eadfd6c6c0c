import type { Store } from '../../../../cache/store.js'
import { PipelineError } from '../../../../base/errors/errors.js'
import { formatQuantity } from '../../../../base/text/numbers.js'
import type { Json } from '../../../../base/values/canonical-json.js'
import { wholeNumber } from '../../../config/values/option-values.js'
import { readDocPairs } from '../../../reading/comparing/changed-docs.js'
import { compareGroups } from '../../../reading/comparing/compare-groups.js'
import { compareSeveral } from '../../../reading/comparing/compare-runs.js'
import { rankRuns } from '../../../reading/comparing/rank-runs.js'
import { shownRunName } from '../../../reading/runs/run-reference.js'
import { sampleKinds } from '../../../reading/samples/sample-kinds.js'
import { sampleJson } from '../../../present/json/sample-json.js'
import { docPairLines } from '../../../present/text/comparing/doc-pair-lines.js'
import { groupComparison } from '../../../present/text/comparing/group-comparison.js'
import { comparison } from '../../../present/text/comparing/comparison.js'
import { comparisonMatrix } from '../../../present/text/comparing/comparison-matrix.js'
import type { DefineCommand, Tools } from '../../command.js'
import { withOutput, withStore, type OutputFlags } from '../../flags/evaluation-options.js'
import { checkHtmlFile, withHtml, writeHtml } from '../../flags/html-report.js'
import { openRun, locateStore, withOpenStore, type OpenedRun } from '../../open-run.js'
import { compareHints } from '../../flags/compare-hints.js'

const help = `
Examples:
  pipeline compare last~1 last
  pipeline compare calm-heron-19c2@1 calm-heron-19c2
  pipeline compare last~1 last --margin 0.01
  pipeline compare last~2 last~1 last
  pipeline compare last~1 last --html compared.html
  pipeline compare last~1 last --samples worsened --limit 5
  pipeline compare last~1 last --by subject

A positive difference means that the second run has the higher score. Only docs that have a score in both runs are compared.`

const anyLimit = { min: 1, also: [-1], expected: 'a whole number of docs, 1 or more, or -1 for all' }

/** Defines `pipeline compare`. */
export const defineCompare: DefineCommand = (command, tools) =>
  void withHtml(withOutput(withStore(command)))
    .argument('<run-a>', 'name, end of its id, or last; NAME@1 for its first judgement')
    .argument('<run-b>', 'the run that is compared with the first')
    .argument('[more-runs...]', 'further runs: each is compared with each')
    .option('--margin <difference>', 'a difference that does not matter: runs within it are equivalent', readMargin)
    .option(
      '--samples [docs]',
      'show changed docs with both answers side by side: flipped (default), improved, worsened, all, another kind of the second run, an id or a pattern',
    )
    .option('--limit <n>', 'with --samples: maximum number of docs; -1 for all (20)', wholeNumber('--limit', anyLimit))
    .option('--by <field>', 'split the difference by a breakdown or a field of the row: which group lost')
    .addHelpText('after', help)
    .action((a: string, b: string, more: readonly string[], flags: CompareFlags) =>
      withOpenStore(locateStore(flags, tools), 'read', async store => {
        await checkHtmlFile(flags, store.location)
        const runs = [a, b, ...more]
        if (flags.by === undefined && flags.samples === undefined) await compare(store, runs, flags, tools)
        else await printDocs(store, pairIn(runs), flags, tools)
        if (flags.html === undefined) return
        const opened: OpenedRun[] = []
        for (const run of runs) opened.push(await openRun(store, run))
        await writeHtml(store, opened, flags, tools)
      }),
    )

type CompareFlags = OutputFlags & {
  readonly store?: string
  readonly margin?: number
  readonly samples?: string | true
  readonly limit?: number
  readonly by?: string
}

function readMargin(text: string): number {
  const margin = Number(text)
  if (/\d/.test(text) && Number.isFinite(margin) && margin > 0) return margin
  throw new PipelineError('usage', `--margin: expected a number above 0, in units of the scores, given "${text}"`)
}

/** @throws PipelineError (usage) if there are more than two runs */
function pairIn([a = '', b = '', ...more]: readonly string[]): readonly [string, string] {
  if (more.length === 0) return [a, b]
  throw new PipelineError('usage', '--samples and --by compare two runs: leave the others out')
}

/** Prints the difference by groups, and docs of both runs. */
async function printDocs(
  store: Store,
  [a, b]: readonly [string, string],
  flags: CompareFlags,
  { terminal, env }: Tools,
): Promise<void> {
  const { by, samples, margin, json } = flags
  const hints = compareHints(store.location, { env })
  const groups =
    by === undefined
      ? undefined
      : await compareGroups({ store, reference: a }, { store, reference: b }, { field: by, hints, margin })
  if (groups !== undefined && json !== true) terminal.print(groupComparison(groups, terminal.paint.out))
  if (samples === undefined) {
    if (json === true) terminal.printData(JSON.stringify({ format: 1, ...groups }, undefined, 2))
    return
  }
  const [first, second] = [await openRun(store, a), await openRun(store, b)]
  const kind = samples === true ? 'flipped' : sampleKinds.find(word => word === samples)
  const query = kind === undefined ? { kind: 'all' as const, docs: String(samples) } : { kind }
  const names = {
    a: first.run.name === second.run.name ? a : shownRunName(a, first.run),
    b: second.run.name === first.run.name ? b : shownRunName(b, second.run),
  }
  const limit = flags.limit === -1 ? Infinity : (flags.limit ?? 20)
  let pairCount = 0
  const rows: Json[] = []
  for await (const pair of readDocPairs(store, first, second, query)) {
    pairCount += 1
    if (pairCount > limit) continue
    if (json === true)
      rows.push({
        task: pair.task,
        doc_id: pair.id,
        a: sampleJson(first.run, pair.a),
        b: sampleJson(second.run, pair.b),
      })
    else terminal.print(docPairLines(pair, names, terminal.paint.out))
  }
  if (json === true) terminal.printData(JSON.stringify({ format: 1, ...names, ...groups, samples: rows }, undefined, 2))
  const rest = pairCount > limit ? `, the first ${limit} shown   (--limit -1 for all)` : ''
  if (flags.quiet !== true) terminal.tell(`${formatQuantity(pairCount, 'doc')} ${kind ?? 'found'}${rest}`)
}

async function compare(
  store: Store,
  runs: readonly string[],
  { json, margin }: CompareFlags,
  { terminal, env }: Tools,
): Promise<void> {
  const references = runs.map(reference => ({ store, reference }))
  const comparisons = await compareSeveral(references, { hints: compareHints(store.location, { env }), margin })
  const [only, ...others] = comparisons
  if (only === undefined) throw new Error('internal error: two runs are no pair')
  if (json === true)
    terminal.printData(
      JSON.stringify(
        others.length === 0 ? { format: 1, ...only } : { format: 1, comparisons, rankings: rankRuns(comparisons) },
        undefined,
        2,
      ),
    )
  else if (others.length > 0) terminal.print(comparisonMatrix(comparisons, terminal.paint.out))
  else terminal.print(comparison(only.metrics, only, terminal.paint.out, only.notes))
}
