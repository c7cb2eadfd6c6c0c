import { PipelineError } from '../../base/errors.js'
import type { Store } from '../../cache/store.js'
import { JudgeCalls } from './judge-calls.js'
import { planModel } from '../model/model-plan.js'
import type { Plugins } from '../model/plugins.js'
import type { Hooks, JudgeSettings } from '../evaluation/settings.js'

/** @throws PipelineError where the judge's backend or an argument is not right. */
export async function planJudge(
  settings: JudgeSettings,
  parts: { readonly store: Store; readonly plugins: Plugins; readonly hooks: Pick<Hooks, 'emit' | 'drain' | 'stop'> },
): Promise<JudgeCalls | undefined> {
  const { judgeModel: model, judgeArgs: modelArgs = {} } = settings
  if (model === undefined) {
    if (Object.keys(modelArgs).length > 0)
      throw new PipelineError('usage', '--judge-args: also give --judge-model NAME   (pipeline models list)')
    return undefined
  }
  const plan = await planModel(
    { model, modelArgs, codeKey: 'files' },
    { store: parts.store, plugins: parts.plugins, env: process.env, hooks: parts.hooks },
  )
  if (!plan.backend.requests.includes('generate_until'))
    throw new PipelineError('usage', `--judge-model ${model} can't answer in text`)
  return new JudgeCalls(parts.store, plan, parts.hooks)
}
