import { PipelineError } from '../../../../base/errors/errors.js'
import type { ResponseKey } from '../../../../cache/digest.js'
import type { Failure, ResponseMeta, Run } from '../../../../cache/records.js'
import type { OpenedRun, Store } from '../../../../cache/store.js'
import { isAskedBy, runMark } from '../../../../stages/model/stats/stats-collector.js'
import { formatQuantity, dateTime } from '../../../../base/text/numbers.js'
import type { KeyView } from '../data/index.js'
import { cutJson } from './texts.js'

/**
 * Explains a response key: its preimage, and why the run sent the request or reused an answer.
 *
 * @throws PipelineError if the store has no request with the key
 */
export async function keyView(store: Store, { run }: Pick<OpenedRun, 'run'>, key: string): Promise<KeyView> {
  const parts = isResponseKey(key) ? await store.requests.explain(key) : undefined
  if (parts === undefined || !isResponseKey(key)) {
    throw new PipelineError('usage', `the store has no request with the key ${key.slice(0, 100)}`)
  }
  const { input, config, code, sample } = parts
  return {
    key,
    parts: [
      { name: 'input', key: input.key, preimage: cutJson(input.preimage) },
      { name: 'config', key: config.key, preimage: cutJson(config.preimage) },
      { name: 'code', key: code.key, preimage: cutJson(code.preimage) },
      { name: 'sample', key: String(sample), preimage: sample },
    ],
    why: [...(await describeHistory(store, run, key)), nextRequest],
  }
}

const isResponseKey = (key: string): key is ResponseKey => /^sha256:[0-9a-f]{64}$/.test(key)

const nextRequest =
  'The request is sent again only if one of these parts changes: the input (prompt, media, tools), the configuration (model, its files and arguments, generation kwargs), the code of the backend, or the number of the sample.'

async function describeHistory(store: Store, run: Run, key: ResponseKey): Promise<string[]> {
  const outcome = await store.requests.answerOf(key)
  if (outcome === undefined) return ['The request has no answer yet. The next start of the run sends it.']
  if ('failure' in outcome) return [failureSentence(outcome.failure)]
  return [await answerSentence(store, run, outcome.meta)]
}

const failureSentence = ({ class: failureClass, message, attempts }: Failure): string =>
  `The request failed after ${formatQuantity(attempts, 'attempt')} (${failureClass}): ${message}. It is sent again only with --retry-failed.`

async function answerSentence(store: Store, run: Run, meta: ResponseMeta): Promise<string> {
  const when = dateTime(meta.answeredAt)
  const attempts = formatQuantity(meta.attempts, 'attempt')
  if (isAskedBy(run, meta)) return `This run sent the request. The answer came at ${when}, after ${attempts}.`
  const other = (await store.runs.list()).find(({ id }) => meta.run !== undefined && runMark(id) === meta.run)
  const sender =
    other === undefined
      ? 'an earlier run that is no longer in the store'
      : other.id === run.id
        ? 'an earlier start of this run'
        : `run ${other.name}`
  return `This run did not send the request, because the store had its answer. It was sent by ${sender}, and answered at ${when} after ${attempts}.`
}
