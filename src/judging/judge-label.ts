import { pricedModel } from '../../stages/model/budget/price.js'

/** `openai gpt-4o`, or the backend's name alone. */
export function formatJudgeLabel(identity: Parameters<typeof pricedModel>[0]): string {
  const { backend, model } = pricedModel(identity)
  return model === backend ? backend : `${backend} ${model}`
}
