import type { Preview } from './preview.js'
import { judgeCalls } from './preview-notes.js'
import { sumPreviews, type Sums } from './preview-sums.js'

/** The JSON of a plan. Tokens and dollars are `{low, likely, high}`. */
export function previewJson({ run, model, tasks, price, expectedMs, judge }: Preview): object {
  const total = sumPreviews(tasks)
  return {
    format: 1,
    run: { id: run.id, name: run.name, is_new: run.isNew },
    model: { ...model, ...(price && { price }) },
    tasks: Object.fromEntries(
      tasks.map(task => [
        task.task,
        {
          ...numbers(task),
          input_measured: task.isInputMeasured,
          ...(task.medianOutput === undefined ? {} : { median_output_tokens: task.medianOutput }),
          media: task.media,
          images_by_size: task.sizedImages,
          may_ask_judge: task.mayAskJudge,
          has_rounds: task.hasRounds,
          ...(judge === undefined ? {} : { judge_calls: judgeCalls({ tasks: [task], judge }) }),
        },
      ]),
    ),
    total: {
      ...numbers(total),
      ...(judge === undefined ? {} : { judge_calls: judgeCalls({ tasks, judge }) }),
      ...(expectedMs === undefined ? {} : { seconds: expectedMs / 1000 }),
    },
    ...(judge === undefined ? {} : { judge }),
  }
}

const numbers = ({ docs, requests, inStore, shared, failed, broken, toAsk, input, output, cost }: Sums) => ({
  docs,
  requests,
  in_store: inStore,
  shared,
  failed_for_good: failed,
  broken,
  to_ask: toAsk,
  input_tokens: input,
  output_tokens: output,
  ...(cost === undefined ? {} : { cost_usd: cost }),
})
