/** Plans the judge models of one command: the default judge, and judges of single tasks and metrics. */
import { didYouMean } from '../../base/text/suggest.js'
import { wildcard, isWildcard } from '../../base/text/wildcard.js'
import { PipelineError } from '../../base/errors/errors.js'
import { command, option } from '../../base/errors/option-words.js'
import { canonicalJson } from '../../base/values/canonical-json.js'
import { ownValue } from '../../base/values/named-values.js'
import type { JsonObject, Run } from '../../cache/records.js'
import type { GivenValues, Hooks, JudgeSettings } from '../config/settings.js'
import type { JudgeChoice } from '../config/values/judge-choices.js'
import { withGivenBackend } from '../model/plugins.js'
import type { JudgeCalls } from './judge-calls.js'
import { isSameModel } from './judge-label.js'
import { overrideJudges } from './override-judges.js'
import { planJudge, type JudgeParts } from './plan-judge.js'
import { describeRetired } from './variable-judge.js'

/** A judge model for scorers. `name` is unique among the judges of the command. */
export interface NamedJudge extends Pick<JudgeCalls, 'ask' | 'identity'> {
  readonly name: string
}

/** The judges of one task. Several judges are a panel. */
export interface SelectedJudges {
  /** The judges of metrics that `byMetric` does not name. Empty if the settings name no judge. */
  readonly whole: readonly NamedJudge[]
  readonly byMetric: ReadonlyMap<string, readonly NamedJudge[]>
}

export interface Judges {
  /** The identities of the judges, for score keys. */
  readonly identities: readonly JsonObject[]
  /** Tells whether a judge call is in flight. */
  readonly isAsking: boolean
  /** One sentence about the first judge that was stopped. Undefined if none was. */
  readonly stopped: string | undefined
  /** @param metrics the names of the task's metrics that may ask a judge */
  select(task: string, metrics: readonly string[]): SelectedJudges
  /** Rejects settings that no task used. Call it after the last `select`. @throws PipelineError if a named task or metric asks no judge */
  refuseUnused(): void
  /** Runs the work that may call the judges, see {@link JudgeCalls.during}. */
  during<Result>(run: Run, work: () => Promise<Result>): Promise<Result>
}

/**
 * Plans the judge models of a command; undefined if the settings name none.
 *
 * @throws PipelineError if a backend or an argument is wrong, or if money is limited and a price is unknown
 */
export async function planJudges(
  judgeSettings: JudgeSettings,
  { values, ...rest }: JudgeParts & { readonly values?: GivenValues | undefined },
): Promise<Judges | undefined> {
  const settings = overrideJudges(judgeSettings, rest.hooks)
  const parts = { ...rest, overrides: settings.judgeOverride }
  const { judgeFor = {} } = settings
  const gone = describeRetired(settings)
  if (gone !== undefined) parts.hooks.emit({ type: 'note', text: gone })
  const fallback = await planJudge(settings, { ...parts, plugins: withGivenBackend(parts.plugins, values?.judge) })
  const calls: JudgeCalls[] = fallback === undefined ? [] : [fallback]
  const routes = new Map<string, readonly JudgeCalls[]>()
  const callsByKey = new Map<string, JudgeCalls>(
    fallback === undefined ? [] : [[canonicalJson(fallback.identity), fallback]],
  )
  const plan = async ({ model, args }: JudgeChoice, pattern: string, index: number): Promise<JudgeCalls> => {
    const backend = ownValue(values?.judgeFor, pattern)?.[index]
    const planned = await planJudge(
      { judgeModel: model, judgeArgs: args, ...(settings.parity && { parity: settings.parity }) },
      { ...parts, plugins: withGivenBackend(parts.plugins, backend), again: {} },
    )
    if (planned === undefined) throw new Error('internal error: a judge without a model')
    const key = canonicalJson(planned.identity)
    const judge = callsByKey.get(key) ?? planned
    if (judge === planned) calls.push(planned)
    callsByKey.set(key, judge)
    return judge
  }
  for (const [pattern, choices] of Object.entries(judgeFor)) {
    const panel: JudgeCalls[] = []
    for (const [index, choice] of choices.entries()) panel.push(await plan(choice, pattern, index))
    if (new Set(panel).size < panel.length)
      throw new PipelineError(
        'usage',
        `${option('judgeFor')}: the panel of ${pattern} has the same judge twice, whose replies would be the same. Ask one judge several times with the argument votes of model_graded.`,
      )
    routes.set(pattern, panel)
  }
  return calls.length === 0 ? undefined : makeJudges({ calls, fallback, routes, emit: parts.hooks.emit })
}

function makeJudges({
  calls,
  fallback,
  routes,
  emit,
}: {
  readonly calls: readonly JudgeCalls[]
  readonly fallback: JudgeCalls | undefined
  readonly routes: ReadonlyMap<string, readonly JudgeCalls[]>
  readonly emit: Hooks['emit']
}): Judges {
  const names = nameJudges(calls)
  const listNamed = (panel: readonly JudgeCalls[]): readonly NamedJudge[] =>
    panel.flatMap(judge => names.get(judge) ?? [])
  const used = new Set<string>()
  const targets = new Set<string>()
  const matches = (pattern: string, name: string): boolean =>
    isWildcard(pattern) ? wildcard(pattern).test(name) : pattern === name
  /** Chooses judges. A name wins over a pattern, and a later pattern over an earlier one. */
  const choose = (matching: readonly string[]): readonly NamedJudge[] | undefined => {
    for (const pattern of matching) used.add(pattern)
    const best = matching.findLast(pattern => !isWildcard(pattern)) ?? matching.at(-1)
    return best === undefined ? undefined : listNamed(routes.get(best) ?? [])
  }
  return {
    identities: calls.map(judge => judge.identity),
    get isAsking() {
      return calls.some(judge => judge.isAsking)
    },
    get stopped() {
      const judge = calls.find(({ stopped }) => stopped !== undefined)
      return judge && `The judge ${judge.label} was asked nothing more: ${judge.stopped ?? ''}`
    },
    select(task, metrics) {
      const patterns = [...routes.keys()]
      targets.add(task)
      const ofTask = patterns.filter(pattern => matches(pattern, task))
      const whole = choose(ofTask) ?? listNamed(fallback === undefined ? [] : [fallback])
      const byName = metrics.flatMap(metric => {
        targets.add(`${task}.${metric}`)
        // A pattern that matches the task applies to all its metrics.
        const judges = choose(
          patterns.filter(pattern => !ofTask.includes(pattern) && matches(pattern, `${task}.${metric}`)),
        )
        return judges === undefined ? [] : [[metric, judges] as const]
      })
      return { whole, byMetric: new Map(byName) }
    },
    refuseUnused() {
      const problems = [...routes.keys()]
        .filter(pattern => !used.has(pattern))
        .map(
          pattern =>
            `${option('judgeFor')} ${pattern}: no task or metric of that name asks a judge.${didYouMean(pattern, targets) || ` These do: ${[...targets].join(', ') || 'none'}`}`,
        )
      if (problems.length > 0) throw new PipelineError('usage', problems)
    },
    during(run, work) {
      const selfJudge = calls.find(({ model }) => isSameModel(model, run.asked.model))
      if (selfJudge !== undefined)
        emit({
          type: 'note',
          text: `the judge ${selfJudge.label} is the model that it judges. Models tend to prefer their own answers: name another judge with ${option('judgeModel')}, or compare it with labels of people (${command('labels calibrate', [run.name])})`,
        })
      return calls.reduce<typeof work>((inner, judge) => () => judge.during(run, inner), work)()
    },
  }
}

/** Names each judge by its backend and model; judges that differ only in other arguments get a number. */
function nameJudges(calls: readonly JudgeCalls[]): ReadonlyMap<JudgeCalls, NamedJudge> {
  const countsByLabel = new Map<string, number>()
  return new Map(
    calls.map(judge => {
      const { ask, identity, label } = judge
      const count = (countsByLabel.get(label) ?? 0) + 1
      countsByLabel.set(label, count)
      return [judge, { ask, identity, name: count === 1 ? label : `${label} #${count}` }]
    }),
  )
}
