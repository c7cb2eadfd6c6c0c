/** Judge models that people replace, because a provider shut them down or a task names an old one. */
import { PipelineError } from '../../base/errors/errors.js'
import { option } from '../../base/errors/option-words.js'
import { ownValue } from '../../base/values/named-values.js'
import type { Hooks, JudgeSettings } from '../config/settings.js'

type Arguments = Readonly<Record<string, unknown>>

/**
 * Replaces the judge models that `judgeOverride` names, and notes each replacement. A judge that no longer exists is only replaced if it is named.
 * Otherwise its calls fail.
 *
 * @throws PipelineError if a replacement is itself replaced, because that is ambiguous
 */
export function overrideJudges(settings: JudgeSettings, { emit }: Pick<Hooks, 'emit'>): JudgeSettings {
  const { judgeOverride = {}, judgeModel, judgeArgs, judgeFor } = settings
  const chained = Object.values(judgeOverride).find(model => ownValue(judgeOverride, model) !== undefined)
  if (chained !== undefined)
    throw new PipelineError(
      'usage',
      `${option('judgeOverride')}: ${chained} replaces another judge and is replaced itself. Name the last one for both.`,
    )
  const noted = new Set<string>()
  const replace = (args: Arguments): Arguments => {
    const { model: old } = args
    const model = typeof old === 'string' ? ownValue(judgeOverride, old) : undefined
    if (typeof old !== 'string' || model === undefined) return args
    if (!noted.has(old))
      emit({ type: 'note', text: `the judge ${model} is asked in place of ${old} (${option('judgeOverride')})` })
    noted.add(old)
    return { ...args, model }
  }
  return {
    ...settings,
    ...(judgeModel !== undefined && judgeArgs && { judgeArgs: replace(judgeArgs) }),
    ...(judgeFor && {
      judgeFor: Object.fromEntries(
        Object.entries(judgeFor).map(([pattern, choices]) => [
          pattern,
          choices.map(choice => ({ ...choice, args: replace(choice.args) })),
        ]),
      ),
    }),
  }
}
