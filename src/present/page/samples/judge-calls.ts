import type { Sample, Store } from '../../../../cache/store.js'
import type { JudgeExchanges } from '../../../reading/samples/judge-exchanges.js'
import { modelLabel } from '../../text/results/run-header.js'
import type { JudgeCall } from '../data/index.js'
import { answerView } from './answers.js'
import { messageViews } from './messages.js'

/** The views of a doc's exchanges with judge models. */
export async function judgeCallViews(
  store: Store,
  exchanges: JudgeExchanges,
  sample: Sample,
): Promise<readonly JudgeCall[]> {
  const found = await exchanges.read(sample)
  return Promise.all(
    found.map(async ({ run, item: { request, response, failure }, verdict }) => ({
      model: modelLabel(run),
      ...(response?.meta.served !== undefined && { served: response.meta.served }),
      key: request?.key ?? '',
      messages: await messageViews(store.media, request?.input.messages ?? []),
      ...(response && { answer: await answerView(store.media, run, response) }),
      ...(failure && { failure }),
      ...(verdict && { verdict }),
    })),
  )
}
