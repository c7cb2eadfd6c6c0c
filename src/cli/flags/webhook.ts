/** Tells a webhook that a run of the command ended. */
import { setTimeout as sleep } from 'node:timers/promises'
import { PipelineError } from '../../../base/errors/errors.js'
import { oneLine, visibleText } from '../../../base/text/visible-text.js'
import { formatDecimal } from '../../../base/text/numbers.js'
import { resultsJson, type Results } from '../../present/json/results-json.js'
import { firstScore } from '../../reading/runs/first-score.js'
import { postWebhook } from '../../tracking/post-webhook.js'
import type { Terminal } from '../display/terminal.js'
import type { ExitCode } from '../exit-code.js'

/** The pauses before further attempts, in milliseconds. */
const pausesMs = [1000, 3000]

/** Checks a webhook address before the work starts. @throws PipelineError */
export function checkWebhook(address: string | undefined, terminal: Terminal): void {
  if (address === undefined) return
  // Such addresses hold a secret in their path.
  terminal.mask([address])
  if (/^https?:\/\/[^/\s]/i.test(address) && URL.canParse(address)) return
  throw new PipelineError('usage', '--webhook: expected an address that begins with http:// or https://')
}

/** Sends the results of a run, in at most three attempts. A failure is printed and does not affect the run. */
export async function tellWebhook(
  address: string,
  { results, code }: { readonly results: Results; readonly code: ExitCode },
  { terminal, signal }: { readonly terminal: Terminal; readonly signal: AbortSignal },
): Promise<void> {
  const body = webhookJson(results, code)
  let problem = await postWebhook(address, body, signal)
  for (const pause of pausesMs) {
    if (problem === undefined || signal.aborted) break
    await sleep(pause, undefined, { signal }).catch(() => undefined)
    problem = await postWebhook(address, body, signal)
  }
  if (problem === undefined) return
  terminal.tell(`the webhook was not told: ${oneLine(visibleText(problem))}. The results are in the store.`)
}

const states: Readonly<Record<ExitCode, string>> = {
  0: 'complete',
  1: 'refused',
  2: 'incomplete',
  3: 'not judged',
  4: 'gate failed',
  130: 'interrupted',
}

/** `text` is what chat programs show. */
function webhookJson(results: Results, code: ExitCode): unknown {
  const { run, judgement } = results
  const first = judgement === undefined ? undefined : firstScore([judgement])?.aggregate
  const score = first === undefined ? '' : `: ${first.task} ${first.metric} ${formatDecimal(first.value)}`
  return {
    event: 'run.ended',
    text: `${run.name} ${states[code]}${score}`,
    state: states[code],
    exit_code: code,
    run: run.name,
    run_id: run.id,
    results: resultsJson(results),
  }
}
