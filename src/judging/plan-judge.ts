import { PipelineError } from '../../base/errors/errors.js'
import { command, option } from '../../base/errors/option-words.js'
import { secretPaths } from '../../base/text/secrets.js'
import { present } from '../../base/values/present.js'
import type { Hide } from '../config/hidden-secrets.js'
import type { Environment, JudgeSettings } from '../config/settings.js'
import { planModel } from '../model/model-plan.js'
import type { Plugins } from '../model/plugins.js'
import type { Limiters } from '../model/traffic.js'
import { JudgeCalls, type JudgeCallsParts } from './judge-calls.js'

/** Dependencies for planning judges. */
export interface JudgeParts extends Omit<JudgeCallsParts, 'model'> {
  readonly plugins: Plugins
  readonly env: Environment
  readonly hide?: Hide
  readonly limiters?: Limiters
}

/**
 * Plans the default judge model of a command; undefined if the settings name none.
 *
 * @throws PipelineError if the backend or an argument is wrong, or if money is limited and the price is unknown
 */
export async function planJudge(
  { judgeModel: model, judgeArgs: modelArgs = {}, parity }: JudgeSettings,
  { plugins, ...parts }: JudgeParts,
): Promise<JudgeCalls | undefined> {
  if (model === undefined) {
    if (Object.keys(modelArgs).length > 0)
      throw new PipelineError(
        'usage',
        `${option('judgeArgs')}: also give ${option('judgeModel', 'NAME')}   (${command('models list')})`,
      )
    return undefined
  }
  const settings = { model, modelArgs, codeKey: 'revision', ...(parity && { parity }) } as const
  const plan = await planModel(settings, {
    store: parts.store,
    plugins,
    env: parts.env,
    hooks: parts.hooks,
    takesSampling: false,
    ...present({ hide: parts.hide, limiters: parts.limiters }),
  })
  if (!plan.backend.requests.includes('generate_until'))
    throw new PipelineError('usage', `${option('judgeModel', model)} can't answer in text`)
  return JudgeCalls.open({ again: { judgeModel: model, ...givenAgain(modelArgs) }, ...parts, model: plan })
}

/** Returns the arguments for a command that people type again. Secrets come from the environment. */
function givenAgain(args: Readonly<Record<string, unknown>>): {
  readonly judgeArgs?: Readonly<Record<string, unknown>>
} {
  const entries = Object.entries(args).filter(([name, value]) => secretPaths({ [name]: value }, '').length === 0)
  return entries.length === 0 ? {} : { judgeArgs: Object.fromEntries(entries) }
}
