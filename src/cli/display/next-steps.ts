import type { Run, Judgement } from '../../../cache/records.js'
import type { Store } from '../../../cache/store.js'
import type { EvalOutcome } from '../../config/settings.js'
import { describeHeldTargets, hints } from '../../present/text/results/finish-lines.js'
import { canCompareLast, hasScores } from '../../reading/comparing/pair-samples.js'
import { findHeldTargets } from '../../reading/samples/held-target.js'
import type { SampleKind } from '../../reading/samples/sample-kinds.js'
import { sampleTest } from '../../reading/samples/sample-tests.js'
import type { Tools } from '../command.js'
import { storeFlag } from '../flags/store-flag.js'
import { withOpenStore } from '../open-run.js'
import { type DisplayedWork, locateAskedStore } from './displayed-work.js'

/** The command that continues a run without scores. */
export const stepAfter = ({ run, counts }: EvalOutcome): string =>
  counts.pending > 0 ? `pipeline resume ${run.name}` : `pipeline judge ${run.name}`

/** The suggestions after a run was scored. */
export interface NextSteps {
  readonly commands: readonly string[]
  /** A note about a metric that may not fit the answers. */
  readonly note?: string
}

/** Suggests commands that look at a scored run, and another metric where its own reads none of the answers. */
export async function suggestNextSteps(outcome: EvalOutcome, asked: DisplayedWork, tools: Tools): Promise<NextSteps> {
  const { run, judgement } = outcome
  const { canCompare, look, held } = await withOpenStore(locateAskedStore(asked, tools), 'read', async store => ({
    canCompare: await canCompareLast(store),
    look: await worthALook(store, outcome),
    held: judgement && (await findHeldTargets(store, run, judgement)),
  }))
  return {
    commands: hints({
      run: run.name,
      storeFlag: storeFlag(asked.store, tools.env),
      look,
      canCompare,
      ...(asked.variant === undefined || !hasScores(judgement) ? {} : { variant: asked.variant }),
    }),
    ...(held && { note: describeHeldTargets(held) }),
  }
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
