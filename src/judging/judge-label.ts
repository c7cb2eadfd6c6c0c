import type { ModelIdentity } from '../../cache/records.js'
import { pricedModel } from '../../stages/model/budget/price.js'

/** `openai gpt-4o`, or the backend's name alone. */
export function formatJudgeLabel(identity: Parameters<typeof pricedModel>[0]): string {
  const { backend, model } = pricedModel(identity)
  return model === backend ? backend : `${backend} ${model}`
}

/** Tells whether two models have one name, whichever server answers; `openai/gpt-4o` is `gpt-4o`. */
export function isSameModel(left: ModelIdentity, right: ModelIdentity): boolean {
  const [name, otherName] = [left, right].map(identity => {
    const { backend, model } = pricedModel(identity)
    return model === backend ? undefined : model.slice(model.lastIndexOf('/') + 1).toLowerCase()
  })
  return name !== undefined && name === otherName
}
