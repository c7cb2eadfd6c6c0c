import type { Store } from '../../../cache/store.js'
import type { EvalOutcome } from '../../config/settings.js'
import { describeHeldTargets, describeLeftReasoning, hints } from '../../present/text/results/finish-lines.js'
import { canCompareLast, hasScores } from '../../reading/comparing/pair-samples.js'
import { countHeldTargets, type HeldTargets } from '../../reading/samples/held-target.js'
import { countLeftReasoning, mostInspected, type LeftReasoning } from '../../reading/samples/left-reasoning.js'
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
export async function suggestNextSteps(outcome: EvalOutcome, display: DisplayedWork, tools: Tools): Promise<NextSteps> {
  const { run, judgement } = outcome
  const { canCompare, look, held, left } = await withOpenStore(
    locateAskedStore(display, tools),
    'read',
    async store => ({
      canCompare: await canCompareLast(store),
      ...(await inspectSamples(store, outcome)),
    }),
  )
  return {
    commands: hints({
      run: run.name,
      storeFlag: storeFlag(display.store, tools.env),
      look,
      canCompare,
      ...(display.variant === undefined || !hasScores(judgement) ? {} : { variant: display.variant }),
    }),
    ...(held && { note: describeHeldTargets(held) }),
    ...(left && { note: describeLeftReasoning(left) }),
  }
}

/** The maximum number of samples that are searched for a wrong one, and for held targets. */
const lookedAt = 1000

/** Reads the first samples once: for the kind of docs to inspect first, and for a metric that may not fit. */
async function inspectSamples(
  store: Pick<Store, 'judgements' | 'labels'>,
  outcome: EvalOutcome,
): Promise<{
  readonly look: SampleKind
  readonly held?: HeldTargets | undefined
  readonly left?: LeftReasoning | undefined
}> {
  const { run, judgement } = outcome
  const kind = knownKind(outcome)
  if (judgement === undefined) return { look: kind ?? 'all' }
  const targets = countHeldTargets(run, judgement)
  const reasoning = countLeftReasoning(run)
  const isWrong = kind === undefined ? await sampleTest(store, { run, judgement }, 'wrong') : () => false
  let [looked, hasWrong] = [0, false]
  for await (const sample of store.judgements.samples(run, judgement)) {
    hasWrong ||= isWrong(sample)
    targets.add(sample)
    reasoning.add(sample)
    const isDone = (kind !== undefined || hasWrong) && !targets.isNeeded
    if (++looked === lookedAt || (isDone && looked >= mostInspected)) break
  }
  return { look: kind ?? (hasWrong ? 'wrong' : 'all'), held: targets.find(), left: reasoning.find() }
}

/** The kind of docs to inspect first that the totals tell; undefined if samples must be read. */
function knownKind({ judgement, failures, unjudged: number }: EvalOutcome): SampleKind | undefined {
  const whole = judgement?.aggregates?.filter(({ group }) => group === undefined) ?? []
  if (failures.length + number > 0) return 'failed'
  if (whole.some(({ unparsed }) => unparsed > 0)) return 'unparsed'
  return whole.some(({ empty }) => empty > 0) ? 'empty' : undefined
}
