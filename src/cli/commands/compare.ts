import type { Store } from '../../../cache/store.js'
import { compareRuns } from '../../report/comparing/compare-runs.js'
import { comparison } from '../../report/comparing/comparison.js'
import type { DefineCommand, Tools } from '../command.js'
import { withOutput, withStore, type OutputFlags } from '../flags/evaluation-options.js'
import { checkHtmlFile, withHtml, writeHtml } from '../flags/html-report.js'
import { openRun, storePlace, withOpenStore } from '../open-run.js'
import { storeFlag } from '../flags/store-flag.js'

const help = `
Examples:
  pipeline compare last~1 last
  pipeline compare calm-heron-19c2@1 calm-heron-19c2
  pipeline compare last~1 last --html compared.html

Differences are the second run's against the first's, over the docs that both have a score for.`

export const defineCompare: DefineCommand = (command, tools) =>
  void withHtml(withOutput(withStore(command)))
    .argument('<run-a>', 'name, end of its id, or last; NAME@1 for its first judgement')
    .argument('<run-b>')
    .addHelpText('after', help)
    .action((a: string, b: string, flags: OutputFlags & { store?: string }) =>
      withOpenStore(storePlace(flags, tools), 'read', async store => {
        await checkHtmlFile(flags)
        await compare(store, { a, b, isJson: flags.json === true }, tools)
        if (flags.html !== undefined)
          await writeHtml(store, [await openRun(store, a), await openRun(store, b)], flags, tools)
      }),
    )

async function compare(
  store: Store,
  { a, b, isJson }: { a: string; b: string; isJson: boolean },
  { terminal, env }: Tools,
): Promise<void> {
  const flag = storeFlag(store.dir, env)
  const compared = await compareRuns(
    { store, reference: a },
    { store, reference: b },
    { judge: ({ name }) => `pipeline judge ${name}${flag}`, report: ({ name }) => `pipeline report ${name}${flag}` },
  )
  if (isJson) terminal.printData(JSON.stringify({ format: 1, ...compared }, undefined, 2))
  else terminal.print(comparison(compared.metrics, compared, terminal.paint.out, compared.notes))
}
