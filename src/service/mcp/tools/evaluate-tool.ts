/** The tool that submits an evaluation and waits for it. */
import { z } from 'zod'
import { PipelineError } from '../../../../base/errors/errors.js'
import { didYouMean } from '../../../../base/text/suggest.js'
import { without } from '../../../../base/values/without.js'
import type { Job } from '../../../../cache/store.js'
import { isFinal } from '../../http/job-info.js'
import { requestJsonSchema, requestSchema } from '../../jobs/job-request.js'
import { submitJob } from '../../jobs/job-service.js'
import type { Service } from '../../service.js'
import { foundRun } from '../found-run.js'
import { readRunName, findQueuePosition, resultFields, readResults } from '../run-fields.js'
import { cutField, defineTool } from '../tool.js'
import { waitReporting } from '../wait-reporting.js'

const input = z.looseObject({
  mode: z
    .enum(['auto', 'async', 'sync'])
    .optional()
    .describe(
      'auto (default): wait up to wait_timeout_s for the result; async: return the run_id at once; sync: wait until the end',
    ),
  wait_timeout_s: z.number().min(0).max(3600).optional().describe('the seconds that mode auto waits (90)'),
  idempotency_key: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe(
      'submitting the same request with the same key again returns the first run instead of a new one; another request with it is refused',
    ),
})

const waitSeconds = 90

/** The MCP tool that starts an evaluation. */
export const evaluate = defineTool({
  name: 'evaluate',
  title: 'Evaluate a model',
  description:
    'Evaluates a model on tasks as a durable job. Set limit to a few docs for a first try. Answers are kept: the same evaluation again sends no request twice. If the result is not there in time, the answer has a run_id for get_run_status and get_run_result; the evaluation goes on.',
  scope: 'submit',
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  input,
  moreInput: requestJsonSchema(),
  output: z.object({
    ...resultFields,
    position_in_queue: z.int().nullable().describe('the number of runs that start before this one'),
    message: z.string().describe('what to do next'),
    ...cutField,
  }),
  async run(args, { service, caller, signal, report }) {
    const { mode, wait_timeout_s: seconds, idempotency_key: key } = args
    refuseUnknown(args)
    const body = without(args, 'mode', 'wait_timeout_s', 'idempotency_key')
    const { job } = await submitJob(service, {
      body,
      ...(typeof key === 'string' && { idempotencyKey: `${caller.token ?? ''}/${key}` }),
      ...(caller.token !== undefined && { submitter: caller.token }),
    })
    if (mode === 'async') return makeAnswer(service, job)
    const ms = mode === 'sync' ? Infinity : (seconds ?? waitSeconds) * 1000
    return makeAnswer(service, (await waitReporting(service, job.id, { ms, signal, ...(report && { report }) })) ?? job)
  },
})

/** All keys of a job and of the tool, for suggestions. */
const keys = [...Object.keys(input.shape), ...Object.keys(requestSchema.shape)]

function refuseUnknown(args: Readonly<Record<string, unknown>>): void {
  const unknown = Object.keys(args).filter(key => !keys.includes(key))
  if (unknown.length > 0)
    throw new PipelineError(
      'usage',
      unknown.slice(0, 20).map(key => `${key}: no such key.${didYouMean(key, keys)}`),
    )
}

async function makeAnswer(service: Service, job: Job) {
  const evaluation = await foundRun(service, job.id)
  const position = await findQueuePosition(service, job)
  return {
    run_id: job.id,
    status: job.status,
    run: readRunName(evaluation),
    results: isFinal(job) ? await readResults(service, { ...evaluation, job }) : null,
    error: job.error ?? null,
    position_in_queue: position,
    message: formatMessage(job, position),
  }
}

function formatMessage(job: Job, position: number | null): string {
  const next = `Call get_run_status("${job.id}") to see how far it is.`
  switch (job.status) {
    case 'queued':
      return `The evaluation is queued; ${position ?? 0} start before it. ${next}`
    case 'running':
      return `The evaluation is running. ${next}`
    case 'completed':
      return `The evaluation is complete. get_run_result("${job.id}", include_samples=true, only="wrong") shows wrong answers.`
    case 'failed':
      return 'The evaluation failed; error says why. Submit it again to continue: answers that were received are kept.'
    case 'cancelled':
      return 'The evaluation was cancelled. Submit it again to continue: answers that were received are kept.'
  }
}
