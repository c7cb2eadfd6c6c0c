import type { Run, Judgement } from '../../../cache/records.js'
import type { Store } from '../../../cache/store.js'
import type { EvalOutcome } from '../../config/settings.js'
import { hints } from '../../present/text/results/finish-lines.js'
import { canCompareLast, hasScores } from '../../reading/comparing/pair-samples.js'
import type { SampleKind } from '../../reading/samples/sample-kinds.js'
import { sampleTest } from '../../reading/samples/sample-tests.js'
import type { Tools } from '../command.js'
import { storeFlag } from '../flags/store-flag.js'
import { withOpenStore } from '../open-run.js'
import { type DisplayedWork, locateAskedStore } from './displayed-work.js'

/** The command that continues a run without scores. */
export const stepAfter = ({ run, counts }: EvalOutcome): string =>
  counts.pending > 0 ? `pipeline resume ${run.name}` : `pipeline judge ${run.name}`

/** Suggests commands that look at a scored run. */
export async function nextSteps(outcome: EvalOutcome, asked: DisplayedWork, tools: Tools): Promise<readonly string[]> {
  const [canCompare, look] = await withOpenStore(
    locateAskedStore(asked, tools),
    'read',
    async store => [await canCompareLast(store), await worthALook(store, outcome)] as const,
  )
  return hints({
    run: outcome.run.name,
    storeFlag: storeFlag(asked.store, tools.env),
    look,
    canCompare,
    ...(asked.variant === undefined || !hasScores(outcome.judgement) ? {} : { variant: asked.variant }),
  })
}

/** Suggests the kind of docs to inspect first, if the run has any. */
async function worthALook(
  store: Pick<Store, 'judgements' | 'labels'>,
  { run, judgement, failures, unjudged: number }: EvalOutcome,
): Promise<SampleKind> {
  const whole = judgement?.aggregates?.filter(({ group }) => group === undefined) ?? []
  if (failures.length + number > 0) return 'failed'
  if (whole.some(({ unparsed }) => unparsed > 0)) return 'unparsed'
  if (whole.some(({ empty }) => empty > 0)) return 'empty'
  return judgement !== undefined && (await hasWrong(store, run, judgement)) ? 'wrong' : 'all'
}

/** The maximum number of docs that are searched for a wrong one. */
const lookedAt = 1000

async function hasWrong(store: Pick<Store, 'judgements' | 'labels'>, run: Run, judgement: Judgement): Promise<boolean> {
  const isWrong = await sampleTest(store, { run, judgement }, 'wrong')
  let looked = 0
  for await (const sample of store.judgements.samples(run, judgement)) {
    if (isWrong(sample)) return true
    if (++looked === lookedAt) break
  }
  return false
}
