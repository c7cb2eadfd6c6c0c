/** Prints docs of a run, for `report --samples` and its filters. */
import type { Command } from 'commander'
import { formatQuantity } from '../../../../base/text/numbers.js'
import type { MediaDigest } from '../../../../cache/digest.js'
import type { Store } from '../../../../cache/store.js'
import { appendText, wholeNumber } from '../../../config/values/option-values.js'
import { addRounds } from '../../../model/kept-conversations.js'
import { sampleJson } from '../../../present/json/sample-json.js'
import { sampleLines } from '../../../present/text/sample-lines.js'
import { openJudgeExchanges } from '../../../reading/samples/judge-exchanges.js'
import { explainUnknown } from '../../../reading/samples/choose-samples.js'
import { makeSampleFilter, type SampleConditions } from '../../../reading/samples/sample-filter.js'
import { comparedKinds, sampleKinds, type SampleKind } from '../../../reading/samples/sample-kinds.js'
import { sampleTest } from '../../../reading/samples/sample-tests.js'
import type { Tools } from '../../command.js'
import type { OutputFlags } from '../../flags/evaluation-options.js'
import { openRun, type OpenedRun } from '../../open-run.js'

/** The flags that select docs. */
export interface SampleFlags extends Omit<SampleConditions, 'docs'> {
  readonly samples?: string
  readonly against?: string
  readonly limit?: number
}

const anyLimit = { min: 1, also: [-1], expected: 'a whole number of docs, 1 or more, or -1 for all' }

/** Adds the flags that select docs to a command. */
export const withSampleFlags = (command: Command): Command =>
  command
    .option(
      '--samples <docs>',
      `show docs with prompt, answer, target and extracted answer: an id or pattern (12, 'shapes_vqa/*'), or a kind: ${sampleKinds.join(', ')}`,
    )
    .option(
      '--where <field=value>',
      'only docs with this value of a breakdown or of the row; may be repeated',
      appendText,
    )
    .option(
      '--score <condition>',
      "only docs whose score meets this condition, such as 'acc<1'; may be repeated",
      appendText,
    )
    .option('--answer <regex>', 'only docs with an answer that contains this regular expression')
    .option('--against <run>', `with --samples ${[...comparedKinds].join(', ')}: the run to compare with`)
    .option('--limit <n>', 'maximum number of docs that are shown; -1 for all (20)', wholeNumber('--limit', anyLimit))

/** Tells whether the flags select docs. A filter alone selects all docs that pass it. */
export const asksForSamples = ({ samples, where, score, answer }: SampleFlags): boolean =>
  [samples, where, score, answer].some(flag => flag !== undefined)

/**
 * Prints the docs that the flags select.
 *
 * @throws PipelineError (usage) if a filter cannot be read, or names a doc, field or metric that the run does not have
 */
export async function printSamples(
  store: Store,
  opened: OpenedRun,
  { flags, tools: { terminal } }: { readonly flags: SampleFlags & OutputFlags; readonly tools: Tools },
): Promise<void> {
  const { run, judgement } = opened
  const { samples = 'all', where, score, answer } = flags
  const kind: SampleKind | undefined = sampleKinds.find(word => word === samples)
  const against = flags.against === undefined ? undefined : await openRun(store, flags.against)
  const isOfKind = await sampleTest(store, opened, kind ?? 'all', against)
  const filter = makeSampleFilter(opened, {
    ...(kind === undefined && { docs: samples }),
    ...(where && { where }),
    ...(score && { score }),
    ...(answer !== undefined && { answer }),
  })
  const exchanges = await openJudgeExchanges(store, opened)
  const limit = flags.limit === -1 ? Infinity : (flags.limit ?? 20)
  let sampleCount = 0
  for await (const sample of store.judgements.samples(run, judgement)) {
    // The filter sees all docs, because it checks names.
    if (!filter.passes(sample) || !isOfKind(sample)) continue
    sampleCount += 1
    if (sampleCount > limit) continue
    const sampleWithRounds = await addRounds(store, run, sample)
    const judged = await exchanges.read(sample)
    if (flags.json === true) terminal.printData(JSON.stringify(sampleJson(run, sampleWithRounds, judged)))
    else {
      const mediaPath = (digest: MediaDigest): string => store.media.locate(digest)
      terminal.print(sampleLines({ run, sample: sampleWithRounds, exchanges: judged }, mediaPath, terminal.paint.out))
    }
  }
  const rest = sampleCount > limit ? `, the first ${limit} shown   (--limit -1 for all)` : ''
  const isFiltered = kind === undefined || [where, score, answer].some(flag => flag !== undefined)
  const words = [...(kind === 'all' || kind === undefined ? [] : [kind]), ...(isFiltered ? ['found'] : [])].join(', ')
  const unknown = explainUnknown(filter, kind, samples)
  if (unknown !== undefined && sampleCount === 0) throw unknown
  if (unknown !== undefined) terminal.tell(unknown.said.map(line => `note: ${line}`))
  if (flags.quiet !== true)
    terminal.tell(`${formatQuantity(sampleCount, 'doc')} ${words === '' ? 'in all' : words}${rest}`)
}
