/** Chooses which judge models score a task, and writes them into its score keys. */
import { PipelineError } from '../../base/errors/errors.js'
import { option } from '../../base/errors/option-words.js'
import { canonicalJson } from '../../base/values/canonical-json.js'
import type { JsonObject, ScoringRules, StoredScoring } from '../../cache/records.js'
import { listAskingMetrics } from '../../stages/judge/compile/judges-of.js'
import type { JudgeRegistry } from '../../stages/judge/compile/registry.js'
import { scoringConfig, type ScoringSpec } from '../../stages/judge/compile/scoring-spec.js'
import type { AskJudge, PanelJudge } from '../../stages/judge/define/judge-model.js'
import type { Parity } from '../../stages/judge/define/parity.js'
import type { Judges, NamedJudge } from './judges.js'

/** The judges of a task as its scorer needs them. */
export interface ChosenJudges {
  /** Parts of the scoring rules, and so of each score's key: `judge` for the task, `judges` for single metrics. */
  readonly identities: Pick<ScoringRules, 'judge' | 'judges'>
  readonly askers: Pick<ScoringSpec, 'ask' | 'judges'>
}

/**
 * Chooses the judges of a task's metrics.
 *
 * @throws PipelineError if a panel is configured for a task whose function computes all values, because such a function calls one judge
 */
export function chooseJudges(
  task: string,
  scoring: StoredScoring,
  {
    judges,
    parity,
    ...known
  }: {
    readonly judges: Pick<Judges, 'select'>
    readonly registry: JudgeRegistry
    readonly functions: Readonly<Record<string, unknown>>
    readonly parity: Parity | undefined
  },
): ChosenJudges {
  const isWhole = scoring.process_results !== undefined
  const metrics = isWhole ? [] : listAskingMetrics(scoring.config, known)
  // A task that asks no judge is not offered, so that naming it for a judge is an error.
  if (!isWhole && metrics.length === 0) return { identities: {}, askers: {} }
  const { whole, byMetric } = judges.select(task, metrics)
  if (isWhole && whole.length > 1)
    throw new PipelineError(
      'usage',
      `${option('judgeFor')}: ${task} computes its values with process_results, which asks one judge. Name one judge for it, not a panel of ${whole.length}`,
    )
  const ask = makeAskers(scoring, parity)
  const shared = identifyJudges(whole)
  const own = metrics.flatMap(metric => {
    const panel = byMetric.get(metric) ?? whole
    return panel.length === 0 ? [] : [[metric, panel] as const]
  })
  const differing = own.filter(([, panel]) => !isEqual(identifyJudges(panel), shared))
  const [first] = whole
  return {
    identities: {
      ...((isWhole || differing.length < metrics.length) && first !== undefined && { judge: shared }),
      ...(differing.length > 0 && {
        judges: Object.fromEntries(differing.map(([metric, panel]) => [metric, identifyJudges(panel)])),
      }),
    },
    askers: {
      ...(first !== undefined && whole.length === 1 && { ask: ask(first) }),
      ...(own.length > 0 && {
        judges: new Map(
          own.map(([metric, panel]) => [
            metric,
            panel.map((judge): PanelJudge => ({ name: judge.name, ask: ask(judge) })),
          ]),
        ),
      }),
    },
  }
}

/** Makes the identity of the judges of a task or metric, for score keys. A single judge is not wrapped in a list. */
function identifyJudges(judges: readonly NamedJudge[]): JsonObject {
  const identities = judges.map(({ identity }) => identity)
  return identities.length === 1 && identities[0] !== undefined ? identities[0] : { panel: identities }
}

const isEqual = (left: JsonObject, right: JsonObject): boolean => canonicalJson(left) === canonicalJson(right)

/** Makes the functions that call a task's judges. Reasoning is removed from replies as from the task's answers. Each judge has one function for all metrics. */
function makeAskers({ config }: StoredScoring, parity: Parity | undefined): (judge: NamedJudge) => AskJudge {
  const { data: tags = [] } = scoringConfig.shape.reasoning_tags.safeParse(config['reasoning_tags'])
  const askers = new Map<NamedJudge, AskJudge>()
  return judge => {
    const asker = askers.get(judge) ?? (prompt => judge.ask(prompt, { tags, parity }))
    askers.set(judge, asker)
    return asker
  }
}
