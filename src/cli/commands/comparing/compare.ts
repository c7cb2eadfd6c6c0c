import type { Store } from '../../../../cache/store.js'
import { PipelineError } from '../../../../base/errors/errors.js'
import { compareSeveral } from '../../../reading/comparing/compare-runs.js'
import { rankRuns } from '../../../reading/comparing/rank-runs.js'
import { comparison } from '../../../present/text/comparing/comparison.js'
import { comparisonMatrix } from '../../../present/text/comparing/comparison-matrix.js'
import type { DefineCommand, Tools } from '../../command.js'
import { withOutput, withStore, type OutputFlags } from '../../flags/evaluation-options.js'
import { checkHtmlFile, withHtml, writeHtml } from '../../flags/html-report.js'
import { openRun, storePlace, withOpenStore, type OpenedRun } from '../../open-run.js'
import { compareHints } from '../../flags/compare-hints.js'

const help = `
Examples:
  pipeline compare last~1 last
  pipeline compare calm-heron-19c2@1 calm-heron-19c2
  pipeline compare last~1 last --margin 0.01
  pipeline compare last~2 last~1 last
  pipeline compare last~1 last --html compared.html

Differences are the second run's against the first's, over the docs that both have a score for.`

/** Defines `pipeline compare`. */
export const defineCompare: DefineCommand = (command, tools) =>
  void withHtml(withOutput(withStore(command)))
    .argument('<run-a>', 'name, end of its id, or last; NAME@1 for its first judgement')
    .argument('<run-b>')
    .argument('[more-runs...]', 'further runs: each is compared with each')
    .option('--margin <difference>', 'a difference that does not matter: runs within it are equivalent', readMargin)
    .addHelpText('after', help)
    .action((a: string, b: string, more: readonly string[], flags: CompareFlags) =>
      withOpenStore(storePlace(flags, tools), 'read', async store => {
        await checkHtmlFile(flags)
        const runs = [a, b, ...more]
        await compare(store, runs, flags, tools)
        if (flags.html === undefined) return
        const opened: OpenedRun[] = []
        for (const run of runs) opened.push(await openRun(store, run))
        await writeHtml(store, opened, flags, tools)
      }),
    )

type CompareFlags = OutputFlags & { readonly store?: string; readonly margin?: number }

function readMargin(text: string): number {
  const margin = Number(text)
  if (/\d/.test(text) && Number.isFinite(margin) && margin > 0) return margin
  throw new PipelineError('usage', `--margin: expected a number above 0, in units of the scores, given "${text}"`)
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
